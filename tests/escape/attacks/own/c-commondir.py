"""
id: c-commondir
class: c
title: turn the main repository into a linked one by a commondir file
source: design: commondir of the main git directory
"""
from esc import *


def attack(x):
    x.attempt(shutil.copytree, x.p(".git"), x.p("build/common"), symlinks=True)
    x.git_config(x.p("build/common/config"))
    x.put(x.p("build/common/hooks/pre-commit"), x.script, 0o755)
    x.attempt(os.unlink, x.p(".git/commondir"))
    x.put(x.p(".git/commondir"), "../build/common\n")


def verdict(x):
    x.sh("git", "status")
    x.sh("git", "commit", "--allow-empty", "-m", "work")
    return x.executed()


main(globals())
