#include "policy/apply.h"

#include <charconv>
#include <limits>
#include <set>

#include "policy/suggest.h"
#include "util/text.h"

namespace sbx {
namespace {

std::string join_name(const std::string& table, const std::string& leaf) {
    return table.empty() ? leaf : table + "." + leaf;
}

/// Names that may follow `table`, for the hint.
std::vector<std::string_view> names_in(std::string_view table) {
    std::vector<std::string_view> names;
    std::set<std::string_view> tables;
    for (const Key& key : schema()) {
        if (key.table() == table) {
            names.push_back(key.leaf());
        } else if (key.table().substr(0, table.size()) == table) {
            std::string_view rest = key.name.substr(table.empty() ? 0 : table.size() + 1);
            tables.insert(rest.substr(0, rest.find('.')));
        }
    }
    names.insert(names.end(), tables.begin(), tables.end());
    return names;
}

/// What to do about an unknown key: the nearest one here, or the table in which a key of that name is.
std::string unknown_key_hint(const std::string& table, const std::string& leaf) {
    std::vector<std::string_view> here = names_in(table);
    if (std::string close = nearest(leaf, here); !close.empty()) {
        return "did you mean \"" + close + "\"?";
    }
    std::vector<std::string_view> leaves;
    for (const Key& key : schema()) {
        leaves.push_back(key.leaf());
    }
    std::string elsewhere = nearest(leaf, leaves);
    std::string tables;
    for (const Key& key : schema()) {
        if (!elsewhere.empty() && key.leaf() == elsewhere) {
            tables += (tables.empty() ? "[" : " or [") + std::string(key.table()) + "]";
        }
    }
    if (tables == "[]") {
        return "\"" + elsewhere + "\" stands at the top of the file, before any table";
    }
    return tables.empty() ? "sbx schema lists every key" : "\"" + elsewhere + "\" belongs into " + tables;
}

class TreeApplier {
  public:
    TreeApplier(const Layer& layer, Policy& policy, Diagnostics& diagnostics)
        : layer_(layer), policy_(policy), diagnostics_(diagnostics) {}

    void table(const TomlValue& value, const std::string& name) {
        for (const TomlEntry& entry : value.entries) {
            visit(entry, name);
        }
    }

  private:
    void visit(const TomlEntry& entry, const std::string& table_name) {
        std::string written = join_name(table_name, entry.key);
        std::string name = written;
        for (const KeyAlias& alias : key_aliases()) {
            if (alias.alias == written) {
                name = alias.name;
            }
        }
        if (const Key* key = find_key(name); key != nullptr) {
            if (key->type == KeyType::Extends || given_twice(*key, written, entry)) {
                return;
            }
            apply_value(*key, entry.value, layer_, policy_, diagnostics_);
            return;
        }
        if (!is_table_name(name)) {
            add("unknown_key", entry, "unknown key \"" + written + "\"", unknown_key_hint(table_name, entry.key));
            return;
        }
        if (entry.value.kind != TomlValue::Kind::Table) {
            add("wrong_type", entry, written + " is a table, not " + std::string(kind_name(entry.value.kind)),
                "write [" + written + "] on a line of its own");
            return;
        }
        table(entry.value, name);
    }

    /// Two spellings of one setting in one file contradict each other sooner or later (C41).
    bool given_twice(const Key& key, const std::string& written, const TomlEntry& entry) {
        std::string stored(key.type == KeyType::OnOff ? "sandbox.network" : std::string(key.name));
        auto [seen, fresh] = seen_.emplace(stored, written);
        if (fresh) {
            return false;
        }
        add("conflict", entry, seen->second + " and " + written + " are two spellings of one key", "keep one of them");
        return true;
    }

    void add(std::string code, const TomlEntry& entry, std::string message, std::string hint) {
        Origin origin = layer_.source;
        origin.line = entry.line;
        origin.column = entry.column;
        diagnostics_.push_back({std::move(code), origin, std::move(message), std::move(hint), ""});
    }

    const Layer& layer_;
    Policy& policy_;
    Diagnostics& diagnostics_;
    std::map<std::string, std::string> seen_;
};

/// A flag's text as the TOML value that a file would hold; nothing when the text cannot be one.
std::optional<TomlValue> flag_value(const Key& key, const std::string& text) {
    switch (key.type) {
        case KeyType::Switch:
        case KeyType::OnOff:
            if (text != "true" && text != "false") {
                return std::nullopt;
            }
            return TomlValue::of_boolean(text == "true");
        case KeyType::Count:
        case KeyType::Number:
        case KeyType::Ports: {
            const char* end = text.data() + text.size();
            int64_t integer = 0;
            auto [rest, status] = std::from_chars(text.data(), end, integer);
            TomlValue value = TomlValue::of_integer(integer);
            if (status != std::errc() || rest != end) {
                auto number = parse_decimal(text);
                if (!number) {
                    return std::nullopt;
                }
                value.number = *number;
                value.kind = TomlValue::Kind::Float;
            }
            return key.type == KeyType::Ports ? TomlValue::list(value) : value;
        }
        case KeyType::Paths:
        case KeyType::Names:
        case KeyType::Globs:
        case KeyType::VariableNames: return TomlValue::list(TomlValue::string(text));
        case KeyType::Folders: {
            TomlValue folder;
            folder.kind = TomlValue::Kind::Table;
            folder.entries.push_back({"path", 0, 0, TomlValue::string(text)});
            return TomlValue::list(folder);
        }
        case KeyType::Pairs: {
            size_t equals = text.find('=');
            if (equals == std::string::npos) {
                return std::nullopt;
            }
            TomlValue table;
            table.kind = TomlValue::Kind::Table;
            table.entries.push_back({text.substr(0, equals), 0, 0, TomlValue::string(text.substr(equals + 1))});
            return table;
        }
        default: return TomlValue::string(text);
    }
}

}  // namespace

void apply_tree(const TomlValue& root, const Layer& layer, Policy& policy, Diagnostics& diagnostics) {
    TreeApplier(layer, policy, diagnostics).table(root, "");
}

void apply_flag(const Key& key, std::string_view flag, const std::string& text, const std::string& base, Policy& policy,
                Diagnostics& diagnostics) {
    Layer layer;
    layer.source = Origin::flag(std::string(flag));
    layer.base = base;
    layer.flags = true;
    std::optional<TomlValue> value = flag_value(key, text);
    if (!value) {
        std::string shown = key.type == KeyType::Pairs ? "" : "\"" + printable_line(text) + "\" ";
        std::string wanted = key.type == KeyType::Pairs ? "write NAME=VALUE"
                             : key.type == KeyType::Switch || key.type == KeyType::OnOff ? "write true or false"
                                                                                         : "write a number";
        diagnostics.push_back({"invalid_value", layer.source, shown + "is not a value for " + std::string(flag), wanted, ""});
        return;
    }
    apply_value(key, *value, layer, policy, diagnostics);
}

}  // namespace sbx
