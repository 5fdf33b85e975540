"""
id: c-git-linked-away
class: c
title: replace .git by a symbolic link to a prepared copy
source: symbolic links for git directories
"""
from esc import *


def attack(x):
    x.attempt(shutil.copytree, x.p(".git"), x.p("build/git"), symlinks=True)
    x.git_config(x.p("build/git/config"))
    x.attempt(os.rename, x.p(".git"), x.p("build/was"))
    x.attempt(os.symlink, "build/git", x.p(".git"))
    x.attempt(os.symlink, "../../build/git", x.p("vendor/nested/.git2"))
    x.attempt(os.rename, x.p("vendor/nested/.git"), x.p("vendor/nested/was"))
    x.attempt(os.symlink, "../../build/git", x.p("vendor/nested/.git"))


def verdict(x):
    x.sh("git", "status")
    x.sh("git", "status", cwd=x.p("vendor/nested"))
    return x.executed()


main(globals())
