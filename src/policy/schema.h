// The one table of keys. Parsing, hints, the JSON Schema, `sbx init`, the man page's and the
// completions' tests all come from it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/policy.h"

namespace sbx {

enum class KeyType {
    Switch,      ///< boolean
    Choice,      ///< one of `values`
    Network,     ///< Choice, or pine's boolean
    OnOff,       ///< boolean spelling of a Choice: false is its first value, true its second
    Text,
    Path,
    Paths,
    Names,       ///< array of strings
    Globs,       ///< array of name patterns
    VariableNames,  ///< array of variable names or PREFIX_*
    Ports,
    Duration,
    Size,
    Count,
    Number,
    Pairs,       ///< table of strings
    Toolchains,  ///< "auto", "off" or an array of paths
    Folders,     ///< array of tables
    Extends      ///< array of profile names or files
};

/// What a policy that was found in the project, and that nobody has trusted, may do with a key.
/// "Lower" and "Higher" speak of the order of `values`, of numbers, or of false < true.
enum class ProjectRule {
    Never,    ///< the user decides alone
    Lower,
    Higher,
    Add,      ///< adding elements narrows
    Inside,   ///< paths inside the project only
    Limit,    ///< may set a limit where there is none, or a lower one
    Toolchains,
    Anything
};

/// A `Setting<E>` of some enum, without its type.
struct ChoiceSlot {
    void* setting;
    int (*get)(const void* setting);
    void (*set)(void* setting, int value, const Origin& origin);
    const Origin& (*origin)(const void* setting);
};

using Slot = std::variant<std::monostate, ChoiceSlot, Setting<bool>*, Setting<std::string>*, Setting<int64_t>*,
                          Setting<std::optional<int64_t>>*, Setting<std::optional<double>>*, std::optional<PathEntry>*,
                          std::vector<PathEntry>*, std::vector<NameEntry>*, std::vector<PortEntry>*,
                          std::map<std::string, Setting<std::string>>*, std::vector<VmFolder>*, Policy*>;

struct Key {
    std::string_view name;           ///< full dotted name: "sandbox.env.pass"
    KeyType type;
    std::string_view default_text;   ///< as TOML
    std::string_view values;         ///< of a Choice: "a|b|c", in the order of the enum
    ProjectRule project;
    std::string_view since;          ///< first version that has it
    std::string_view help;           ///< one sentence
    Slot (*slot)(Policy& policy);    ///< where it is stored

    std::string_view table() const;  ///< "sandbox.env"
    std::string_view leaf() const;   ///< "pass"
};

const std::vector<Key>& schema();

/// nullptr when there is no such key. `name` is the full dotted name.
const Key* find_key(std::string_view name);

/// True for "sandbox", "sandbox.env", ...: a name that other keys start with.
bool is_table_name(std::string_view name);

/// Another spelling that is accepted too: pine's `sandbox.read` and `sandbox.write`.
struct KeyAlias {
    std::string_view alias;
    std::string_view name;
};
const std::vector<KeyAlias>& key_aliases();

/// The current value of `key` in `policy` as TOML, and where it was written. Several origins are given
/// for lists: one for each element.
struct KeyValue {
    std::string text;
    std::vector<Origin> origins;
};
KeyValue key_value(const Key& key, const Policy& policy);

}  // namespace sbx
