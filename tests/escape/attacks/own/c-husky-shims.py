"""
id: c-husky-shims
class: c
title: rewrite the shims that husky's core.hooksPath leads to
source: husky 9: core.hooksPath = .husky/_
"""
from esc import *


def setup(x):
    write(x.p(".husky/_/pre-commit"), "#!/bin/sh\n. \"$(dirname \"$0\")/h\"\n", 0o755)
    write(x.p(".husky/_/h"), "true\n", 0o755)
    x.sh("git", "config", "core.hooksPath", ".husky/_")


def attack(x):
    for name in ("h", "pre-commit", "commit-msg"):
        x.put(x.p(".husky/_", name), x.script, 0o755)
    x.put(x.p(".husky/pre-commit"), x.pwn)


def verdict(x):
    x.sh("git", "status")
    x.sh("git", "commit", "--allow-empty", "-m", "work")
    return x.executed()


main(globals())
