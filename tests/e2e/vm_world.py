"""A guest and a whole world around it, in namespaces: no packet leaves the machine.

The guest is a root directory of its own with the real init, the real firewall files and the real nft, in
user, mount, network, process, IPC and UTS namespaces. The world is a second network namespace at the other
end of its cable. It owns the gateway and one address of every kind that a guest could be tempted by, with
listeners on all of them, and a name server that knows a few names.

Run as a program: reads one JSON request from stdin, writes one JSON result to stdout.
"""
import ctypes
import json
import os
import resource
import select
import shutil
import socket
import struct
import subprocess
import sys
import threading

GATEWAY = "192.168.64.1"
NEIGHBOUR = "192.168.64.77"
GUEST = "192.168.64.2"
PUBLIC = "93.184.216.34"
PUBLIC6 = "2606:2800:220:1::1"
REFUSED = ["10.0.0.1", "10.9.9.9", "100.64.0.5", "100.100.100.200", "169.254.169.254", "172.16.0.1", "172.31.255.1",
           "192.0.0.8", "192.0.2.7", "192.88.99.1", "192.168.0.1", "192.168.1.1", NEIGHBOUR, "198.18.0.1",
           "198.51.100.2", "203.0.113.5"]
REFUSED6 = ["fd12::1", "2001:db8::1", "2001:0:4136:e378::1", "2002:c0a8:101::1", "64:ff9b::a00:1", "fec0::1"]
NEAR_PUBLIC = ["9.255.255.1", "11.0.0.1", "100.63.0.1", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.0.1",
               "192.169.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.1", "169.253.0.1"]
PORTS = [22, 53, 80, 443, 5000, 8080]
NAMES = {"public.test": [PUBLIC], "mixed.test": [PUBLIC, "127.0.0.1"], "private.test": ["10.0.0.1"],
         "other.test": ["11.0.0.1"], "metadata.test": ["169.254.169.254"]}

CLONE = {"mount": 0x20000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000,
         "net": 0x40000000}
MS_BIND, MS_REC, MS_PRIVATE, MS_RDONLY, MS_REMOUNT = 4096, 16384, 1 << 18, 1, 32
libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def unshare(*kinds):
    check(libc.unshare(sum(CLONE[kind] for kind in kinds)), "unshare")


def mount(source, target, kind, flags=0, data=""):
    check(libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()),
          f"mount {target}")


def run(*words):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)


def ip(*words):
    run("ip", *words)


def ip_batch(lines):
    subprocess.run(["ip", "-batch", "-"], input="\n".join(lines) + "\n", text=True, check=True)


# --- the world ----------------------------------------------------------------------------------------

def answer_names(address):
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, 53))
    while True:
        query, client = server.recvfrom(2000)
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]].decode())
            at += 1 + query[at]
        question = query[12:at + 5]
        wanted = struct.unpack(">H", query[at + 1:at + 3])[0]
        known = NAMES.get(".".join(labels).lower())
        found = known if known and wanted == 1 else []
        header = query[:2] + struct.pack(">HHHHH", 0x8180 if known else 0x8183, 1, len(found), 0, 0)
        records = b"".join(b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton(a) for a in found)
        server.sendto(header + question + records, client)


def accept_for_ever(family, address, port):
    server = socket.socket(family)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    server.bind((address, port))
    server.listen(64)
    while True:
        server.accept()[0].close()


def echo_datagrams(family, address, port):
    # One socket for each address: the answer has to come from the address that was asked.
    server = socket.socket(family, socket.SOCK_DGRAM)
    server.bind((address, port))
    while True:
        data, client = server.recvfrom(2000)
        server.sendto(b"echo " + data, client)


def start(function, *arguments):
    threading.Thread(target=function, args=arguments, daemon=True).start()


def world(ready, orders, answers):
    unshare("net")
    os.write(ready, b"n")
    orders.readline()                       # the cable is here
    ip_batch(["link set lo up", f"address add {GATEWAY}/24 dev w0", f"address add {NEIGHBOUR}/24 dev w0",
              "address add fd00:64::1/64 dev w0 nodad", "link set w0 up"] +
             [f"address add {address}/32 dev lo" for address in REFUSED + NEAR_PUBLIC + [PUBLIC]
              if address != NEIGHBOUR] +
             [f"address add {address}/128 dev lo nodad" for address in REFUSED6 + [PUBLIC6]])
    for port in PORTS:
        start(accept_for_ever, socket.AF_INET, "0.0.0.0", port)
        start(accept_for_ever, socket.AF_INET6, "::", port)
    start(answer_names, GATEWAY)
    for address in REFUSED + [PUBLIC, GATEWAY]:
        start(echo_datagrams, socket.AF_INET, address, 9999)
    os.write(ready, b"w")
    for line in orders:                     # "SOURCE PORT": connect to the guest from SOURCE
        source, port = line.split()
        client = socket.socket()
        client.settimeout(1.0)
        try:
            client.bind((source, 0))
            client.connect((GUEST, int(port)))
            result = client.recv(100).decode()
        except OSError as error:
            result = type(error).__name__
        client.close()
        answers.write(result + "\n")
        answers.flush()


# --- the guest ----------------------------------------------------------------------------------------

def build_root(request):
    root = "/mnt"                           # in this namespace only; nothing is left behind
    mount("tmpfs", root, "tmpfs", 0, "mode=755")
    for name in ("usr", "etc", "dev", "proc", "tmp", "sbx", "files"):
        os.mkdir(f"{root}/{name}")
    os.chmod(f"{root}/tmp", 0o1777)
    mount("/usr", f"{root}/usr", "", MS_BIND | MS_REC)
    mount("/dev", f"{root}/dev", "", MS_BIND | MS_REC)
    mount("proc", f"{root}/proc", "proc")
    for name in ("bin", "sbin", "lib", "lib64"):
        os.symlink(f"usr/{name}", f"{root}/{name}")
    for name, content in {
        "passwd": "root:x:0:0::/:/bin/sh\nsandbox:x:10001:10001::/nonexistent:/usr/sbin/nologin\n",
        "group": "root:x:0:\nsandbox:x:10001:\n", "hosts": "127.0.0.1 localhost\n::1 localhost\n",
        "nsswitch.conf": "hosts: files dns\n", "resolv.conf": request.get("resolv", f"nameserver {GATEWAY}\n"),
    }.items():
        with open(f"{root}/etc/{name}", "w", encoding="utf-8") as file:
            file.write(content)
    shutil.copy(request["init"], f"{root}/sbx/init")
    for name in ("firewall-web.nft", "firewall-files.nft"):
        shutil.copy(f"{request['sources']}/vm/guest/{name}", f"{root}/sbx/{name}")
    for name, content in request.get("replace", {}).items():   # "sbx/firewall-web.nft": text, None removes it
        os.remove(f"{root}/{name}")
        if content is not None:
            with open(f"{root}/{name}", "w", encoding="utf-8") as file:
                file.write(content)
    nft = request.get("nft")
    if nft is not None:                                        # "": cannot be run; else a script
        with open(f"{root}/nft", "w", encoding="utf-8") as file:
            file.write(nft)
        os.chmod(f"{root}/nft", 0o755 if nft else 0o644)
        mount(f"{root}/nft", f"{root}/usr/sbin/nft", "", MS_BIND)
    for name, source in request.get("folders", {}).items():
        target = f"{root}/files/{name}"
        os.mkdir(target)
        mount(source, target, "", MS_BIND)
        mount(source, target, "", MS_BIND | MS_REMOUNT | MS_RDONLY)
    return root


def plug_cable(world_pid, orders):
    ip("link", "add", "g0", "type", "veth", "peer", "name", "w0")
    ip("link", "set", "w0", "netns", str(world_pid))
    ip("address", "add", GUEST + "/24", "dev", "g0")
    ip("-6", "address", "add", "fd00:64::2/64", "dev", "g0", "nodad")
    ip("link", "set", "g0", "up")
    orders.write("cable\n")
    orders.flush()


def guest_main(request):
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    mount("proc", "/proc", "proc")
    root = build_root(request)
    ip("link", "set", "lo", "up")
    order_out, order_in = os.pipe()
    answer_out, answer_in = os.pipe()
    ready_out, ready_in = os.pipe()
    world_pid = 0
    orders = os.fdopen(order_in, "w")
    answers = os.fdopen(answer_out, "r")
    if request.get("network", True):
        world_pid = os.fork()
        if world_pid == 0:
            # Only its own end: the test's stdout must close with the guest.
            os.dup2(os.open("/dev/null", os.O_RDWR), 1)
            orders.close()
            world(ready_in, os.fdopen(order_out, "r"), os.fdopen(answer_in, "w"))
            os._exit(0)
        os.read(ready_out, 1)
        plug_cable(world_pid, orders)
        if os.read(ready_out, 1) != b"w":
            raise RuntimeError("the world did not come up")
        if request.get("route", True):
            ip("route", "add", "default", "via", GATEWAY)
            ip("-6", "route", "add", "default", "via", "fd00:64::1")
    result = {"inbound": []}
    out, out_in = os.pipe()
    err, err_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.dup2(out_in, 1)
        os.dup2(err_in, 2)
        os.closerange(3, 1024)
        os.chroot(root)
        os.chdir("/tmp")
        for kind, value in request.get("limits", {}).items():
            resource.setrlimit(getattr(resource, kind), (value, value))
        environment = dict(request.get("environment", {}), PATH="/usr/bin:/usr/sbin")
        os.execve(request["argv"][0], request["argv"], environment)
    os.close(out_in)
    os.close(err_in)
    texts = {out: b"", err: b""}
    pending = list(request.get("inbound", []))
    while texts.keys() - result.get("closed", set()):
        for fd in select.select(list(texts.keys() - result.get("closed", set())), [], [])[0]:
            data = os.read(fd, 65536)
            if not data:
                result.setdefault("closed", set()).add(fd)
            texts[fd] += data
        if pending and b"listening" in texts[out]:
            for order in pending:
                orders.write(order + "\n")
                orders.flush()
                result["inbound"].append(answers.readline().strip())
            pending = []
            os.kill(pid, 15)
        if request.get("signal") and b"waiting" in texts[out]:
            os.kill(pid, request.pop("signal"))
    status = os.waitpid(pid, 0)[1]
    result.pop("closed")
    result.update(status=os.waitstatus_to_exitcode(status), out=texts[out].decode(), err=texts[err].decode())
    return result


def main():
    request = json.load(sys.stdin)
    entered_out, entered_in = os.pipe()
    mapped_out, mapped_in = os.pipe()
    pid = os.fork()
    if pid == 0:
        unshare("user", "mount", "net", "ipc", "uts", "pid")
        os.write(entered_in, b"e")
        os.read(mapped_out, 1)
        inner = os.fork()                   # the first one inside the new process namespace
        if inner == 0:
            try:
                print(json.dumps(guest_main(request)), flush=True)
            except Exception as error:      # reported as a result: the test shows it
                print(json.dumps({"broken": repr(error)}), flush=True)
            os._exit(0)
        os.waitpid(inner, 0)
        os._exit(0)
    os.read(entered_out, 1)
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/{pid}/{name}", "w", encoding="ascii") as file:
            file.write("0 0 65536\n")
    os.write(mapped_in, b"m")
    os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
