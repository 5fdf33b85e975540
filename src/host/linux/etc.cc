#include "host/linux/etc.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "util/text.h"

namespace sbx {
namespace {

// A walk through all of /etc would cost as much as the rest of a start. Secrets lie on top or in these.
constexpr std::array<const char*, 36> kSecretPlaces = {
    "",           "NetworkManager", "NetworkManager/system-connections", "apt/auth.conf.d", "audit", "ceph",
    "cni/net.d",  "cron.d",         "cups",     "default",    "docker",  "dovecot",  "exim4",  "grafana",
    "ipsec.d",    "iwd",            "kubernetes", "ldap",     "letsencrypt", "libvirt", "mysql", "netplan",
    "openvpn",    "pki/tls",        "polkit-1", "postfix",    "postgresql", "ppp",   "rancher", "samba",
    "security",   "ssh",            "ssl",      "systemd",    "wireguard",  "wpa_supplicant"};

void look(const std::string& path, std::vector<std::string>& out) {
    std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
    while (directory) {
        dirent* entry = readdir(directory.get());
        if (entry == nullptr) {
            break;
        }
        bool special = std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0;
        struct stat status {};
        if (special || entry->d_type == DT_LNK ||
            fstatat(dirfd(directory.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        if (S_ISDIR(status.st_mode) && (status.st_mode & S_IXOTH) == 0) {
            out.push_back(path_join(path, entry->d_name) + "/");
        } else if (S_ISREG(status.st_mode) && (status.st_mode & S_IROTH) == 0) {
            out.push_back(path_join(path, entry->d_name));
        }
    }
}

}  // namespace

std::vector<std::string> not_for_everybody(const std::string& etc) {
    std::vector<std::string> out;
    for (const char* place : kSecretPlaces) {
        std::string path = *place == '\0' ? etc : path_join(etc, place);
        // A place below a hidden directory is hidden with it.
        bool hidden = std::any_of(out.begin(), out.end(), [&](const std::string& found) {
            return found.back() == '/' && (path + "/").rfind(found, 0) == 0;
        });
        if (!hidden) {
            look(path, out);
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace sbx
