"""The guest's init and its firewalls, for real: rows T9 to T17, T29, T34, T36, T52 to T57, T64, T66, T95.

Needs root (it maps the guest's own user id) and nft; says so and passes otherwise.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import vm_world

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent.parent / "src"
PYTHON = "/usr/bin/python3"
NO_FIREWALL = "sbx: could not load the sandbox firewall; refusing to start\n"

# Runs inside the guest: tries every target, prints what came of it.
TRY_ALL = """
import json, socket, sys, concurrent.futures
def attempt(target):
    kind, host, port = target
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    s = socket.socket(family, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
    s.settimeout(1.5)
    try:
        s.connect((host, port))
        if kind == "udp":
            s.send(b"hello")
            s.recv(100)
        return "open"
    except OSError as error:
        return type(error).__name__ + " " + str(error)
    finally:
        s.close()
targets = json.loads(sys.argv[1])
with concurrent.futures.ThreadPoolExecutor(32) as pool:
    print(json.dumps(list(pool.map(attempt, targets))))
"""

LISTEN = """
import socket
s = socket.socket(); s.bind(("0.0.0.0", 9000)); s.listen()
print("listening", flush=True)
while True:
    c = s.accept()[0]; c.sendall(b"served"); c.close()
"""


def usable():
    return os.geteuid() == 0 and all(shutil.which(tool) for tool in ("nft", "ip", "musl-gcc")) and \
        os.path.exists(PYTHON)


@unittest.skipUnless(usable(), "needs root, nft, ip, musl-gcc and " + PYTHON)
class Guest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="sbx-init-")
        cls.init = os.path.join(cls.folder, "init")
        subprocess.run([SOURCES / "vm/guest/build.sh", SOURCES, cls.init], check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def guest(self, *command, **request):
        request.setdefault("argv", ["/sbx/init", *command])
        request.update(init=self.init, sources=str(SOURCES))
        done = subprocess.run([sys.executable, "-B", HERE / "vm_world.py"], input=json.dumps(request), text=True,
                              capture_output=True, timeout=180, check=False)
        self.assertTrue(done.stdout, done.stderr)
        result = json.loads(done.stdout)
        self.assertNotIn("broken", result, done.stderr)
        return result

    def attempts(self, targets, **request):
        """{target: outcome} of TRY_ALL under init, or without any init when `bare`."""
        prefix = [] if request.pop("bare", False) else ["/sbx/init"]
        result = self.guest(argv=[*prefix, PYTHON, "-c", TRY_ALL, json.dumps(targets)], **request)
        self.assertEqual(result["status"], 0, result)
        return dict(zip(map(tuple, targets), json.loads(result["out"])))

    def refuses(self, text, **request):
        result = self.guest("/bin/sh", "-c", "echo the command runs", **request)
        self.assertEqual((result["status"], result["out"]), (125, ""), result)
        self.assertTrue(result["err"].endswith(text), result["err"])


class Web(Guest):
    REFUSED = [("tcp", host, port) for host in vm_world.REFUSED + vm_world.REFUSED6 for port in (22, 53, 80, 443)] + \
              [("tcp", vm_world.GATEWAY, port) for port in (22, 80, 443, 5000, 8080)] + \
              [("tcp", "fd00:64::1", 80)] + [("udp", host, 9999) for host in vm_world.REFUSED + [vm_world.GATEWAY]]
    OPEN = [("tcp", vm_world.PUBLIC, port) for port in (22, 80, 443)] + [("tcp", vm_world.PUBLIC6, 443)] + \
           [("udp", vm_world.PUBLIC, 9999), ("tcp", vm_world.GATEWAY, 53)] + \
           [("tcp", host, 80) for host in vm_world.NEAR_PUBLIC]

    def test_the_world_is_reachable_without_the_firewall(self):
        """The control: otherwise every refusal below would prove nothing."""
        results = self.attempts(self.REFUSED + self.OPEN, bare=True)
        self.assertEqual({target for target, result in results.items() if result != "open"}, set())

    def test_public_addresses_only(self):  # T12, T13, T100
        results = self.attempts(self.REFUSED + self.OPEN)
        self.assertEqual({target for target in self.REFUSED if results[target] == "open"}, set())
        self.assertEqual({target: results[target] for target in self.OPEN if results[target] != "open"}, {})
        # Refused at once, by the guest's own firewall; a packet that is dropped would be a time-out.
        slow = {target: results[target] for target in self.REFUSED if "timed out" in results[target]}
        self.assertEqual(slow, {})

    def test_unset_profile_means_web_and_any_other_value_stops(self):  # T55, T56
        result = self.guest("/bin/sh", "-c", 'echo "[$SANDBOX_PROFILE]"')
        self.assertEqual((result["status"], result["out"]), (0, "[]\n"))
        self.refuses("SANDBOX_PROFILE must be web or files, not (empty); refusing to start\n",
                     environment={"SANDBOX_PROFILE": ""})
        for value in ("Web", "web ", "none", "files,web"):
            self.refuses("; refusing to start\n", environment={"SANDBOX_PROFILE": value})

    def test_no_firewall_no_command(self):  # T10, C42
        broken = {"not executable": {"nft": ""}, "fails": {"nft": "#!/bin/sh\ncat >/dev/null\nexit 1\n"},
                  "dies early": {"nft": "#!/bin/sh\nkill -9 $$\n"},
                  "no file": {"replace": {"sbx/firewall-web.nft": None}},
                  "half a file": {"replace": {"sbx/firewall-web.nft": "table inet sbx {\n# public addresses\n"}},
                  "no marker": {"replace": {"sbx/firewall-web.nft": "table inet sbx { }\n"}}}
        for name, request in broken.items():
            with self.subTest(name):
                self.refuses(NO_FIREWALL, **request)
        self.refuses(NO_FIREWALL, nft="", network=False, environment={"SANDBOX_PROFILE": "files"})

    def test_name_servers(self):  # T97
        self.refuses("unreadable nameserver fe80::1%eth0; refusing to start\n", resolv="nameserver fe80::1%eth0\n")
        self.refuses("unreadable nameserver one.one; refusing to start\n",
                     resolv="# comment\nnameserver 192.168.64.1\nnameserver one.one\n")
        targets = [("tcp", "10.9.9.9", 53), ("tcp", "10.9.9.9", 80), ("tcp", vm_world.GATEWAY, 53)]
        results = self.attempts(targets, resolv="nameserver 10.9.9.9 # chosen\n")
        self.assertEqual([results[target] == "open" for target in targets], [True, False, False])

    def test_blocked_addresses(self):  # T53, T99
        blocked = f"11.0.0.1, {vm_world.GATEWAY} {vm_world.PUBLIC6},::ffff:9.255.255.1"
        targets = [("tcp", "11.0.0.1", 80), ("tcp", vm_world.PUBLIC6, 80), ("tcp", "9.255.255.1", 80),
                   ("tcp", vm_world.PUBLIC, 80), ("tcp", vm_world.GATEWAY, 53)]
        results = self.attempts(targets, environment={"SANDBOX_BLOCKED_ADDRESSES": blocked})
        self.assertEqual([results[target] == "open" for target in targets], [False, False, False, True, True])
        self.refuses("unreadable blocked address 10.0.0; refusing to start\n",
                     environment={"SANDBOX_BLOCKED_ADDRESSES": "1.2.3.4,10.0.0"})
        self.refuses("unreadable blocked address 1.2.3.4;drop; refusing to start\n",
                     environment={"SANDBOX_BLOCKED_ADDRESSES": "1.2.3.4;drop"})

    def test_allowed_hosts_are_resolved_pinned_and_https_only(self):  # T46, P97, P98, P116
        targets = [("tcp", vm_world.PUBLIC, 443), ("tcp", "11.0.0.1", 443), ("tcp", vm_world.PUBLIC, 80),
                   ("udp", vm_world.PUBLIC, 9999), ("tcp", "172.32.0.1", 443), ("tcp", vm_world.PUBLIC6, 443),
                   ("tcp", "10.0.0.1", 443), ("tcp", vm_world.GATEWAY, 443)]
        results = self.attempts(targets, environment={"SANDBOX_ALLOW_HOSTS": "public.test,other.test"})
        self.assertEqual([results[target] == "open" for target in targets], [True, True] + [False] * 6)
        for host, reason in {"mixed.test": "leads to an address that is not public",
                             "private.test": "leads to an address that is not public",
                             "metadata.test": "leads to an address that is not public",
                             "localhost": "leads to an address that is not public",
                             "192.168.64.1": "leads to an address that is not public",
                             "unknown.test": "has no address"}.items():
            with self.subTest(host):
                self.refuses(f"allowed host {host} {reason}; refusing to start\n",
                             environment={"SANDBOX_ALLOW_HOSTS": "public.test," + host})
        self.refuses("refusing to start\n", environment={"SANDBOX_ALLOW_HOSTS": ""})

    def test_inbound_from_the_gateway_only(self):  # T14, T17, C29
        asked = [f"{vm_world.GATEWAY} 9000", f"{vm_world.NEIGHBOUR} 9000"]
        published = self.guest(PYTHON, "-c", LISTEN, environment={"SANDBOX_INBOUND_PORT": "9000"}, inbound=asked)
        self.assertEqual(published["inbound"], ["served", "TimeoutError"], published)
        other = self.guest(PYTHON, "-c", LISTEN, environment={"SANDBOX_INBOUND_PORT": "9001"}, inbound=asked)
        self.assertEqual(other["inbound"], ["TimeoutError"] * 2, other)
        closed = self.guest(PYTHON, "-c", LISTEN, inbound=asked)
        self.assertEqual(closed["inbound"], ["TimeoutError"] * 2, closed)
        self.refuses("no default gateway for the published port; refusing to start\n", route=False,
                     environment={"SANDBOX_INBOUND_PORT": "9000"})
        for port in ("0", "65536", "80x", "", "-1"):
            self.refuses("refusing to start\n", environment={"SANDBOX_INBOUND_PORT": port})


class Privileges(Guest):
    def test_nothing_is_left_in_either_profile(self):  # T29, T64
        for request in ({}, {"environment": {"SANDBOX_PROFILE": "files"}, "network": False}):
            result = self.guest("/bin/cat", "/proc/self/status", **request)
            fields = dict(line.split(":", 1) for line in result["out"].splitlines())
            self.assertEqual(fields["Uid"].split(), ["10001"] * 4)
            self.assertEqual(fields["Gid"].split(), ["10001"] * 4)
            self.assertEqual(fields["Groups"].split(), [])
            self.assertEqual({fields[name].strip("\t0") for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")},
                             {""})
            self.assertEqual(fields["NoNewPrivs"].strip(), "1")

    def test_the_command_cannot_touch_the_firewall_or_init(self):
        script = """
            /usr/sbin/nft flush ruleset && echo flushed
            /usr/sbin/nft list ruleset && echo listed
            unshare --user --map-root-user /usr/sbin/nft flush ruleset && echo flushed in a namespace
            cat /proc/$PPID/environ && echo read init
            cat /proc/$PPID/mem && echo read memory
            ls /proc/$PPID/fd && echo listed descriptors
            setpriv --reuid 0 true && echo became root
            echo end"""
        result = self.guest("/bin/sh", "-c", script)
        self.assertEqual(result["out"], "end\n", result)
        after = self.attempts([("tcp", "10.0.0.1", 80)])
        self.assertNotEqual(after[("tcp", "10.0.0.1", 80)], "open")

    def test_raw_packets_are_out_of_reach(self):
        script = "import socket\ntry: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n" \
                 "except PermissionError: print('refused')\n" \
                 "try: socket.socket(socket.AF_INET, socket.SOCK_RAW, 6)\nexcept PermissionError: print('refused')"
        self.assertEqual(self.guest(PYTHON, "-c", script)["out"], "refused\nrefused\n")


class Files(Guest):
    NO_NETWORK = {"environment": {"SANDBOX_PROFILE": "files"}, "network": False}

    def test_a_guest_with_a_network_is_refused(self):  # T15, C42
        self.refuses("the files profile must have no network, and this guest has one; refusing to start\n",
                     environment={"SANDBOX_PROFILE": "files"})
        self.refuses("the files profile must have no network, and this guest has one; refusing to start\n",
                     environment={"SANDBOX_PROFILE": "files"}, route=False)

    def test_nothing_outbound_even_with_an_interface(self):  # T15, T16, T57
        environment = {"SANDBOX_PROFILE": "files", "SANDBOX_INBOUND_PORT": "9000",
                       "SANDBOX_BLOCKED_ADDRESSES": "nonsense is ignored"}  # T59
        targets = Web.REFUSED + Web.OPEN + [("udp", vm_world.GATEWAY, 53)]
        results = self.attempts(targets, environment=environment)
        self.assertEqual({target for target, result in results.items() if result == "open"}, set())
        inbound = self.guest(PYTHON, "-c", LISTEN, environment=environment,
                             inbound=[f"{vm_world.GATEWAY} 9000", f"{vm_world.NEIGHBOUR} 9000"])
        self.assertEqual(inbound["inbound"], ["served", "TimeoutError"])

    def test_loopback_works(self):
        script = "import socket; s=socket.socket(); s.bind(('127.0.0.1',0)); s.listen(); " \
                 "c=socket.create_connection(s.getsockname()); print('loop')"
        self.assertEqual(self.guest(PYTHON, "-c", script, **self.NO_NETWORK)["out"], "loop\n")

    def test_folders_are_read_only_and_links_stay_inside(self):  # T34, T36, T60, T95
        name = "0b2c8f64-1c1e-4d5a-9a77-0123456789ab"
        with tempfile.TemporaryDirectory(prefix="sbx-files-") as folder:
            os.chmod(folder, 0o777)
            pathlib.Path(folder, "sample.txt").write_text("sample", encoding="utf-8")
            os.symlink("/etc/passwd", os.path.join(folder, "passwd"))
            script = f"cd /files/{name} && cat sample.txt; cat passwd; touch new; echo x >sample.txt; rm sample.txt; " \
                     "mkdir d; echo end"
            result = self.guest("/bin/sh", "-c", script, folders={name: folder}, **self.NO_NETWORK)
            self.assertTrue(result["out"].startswith("sampleroot:x:0:0::/:/bin/sh\n"), result)
            self.assertTrue(result["out"].endswith("\nend\n"))
            self.assertEqual(result["err"].count("Read-only file system"), 4, result["err"])
            self.assertEqual(sorted(os.listdir(folder)), ["passwd", "sample.txt"])


class Command(Guest):
    def test_exit_status(self):
        for status in (0, 1, 7, 125, 255):
            self.assertEqual(self.guest("/bin/sh", "-c", f"exit {status}", network=False)["status"], status)
        self.assertEqual(self.guest("/bin/sh", "-c", "kill -9 $$", network=False)["status"], 137)
        missing = self.guest("no-such-command", network=False)
        self.assertEqual((missing["status"], missing["err"]), (127, "sbx: no-such-command: command not found\n"))
        self.assertEqual(self.guest("/etc/passwd", network=False)["status"], 126)
        self.assertEqual(self.guest(network=False)["status"], 125)

    def test_signals_reach_the_command(self):
        script = "trap 'echo got it; exit 3' TERM; echo waiting; while :; do :; done"
        result = self.guest("/bin/sh", "-c", script, network=False, signal=15)
        self.assertEqual((result["status"], result["out"]), (3, "waiting\ngot it\n"))
        # A process 1 that ignores what it does not handle would wait for ever here.
        result = self.guest("/bin/sh", "-c", "echo waiting; exec tail -f /dev/null", network=False, signal=2)
        self.assertEqual(result["status"], 130)

    def test_orphans_are_reaped(self):
        script = "(sh -c 'exec true' & ) ; until ! grep -sqE '^State:\\s+Z' /proc/[0-9]*/status; do :; done; echo clean"
        self.assertEqual(self.guest("/bin/sh", "-c", script, network=False)["out"], "clean\n")

    def test_environment(self):
        given = {"SANDBOX_PROFILE": "web", "SANDBOX_INBOUND_PORT": "9000", "SANDBOX_BLOCKED_ADDRESSES": "1.2.3.4",
                 "OTHER": "kept", "SANDBOXED": "kept"}
        out = self.guest("/usr/bin/env", environment=given)["out"]
        names = {line.split("=")[0] for line in out.splitlines()}
        self.assertEqual(names, {"SANDBOX_PROFILE", "OTHER", "SANDBOXED", "PATH"})

    def test_a_memory_bomb_ends_only_itself(self):  # T25, T37
        result = self.guest("bomb:2000000000", network=False, environment={"SANDBOX_SELFTEST": "1"},
                            limits={"RLIMIT_DATA": 256 << 20})
        self.assertIn("bomb 2000000000 refused\ndone\n", result["out"])


if __name__ == "__main__":
    unittest.main()
