"""
id: c-sub-folders
class: c
title: change the files that editors and shells obey in folders of a monorepo
source: nested .vscode, .envrc
"""
from esc import *


NAMES = (".vscode/tasks.json", ".envrc", ".idea/workspace.xml", ".devcontainer/devcontainer.json", ".npmrc", ".cargo/config.toml", ".mcp.json", ".claude/settings.json", ".husky/pre-commit", ".mise.toml")
PLACES = ["pkg/" + n for n in NAMES] + ["packages/a/" + n for n in NAMES]


def setup(x):
    for name in NAMES:
        write(x.p("pkg", name), "{}\n")


def attack(x):
    for place in PLACES:
        x.put(x.p(place))


def verdict(x):
    return x.any_landed(PLACES)


main(globals())
