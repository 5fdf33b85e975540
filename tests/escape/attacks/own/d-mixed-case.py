"""
id: d-mixed-case
class: d
title: create such files in another letter case, for file systems that fold it
source: case-insensitive file systems; CVE-2014-9390
"""
from esc import *


PLACES = (".VSCODE/tasks.json", ".Envrc", ".NPMRC", ".Claude/settings.json", ".Mcp.json", "pkg/.VsCode/tasks.json", ".HUSKY/pre-commit",
          ".Cargo/Config.toml", ".Idea/workspace.xml", ".DevContainer/devcontainer.json")


def attack(x):
    for place in PLACES:
        x.put(x.p(place))


def verdict(x):
    return x.any_landed(PLACES)


main(globals())
