#!/usr/bin/env python3
"""sbx doctor names each cause and its remedy; sbx selftest proves the denials (issue 4)."""
import ctypes
import json
import os
import shutil
import socket
import struct
import subprocess
import unittest

from support import Case, for_every_user

FAKE = """#!/bin/sh
[ "$1" = --version ] && { echo "bubblewrap %s"; exit; }
printf 'bwrap: %s\\n' >&2
exit 1
"""


class Doctor(Case):
    def doctor(self, *words, environment=None, wrapper=(), preexec=None):
        env = {**self.environment(), **(environment or {})}
        process = self.start(*wrapper, self.program, "doctor", *words, env=env, preexec_fn=preexec)
        process.out, process.err = process.communicate(timeout=60)
        return process

    def assert_finds(self, process, *parts):
        self.assertEqual(process.returncode, 1, process.out + process.err)
        self.assertIn("  FAIL  ", process.out)
        for part in parts:
            self.assertIn(part, process.out)

    def changed(self, script):
        """Starts a program where `script` has changed what the machine looks like."""
        if os.geteuid() != 0 or self.uid != 0:
            self.skipTest("needs root")
        return ("unshare", "-m", "sh", "-c", script + '; exec "$0" "$@"')

    def in_a_mount_namespace(self, script):
        return self.doctor(wrapper=self.changed(script))

    def assert_both_say(self, wrapper, *parts):
        """doctor and run itself: neither sends the user to the other one for what is known."""
        self.assert_finds(self.doctor(wrapper=wrapper), *parts)
        process = self.start(*wrapper, self.program, "run", "--", "true", env=self.environment())
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (125, ""), err)
        for part in parts:
            self.assertIn(part, err)
        self.assertNotIn("see sbx doctor", err)

    def fake(self, version, error):
        path = os.path.join(self.base, "fake-bwrap")
        with open(path, "w", encoding="utf-8") as file:
            file.write(FAKE % (version, error))
        os.chmod(path, 0o755)
        return f"mount --bind {path} /usr/bin/bwrap"

    def test_all_is_well_here(self):
        process = self.doctor()
        self.assertEqual(process.returncode, 0, process.out + process.err)
        self.assertNotIn("FAIL", process.out)
        self.assertIn("  ok    sandbox: ", process.out)

    def test_json(self):
        answer = json.loads(self.doctor("--json").out)
        self.assertTrue(answer["ok"])
        self.assertEqual(set(answer["checks"][0]), {"status", "layer", "text", "remedy"})

    def test_a_fake_bwrap_first_in_path_is_not_used(self):
        path = os.path.join(self.base, "bin")
        os.makedirs(path)
        with open(os.path.join(path, "bwrap"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntouch {self.folder}/USED\n")
        os.chmod(os.path.join(path, "bwrap"), 0o755)
        process = self.doctor(environment={"PATH": path + ":/usr/bin:/bin"})
        self.assertEqual(process.returncode, 0, process.out)
        self.assertIn("comes first in PATH and is not used", process.out)
        self.assertFalse(os.path.exists(self.path("USED")))

    def test_no_namespaces_left(self):
        wrapper = ("unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" "$@"')
        self.assert_both_say(wrapper, "user.max_user_namespaces is 0", "sudo sysctl -w user.max_user_namespaces=15000")

    def test_a_bwrap_that_ends_at_once(self):
        """It has ended before sbx asks to be told of it; sbx must not wait for ever."""
        path = os.path.join(self.base, "no-program")
        with open(path, "w", encoding="utf-8") as file:
            file.write("no program\n")
        os.chmod(path, 0o755)
        wrapper = self.changed(f"mount --bind {path} /usr/bin/bwrap")
        self.assert_both_say(wrapper, "install the distribution's bubblewrap package again")

    def test_inside_a_landlock_domain(self):
        libc = ctypes.CDLL(None, use_errno=True)

        def restrict():
            handled = ctypes.c_uint64(1 << 12)  # making links: all that it takes to lose the right to mount
            ruleset = libc.syscall(444, ctypes.byref(handled), 8, 0)
            libc.prctl(38, 1, 0, 0, 0)
            libc.syscall(446, ruleset, 0)

        if libc.syscall(444, None, 0, 1) < 1:
            self.skipTest("no Landlock")
        if self.uid != os.geteuid():
            self.skipTest("the domain would forbid to become somebody else")
        self.assert_finds(self.doctor(preexec=restrict), "an outer sandbox forbids mounts (a Landlock domain")
        process = self.start(self.program, "run", "--", "true", preexec_fn=restrict)
        err = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 125, err)
        self.assertIn("an outer sandbox forbids mounts (a Landlock domain", err)

    def test_without_landlock(self):
        """An outer filter that knows no Landlock: a note, not a failure, and runs go on without the second wall."""
        libc = ctypes.CDLL(None, use_errno=True)
        load, equal, give = 0x20, 0x15, 0x06
        words = [(load, 0, 0, 0), (equal, 3, 0, 444), (equal, 2, 0, 445), (equal, 1, 0, 446), (give, 0, 0, 0x7fff0000),
                 (give, 0, 0, 0x50000 | 38)]
        code = b"".join(struct.pack("HBBI", *word) for word in words)

        def filtered():
            buffer = ctypes.create_string_buffer(code, len(code))
            program = struct.pack("HxxxxxxQ", len(words), ctypes.addressof(buffer))
            libc.prctl(38, 1, 0, 0, 0)
            if libc.prctl(22, 2, program, 0, 0) != 0:
                os._exit(99)

        process = self.doctor(preexec=filtered)
        self.assertEqual(process.returncode, 0, process.out + process.err)
        self.assertIn("  note  Landlock: is not available", process.out)
        self.assertIn("lsm=landlock", process.out)
        process = self.start(self.program, "run", "--", "echo", "inner", preexec_fn=filtered)
        self.assertEqual(process.communicate(timeout=60)[0], "inner\n")

    def test_an_old_kernel(self):
        process = self.doctor(wrapper=("setarch", "--uname-2.6"))
        self.assert_finds(process, "Linux 2.6.", "is too old", "update to Linux 5.12 or newer")

    def test_no_bwrap(self):
        self.assert_both_say(self.changed("mount --bind /dev/null /usr/bin/bwrap"), "not-installed",
                             "apt install bubblewrap")

    def bwrap_copy(self, mode):
        copy = os.path.join(self.base, "copy")
        shutil.copy("/usr/bin/bwrap", copy)
        os.chmod(copy, mode)
        return self.changed(f"mount --bind {copy} /usr/bin/bwrap")

    def test_setuid_bwrap(self):
        self.assert_both_say(self.bwrap_copy(0o4755), "setuid root", "sudo chmod u-s /usr/bin/bwrap")

    def test_bwrap_that_others_can_change(self):
        self.assert_both_say(self.bwrap_copy(0o777), "not-trusted", "sudo chmod 755 /usr/bin/bwrap")

    def test_old_bwrap(self):
        self.assert_both_say(self.changed(self.fake("0.4.1", "Unknown option --disable-userns")), "too old",
                             "update bubblewrap to 0.8.0 or newer")

    def test_ubuntu(self):  # F26
        wrapper = self.changed(self.fake("0.9.0", "setting up uid map: Permission denied"))
        self.assert_both_say(wrapper, "bwrap: setting up uid map: Permission denied",
                             "unprivileged user namespaces may be disabled by host policy/kernel settings. Enable user "
                             'namespaces or use sandbox.backend = "native" as a fallback.',
                             "    profile bwrap /usr/bin/bwrap flags=(unconfined) {",
                             "sudo apparmor_parser -r /etc/apparmor.d/bwrap")
        lines = self.doctor(wrapper=wrapper).out.splitlines()
        at = [i for i, line in enumerate(lines) if "FAIL" in line]
        self.assertEqual(lines[at[0]], "  FAIL  sandbox: does not start: bwrap: setting up uid map: Permission denied")
        self.assertGreater(len(lines[at[0] + 1:]), 6)
        self.assertTrue(all(line.startswith("        ") and len(line) < 180 for line in lines[at[0] + 1:]), lines)

    def test_a_failure_that_nobody_knows(self):
        """doctor does not send to itself, and bwrap's line may hold anything."""
        wrapper = self.changed(self.fake("0.9.0", "odd \\377 \\033[1m"))
        process = self.doctor(wrapper=wrapper)
        self.assert_finds(process, "does not start: bwrap: odd", "Try bwrap alone")
        self.assertNotIn("see sbx doctor", process.out)
        for command in ("doctor", "selftest"):
            answer = json.loads(subprocess.run([*wrapper, self.program, command, "--json"], cwd=self.folder, check=False,
                                               env=self.environment(), stdout=subprocess.PIPE, timeout=60).stdout,
                                parse_constant=self.fail)
            failed = [check for check in answer["checks"] if check["status"] == "FAIL"]
            self.assertIn("bwrap: odd", failed[0]["text"])
            self.assertNotIn("\n", failed[0]["text"])
            self.assertIn("\n", failed[0]["remedy"])
            self.assertFalse(answer["ok"])

    def test_masked_proc(self):
        self.assert_both_say(self.changed("mount -t tmpfs none /proc/bus"), "systempaths=unconfined", "unmask=ALL",
                             'nested = "weaker"')

    def test_a_full_runtime_directory(self):
        for size in ("size=4k", "nr_inodes=3"):
            full = (f"mount -t tmpfs none /run; mkdir -p /run/user/0; mount -t tmpfs -o {size},mode=700 none /run/user/0; "
                    "head -c 4096 /dev/zero >/run/user/0/fill")
            self.assert_both_say(self.changed(full), "/run/user/0/sbx", "No space left on device", "see df -h and df -i")

    def test_wsl1(self):
        path = os.path.join(self.base, "version")
        with open(path, "w", encoding="utf-8") as file:
            file.write("Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)\n")
        self.assert_finds(self.in_a_mount_namespace(f"mount --bind {path} /proc/version"), "wsl --set-version")

    def test_nothing_is_left(self):
        before = set(os.listdir("/var/tmp"))
        self.doctor()
        left = [name for name in set(os.listdir("/var/tmp")) - before if name.startswith(("sbx-doctor", "sbx-selftest"))]
        self.assertEqual(left, [])
        self.assertEqual([name for name in os.listdir(self.home) if "sbx" in name], [])


class Selftest(Case):
    def selftest(self, *flags, policy=None, expect=0):
        if policy:
            self.write("p.toml", content=policy)
            flags += ("--policy", "p.toml")
        process = self.sbx("selftest", *flags)
        self.assertEqual(process.returncode, expect, process.out + process.err)
        return process.out

    # P154
    def test_default_policy(self):
        self.host("git", "init", "-q")
        out = self.selftest()
        self.assertEqual(out.splitlines()[-1], "all sandbox checks passed")
        self.assertIn("  ok    git directory: ", out)
        self.assertIn("  ok    home: ", out)
        self.assertTrue(all(line.startswith(("  ok    ", "  note  ", "        ")) for line in out.splitlines()[:-1]))
        self.assertEqual(self.host("git", "status", "--short").out, "")

    def test_outside_a_repository(self):
        self.assertIn("no repository here", self.selftest())

    def test_network_on_is_a_note(self):
        self.assertIn("  note  network: ", self.selftest(policy='[sandbox]\nnetwork = "on"\n'))

    def test_memory_limit(self):
        self.assertIn("  ok    memory: ", self.selftest(policy='[limits]\nmemory = "256M"\n'))

    def test_no_sandbox_fails(self):
        out = self.selftest(policy='[sandbox]\nbackend = "native"\n', expect=1)
        self.assertEqual(out.splitlines()[-1], "1 check(s) failed")

    def test_json(self):
        self.assertTrue(json.loads(self.selftest("--json"))["ok"])


class EveryCheckCanFail(Case):
    """The probe without a sandbox around it: what it finds contained there, it would find contained anywhere."""

    SETUP = """
        mount -t tmpfs none /etc && echo x >/etc/shadow && mount -t tmpfs none PLACE && cd PLACE &&
        mkdir -p .git/hooks && echo x >.git/config && echo x >secret && cp "$0" sbx && ./sbx "$@"; true
        """

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("needs root")

    def test_the_probe(self):
        if self.uid != 0:
            self.skipTest("what root can do is all there is")
        place = self.made("place")
        with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as local, \
                open("/dev/null", encoding="utf-8") as kept:
            name = "sbx-test-" + os.path.basename(self.base)
            local.bind("\0" + name)
            local.listen()
            process = self.start(
                "unshare", "-mpf", "--mount-proc", "sh", "-c",
                self.SETUP.replace("PLACE", place), self.program,
                "--sandbox-probe", f"outside={place}/written", f"secret={place}/secret", f"abstract={name}",
                f"port={tcp.getsockname()[1]}", f"git={place}/.git", f"descriptor={kept.fileno()}",
                env={**self.environment(), "SELFTEST_API_TOKEN": "x"}, pass_fds=(kept.fileno(),))
            out, err = process.communicate(timeout=60)
        found = dict(line.split("|")[1::-1] for line in out.splitlines() if "|" in line)
        self.assertEqual({layer for layer, status in found.items() if status != "FAIL"}, set(), out + err)
        reported = {line[8:].split(": ")[0] for line in self.real().splitlines() if line.startswith("  ok")}
        self.assertEqual(reported - set(found), {"outside", "signals"})  # judged by the host

    def real(self):
        self.host("git", "init", "-q")
        return self.sbx("selftest", expect=0).out

    def test_memory(self):
        self.assertEqual(self.host(self.program, "--sandbox-probe", "memory=8388608", check=False).returncode, 2)

    def test_what_a_policy_opens(self):
        self.write("p.toml", content='[sandbox]\nread = ["%s"]\n' % self.home)
        process = self.sbx("selftest", "--policy", "p.toml", expect=1)
        for line in ("  FAIL  home: ", "  FAIL  links: "):
            self.assertIn(line, process.out)
        self.assertEqual(process.out.splitlines()[-1], "2 check(s) failed")
        answer = json.loads(self.sbx("selftest", "--policy", "p.toml", "--json", expect=1).out)
        self.assertEqual([check["layer"] for check in answer["checks"] if check["status"] == "FAIL"],
                         ["home", "links"])


for_every_user(globals())

if __name__ == "__main__":
    unittest.main()
