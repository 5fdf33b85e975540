// sbx init: a commented starter policy.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/commands.h"
#include "cli/output.h"
#include "host/gather.h"
#include "host/resolve.h"
#include "policy/profiles.h"
#include "policy/schema.h"
#include "run/console.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx::cli {
namespace {

/// What a file in the folder tells about the commands that will be run there.
struct Hint {
    std::string_view file;
    std::string_view text;
};

constexpr Hint kHints[] = {
    {"package.json", "package.json: sbx run --profile node -- npm install   (network on, caches kept)"},
    {"Cargo.toml", "Cargo.toml: sbx run --profile rust -- cargo fetch   (network on, downloads kept)"},
    {"pyproject.toml", "pyproject.toml: sbx run --profile python -- pip install -e .   (network on, caches kept)"},
    {"go.mod", "go.mod: sbx run --profile go -- go mod download   (network on, modules kept)"},
    {"CMakeLists.txt", "CMakeLists.txt: sbx run -- cmake -B build   (no network needed)"},
};

/// The keys that a project most often wants, with the help of the table.
constexpr std::string_view kShown[] = {
    "sandbox.network",      "sandbox.allowedReadPaths", "sandbox.allowedWritePaths", "sandbox.home",
    "sandbox.env.pass",     "zones.denied",             "zones.exempt",              "guards.git",
    "guards.instructions",  "guards.handover",          "limits.timeout",            "limits.memory",
    "limits.processes",
};

std::string example(const Key& key) {
    switch (key.type) {
        case KeyType::Duration: return "\"10m\"";
        case KeyType::Size: return "\"2G\"";
        case KeyType::Count: return "256";
        default: return std::string(key.default_text);
    }
}

std::string starter(const std::string& profile, const std::vector<std::string_view>& hints) {
    std::string out =
        "# What commands may touch when they are run with sbx in this folder. See man sbx.toml.\n"
        "# A policy in a project may take rights away. To give some, it must be trusted: sbx trust\n";
    for (std::string_view hint : hints) {
        out += fmt::format("# {}\n", hint);
    }
    if (!profile.empty()) {
        out += fmt::format("\nextends = [\"{}\"]\n", profile);
    }
    std::string_view table;
    for (std::string_view name : kShown) {
        const Key* key = find_key(name);
        if (key->table() != table) {
            table = key->table();
            out += fmt::format("\n[{}]\n", table);
        }
        out += fmt::format("# {}\n", key->help);
        std::string values;
        for (const std::string& value : split(key->values, '|')) {
            values += (values.empty() ? "" : " | ") + value;
        }
        out += fmt::format("# {} = {}{}\n", key->leaf(), example(*key), values.empty() ? "" : "   # " + values);
    }
    return out;
}

}  // namespace

int init(const Arguments& arguments) {
    auto facts = gather_caller();
    if (!facts) {
        say(facts.error());
        return kNo;
    }
    std::string profile;
    if (const std::string* named = arguments.value("--profile")) {
        profile = *named;
        if (find_profile(profile) == nullptr) {
            say(Error{"not_found", fmt::format("there is no profile \"{}\"", printable_line(profile)),
                      "sbx profiles lists them"});
            return kNo;
        }
    }
    std::vector<std::string_view> hints;
    for (const Hint& hint : kHints) {
        if (kind_of(path_join(facts->cwd, std::string(hint.file))) == FileKind::File) {
            hints.push_back(hint.text);
        }
    }
    Fd fd(open("sbx.toml", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd.valid()) {
        bool there = errno == EEXIST;
        say(Error{there ? "exists" : "io",
                  there ? "sbx.toml exists already" : fmt::format("sbx.toml: {}", std::strerror(errno)),
                  there ? "it was left as it is" : ""});
        return kNo;
    }
    // A group that could write the policy would have it refused.
    if (fchmod(fd.get(), 0644) != 0) {
        say(fmt::format("sbx.toml: {}", std::strerror(errno)));
        return kNo;
    }
    if (auto written = write_all(fd.get(), starter(profile, hints), "sbx.toml"); !written) {
        say(written.error());
        return kNo;
    }
    say("wrote sbx.toml; sbx check tells what it means");
    if (!profile.empty()) {
        say("where the profile gives rights, the file must be trusted: sbx trust");
    }
    return 0;
}

}  // namespace sbx::cli
