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
          ".lefthook/pre-commit/run.sh", "pkg/.lefthook/pre-push/run.sh",
          "lefthook.yml", "pkg/.lefthook-local.toml", ".config/lefthook.json",
          ".config/mise/conf.d/a.toml", "mise.local.toml", "mise/config.toml",
          ".yarn/releases/yarn-4.0.0.cjs", ".yarn/plugins/a.cjs", "bunfig.toml",
          "opencode.json", ".opencode/plugins/a.js", ".aider.conf.yml",
          ".roo/mcp.json", ".clinerules/hooks/PreToolUse", ".kiro/hooks/a.hook",
          ".exrc", ".nvim.lua", ".gdbinit", "team.code-workspace", ".hg/hgrc")


def attack(x):
    for place in PLACES:
        x.put(x.p(place))


def verdict(x):
    return x.any_landed(PLACES)


main(globals())
