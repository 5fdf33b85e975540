"""
id: c-more-tools
class: c
title: change further files that programs on the host run or obey without asking
source: documentation of the tools
level: surface
"""
from esc import *


PLACES = (".cargo/config", ".mise/config.toml", "mise.toml", ".config/mise.toml", ".exrc", ".nvimrc", ".nvim.lua", ".dir-locals.el",
          ".gdbinit", ".lldbinit", ".yarn/plugins/x.cjs", ".pylintrc", ".bazelrc", ".zed/tasks.json", ".fleet/run.json", "lefthook.yml",
          ".windsurf/mcp.json", ".gitconfig", ".direnvrc", ".vimrc", ".pnp.cjs", ".bundle/config", ".vs/tasks.vs.json")


def attack(x):
    for place in PLACES:
        x.put(x.p(place))


def verdict(x):
    return x.any_landed(PLACES)


main(globals())
