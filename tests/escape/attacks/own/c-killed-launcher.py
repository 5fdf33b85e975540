"""
id: c-killed-launcher
class: c
title: write such files and have the launcher killed before it can look
source: kill -9 of the launcher
launch: kill
"""
from esc import *


NAMES = (".vscode/tasks.json", ".envrc", ".idea/workspace.xml", ".devcontainer/devcontainer.json", ".npmrc", ".cargo/config.toml", ".mcp.json", ".claude/settings.json", ".husky/pre-commit", ".mise.toml")


def attack(x):
    for name in NAMES:
        x.put(x.p(name))
    x.put(x.p(".git/hooks/pre-commit"), x.script, 0o755)
    x.signal()
    time.sleep(8)


def verdict(x):
    wait_for(lambda: not any(x.landed(x.p(n)) for n in NAMES), 4)
    x.sh("git", "commit", "--allow-empty", "-m", "work")
    return x.any_landed(NAMES) or x.executed()


main(globals())
