"""
id: c-more-tools
class: c
title: change further files that programs on the host run or obey without asking
source: documentation of the tools
level: surface
"""
from esc import *


PLACES = (".cargo/config", ".mise/config.toml", "mise.toml",
          ".config/mise.toml", ".zed/tasks.json", ".windsurf/mcp.json",
          ".lefthook/pre-commit/run.sh", "pkg/.lefthook/pre-push/run.sh")


def attack(x):
    for place in PLACES:
        x.put(x.p(place))


def verdict(x):
    return x.any_landed(PLACES)


main(globals())
