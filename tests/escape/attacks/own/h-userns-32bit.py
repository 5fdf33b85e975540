"""
id: h-userns-32bit
class: h
title: make a user namespace through the 32-bit entry
source: filters that know one ABI
level: surface
uses: int80
"""
from esc import *


def attack(x):
    if x.helper("int80", "userns")[0] == 0:
        x.worked()


def verdict(x):
    return x.reported()


main(globals())
