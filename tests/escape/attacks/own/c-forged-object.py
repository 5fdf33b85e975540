"""
id: c-forged-object
class: c
title: check out settings whose object was exchanged for another under its name
source: found while testing hold; git does not check the content of a loose blob
"""
import zlib

from esc import *


def setup(x):
    write(x.p(".mcp.json"), '{"a": 1}\n')
    x.sh("git", "add", "-A")
    x.sh("git", "commit", "-m", "one")
    write(x.p(".mcp.json"), '{"a": 2}\n')
    x.sh("git", "commit", "-am", "two")


def attack(x):
    got = subprocess.run(["git", "rev-parse", "HEAD:.mcp.json"], cwd=x.project, stdout=subprocess.PIPE)
    name = got.stdout.decode().strip()
    path = x.p(".git/objects", name[:2], name[2:])
    content = x.token.encode()
    x.attempt(os.unlink, path)
    with open(path, "wb") as file:
        file.write(zlib.compress(b"blob %d\0" % len(content) + content))
    x.put(x.p(".mcp.json"))


def verdict(x):
    return x.any_landed([".mcp.json"])


main(globals())
