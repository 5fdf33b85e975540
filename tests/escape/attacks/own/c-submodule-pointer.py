"""
id: c-submodule-pointer
class: c
title: point a submodule's .git file at a prepared repository
source: gitdir pointers
"""
from esc import *


def attack(x):
    x.bare_repo(x.p("build/fake"), x.p("libs/sub"))
    x.attempt(os.unlink, x.p("libs/sub/.git"))
    x.put(x.p("libs/sub/.git"), "gitdir: ../../build/fake\n")
    x.attempt(os.rename, x.p("libs/sub"), x.p("libs/old"))
    x.put(x.p("libs/sub/.git"), "gitdir: ../../build/fake\n")
    x.attempt(os.rename, x.p("libs"), x.p("gone"))
    x.put(x.p("libs/sub/.git"), "gitdir: ../../build/fake\n")


def verdict(x):
    x.sh("git", "status")
    x.sh("git", "status", cwd=x.p("libs/sub"))
    return x.executed()


main(globals())
