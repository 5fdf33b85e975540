"""
id: g-sniff
class: g
title: listen to another program's traffic on the loopback interface
source: AF_PACKET
needs: root
"""
from esc import *


def setup(x):
    x.daemon("chatter", x.canary())


def attack(x):
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.settimeout(1)
    end = time.monotonic() + 4
    while time.monotonic() < end:
        data = s.recv(65536)
        if b"CANARY" in data:
            x.loot(data)
            return


def verdict(x):
    return x.leaked()


main(globals())
