// Drives tests/tools/sbpl.scm: asks what a Seatbelt profile decides, without a Mac.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sbx::test {

inline const char* guile() {
    for (const char* path : {"/usr/bin/guile", "/usr/local/bin/guile", "/opt/homebrew/bin/guile"}) {
        if (access(path, X_OK) == 0) {
            return path;
        }
    }
    return nullptr;
}

/// One evaluator process. Every method waits for its answer.
class Evaluator {
  public:
    Evaluator() {
        int to[2];
        int from[2];
        if (guile() == nullptr || pipe(to) != 0 || pipe(from) != 0) {
            return;
        }
        pid_ = fork();
        if (pid_ == 0) {
            dup2(to[0], 0);
            dup2(from[1], 1);
            for (int fd : {to[0], to[1], from[0], from[1]}) {
                close(fd);
            }
            setenv("XDG_CACHE_HOME", SBX_GUILE_CACHE, 1);  // compiled once, it is several times as fast
            execl(guile(), "guile", "--auto-compile", "-s", SBX_SOURCE_DIR "/tests/tools/sbpl.scm", "--serve",
                  static_cast<char*>(nullptr));
            _exit(127);
        }
        close(to[0]);
        close(from[1]);
        in_ = fdopen(to[1], "w");
        out_ = fdopen(from[0], "r");
    }
    ~Evaluator() {
        if (in_ != nullptr) {
            fclose(in_);
            fclose(out_);
            waitpid(pid_, nullptr, 0);
        }
    }
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    bool available() const { return in_ != nullptr; }

    /// "ok", or "error 65 REASON" as sandbox-exec would exit. `old`: a system without the newer names.
    std::string load(const std::string& profile, bool old = false) {
        return exchange("profile " + std::to_string(profile.size()) + (old ? " old" : "") + "\n" + profile);
    }

    /// The verdict and the rule it came from: "allow file-read* (allow file-read* (subpath "/usr"))".
    std::string ask(const std::string& operation, const std::vector<std::pair<std::string, std::string>>& attributes) {
        std::string line = "ask " + operation;
        for (const auto& [key, value] : attributes) {
            line += " " + key + "=" + encode(value);
        }
        return exchange(line + "\n");
    }
    bool allows(const std::string& operation, const std::vector<std::pair<std::string, std::string>>& attributes) {
        std::string answer = ask(operation, attributes);
        EXPECT_TRUE(answer.rfind("allow ", 0) == 0 || answer.rfind("deny ", 0) == 0) << operation << ": " << answer;
        return answer.rfind("allow ", 0) == 0;
    }
    bool allows_path(const std::string& operation, const std::string& path) {
        return allows(operation, {{"path", path}});
    }

    struct Question {
        std::string operation;
        std::string key;
        std::string value;
    };
    /// The answers to all of `questions` in one exchange.
    std::vector<std::string> ask_all(const std::vector<Question>& questions) {
        std::vector<std::string> answers;
        // In portions, so that neither pipe is full while the other side writes.
        constexpr size_t kPortion = 100;
        for (size_t start = 0; start < questions.size(); start += kPortion) {
            std::string request;
            size_t end = std::min(questions.size(), start + kPortion);
            for (size_t i = start; i < end; ++i) {
                request += "ask " + questions[i].operation + " " + questions[i].key + "=" + encode(questions[i].value) + "\n";
            }
            fwrite(request.data(), 1, request.size(), in_);
            fflush(in_);
            for (size_t i = start; i < end; ++i) {
                answers.push_back(reply());
                bool verdict = answers.back().rfind("allow ", 0) == 0 || answers.back().rfind("deny ", 0) == 0;
                EXPECT_TRUE(verdict) << questions[i].operation << ": " << answers.back();
            }
        }
        return answers;
    }

    /// Of `operations` those that are allowed on `path`.
    std::set<std::string> allowed_on(const std::string& path, const std::vector<std::string>& operations) {
        std::vector<Question> questions;
        for (const auto& operation : operations) {
            questions.push_back({operation, "path", path});
        }
        std::vector<std::string> answers = ask_all(questions);
        std::set<std::string> out;
        for (size_t i = 0; i < answers.size(); ++i) {
            if (answers[i].rfind("allow ", 0) == 0) {
                out.insert(operations[i]);
            }
        }
        return out;
    }

  private:
    static std::string encode(const std::string& bytes) {
        std::string out;
        char buffer[4];
        for (char byte : bytes) {
            auto value = static_cast<unsigned char>(byte);
            if (value > 0x20 && value < 0x7f && byte != '%') {
                out += byte;
            } else {
                std::snprintf(buffer, sizeof buffer, "%%%02x", value);
                out += buffer;
            }
        }
        return out;
    }

    std::string exchange(const std::string& request) {
        fwrite(request.data(), 1, request.size(), in_);
        fflush(in_);
        return reply();
    }

    std::string reply() {
        char* line = nullptr;
        size_t capacity = 0;
        ssize_t length = getline(&line, &capacity, out_);
        std::string answer = length > 0 ? std::string(line, static_cast<size_t>(length) - 1) : "no answer";
        std::free(line);
        return answer;
    }

    pid_t pid_ = -1;
    FILE* in_ = nullptr;
    FILE* out_ = nullptr;
};

}  // namespace sbx::test

#define SBX_NEED_EVALUATOR(name)                                   \
    sbx::test::Evaluator name;                                     \
    if (!name.available()) {                                       \
        GTEST_SKIP() << "guile-3.0 is not installed";              \
    }
