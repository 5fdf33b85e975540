// One layer of settings onto a Policy, with every rule of the schema.
#pragma once

#include <string>
#include <string_view>

#include "policy/diagnostic.h"
#include "policy/policy.h"
#include "policy/schema.h"
#include "policy/toml_tree.h"

namespace sbx {

/// Where a layer comes from and what it may do.
struct Layer {
    Origin source;             ///< kind and name; line and column are filled in for each value
    std::string base;          ///< absolute directory that relative paths start from
    std::string confined_to;   ///< not empty: found in this project and not trusted, so it only narrows
    std::string trust_name;    ///< with confined_to: the project policy that would have to be trusted
    bool flags = false;        ///< command-line flags: messages name the flag instead of the key
};

/// Applies every key of `root` but `extends` to `policy`; what is wrong is added to `diagnostics` and
/// the key left as it was.
void apply_tree(const TomlValue& root, const Layer& layer, Policy& policy, Diagnostics& diagnostics);

/// Applies one value to one key.
void apply_value(const Key& key, const TomlValue& value, const Layer& layer, Policy& policy, Diagnostics& diagnostics);

/// Applies the text of a flag to the key that it stands for: booleans are "true" and "false", lists
/// get one element.
void apply_flag(const Key& key, std::string_view flag, const std::string& text, const std::string& base,
                Policy& policy, Diagnostics& diagnostics);

}  // namespace sbx
