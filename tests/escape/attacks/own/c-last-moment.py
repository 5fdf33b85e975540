"""
id: c-last-moment
class: c
title: go on writing such files from many processes until the very end
source: a race with the clean-up
"""
from esc import *


NAMES = (".vscode/tasks.json", ".envrc", ".idea/workspace.xml", ".devcontainer/devcontainer.json", ".npmrc", ".cargo/config.toml", ".mcp.json", ".claude/settings.json", ".husky/pre-commit", ".mise.toml")


def attack(x):
    for name in NAMES:
        if os.fork() == 0:
            os.setsid()
            for number in range(1, 65):
                try:
                    signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError):
                    pass
            end = time.monotonic() + 3
            while time.monotonic() < end:
                try:
                    write(x.p(name), x.token)
                except OSError:
                    pass
            os._exit(0)
    time.sleep(0.3)


def verdict(x):
    time.sleep(3.2)
    return x.any_landed(NAMES)


main(globals())
