#include "macos/render/base_rules.h"

namespace sbx {

const std::vector<BaseRule>& named_denials() {
    static const std::vector<BaseRule> rules = {
        {"inspecting other processes: allowed unless it is named (P35)", "(deny process-info*)"},
        {"serial numbers and other properties of the hardware", "(deny iokit-get-properties)"},
        {"loading code from anywhere: granted below with each readable tree", "(deny file-map-executable)"},
        {"setuid and setgid bits: an operation of its own, not covered by file-write*", "(deny file-write-setugid)"},
        {"jobs for launchd run outside every sandbox (P36)", "(when (defined? 'job-creation)\n"
         "  (deny job-creation))"},
        {"privileges of the kernel, for a run as root",
         "(when (defined? 'system-privilege)\n"
         "  (deny system-privilege))"},
    };
    return rules;
}

const std::vector<BaseRule>& base_rules() {
    // Never to be added: launchservices and lsopen (start programs outside the sandbox, P36),
    // appleevent-send (P37), SecurityServer and securityd (P38), pasteboard (P39), cfprefsd (reads the
    // preferences of every program), FSEvents (tells the names of files all over the home, P31),
    // windowserver, any (with no-sandbox).
    static const std::vector<BaseRule> rules = {
        {"every program forks", "(allow process-fork)"},
        {"itself and what runs in this sandbox, nothing else (P35)",
         "(allow signal (target self))\n"
         "(allow signal (target same-sandbox))\n"
         "(allow process-info* (target self))\n"
         "(allow process-info* (target same-sandbox))"},
        {"number and kind of processors, memory, version: node, go, java, rustc. Not kern.proc*, which shows "
         "the arguments of other processes",
         "(allow sysctl-read (sysctl-name-prefix \"hw.\"))\n"
         "(allow sysctl-read (sysctl-name-prefix \"machdep.cpu.\"))\n"
         "(allow sysctl-read (sysctl-name \"kern.argmax\" \"kern.boottime\" \"kern.clockrate\" \"kern.hostname\""
         " \"kern.iossupportversion\" \"kern.maxfiles\" \"kern.maxfilesperproc\" \"kern.maxproc\" \"kern.maxprocperuid\""
         " \"kern.ngroups\" \"kern.osproductversion\" \"kern.osproductversioncompat\" \"kern.osrelease\""
         " \"kern.ostype\" \"kern.osvariant_status\" \"kern.osversion\" \"kern.secure_kernel\""
         " \"kern.tcsm_available\" \"kern.tcsm_enable\" \"kern.usrstack64\" \"kern.version\" \"kern.willshutdown\""
         " \"machdep.ptrauth_enabled\" \"security.mac.lockdown_mode_state\" \"sysctl.name2oid\""
         " \"sysctl.proc_cputype\" \"sysctl.proc_native\" \"sysctl.proc_translated\" \"vm.loadavg\""
         " \"vm.swapusage\"))"},
        {"names of users and groups: git, ssh, python's getpass (C21: launchservicesd is not here)",
         "(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.api\"))\n"
         "(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\"))\n"
         "(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.membership\"))"},
        {"confstr(3), by which xcrun finds the user's temporary directory",
         "(allow mach-lookup (global-name \"com.apple.bsd.dirhelper\"))"},
        {"notify(3) and the logs; without them only delays and noise",
         "(allow mach-lookup (global-name \"com.apple.system.notification_center\"))\n"
         "(allow mach-lookup (global-name \"com.apple.system.logger\"))\n"
         "(allow mach-lookup (global-name \"com.apple.logd\"))\n"
         "(allow ipc-posix-shm-read* (ipc-posix-name \"apple.shm.notification_center\"))"},
        {"python's multiprocessing and OpenMP make semaphores and shared memory",
         "(allow ipc-posix-sem)\n"
         "(when (defined? 'ipc-posix-name-prefix)\n"
         "  (allow ipc-posix-shm* (ipc-posix-name-prefix \"/psm_\"))\n"
         "  (allow ipc-posix-shm* (ipc-posix-name-prefix \"/__KMP_REGISTERED_LIB_\")))"},
        {"devices without memory",
         "(allow file-read* file-write* (literal \"/dev/null\"))\n"
         "(allow file-read* file-write* (literal \"/dev/zero\"))\n"
         "(allow file-read* (literal \"/dev/random\"))\n"
         "(allow file-read* (literal \"/dev/urandom\"))\n"
         "(allow file-read* (literal \"/dev/autofs_nowait\"))\n"
         "(allow file-read* file-write-data file-ioctl (literal \"/dev/dtracehelper\"))\n"
         "(allow file-read* (literal \"/dev\"))"},
        {"descriptors that the command has already; opening them again gives nothing more",
         "(allow file-read* file-write* (subpath \"/dev/fd\"))\n"
         "(allow file-read* file-write* (literal \"/dev/stdin\"))\n"
         "(allow file-read* file-write* (literal \"/dev/stdout\"))\n"
         "(allow file-read* file-write* (literal \"/dev/stderr\"))"},
        {"terminals that are made inside: the kernel marks them for this sandbox. Other terminals of the user "
         "stay closed, a program could read what is typed there",
         "(allow pseudo-tty)\n"
         "(allow file-read* file-write* file-ioctl (literal \"/dev/ptmx\"))\n"
         "(allow file-read* file-write* file-ioctl"
         " (require-all (subpath \"/dev\") (extension \"com.apple.sandbox.pty\")))\n"
         "(allow file-read* file-write* file-ioctl (literal \"/dev/tty\"))"},
        {"the loader reads the root directory itself (mise#12263), and names are looked up through these links",
         "(allow file-read-data (literal \"/\"))"},
    };
    return rules;
}

const std::vector<BaseRule>& network_rules() {
    static const std::vector<BaseRule> rules = {
        {"names to addresses (nono#588). Not without the network: DNS carries data out",
         "(allow network-outbound (literal \"/private/var/run/mDNSResponder\"))\n"
         "(allow network-outbound (literal \"/var/run/mDNSResponder\"))\n"
         "(allow mach-lookup (global-name \"com.apple.dnssd.service\"))\n"
         "(allow mach-lookup (global-name \"com.apple.SystemConfiguration.DNSConfiguration\"))\n"
         "(allow mach-lookup (global-name \"com.apple.SystemConfiguration.configd\"))"},
        {"go and Swift check certificates through these; nothing else helps (OSStatus -26276, srt#118)",
         "(allow mach-lookup (global-name \"com.apple.trustd\"))\n"
         "(allow mach-lookup (global-name \"com.apple.trustd.agent\"))"},
        {"the addresses of this machine", "(allow sysctl-read (sysctl-name-prefix \"net.routetable.\"))"},
    };
    return rules;
}

}  // namespace sbx
