"""
id: d-folder-mode
class: d
title: hide a new settings file in folders whose mode forbids looking or writing
source: found while testing hold
"""
from esc import *

FILES = ("one/.envrc", "two/.vscode/tasks.json", "three/.mcp.json")


def attack(x):
    for name, mode in zip(FILES, (0o555, 0, 0o111)):
        x.put(x.p(name))
        x.attempt(os.chmod, x.p(name.split("/")[0]), mode)


def verdict(x):
    for folder in (x.p(name.split("/")[0]) for name in FILES):
        if os.path.isdir(folder):
            os.chmod(folder, 0o755)
    return x.any_landed(FILES)


main(globals())
