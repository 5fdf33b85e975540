"""
id: a-init-links
class: a
title: reach the home through root, cwd, exe and descriptors of process 1 and of oneself
source: magic links of /proc
"""
from esc import *


def setup(x):
    x.plant(x.h(".ssh/id_ed25519"))


def attack(x):
    for who in ("1", "self", "thread-self", str(os.getppid())):
        for link in ("root", "cwd", "fd/0", "fd/1", "fd/2", "fd/3", "fd/10", "fd/11"):
            at = "/proc/%s/%s" % (who, link)
            x.steal(at + x.h(".ssh/id_ed25519"))
            x.steal(at + "/.." * 30 + x.h(".ssh/id_ed25519"))
            x.steal(at + "/../../.ssh/id_ed25519")


def verdict(x):
    return x.leaked()


main(globals())
