"""The host side of the container backend against the strict stand-in of Apple's tool.

Rows T1, T10, T26, T32, T41, T60, T103; design: signals, exit status, lifetime.
"""
import fcntl
import json
import os
import pathlib
import pty
import shutil
import signal
import stat
import subprocess
import tempfile
import termios
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent.parent / "src"
DRIVER = pathlib.Path(os.environ.get("SBX", "")).parent / "tests" / "vm_driver"
IMAGE = "registry.test/sbx/guest@sha256:" + "a" * 64


def wait_until(condition, what):
    """Polls for an effect that no descriptor announces; the limit is for a broken test only."""
    limit = time.monotonic() + 20
    while not condition():
        if time.monotonic() > limit:
            raise AssertionError("never happened: " + what)
        time.sleep(0.01)


@unittest.skipUnless(DRIVER.is_file(), "vm_driver is not built")
class Host(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sbx-vm-test-")).resolve()
        for name in ("tool", "state", "work", "tmp"):
            (self.folder / name).mkdir()
        self.tool = self.folder / "tool" / "container"
        shutil.copy(HERE.parent / "vm" / "fake-container", self.tool)
        self.configure()

    def tearDown(self):
        self.assertEqual(self.vms(), [], "a VM is left over")
        self.assertEqual(list((self.folder / "tmp").iterdir()), [], "a private folder is left over")
        shutil.rmtree(self.folder)

    def configure(self, **settings):
        settings = {"state": str(self.folder / "state"), "images": [IMAGE], **settings}
        (self.folder / "tool" / "fake.json").write_text(json.dumps(settings), encoding="utf-8")

    def vms(self):
        return [entry.name for entry in (self.folder / "state").iterdir() if entry.name.startswith("vm-")]

    def calls(self, kind=None):
        log = self.folder / "state" / "calls.jsonl"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [call for call in map(json.loads, lines) if kind in (None, call["call"])]

    def words(self, *command, action="run", **settings):
        settings = {"image": IMAGE, "worktree": self.folder / "work", **settings}
        return [DRIVER, self.tool, action, *(f"{key}={value}" for key, value in settings.items()), "--", *command]

    def environment(self):
        return {"PATH": "/usr/bin:/bin", "HOME": "/root", "TMPDIR": str(self.folder / "tmp"),
                "DYLD_INSERT_LIBRARIES": "/evil", "LD_BIND_NOW": "1"}

    def run_vm(self, *command, stdin="", **settings):
        return subprocess.run(self.words(*command, **settings), input=stdin, text=True, capture_output=True,
                              timeout=120, env=self.environment(), check=False)

    def start_vm(self, *command, **settings):
        return subprocess.Popen(self.words(*command, **settings), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=self.environment())


class Run(Host):
    def test_exact_arguments_options_before_the_image(self):  # T1
        done = self.run_vm("printf", "%s|", "--rm", "-x", "--", "a b")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "--rm|-x|--|a b|", ""))
        call = self.calls("run")[0]
        self.assertEqual((call["image"], call["arguments"]), (IMAGE, ["%s|", "--rm", "-x", "--", "a b"]))
        options = call["options"]
        self.assertTrue(all(options[key] for key in ("rm", "init", "read-only", "no-dns")))
        self.assertEqual((options["network"], options["cap-drop"], options["tmpfs"]), (["none"], ["ALL"], ["/tmp"]))
        self.assertNotIn("cap-add", options)
        self.assertEqual(options["user"], "1000:1000")
        self.assertEqual([call["call"] for call in self.calls()], ["status", "version", "image inspect", "run", "delete"])

    def test_standard_input(self):
        self.assertEqual(self.run_vm("cat", stdin="hello").stdout, "hello")
        with subprocess.Popen(self.words("cat"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              env=self.environment()) as process:
            self.assertEqual(process.communicate()[0], b"")
        self.assertEqual(["interactive" in call["options"] for call in self.calls("run")], [True, False])

    def test_stdin_is_not_left_non_blocking(self):
        reading, writing = os.pipe()
        (self.folder / "work" / "script").write_text(
            "import fcntl, os\nfcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)\n", encoding="utf-8")
        subprocess.run(self.words("/usr/bin/python3", self.folder / "work" / "script"), stdin=reading, check=True,
                       env=self.environment(), timeout=60)
        self.assertTrue(os.get_blocking(reading))
        os.close(reading)
        os.close(writing)

    def on_terminal(self, *command, **streams):
        """Runs with a terminal of its own; which of the three streams it is not, `streams` says."""
        master, slave = pty.openpty()
        given = {name: streams.get(name, slave) for name in ("stdin", "stdout", "stderr")}

        def take_terminal():
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        before = termios.tcgetattr(slave)
        with subprocess.Popen(self.words(*command), env=self.environment(), start_new_session=True,
                              preexec_fn=take_terminal, **given) as process:
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
        self.assertEqual(termios.tcgetattr(slave), before)
        self.assertTrue(os.get_blocking(slave))
        os.close(slave)
        os.close(master)
        options = self.calls("run")[-1]["options"]
        return "interactive" in options, "tty" in options

    def test_terminal(self):
        """-t merges stderr into stdout; -i reads keys that may be meant for a pager."""
        self.assertEqual(self.on_terminal("stty", "raw", "-echo"), (True, True))
        self.assertEqual(self.on_terminal("true", stderr=subprocess.DEVNULL), (True, False))
        self.assertEqual(self.on_terminal("true", stdout=subprocess.PIPE), (False, False))
        self.assertEqual(self.on_terminal("true", stdin=subprocess.DEVNULL), (False, False))

    def test_exit_status(self):
        for status in (0, 1, 7, 64, 125, 255):
            self.assertEqual(self.run_vm("sh", "-c", f"exit {status}").returncode, status)
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV):
            self.assertEqual(self.run_vm("sh", "-c", f"kill -{int(number)} $$").returncode, -number)

    def test_a_vm_that_does_not_start_is_our_failure(self):
        self.configure(fails="create")
        done = self.run_vm("true")
        self.assertEqual(done.returncode, 125)
        self.assertIn("the VM could not be started", done.stderr)

    def test_secrets_are_on_no_argument_list(self):  # T41
        done = self.run_vm("sh", "-c", "echo $API_TOKEN", secret="hunter2-hunter2")
        self.assertEqual(done.stdout, "hunter2-hunter2\n")
        self.assertFalse([call for call in self.calls() if "hunter2" in json.dumps(call["argv"])])

    def test_the_tool_gets_a_clean_environment(self):
        self.run_vm("true", secret="x")
        for call in self.calls():
            # What the shell or Python adds is not ours.
            names = set(call["environment"]) - {"PWD", "SHLVL", "_", "LC_CTYPE"}
            self.assertLessEqual(names, {"PATH", "HOME", "API_TOKEN"})
            self.assertEqual("API_TOKEN" in names, call["call"] == "run")
            self.assertEqual(call["environment"]["PATH"], "/usr/bin:/bin:/usr/sbin:/sbin")

    def test_single_files_are_copied_into_a_private_folder(self):
        secret = self.folder / "settings.json"
        secret.write_text("content", encoding="utf-8")
        done = self.run_vm("true", file=secret)
        self.assertEqual(done.returncode, 0, done.stderr)
        volume = self.calls("run")[0]["options"]["volume"][0].split(":")
        self.assertEqual(volume[1:], [str(secret), "ro"])
        self.assertTrue(volume[0].startswith(str(self.folder / "tmp")))
        os.symlink(secret, self.folder / "link")
        self.assertEqual(self.run_vm("true", file=self.folder / "link").returncode, 125)

    def test_the_private_folder_is_private(self):
        with self.start_vm("sh", "-c", "echo up; exec tail -f /dev/null") as process:
            process.stdout.readline()
            private = list((self.folder / "tmp").iterdir())
            self.assertEqual([stat.S_IMODE(entry.stat().st_mode) for entry in private], [0o700])
            process.terminate()
            process.communicate()


class Refusals(Host):
    def refused(self, text, calls, **settings):
        done = self.run_vm("touch", self.folder / "work" / "ran", **settings)
        self.assertEqual(done.returncode, 125)
        self.assertIn(text, done.stderr)
        self.assertEqual([call["call"] for call in self.calls()], calls)
        self.assertFalse((self.folder / "work" / "ran").exists())

    def test_service_is_down(self):
        self.configure(down=True)
        self.refused("container system start", ["status"])

    def test_too_old(self):  # T26
        self.configure(version="1.2.2")
        self.refused("Apple container 1.5 or newer is needed", ["status", "version"])

    def test_image_is_not_there(self):
        self.configure(images=[])
        self.refused("sbx vm pull", ["status", "version", "image inspect"])

    def test_image_is_not_pinned(self):  # T6
        self.refused("image must be pinned by digest", [], image="debian:12")

    def test_no_tool(self):
        self.tool.unlink()
        done = self.run_vm("true")
        self.assertEqual(done.returncode, 125)

    # P127
    def test_a_link_on_the_way_to_a_shared_folder(self):  # T92
        (self.folder / "real" / "inner").mkdir(parents=True)
        os.symlink(self.folder / "real", self.folder / "link")
        done = self.run_vm("true", profile="files", folder=self.folder / "link" / "inner")
        self.assertEqual(done.returncode, 125)
        self.assertIn("symbolic link", done.stderr)
        self.assertEqual(self.calls("run"), [])

    def test_pull(self):
        self.configure(images=[], pullable=[IMAGE])
        done = subprocess.run(self.words(action="pull"), env=self.environment(), capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.run_vm("true").returncode, 0)
        self.configure(images=[])
        done = subprocess.run(self.words(action="pull"), env=self.environment(), capture_output=True, check=False)
        self.assertEqual(done.returncode, 125)


class Ends(Host):
    LOOP = ("sh", "-c", "echo up; exec tail -f /dev/null")

    def up(self, process):
        self.assertEqual(process.stdout.readline(), "up\n")

    def test_signals_reach_the_command(self):
        script = "trap 'echo caught; exit 3' {0}; echo up; while :; do :; done"
        for number in ("TERM", "INT", "USR1", "HUP", "QUIT"):
            with self.subTest(number), self.start_vm("sh", "-c", script.format(number)) as process:
                self.up(process)
                wait_until(lambda: list((self.folder / "tmp").glob("*/id")), "the VM is up")
                process.send_signal(getattr(signal, "SIG" + number))
                self.assertEqual(process.communicate()[0], "caught\n")
                self.assertEqual(process.returncode, 3)

    def test_killed_by_a_signal(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.start_vm(*self.LOOP) as process:
                self.up(process)
                wait_until(lambda: list((self.folder / "tmp").glob("*/id")), "the VM is up")
                process.send_signal(number)
                process.communicate()
                self.assertEqual(process.returncode, -number)

    def test_the_third_interrupt_does_not_lose_the_vm(self):
        script = "n=0; trap 'n=$((n+1)); echo $n' INT; echo up; while [ $n -lt 3 ]; do :; done; exit 9"
        with self.start_vm("sh", "-c", script) as process:
            self.up(process)
            wait_until(lambda: list((self.folder / "tmp").glob("*/id")), "the VM is up")
            for count in ("1\n", "2\n", "3\n"):
                time.sleep(0.15)            # nearer together they count as one
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.stdout.readline(), count)
            process.communicate()
            self.assertEqual(process.returncode, 9)

    def test_timeout(self):
        done = self.run_vm(*self.LOOP, timeout=300)
        self.assertEqual(done.returncode, 124)
        self.assertIn("time limit of 300 ms", done.stderr)
        # One that ignores TERM is deleted by name.
        done = self.run_vm("sh", "-c", "trap '' TERM; echo up; while :; do :; done", timeout=300)
        self.assertEqual(done.returncode, 124)

    def test_sbx_is_killed(self):
        with self.start_vm(*self.LOOP) as process:
            self.up(process)
            process.kill()
            process.wait()
            wait_until(lambda: not self.vms() and not list((self.folder / "tmp").iterdir()), "the VM is deleted")
            self.assertEqual(process.communicate()[1], "")

    def test_the_tool_is_killed(self):
        with self.start_vm(*self.LOOP) as process:
            self.up(process)
            wait_until(lambda: list((self.folder / "tmp").glob("*/id")), "the VM is up")
            children = subprocess.run(["pgrep", "-P", str(process.pid)], check=False, capture_output=True,
                                      text=True).stdout.split()
            tool = [int(pid) for pid in children if "python" in os.readlink(f"/proc/{pid}/exe")]
            self.assertEqual(len(tool), 1)
            os.kill(tool[0], signal.SIGKILL)
            self.assertIn("was killed by signal 9", process.communicate()[1])
            self.assertEqual(process.returncode, 125)

    def test_killed_before_the_vm_is_up(self):
        for _ in range(5):
            process = self.start_vm(*self.LOOP)
            wait_until(lambda: list((self.folder / "tmp").iterdir()), "the run has begun")
            process.kill()
            process.communicate()
            wait_until(lambda: not list((self.folder / "tmp").iterdir()), "the guardian is done")
            self.assertEqual(self.vms(), [])

    def test_output_ends_with_the_command(self):
        """A reader of our stdout sees its end although the guardian lives on for a moment."""
        with self.start_vm("sh", "-c", "echo up") as process:
            self.assertEqual(process.stdout.read(), "up\n")


class Hold(Host):
    """What the host runs or obeys is held by every backend; here the hold waits for the VM's end."""

    SCRIPT = "echo evil >.envrc; echo fine >result; echo up; "

    def work(self):
        return sorted(entry.name for entry in (self.folder / "work").iterdir())

    def test_after_an_ordinary_end(self):
        done = self.run_vm("sh", "-c", f"cd {self.folder}/work; {self.SCRIPT}", hold=self.folder / "held")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("sbx: held: ", done.stderr)
        self.assertEqual(self.work(), ["result"])

    def test_after_sbx_is_killed(self):
        script = f"cd {self.folder}/work; {self.SCRIPT} exec tail -f /dev/null"
        with self.start_vm("sh", "-c", script, hold=self.folder / "held") as process:
            self.assertEqual(process.stdout.readline(), "up\n")
            process.kill()
            process.communicate()
        wait_until(lambda: self.work() == ["result"] and not list((self.folder / "tmp").iterdir()), "restored")


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("nft") and shutil.which("musl-gcc"),
                     "needs root, nft and musl-gcc")
class Selftest(Host):
    def selftest(self, sources=SOURCES):
        init = self.folder / "init"
        subprocess.run([SOURCES / "vm/guest/build.sh", SOURCES, init], check=True)
        self.configure(init=str(init), sources=str(sources), world=str(HERE / "vm_world.py"))
        return subprocess.run(self.words(action="selftest"), env=self.environment(), capture_output=True, text=True,
                              timeout=300, check=False)

    def test_everything_passes_against_the_real_guest(self):  # T27 to T37
        done = self.selftest()
        failed = [line for line in done.stdout.splitlines() if "FAIL" in line]
        # The stand-in runs on this machine's kernel but with a root of its own, so even links differ.
        self.assertEqual((done.returncode, failed), (0, []), done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "all sandbox checks passed")
        self.assertIn("  ok    169.254.169.254:80 is refused\n", done.stdout)

    def test_a_hole_in_the_firewall_is_found(self):
        (self.folder / "src").mkdir()
        shutil.copytree(SOURCES / "vm", self.folder / "src" / "vm")
        rules = self.folder / "src/vm/guest/firewall-web.nft"
        rules.write_text(rules.read_text(encoding="utf-8").replace(", 10.0.0.0/8", "", 1).replace("10.0.0.0/8, ", ""),
                         encoding="utf-8")
        done = self.selftest(self.folder / "src")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("  FAIL  firewall: ", done.stdout)
        self.assertRegex(done.stdout.splitlines()[-1], r"^\d+ check\(s\) failed$")


if __name__ == "__main__":
    unittest.main()
