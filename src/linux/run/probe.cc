// The probe: what hostile code would try, tried inside. It needs nothing but the kernel.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "linux/run/probe_host.h"
#include "run/doctor.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr unsigned long kHighBits = 1UL << 32;

class Probe {
  public:
    explicit Probe(std::map<std::string, std::string> targets) : targets_(std::move(targets)) {}

    void run() {
        privileges();
        system_calls();
        processes();
        files();
        git();
        network();
        leftovers();
    }

  private:
    static void report(bool contained, const char* layer, const std::string& good, const std::string& bad) {
        std::printf("%s|%s|%s\n", contained ? "ok" : "FAIL", layer, contained ? good.c_str() : bad.c_str());
        std::fflush(stdout);
    }

    static void note(const char* layer, const std::string& text) {
        std::printf("note|%s|%s\n", layer, text.c_str());
        std::fflush(stdout);
    }

    const std::string* target(const char* name) const {
        auto found = targets_.find(name);
        return found == targets_.end() || found->second.empty() ? nullptr : &found->second;
    }

    static void privileges() {
        std::ifstream status("/proc/self/status");
        std::string line;
        std::string held;
        bool filter = false;
        bool no_new = false;
        int sets = 0;
        while (std::getline(status, line)) {
            if (line.rfind("Cap", 0) == 0) {
                ++sets;
                held += line.find_first_not_of("0\t ", line.find(':') + 1) == std::string::npos ? "" : line + " ";
            }
            filter = filter || line == "Seccomp:\t2";
            no_new = no_new || line == "NoNewPrivs:\t1";
        }
        report(sets == 5 && held.empty(), "capabilities", "none is held, none can be had", "held: " + held);
        report(no_new, "setuid programs", "give nothing (no_new_privs)", "no_new_privs is not set");
        report(filter, "system call filter", "is on", "is off");
    }

    static bool refused(long result) { return result < 0; }

    void system_calls() const {
        bool remounted = mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0;
        report(!remounted, "remount", "the file system cannot be remounted", "the file system was remounted");
        bool nested = target("nested") != nullptr;
        bool made = fork_result([] { return unshare(CLONE_NEWUSER) == 0; });
        if (nested) {
            note("user namespaces", made ? "can be made, as sandbox.nested asks" : "cannot be made");
        } else {
            report(!made, "user namespaces", "cannot be made", "a new user namespace gave every capability");
        }
        int zero = 0;
        bool plain = ioctl(0, TIOCSTI, &zero) != 0 && errno == EPERM;
        bool high = syscall(SYS_ioctl, 0, TIOCSTI | kHighBits, &zero) != 0 && errno == EPERM;
        report(plain && high, "terminal", "cannot be typed into (TIOCSTI)", "TIOCSTI is not refused");
        report(refused(syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0)), "keyrings",
               "are out of reach", "the session keyring can be used");
        bool ring = syscall(SYS_io_uring_setup, 1, nullptr) < 0 && errno == ENOSYS;
        report(ring, "io_uring", "is not there", "is available");
        report(refused(syscall(SYS_bpf, 0, nullptr, 0)) && errno == EPERM, "bpf", "is refused", "is not refused");
    }

    /// In a child, so that this process stays what it is.
    template <typename Work>
    static bool fork_result(Work work) {
        pid_t pid = fork();
        if (pid == 0) {
            _exit(work() ? 0 : 1);
        }
        int status = 0;
        return pid > 0 && waitpid_all(pid, status) && status == 0;
    }

    static bool waitpid_all(pid_t pid, int& status) {
        return syscall(SYS_wait4, pid, &status, 0, nullptr) == pid;
    }

    void processes() const {
        if (const std::string* victim = target("victim")) {
            kill(std::atoi(victim->c_str()), SIGKILL);  // the host looks whether it is still there
        }
        bool memory = Fd(open("/proc/1/mem", O_RDONLY | O_CLOEXEC)).valid();
        bool environment = Fd(open("/proc/1/environ", O_RDONLY | O_CLOEXEC)).valid();
        report(!memory && !environment, "process 1", "cannot be looked into", "its memory can be read");
        bool traced = ptrace(PTRACE_ATTACH, 1, nullptr, nullptr) == 0;
        int stopped = 0;
        if (traced && syscall(SYS_wait4, 1, &stopped, __WALL, nullptr) == 1) {
            ptrace(PTRACE_DETACH, 1, nullptr, nullptr);  // stopped, it would never end
        }
        report(!traced, "ptrace", "process 1 cannot be traced", "process 1 can be traced");
    }

    void files() const {
        if (const std::string* secret = target("secret")) {
            bool seen = Fd(open(secret->c_str(), O_RDONLY | O_CLOEXEC)).valid();
            report(!seen, "home", "a file planted in the home directory cannot be read",
                   "a file planted in the home directory was read");
            bool through = false;
            if (symlink(secret->c_str(), "sbx-selftest-link") == 0) {
                through = Fd(open("sbx-selftest-link", O_RDONLY | O_CLOEXEC)).valid();
                unlink("sbx-selftest-link");
            }
            report(!through, "links", "a link in the project leads nowhere", "a link led to the planted file");
        }
        if (const std::string* outside = target("outside")) {
            Fd(open(outside->c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));  // the host looks for it
        }
        bool system = false;
        for (const char* directory : {"/usr", "/etc", "/"}) {
            std::string path = path_join(directory, "sbx-selftest");
            if (Fd(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)).valid()) {
                unlink(path.c_str());
                system = true;
            }
        }
        report(!system, "system", "is read-only", "a system directory can be written");
        Fd shadow(open("/etc/shadow", O_RDONLY | O_CLOEXEC));
        report(!shadow.valid(), "passwords", "/etc/shadow cannot be read", "/etc/shadow can be read");
    }

    void git() const {
        const std::string* directory = target("git");
        if (directory == nullptr) {
            return;
        }
        std::string aside = *directory + ".sbx-selftest";
        bool moved = rename(directory->c_str(), aside.c_str()) == 0;
        if (moved) {
            rename(aside.c_str(), directory->c_str());
        }
        bool config = Fd(open(path_join(*directory, "config").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)).valid();
        std::string hook = path_join(*directory, "hooks/sbx-selftest");
        bool hooks = Fd(open(hook.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)).valid();
        unlink(hook.c_str());
        report(!moved, "git directory", "cannot be moved aside", ".git was moved aside");
        report(!config && !hooks, "git configuration and hooks", "cannot be written", "can be written");
    }

    void network() const {
        const std::string* port = target("port");
        if (port == nullptr) {
            return;
        }
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<uint16_t>(std::atoi(port->c_str())));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        Fd tcp(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        bool reached = connect(tcp.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
        if (target("network") != nullptr) {
            note("network", reached ? "is the host's, as the policy says" : "the host's loopback did not answer");
        } else {
            report(!reached, "network", "a listener on the host cannot be reached", "a listener on the host was reached");
        }
        const std::string* name = target("abstract");
        sockaddr_un local{};
        local.sun_family = AF_UNIX;
        std::memcpy(local.sun_path + 1, name->data(), std::min(name->size(), sizeof local.sun_path - 1));
        Fd unix_socket(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        socklen_t length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name->size());
        bool abstract = connect(unix_socket.get(), reinterpret_cast<sockaddr*>(&local), length) == 0;
        report(!abstract, "abstract sockets", "the host's cannot be reached", "one of the host's was reached");
    }

    void leftovers() const {
        report(std::getenv("SELFTEST_API_TOKEN") == nullptr, "environment", "a planted token is not passed on",
               "a planted token was passed on");
        if (const std::string* fd = target("descriptor")) {
            bool open = fcntl(std::atoi(fd->c_str()), F_GETFD) >= 0;
            report(!open, "descriptors", "an open directory of the host is not passed on",
                   "an open directory of the host was passed on");
        }
    }

    std::map<std::string, std::string> targets_;
};

/// For limits.memory: takes `bytes` and uses them. Not malloc: nothing would look at that memory, so the compiler
/// may leave it out.
int take_memory(size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return kMemoryRefused;
    }
    auto* pages = static_cast<volatile char*>(memory);
    for (size_t i = 0; i < bytes; i += 4096) {
        pages[i] = 1;
    }
    return kMemoryTaken;
}

}  // namespace

int probe_main(int argc, char** argv) {
    std::map<std::string, std::string> targets;
    for (int i = 2; i < argc; ++i) {
        std::string word = argv[i];
        size_t equals = word.find('=');
        targets[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    if (targets.count("memory") != 0) {
        return take_memory(std::strtoull(targets["memory"].c_str(), nullptr, 10));
    }
    Probe(std::move(targets)).run();
    std::printf("done\n");
    return 0;
}

}  // namespace sbx
