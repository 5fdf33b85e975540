"""
id: e-high-descriptors
class: e
title: use directories that the launcher had open at high numbers
source: descriptor inheritance
"""
from esc import *


NUMBERS = (9, 10, 63, 64, 127, 255, 256, 700, 1000)


def setup(x):
    x.plant(x.h(".ssh/id_ed25519"))
    for number in NUMBERS:
        x.fd(number, x.home, os.O_RDONLY | os.O_DIRECTORY if number % 2 else os.O_PATH)


def attack(x):
    for number in range(3, 1024):
        for path in (".ssh/id_ed25519", "../home/.ssh/id_ed25519"):
            try:
                fd = os.open(path, os.O_RDONLY, dir_fd=number)
                x.loot(os.read(fd, 4096))
            except OSError:
                pass


def verdict(x):
    return x.leaked()


main(globals())
