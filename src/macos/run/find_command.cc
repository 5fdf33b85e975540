#include "macos/run/find_command.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "plan/query.h"
#include "util/fd.h"
#include "util/text.h"

namespace sbx {
namespace {

enum class Verdict { Missing, NotExecutable, Hidden, Privileged, Fine };

struct Candidate {
    Verdict verdict = Verdict::Missing;
    std::string path;
};

std::string absolute(const std::string& path, const Plan& plan) {
    return path.front() == '/' ? path : path_join(plan.cwd, path);
}

Candidate judge(const std::string& path, const Plan& plan) {
    std::array<char, PATH_MAX> buffer{};
    struct stat status {};
    if (realpath(path.c_str(), buffer.data()) == nullptr || stat(buffer.data(), &status) != 0) {
        return {Verdict::Missing, path};
    }
    std::string real = buffer.data();
    if (!query_path(plan, real).readable) {
        return {Verdict::Hidden, real};
    }
    if (!S_ISREG(status.st_mode) || access(real.c_str(), X_OK) != 0) {
        return {Verdict::NotExecutable, real};
    }
    if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) {
        return {Verdict::Privileged, real};
    }
    return {Verdict::Fine, real};
}

Candidate find(const Plan& plan) {
    const std::string& name = plan.argv.front();
    if (name.find('/') != std::string::npos) {
        return judge(absolute(name, plan), plan);
    }
    Candidate best;
    const EnvironmentEntry* path = query_environment(plan, "PATH");
    for (const auto& directory : split(path == nullptr ? "/usr/bin:/bin" : path->value, ':')) {
        Candidate candidate = judge(path_join(directory.empty() ? plan.cwd : absolute(directory, plan), name), plan);
        if (candidate.verdict == Verdict::Fine) {
            return candidate;
        }
        if (best.verdict == Verdict::Missing) {
            best = candidate;
        }
    }
    return best;
}

/// The program of a "#!" line; "" when there is none.
std::string interpreter_of(const std::string& path) {
    Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 512> buffer{};
    ssize_t length = fd.valid() ? read(fd.get(), buffer.data(), buffer.size()) : 0;
    if (length < 3 || buffer[0] != '#' || buffer[1] != '!') {
        return "";
    }
    std::string_view line(buffer.data() + 2, static_cast<size_t>(length) - 2);
    line = line.substr(0, line.find('\n'));
    size_t start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos) {
        return "";
    }
    line.remove_prefix(start);
    return std::string(line.substr(0, line.find_first_of(" \t\r")));
}

Outcome refusal(Outcome::Kind kind, const char* code, std::string message, std::string hint) {
    return {kind, 0, {code, std::move(message), std::move(hint)}};
}

}  // namespace

std::optional<Outcome> check_command(const Plan& plan) {
    Candidate found = find(plan);
    switch (found.verdict) {
        case Verdict::Missing: return refusal(Outcome::Kind::NotFound, "not_found", "command not found", "");
        case Verdict::Hidden:
            return refusal(Outcome::Kind::NotFound, "not_visible",
                           "command not found: " + printable_line(found.path) + " is not visible in the sandbox",
                           "let the command read it: --read " + shell_quote(path_parent(found.path)));
        case Verdict::NotExecutable:
            return refusal(Outcome::Kind::NotExecutable, "not_executable", "Permission denied", "");
        case Verdict::Privileged:
            return refusal(Outcome::Kind::NotExecutable, "not_executable",
                           printable_line(found.path) + " is setuid or setgid: macOS starts no such program in a sandbox",
                           "");
        case Verdict::Fine: break;
    }
    std::string interpreter = interpreter_of(found.path);
    if (!interpreter.empty()) {
        Candidate program = judge(absolute(interpreter, plan), plan);
        if (program.verdict == Verdict::Missing || program.verdict == Verdict::Hidden) {
            return refusal(Outcome::Kind::NotExecutable, "missing_interpreter",
                           "its interpreter " + printable_line(interpreter) + " does not exist inside", "");
        }
    }
    return std::nullopt;
}

}  // namespace sbx
