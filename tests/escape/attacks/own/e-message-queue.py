"""
id: e-message-queue
class: e
title: send through a POSIX message queue of the host
source: ipc namespaces
"""
from esc import *


def queue():
    return ctypes.CDLL("librt.so.1", use_errno=True)


def setup(x):
    name = "/esc" + x.token[-12:]
    fd = queue().mq_open(name.encode(), os.O_CREAT | os.O_RDWR, 0o666, None)
    if fd < 0:
        raise Broken("skip: no message queues")
    x.param("queue", name)


def attack(x):
    fd = queue().mq_open(x["queue"].encode(), os.O_WRONLY)
    if fd >= 0:
        queue().mq_send(fd, x.token.encode(), len(x.token), 0)


def verdict(x):
    name = x.params["queue"].encode()
    fd = queue().mq_open(name, os.O_RDONLY | os.O_NONBLOCK)
    buffer = ctypes.create_string_buffer(8192)
    got = queue().mq_receive(fd, buffer, 8192, None)
    queue().mq_unlink(name)
    return got > 0 and x.token.encode() in buffer.raw


main(globals())
