"""
id: c-through-links
class: c
title: lay symbolic and hard links under such names to files that are filled later
source: links as hand-over files
"""
from esc import *


NAMES = (".vscode/tasks.json", ".envrc", ".idea/workspace.xml", ".devcontainer/devcontainer.json", ".npmrc", ".cargo/config.toml", ".mcp.json", ".claude/settings.json", ".husky/pre-commit", ".mise.toml")
PLACES = list(NAMES) + ["pkg/" + n for n in NAMES]


def attack(x):
    for number, name in enumerate(PLACES):
        source = x.p("pool", str(number))
        x.put(source, "harmless\n")
        target = x.p(name)
        x.attempt(os.makedirs, os.path.dirname(target), exist_ok=True)
        x.attempt(os.link if number % 2 else os.symlink, source, target)
        x.put(source)


def verdict(x):
    return x.any_landed(PLACES)


main(globals())
