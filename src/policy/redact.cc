#include "policy/redact.h"

#include <algorithm>

#include "plan/environment.h"
#include "util/text.h"

namespace sbx {
namespace {

constexpr size_t kShortest = 8;

/// The value of one line of a `.env` file: `export NAME="value"`, quotes removed.
std::string dotenv_value(std::string_view line) {
    size_t equals = line.find('=');
    if (equals == std::string_view::npos || line.front() == '#') {
        return "";
    }
    std::string_view value = line.substr(equals + 1);
    while (!value.empty() && (value.back() == '\r' || value.back() == ' ' || value.back() == '\t')) {
        value.remove_suffix(1);
    }
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) {
        value.remove_prefix(1);
    }
    bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
    return std::string(quoted ? value.substr(1, value.size() - 2) : value);
}

/// `secret` as it is, and as sbx would print it inside a message, a shell word and a JSON string.
std::vector<std::string> printed_forms(const std::string& secret) {
    std::string quoted;
    for (char c : secret) {
        quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    std::string json = json_quote(secret);
    std::vector<std::string> forms = {secret, printable(secret), printable_line(secret), quoted,
                                      json.substr(1, json.size() - 2)};
    std::sort(forms.begin(), forms.end());
    forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
    return forms;
}

}  // namespace

Redactor::Redactor(const std::vector<std::string>& secrets) {
    for (const std::string& secret : secrets) {
        if (secret.size() < kShortest) {
            continue;
        }
        for (std::string& form : printed_forms(secret)) {
            secrets_.push_back(std::move(form));
        }
    }
    std::sort(secrets_.begin(), secrets_.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
}

std::string Redactor::operator()(std::string_view text) const {
    std::string out(text);
    for (const std::string& secret : secrets_) {
        for (size_t at = out.find(secret); at != std::string::npos; at = out.find(secret, at)) {
            constexpr std::string_view kMarker = "[redacted]";
            out.replace(at, secret.size(), kMarker);
            at += kMarker.size();
        }
    }
    return out;
}

std::vector<std::string> known_secrets(const HostFacts& facts, std::string_view dotenv) {
    std::vector<std::string> secrets;
    for (const auto& [name, value] : facts.environment) {
        if (is_secret_variable(name)) {
            secrets.push_back(value);
        }
    }
    for (const std::string& line : split(dotenv, '\n')) {
        if (!line.empty()) {
            secrets.push_back(dotenv_value(line));
        }
    }
    return secrets;
}

}  // namespace sbx
