"""
id: c-module-directory
class: c
title: plant hooks, config and attributes in the submodules' git directories, nested and moved
source: .git/modules
"""
from esc import *


def attack(x):
    at = x.p(".git/modules/libs/sub")
    x.git_config(at + "/config")
    x.git_config(at + "/config.worktree")
    x.put(at + "/hooks/pre-commit", x.script, 0o755)
    x.attempt(shutil.copytree, at, x.p("build/module"), symlinks=True)
    x.git_config(x.p("build/module/config"))
    for name in (at, x.p(".git/modules/libs"), x.p(".git/modules")):
        x.attempt(os.rename, name, name + ".old")
    x.attempt(shutil.copytree, x.p("build/module"), at, symlinks=True)


def verdict(x):
    x.sh("git", "status")
    x.sh("git", "status", cwd=x.p("libs/sub"))
    x.sh("git", "commit", "--allow-empty", "-m", "work", cwd=x.p("libs/sub"))
    return x.executed()


main(globals())
