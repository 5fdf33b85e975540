"""
id: i-stopped-leftover
class: i
title: leave stopped, detached and signal-proof processes behind
source: clean-up by signals
"""
from esc import *


def setup(x):
    x.param("name", "escs" + x.token[-8:])


def attack(x):
    def stay():
        os.setsid()
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        if os.fork() == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            time.sleep(20)
        time.sleep(20)
    marked(x["name"], stay)
    time.sleep(0.3)


def verdict(x):
    time.sleep(0.5)
    return victim_pid(x.params["name"]) is not None


main(globals())
