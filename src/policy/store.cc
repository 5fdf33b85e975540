// Checks one value against its key and stores it (apply_value of apply.h).
#include <algorithm>
#include <cmath>
#include <limits>

#include "policy/apply.h"
#include "policy/narrow.h"
#include "policy/suggest.h"
#include "policy/values.h"
#include "util/text.h"

namespace sbx {
namespace {

using Kind = TomlValue::Kind;

class Store {
  public:
    Store(const Key& key, const Layer& layer, Policy& policy, Diagnostics& diagnostics)
        : key_(key), layer_(layer), policy_(policy), diagnostics_(diagnostics), slot_(key.slot(policy)) {}

    void value(const TomlValue& value) {
        switch (key_.type) {
            case KeyType::Switch: return boolean(value);
            case KeyType::OnOff: return on_off(value);
            case KeyType::Network: return value.kind == Kind::Boolean ? on_off(value) : choice(value);
            case KeyType::Choice: return choice(value);
            case KeyType::Text: return text(value);
            case KeyType::Path: return path(value);
            case KeyType::Paths:
            case KeyType::Names:
            case KeyType::Globs:
            case KeyType::VariableNames:
            case KeyType::Ports:
            case KeyType::Folders: return list(value);
            case KeyType::Duration:
            case KeyType::Size:
            case KeyType::Count:
            case KeyType::Number: return quantity(value);
            case KeyType::Pairs: return pairs(value);
            case KeyType::Toolchains: return toolchains(value);
            case KeyType::Extends: return;
        }
    }

  private:
    Origin at(const TomlValue& value) const {
        Origin origin = layer_.source;
        origin.line = value.line;
        origin.column = value.column;
        return origin;
    }

    void error(const TomlValue& value, std::string code, std::string message, std::string hint = "") {
        diagnostics_.push_back({std::move(code), at(value), std::move(message), std::move(hint), ""});
    }

    void error(const TomlValue& value, const Error& reason) {
        error(value, reason.code, reason.message, reason.hint);
    }

    /// The key as the reader knows it: a flag's message has the flag in front already.
    std::string name() const {
        std::string name = layer_.flags ? "the value" : std::string(key_.name);
        return in_list_ ? "an element of " + name : name;
    }

    bool is(const TomlValue& value, Kind kind) {
        if (value.kind == kind) {
            return true;
        }
        error(value, "wrong_type",
              name() + " must be " + std::string(kind_name(kind)) + ", not " + std::string(kind_name(value.kind)));
        return false;
    }

    /// Refuses what an untrusted project policy may not do. True when the value may be stored.
    bool allowed(const TomlValue& value, bool narrower) {
        if (layer_.confined_to.empty() || narrower) {
            return true;
        }
        error(value, "not_trusted", "a policy found in the project may only narrow, and this " + name() + " widens",
              "if you trust the file: sbx trust " + shell_quote(layer_.trust_name) + ", or --policy " +
                  shell_quote(layer_.trust_name));
        return false;
    }

    void boolean(const TomlValue& value) {
        auto* setting = std::get<Setting<bool>*>(slot_);
        if (is(value, Kind::Boolean) &&
            allowed(value, narrows(key_.project, setting->value ? 1 : 0, value.boolean ? 1 : 0))) {
            *setting = {value.boolean, at(value)};
        }
    }

    void on_off(const TomlValue& value) {
        if (is(value, Kind::Boolean)) {
            set_choice(value, value.boolean ? 1 : 0);
        }
    }

    void choice(const TomlValue& value) {
        if (!is(value, Kind::String)) {
            return;
        }
        std::vector<std::string> names = split(key_.values, '|');
        auto found = std::find(names.begin(), names.end(), value.text);
        if (found != names.end()) {
            set_choice(value, static_cast<int>(found - names.begin()));
            return;
        }
        std::string listed;
        std::vector<std::string_view> candidates;
        for (const std::string& known : names) {
            listed += (listed.empty() ? "" : ", ") + (known.empty() ? "\"\"" : known);
            candidates.push_back(known);
        }
        std::string close = nearest(value.text, candidates);
        error(value, "invalid_value", "\"" + printable_line(value.text) + "\" is not a value of " + std::string(key_.name),
              (close.empty() ? "" : "did you mean \"" + close + "\"? ") + ("allowed: " + listed));
    }

    void set_choice(const TomlValue& value, int number) {
        const auto& slot = std::get<ChoiceSlot>(slot_);
        if (allowed(value, narrows(key_.project, slot.get(slot.setting), number))) {
            slot.set(slot.setting, number, at(value));
        }
    }

    void text(const TomlValue& value) {
        auto* setting = std::get<Setting<std::string>*>(slot_);
        if (!is(value, Kind::String) || !allowed(value, value.text == setting->value)) {
            return;
        }
        for (char c : value.text) {
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
                return error(value, "invalid_value", name() + " contains a control character");
            }
        }
        *setting = {value.text, at(value)};
    }

    std::optional<PathEntry> path_entry(const TomlValue& value) {
        if (!is(value, Kind::String)) {
            return std::nullopt;
        }
        PathEntry entry;
        std::string_view text = value.text;
        // A worktree that may be missing makes no sense; there the markers are ordinary letters.
        bool markers = key_.type == KeyType::Paths || key_.type == KeyType::Toolchains;
        while (markers && !text.empty() && (text.front() == '?' || text.front() == '+')) {
            (text.front() == '?' ? entry.optional : entry.create) = true;
            text.remove_prefix(1);
        }
        if (auto result = check_path_text(text); !result) {
            error(value, result.error());
            return std::nullopt;
        }
        entry.text = text;
        entry.base = layer_.base;
        entry.origin = at(value);
        entry.confined_to = layer_.confined_to;
        return entry;
    }

    /// Lexical only: where links lead is checked when the paths have been resolved (zones.h).
    bool inside_project(const PathEntry& entry) const {
        if (entry.text.front() == '~') {
            return false;
        }
        std::string path = entry.text.front() == '/' ? entry.text : path_join(entry.base, entry.text);
        return path_within(path_normalise(path), layer_.confined_to);
    }

    void path(const TomlValue& value) {
        std::optional<PathEntry> entry = path_entry(value);
        if (entry && allowed(value, key_.project == ProjectRule::Inside && inside_project(*entry))) {
            *std::get<std::optional<PathEntry>*>(slot_) = *entry;
        }
    }

    void list(const TomlValue& value) {
        if (!is(value, Kind::Array) || (!value.items.empty() && !allowed(value, may_add(key_.project)))) {
            return;
        }
        in_list_ = !layer_.flags;
        for (const TomlValue& item : value.items) {
            element(item);
        }
    }

    void element(const TomlValue& item) {
        switch (key_.type) {
            case KeyType::Paths: return path_element(item);
            case KeyType::Ports: return port(item);
            case KeyType::Folders: return folder(item);
            default: break;
        }
        if (!is(item, Kind::String)) {
            return;
        }
        if (key_.type == KeyType::VariableNames) {
            if (auto result = check_variable_name(item.text, true); !result) {
                return error(item, result.error());
            }
        } else if (item.text.empty()) {
            return error(item, "empty", name() + " is empty");
        } else if (item.text.find('\0') != std::string::npos) {
            return error(item, "invalid_value", name() + " contains a null byte");
        } else if (item.text.size() > kMaxPath) {
            return error(item, "invalid_value", name() + " is longer than 4096 bytes");
        }
        std::get<std::vector<NameEntry>*>(slot_)->push_back({item.text, at(item)});
    }

    void path_element(const TomlValue& item) {
        std::optional<PathEntry> entry = path_entry(item);
        bool inside = entry && (key_.project != ProjectRule::Inside || layer_.confined_to.empty() || inside_project(*entry));
        if (entry && allowed(item, inside)) {
            std::get<std::vector<PathEntry>*>(slot_)->push_back(*entry);
        }
    }

    void port(const TomlValue& item) {
        if (!is(item, Kind::Integer)) {
            return;
        }
        if (item.integer < 1 || item.integer > 65535) {
            return error(item, "invalid_value", std::to_string(item.integer) + " is not a port", "ports are 1 to 65535");
        }
        std::get<std::vector<PortEntry>*>(slot_)->push_back({static_cast<uint16_t>(item.integer), at(item)});
    }

    void folder(const TomlValue& item) {
        if (!is(item, Kind::Table)) {
            return;
        }
        VmFolder folder;
        bool has_path = false;
        for (const TomlEntry& entry : item.entries) {
            if (entry.key == "path") {
                has_path = true;
                if (auto path = path_entry(entry.value)) {
                    folder.path = *path;
                }
            } else if (entry.key == "id") {
                if (is(entry.value, Kind::String)) {
                    folder.id = {entry.value.text, at(entry.value)};
                }
            } else {
                TomlValue place = entry.value;
                place.line = entry.line;
                place.column = entry.column;
                error(place, "unknown_key", "unknown key \"" + entry.key + "\" in vm.folders",
                      "a folder has path and id");
            }
        }
        if (!has_path) {
            return error(item, "invalid_folder", "a table of vm.folders has no path");
        }
        std::get<std::vector<VmFolder>*>(slot_)->push_back(std::move(folder));
    }

    void quantity(const TomlValue& value) {
        if (auto* decimal = std::get_if<Setting<std::optional<double>>*>(&slot_)) {
            double number = value.kind == Kind::Integer ? static_cast<double>(value.integer) : value.number;
            if (value.kind != Kind::Integer && !is(value, Kind::Float)) {
                return;
            }
            if (!std::isfinite(number) || number <= 0) {
                return error(value, "invalid_value", name() + " must be above zero");
            }
            if (allowed(value, key_.project == ProjectRule::Limit && narrows_limit((*decimal)->value, number))) {
                **decimal = {number, at(value)};
            }
            return;
        }
        std::optional<int64_t> number = whole_number(value);
        if (!number) {
            return;
        }
        if (auto* fixed = std::get_if<Setting<int64_t>*>(&slot_)) {
            if (allowed(value, *number == (*fixed)->value)) {
                **fixed = {*number, at(value)};
            }
            return;
        }
        auto* limit = std::get<Setting<std::optional<int64_t>>*>(slot_);
        std::optional<double> before;
        if (limit->value) {
            before = static_cast<double>(*limit->value);
        }
        if (allowed(value, key_.project == ProjectRule::Limit && narrows_limit(before, static_cast<double>(*number)))) {
            *limit = {*number, at(value)};
        }
    }

    std::optional<int64_t> whole_number(const TomlValue& value) {
        bool sized = key_.type == KeyType::Size;
        if (key_.type == KeyType::Count || (sized && value.kind == Kind::Integer)) {
            if (!is(value, Kind::Integer)) {
                return std::nullopt;
            }
            if (value.integer < 1) {
                error(value, "invalid_value", name() + " must be above zero", "leave the key out for no limit");
                return std::nullopt;
            }
            return value.integer;
        }
        if (value.kind == Kind::Integer) {
            error(value, "wrong_type", name() + " needs a unit",
                  "write \"" + std::to_string(value.integer) + "s\" for seconds");
            return std::nullopt;
        }
        if (!is(value, Kind::String)) {
            return std::nullopt;
        }
        Result<int64_t> number = sized ? parse_size(value.text) : parse_duration(value.text);
        if (!number) {
            error(value, number.error());
            return std::nullopt;
        }
        return *number;
    }

    void pairs(const TomlValue& value) {
        if (!is(value, Kind::Table) || (!value.entries.empty() && !allowed(value, may_add(key_.project)))) {
            return;
        }
        auto* map = std::get<std::map<std::string, Setting<std::string>>*>(slot_);
        for (const TomlEntry& entry : value.entries) {
            TomlValue place = entry.value;
            if (place.line == 0 || entry.line > 0) {
                place.line = entry.line;
                place.column = entry.column;
            }
            if (auto result = check_variable_name(entry.key, false); !result) {
                error(place, result.error());
            } else if (entry.key.rfind("SBX_", 0) == 0) {
                // SBX_TAINTED tightens nested runs: nothing in a policy may take it back (P18).
                error(place, "invalid_value", "variable " + entry.key + " belongs to sbx");
            } else if (entry.value.kind != Kind::String) {
                error(entry.value, "wrong_type",
                      "variable " + entry.key + " must be a string, not " + std::string(kind_name(entry.value.kind)),
                      "put the value into quotes");
            } else if (entry.value.text.find('\0') != std::string::npos) {
                error(entry.value, "invalid_value", "variable " + entry.key + " contains a null byte");
            } else {
                (*map)[entry.key] = {entry.value.text, at(place)};
            }
        }
    }

    void toolchains(const TomlValue& value) {
        if (value.kind == Kind::Array) {
            if (!value.items.empty() && !allowed(value, false)) {
                return;
            }
            policy_.toolchains_auto = {false, at(value)};
            for (const TomlValue& item : value.items) {
                if (auto entry = path_entry(item)) {
                    policy_.toolchain_paths.push_back(*entry);
                }
            }
            return;
        }
        if (!is(value, Kind::String)) {
            return;
        }
        if (value.text != "auto" && value.text != "off") {
            return error(value, "invalid_value", "\"" + printable_line(value.text) + "\" is not a value of " + name(),
                         "allowed: \"auto\", \"off\" or an array of folders");
        }
        bool automatic = value.text == "auto";
        if (allowed(value, !automatic || policy_.toolchains_auto.value)) {
            policy_.toolchains_auto = {automatic, at(value)};
            policy_.toolchain_paths.clear();
        }
    }

    const Key& key_;
    const Layer& layer_;
    Policy& policy_;
    Diagnostics& diagnostics_;
    Slot slot_;
    bool in_list_ = false;  ///< messages speak of one element
};

}  // namespace

void apply_value(const Key& key, const TomlValue& value, const Layer& layer, Policy& policy,
                 Diagnostics& diagnostics) {
    Store(key, layer, policy, diagnostics).value(value);
}

}  // namespace sbx
