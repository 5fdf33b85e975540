"""
id: c-link-that-was-there
class: c
title: write to the target of the developer's own link
source: symlinked dotfiles
"""
from esc import *


def setup(x):
    write(x.p("config/envrc"), "echo hello\n")
    os.symlink("config/envrc", x.p(".envrc"))
    os.makedirs(x.p("config/vscode"))
    os.symlink("config/vscode", x.p(".vscode"))


def attack(x):
    x.put(x.p("config/envrc"))
    x.put(x.p("config/vscode/tasks.json"))
    x.put(x.p("config/new/tasks.json"))
    x.attempt(os.unlink, x.p(".vscode"))
    x.attempt(os.symlink, "config/new", x.p(".vscode"))


def verdict(x):
    return x.any_landed([".envrc", ".vscode/tasks.json"])


main(globals())
