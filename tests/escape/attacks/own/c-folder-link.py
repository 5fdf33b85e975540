"""
id: c-folder-link
class: c
title: turn the folder around a settings folder into a link to a changed copy
source: variation on Gitlawb/zero#808 and anthropics/claude-code#77643
"""
from esc import *

FILES = ("pkg/.vscode/tasks.json", "tool/.claude/settings.json")


def setup(x):
    for name in FILES:
        write(x.p(name), "{}\n")
    os.makedirs(x.p("real/claude"))
    write(x.p("real/claude/settings.json"), "{}\n")
    os.symlink("real", x.p("way"))
    os.symlink("way/claude", x.p(".claude"))


def attack(x):
    x.attempt(os.rename, x.p("pkg"), x.p("pkg2"))
    x.attempt(os.symlink, "pkg2", x.p("pkg"))
    x.put(x.p("pkg2/.vscode/tasks.json"))
    x.put(x.p("evil/.claude/settings.json"))
    x.attempt(os.rename, x.p("tool"), x.p("tool2"))
    x.attempt(os.symlink, "evil", x.p("tool"))
    # The link in the middle of .claude -> way/claude
    x.put(x.p("other/claude/settings.json"))
    x.attempt(os.unlink, x.p("way"))
    x.attempt(os.symlink, "other", x.p("way"))


def verdict(x):
    return x.any_landed(FILES + (".claude/settings.json",))


main(globals())
