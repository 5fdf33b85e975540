"""
id: c-two-runs
class: c
title: let another run of the same project begin and end in the middle of it
source: overlapping runs
launch: pair
timeout: 20
"""
from esc import *


NAMES = (".vscode/tasks.json", ".envrc", ".idea/workspace.xml", ".devcontainer/devcontainer.json", ".npmrc", ".cargo/config.toml", ".mcp.json", ".claude/settings.json", ".husky/pre-commit", ".mise.toml")


def attack(x):
    for name in NAMES:
        x.put(x.p(name))
    x.put(x.p(".git/hooks/pre-commit"), x.script, 0o755)
    if x.phase == 1:
        x.ready(6)
        for name in NAMES:
            x.put(x.p(name))
        x.put(x.p(".git/hooks/pre-commit"), x.script, 0o755)


def verdict(x):
    x.sh("git", "commit", "--allow-empty", "-m", "work")
    return x.any_landed(NAMES) or x.executed()


main(globals())
