"""
id: c-commit-then-checkout
class: c
title: commit changed settings in one run, check them out in the next
source: found while testing hold, which lets committed files pass
runs: 2
"""
from esc import *

FILES = (".mcp.json", ".vscode/tasks.json")


def setup(x):
    for name in FILES:
        write(x.p(name), "{}\n")
    x.sh("git", "add", "-A")
    x.sh("git", "commit", "-m", "settings")


def git(*words):
    subprocess.run(("git", "-c", "user.name=x", "-c", "user.email=x@x.invalid") + words,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def attack(x):
    os.chdir(x.project)
    if x.phase == 1:
        git("checkout", "-q", "-b", "planted")
        for name in FILES:
            x.put(x.p(name))
        git("add", *FILES)
        git("commit", "-q", "-m", "x")
        git("checkout", "-q", "-")
    else:
        git("checkout", "-q", "planted", "--", *FILES)


def verdict(x):
    return x.any_landed(FILES)


main(globals())
