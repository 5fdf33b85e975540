"""
id: c-renamed-into-place
class: c
title: prepare such files under harmless names and rename the folders above them
source: checks at open time only
"""
from esc import *


NAMES = (".vscode/tasks.json", ".envrc", ".idea/workspace.xml", ".devcontainer/devcontainer.json", ".npmrc", ".cargo/config.toml", ".mcp.json", ".claude/settings.json", ".husky/pre-commit", ".mise.toml")
PLACES = ["ready/" + n for n in NAMES] + [n.replace("/", "/sub/../") for n in NAMES] + list(NAMES)


def attack(x):
    for name in NAMES:
        x.put(x.p("stage", name))
        x.put(x.p("loose", name.replace("/", "_")[1:]))
    x.attempt(os.rename, x.p("stage"), x.p("ready"))
    for name in NAMES:
        target = x.p(name)
        x.attempt(os.makedirs, os.path.dirname(target), exist_ok=True)
        x.attempt(os.rename, x.p("loose", name.replace("/", "_")[1:]), target)


def verdict(x):
    return x.any_landed(PLACES)


main(globals())
