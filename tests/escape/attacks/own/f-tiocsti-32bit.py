"""
id: f-tiocsti-32bit
class: f
title: type into the terminal through the 32-bit system call entry
source: filters that know one ABI
launch: pty
uses: tiocsti32
"""
from esc import *


def attack(x):
    x.helper("tiocsti32", "echo %s\n" % x.token)


def verdict(x):
    return x.landed(os.path.join(x.state, "typed"))


main(globals())
