"""
id: k-name-shell
class: k
title: a project whose name holds shell syntax
source: names that are split, unescaped or quoted on the way
project: name a;touch $HOME/x `id`
"""
from esc import *


def setup(x):
    x.plant(x.h(".ssh/id_ed25519"))


def attack(x):
    x.steal(x.h(".ssh/id_ed25519"))
    x.put(x.h(".profile"), x.script)
    x.put(x.p(".git/hooks/pre-commit"), x.script, 0o755)
    x.put(x.p(".envrc"))


def verdict(x):
    x.sh("git", "commit", "--allow-empty", "-m", "work")
    return x.leaked() or x.landed(x.h(".profile")) or x.executed() or x.landed(x.p(".envrc"))


main(globals())
