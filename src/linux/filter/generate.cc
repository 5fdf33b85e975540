// Build tool: writes the system call filter that is compiled into sbx, so that starting a sandbox does
// not pay for libseccomp's rule compiler (0.2 ms of a 5 ms start).
//
// usage: sbx-seccomp FILE off|on      (`on`: a sandbox may be nested)

#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace {

// ioctl requests are 32 bits wide in the kernel: a 64-bit comparison is passed by 0x100005412
// (CVE-2019-10063). TIOCSTI types into the caller's terminal, TIOCLINUX pastes on a console.
constexpr std::array<unsigned, 2> kTerminalRequests = {0x5412, 0x541c};

constexpr std::array<const char*, 30> kRefused = {
    // other users' and the session's keys; tracing and programming the kernel
    "add_key", "request_key", "keyctl", "bpf", "perf_event_open", "userfaultfd", "kexec_load",
    "kexec_file_load", "init_module", "finit_module", "delete_module", "iopl", "ioperm", "syslog",
    // the machine as a whole
    "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "settimeofday", "clock_settime",
    "vhangup", "nfsservctl", "lookup_dcookie", "open_by_handle_at", "fanotify_init", "modify_ldt",
    "setdomainname", "sethostname"};

constexpr std::array<const char*, 13> kNamespaceCalls = {
    "setns", "mount", "umount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr"};

// Newer than libseccomp's table (Linux 6.15), and the same everywhere.
constexpr int kOpenTreeAttr = 467;

// Programs that can use them fall back when they are missing, so: ENOSYS, not EPERM.
constexpr std::array<const char*, 3> kMissing = {"io_uring_setup", "io_uring_enter", "io_uring_register"};

class Filter {
  public:
    Filter() : context_(seccomp_init(SCMP_ACT_ALLOW), seccomp_release) {
        // i386 and x32 have other numbers for the same calls. Nothing in the rules below covers them,
        // and i386 hides socket families behind pointers, so those ABIs are shut as a whole.
        status_ = context_ ? seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS)
                           : -ENOMEM;
    }

    void refuse(const char* name, int error, const std::vector<scmp_arg_cmp>& conditions = {}) {
        int number = seccomp_syscall_resolve_name(name);
        if (number == __NR_SCMP_ERROR) {
            return;  // this architecture or this libseccomp does not have the call
        }
        refuse(number, error, conditions);
    }

    void refuse(int number, int error, const std::vector<scmp_arg_cmp>& conditions = {}) {
        if (status_ != 0) {
            return;
        }
        status_ = seccomp_rule_add_array(context_.get(), SCMP_ACT_ERRNO(static_cast<uint32_t>(error)), number,
                                         static_cast<unsigned>(conditions.size()), conditions.data());
    }

    /// Writes the program to `path`; 0 or a negative errno.
    int write(const char* path) {
        int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (fd < 0) {
            return -errno;
        }
        int status = status_ != 0 ? status_ : seccomp_export_bpf(context_.get(), fd);
        close(fd);
        return status;
    }

  private:
    std::unique_ptr<void, void (*)(scmp_filter_ctx)> context_;
    int status_ = 0;
};

/// libseccomp's SCMP_A0 and so on are C's compound literals, which C++ does not have.
scmp_arg_cmp compare(unsigned argument, scmp_compare operation, scmp_datum_t value) {
    return {argument, operation, value, 0};
}

/// True for calls whose `argument`, as the kernel reads it, has exactly the bits `value` of `mask`.
scmp_arg_cmp has_bits(unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

/// Local, internet and routing sockets stay; everything else (vsock to a hypervisor, packet, bluetooth,
/// AF_ALG, ...) is a kernel interface that development tools do not use.
void refuse_socket_families(Filter& filter) {
    for (const char* call : {"socket", "socketpair"}) {
        for (unsigned family = 3; family < AF_NETLINK; ++family) {
            if (family != AF_INET6) {
                filter.refuse(call, EAFNOSUPPORT, {has_bits(0, 0xffffffffU, family)});
            }
        }
        filter.refuse(call, EAFNOSUPPORT, {compare(0, SCMP_CMP_GT, AF_NETLINK)});
        // getifaddrs() needs NETLINK_ROUTE (0); the other netlink protocols configure the kernel.
        filter.refuse(call, EAFNOSUPPORT, {compare(0, SCMP_CMP_EQ, AF_NETLINK), compare(2, SCMP_CMP_NE, 0)});
    }
}

void add_rules(Filter& filter, bool nested) {
    for (unsigned request : kTerminalRequests) {
        filter.refuse("ioctl", EPERM, {has_bits(1, 0xffffffffU, request)});
    }
    for (const char* name : kRefused) {
        filter.refuse(name, EPERM);
    }
    for (const char* name : kMissing) {
        filter.refuse(name, ENOSYS);
    }
    if (!nested) {
        for (const char* name : kNamespaceCalls) {
            filter.refuse(name, EPERM);
        }
        filter.refuse(kOpenTreeAttr, EPERM);
        for (int name : {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS,
                         CLONE_NEWCGROUP}) {
            const auto flag = static_cast<unsigned>(name);
            filter.refuse("unshare", EPERM, {has_bits(0, flag, flag)});
            filter.refuse("clone", EPERM, {has_bits(0, flag, flag)});
        }
        // clone3 keeps its flags behind a pointer. C libraries fall back to clone on ENOSYS only.
        filter.refuse("clone3", ENOSYS);
    }
    refuse_socket_families(filter);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: sbx-seccomp FILE off|on\n");
        return 2;
    }
    Filter filter;
    add_rules(filter, std::strcmp(argv[2], "on") == 0);
    if (int status = filter.write(argv[1]); status != 0) {
        std::fprintf(stderr, "sbx-seccomp: %s\n", std::strerror(-status));
        return 1;
    }
    return 0;
}
