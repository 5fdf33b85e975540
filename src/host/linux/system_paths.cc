#include "host/linux/system_paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <memory>

#include "host/resolve.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

// systemRead = "normal".
constexpr std::array<const char*, 14> kNormal = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/snap",
    "/sys/devices/system", "/var/cache/man"};

// systemRead = "minimal": programs and libraries, and of /etc what looking up names, loading libraries and
// checking certificates takes. Not /etc/ssl or /etc/pki/tls whole: there are private keys in them.
constexpr std::array<const char*, 39> kMinimal = {
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/gnu", "/etc/nsswitch.conf",
    "/etc/hosts", "/etc/host.conf", "/etc/gai.conf", "/etc/localtime", "/etc/timezone", "/etc/alternatives",
    "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust",
    "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/crypto-policies", "/etc/ld.so.cache",
    "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/services", "/etc/protocols", "/etc/resolv.conf",
    "/etc/os-release", "/etc/mtab", "/etc/networks", "/etc/shells", "/etc/terminfo", "/etc/static"};

// systemRead = "full": all that stands in `/` but these. Homes are private, the others are made anew.
constexpr std::array<const char*, 10> kNotInFull = {"proc", "sys", "dev", "run",        "tmp",
                                                    "home", "root", "boot", "lost+found", "."};

// What programs read of /etc and distributions make a link that leads out of it: resolv.conf into /run,
// certificates into /var/lib.
constexpr std::array<const char*, 20> kOftenLinks = {
    "/etc/resolv.conf", "/etc/hosts", "/etc/hostname", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/localtime",
    "/etc/timezone", "/etc/passwd", "/etc/group", "/etc/machine-id", "/etc/os-release", "/etc/ssl/certs",
    "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/tls/cert.pem", "/etc/pki/ca-trust", "/etc/gitconfig",
    "/etc/alternatives"};

constexpr size_t kDeliveredFile = 1 << 16;
// A private one stands there inside.
constexpr std::string_view kReplaced = "/var/tmp";
constexpr size_t kMaxWalk = 100'000;
constexpr unsigned kFirstPerson = 1000;   // smaller uids are the system's own, with homes like /usr/games
constexpr unsigned kNobody = 65534;

bool shown(const HostFacts& facts, const std::string& path) {
    return std::any_of(facts.system.begin(), facts.system.end(), [&](const SystemPath& system) {
        return system.kind != FileKind::Symlink && path_within(path, system.path);
    });
}

void add_system_path(const std::string& path, HostFacts& facts) {
    FileKind kind = kind_of(path);
    if (kind != FileKind::Missing) {
        facts.system.push_back({path, kind, kind == FileKind::Symlink ? link_text(path) : ""});
    }
}

void add_everything(HostFacts& facts) {
    std::unique_ptr<DIR, int (*)(DIR*)> root(opendir("/"), closedir);
    std::vector<std::string> names;
    for (dirent* entry = nullptr; root && (entry = readdir(root.get())) != nullptr;) {
        std::string name = entry->d_name;
        bool skipped = name == ".." || std::find(kNotInFull.begin(), kNotInFull.end(), name) != kNotInFull.end();
        if (!skipped && (entry->d_type == DT_DIR || entry->d_type == DT_LNK)) {
            names.push_back("/" + name);
        }
    }
    names.emplace_back("/sys/devices/system");
    std::sort(names.begin(), names.end());
    for (const auto& name : names) {
        add_system_path(name, facts);
    }
}

/// Finds what not every user of the machine may read. What cannot be looked at counts as that.
class PrivateFinder {
  public:
    explicit PrivateFinder(std::vector<std::string>& found) : found_(found) {}

    /// False when there are too many entries.
    bool walk(int parent, const char* name, const std::string& path) {
        Fd fd(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
        if (!fd.valid()) {
            found_.push_back(path + "/");
            return true;
        }
        int number = fd.get();
        std::unique_ptr<DIR, int (*)(DIR*)> directory(fdopendir(fd.release()), closedir);
        for (dirent* entry = nullptr; directory && (entry = readdir(directory.get())) != nullptr;) {
            std::string_view text = entry->d_name;
            if (text == "." || text == ".." || entry->d_type == DT_LNK) {
                continue;
            }
            if (++seen_ > kMaxWalk) {
                return false;
            }
            struct stat status {};
            bool known = fstatat(number, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0;
            if (!known || S_ISLNK(status.st_mode)) {
                continue;  // gone, or a link after all
            }
            constexpr mode_t kEnter = S_IROTH | S_IXOTH;
            if (!S_ISDIR(status.st_mode)) {
                if ((status.st_mode & S_IROTH) == 0) {
                    found_.push_back(path_join(path, text));
                }
                continue;
            }
            std::string child = path_join(path, text);
            if (child == kReplaced) {
                continue;
            }
            if ((status.st_mode & kEnter) != kEnter) {
                found_.push_back(child + "/");
            } else if (!walk(number, entry->d_name, child)) {
                return false;
            }
        }
        return true;
    }

  private:
    std::vector<std::string>& found_;
    size_t seen_ = 0;
};

/// Homes of people, and sbx's own directories, as far as they lie in what is shown.
void hide_homes(HostFacts& facts) {
    std::vector<std::string> homes;
    for (const auto& line : split(small_file("/etc/passwd", 1 << 22).value_or(""), '\n')) {
        std::vector<std::string> fields = split(line, ':');
        unsigned long uid = fields.size() < 6 ? 0 : std::strtoul(fields[2].c_str(), nullptr, 10);
        if (uid >= kFirstPerson && uid != kNobody) {
            homes.push_back(real_path(fields[5]).value_or(""));
        }
    }
    homes.push_back(facts.config_dir);
    homes.push_back(facts.state_dir);
    for (const auto& path : homes) {
        bool own = !facts.home.empty() && path_within(path, facts.home);  // replaced by the private home
        if (!path.empty() && !own && path_depth(path) > 1 && shown(facts, path) &&
            kind_of(path) == FileKind::Directory) {
            facts.linux_.system_hidden.push_back(path + "/");
        }
    }
}

Error too_much(const std::string& root) {
    return Error{"scan_limit",
                 root + ": more than " + std::to_string(kMaxWalk) +
                     " files to look through for what not every user may read",
                 "run sbx as an ordinary user"};
}

/// As root: finds what not every user may read. A directory of systemRead = "full" that is too large to look
/// through is not shown at all.
Result<void> hide_private(SystemRead read, HostFacts& facts) {
    std::vector<SystemPath> kept;
    for (const SystemPath& system : facts.system) {
        bool packages = false;
        for (const char* place : {"/usr", "/nix", "/gnu", "/snap", "/sys"}) {
            packages = packages || path_within(system.path, place);
        }
        bool etc = path_within(system.path, "/etc");
        if (etc && facts.linux_.private_later && system.kind == FileKind::Directory) {
            facts.linux_.private_roots.push_back(system.path);
            kept.push_back(system);
            continue;
        }
        bool looked_at = (etc || (read == SystemRead::Full && !packages)) && system.kind == FileKind::Directory;
        std::vector<std::string> found;
        if (!looked_at || PrivateFinder(found).walk(AT_FDCWD, system.path.c_str(), system.path)) {
            kept.push_back(system);
            auto& hidden = facts.linux_.system_hidden;
            hidden.insert(hidden.end(), found.begin(), found.end());
        } else if (etc) {
            return too_much(system.path);
        } else {
            facts.linux_.too_large.push_back(system.path);
        }
    }
    facts.system = std::move(kept);
    return {};
}

/// What a link in /etc leads to, where that is not shown otherwise.
void add_etc_targets(bool network, HostFacts& facts) {
    for (const char* name : kOftenLinks) {
        std::vector<SystemPath> links;
        if (!shown(facts, path_parent(name)) && !shown(facts, name) &&
            std::none_of(facts.system.begin(), facts.system.end(),
                         [&](const SystemPath& system) { return system.path == name; })) {
            continue;
        }
        auto path = walk_path(name, links);
        bool kernel = path && (path_within(*path, "/proc") || path_within(*path, "/dev") || path_within(*path, "/sys"));
        if (!path || links.empty() || kernel || shown(facts, *path)) {
            continue;
        }
        EtcTarget target;
        target.path = *path;
        target.kind = kind_of(*path);
        struct stat status {};
        bool readable = stat(path->c_str(), &status) == 0 && (status.st_mode & S_IROTH) != 0;
        if (!readable || (target.kind != FileKind::File && target.kind != FileKind::Directory)) {
            continue;
        }
        if (target.kind == FileKind::File) {
            bool servers = std::string_view(name) == "/etc/resolv.conf";
            target.data = servers && !network ? "# The network is off.\n"
                                              : small_file(*path, kDeliveredFile).value_or("");
        }
        facts.linux_.etc_targets.push_back(std::move(target));
        facts.links.insert(facts.links.end(), links.begin(), links.end());
    }
}

}  // namespace

Result<std::vector<std::string>> find_private(const std::string& root) {
    std::vector<std::string> found;
    if (!PrivateFinder(found).walk(AT_FDCWD, root.c_str(), root)) {
        return too_much(root);
    }
    return found;
}

Result<void> gather_system_paths(const Policy& policy, HostFacts& facts) {
    SystemRead read = policy.system_read.value;
    if (read == SystemRead::Full) {
        add_everything(facts);
        hide_homes(facts);
    } else if (read == SystemRead::Minimal) {
        for (const char* path : kMinimal) {
            add_system_path(path, facts);
        }
    } else {
        for (const char* path : kNormal) {
            add_system_path(path, facts);
        }
    }
    if (facts.uid == 0) {
        SBX_CHECK(hide_private(read, facts));
    }
    add_etc_targets(policy.network.value == NetworkMode::On, facts);
    return {};
}

}  // namespace sbx
