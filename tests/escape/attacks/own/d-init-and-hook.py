"""
id: d-init-and-hook
class: d
title: make repositories with git itself and arm their hooks, config and templates
source: repositories that the run creates
project: plain
"""
from esc import *


def attack(x):
    for place in (x.project, x.p("new"), x.p("deep/er/new")):
        os.makedirs(place, exist_ok=True)
        subprocess.run(["git", "init", "-q"], cwd=place)
        x.put(place + "/.git/hooks/pre-commit", x.script, 0o755)
        x.put(place + "/.git/hooks/post-index-change", x.script, 0o755)
        x.git_config(place + "/.git/config", "[alias]\n\tst = status\n")
        x.put(place + "/.git/info/attributes", "* filter=x diff=x\n")


def verdict(x):
    for place in (x.project, x.p("new"), x.p("deep/er/new")):
        if os.path.isdir(place):
            x.sh("git", "status", cwd=place)
            x.sh("git", "commit", "--allow-empty", "-m", "work", cwd=place)
    return x.executed()


main(globals())
