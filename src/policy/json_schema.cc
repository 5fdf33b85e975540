#include "policy/json_schema.h"

#include <fmt/format.h>

#include <map>

#include "policy/schema.h"
#include "util/text.h"

namespace sbx {
namespace {

/// One table while the schema is built.
struct Node {
    std::map<std::string, std::string> keys;
    std::map<std::string, Node> tables;
};

std::string choice_json(std::string_view values) {
    std::string list;
    for (const std::string& value : split(values, '|')) {
        list += (list.empty() ? "" : ", ") + json_quote(value);
    }
    return "{\"enum\": [" + list + "]}";
}

std::string type_json(const Key& key) {
    std::string strings = R"({"type": "array", "items": {"type": "string", "minLength": 1}})";
    switch (key.type) {
        case KeyType::Switch:
        case KeyType::OnOff: return R"({"type": "boolean"})";
        case KeyType::Choice: return choice_json(key.values);
        case KeyType::Network: return "{\"anyOf\": [" + choice_json(key.values) + R"(, {"type": "boolean"}]})";
        case KeyType::Text: return R"({"type": "string"})";
        case KeyType::Path: return R"({"type": "string", "minLength": 1, "maxLength": 4096})";
        case KeyType::Paths:
        case KeyType::Names:
        case KeyType::Globs:
        case KeyType::Extends: return strings;
        case KeyType::VariableNames:
            return R"({"type": "array", "items": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*[*]?$"}})";
        case KeyType::Ports:
            return R"({"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 65535}})";
        case KeyType::Duration: return R"({"type": "string", "pattern": "^0*[1-9][0-9]*(ms|s|m|h|d)$"})";
        case KeyType::Size:
            return R"({"anyOf": [{"type": "string", "pattern": "^0*[1-9][0-9]*(B|[KMGT](iB)?)?$"}, )"
                   R"({"type": "integer", "minimum": 1}]})";
        case KeyType::Count: return R"({"type": "integer", "minimum": 1})";
        case KeyType::Number: return R"({"type": "number", "exclusiveMinimum": 0})";
        case KeyType::Pairs: return R"({"type": "object", "additionalProperties": {"type": "string"}, )"
                                    R"("propertyNames": {"pattern": "^(?!SBX_)[A-Za-z_][A-Za-z0-9_]*$"}})";
        case KeyType::Toolchains: return "{\"anyOf\": [" + choice_json(key.values) + ", " + strings + "]}";
        case KeyType::Folders:
            return R"({"type": "array", "items": {"type": "object", "additionalProperties": false, )"
                   R"("required": ["path"], "properties": {"path": {"type": "string"}, "id": {"type": "string"}}}})";
    }
    return "{}";
}

/// `type` with the help text, and the default where there is one.
std::string described(const Key& key, std::string_view type, std::string_view text) {
    std::string out(type);
    out.insert(1, "\"description\": " + json_quote(text) + ", ");
    if (!key.default_text.empty() && key.type != KeyType::Pairs) {
        out.insert(1, "\"default\": " + std::string(key.default_text) + ", ");
    }
    return out;
}

Node& table_of(Node& root, std::string_view name) {
    Node* node = &root;
    if (!name.empty()) {
        for (const std::string& part : split(name, '.')) {
            node = &node->tables[part];
        }
    }
    return *node;
}

std::string render(const Node& node, const std::string& indent) {
    std::string out;
    auto add = [&](const std::string& name, const std::string& value) {
        out += fmt::format("{}{}  {}: {}", out.empty() ? "" : ",\n", indent, json_quote(name), value);
    };
    for (const auto& [name, value] : node.keys) {
        add(name, value);
    }
    for (const auto& [name, table] : node.tables) {
        add(name, fmt::format("{{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {{\n{}\n{}  }}}}",
                              render(table, indent + "  "), indent));
    }
    return out;
}

}  // namespace

std::string json_schema() {
    Node root;
    for (const Key& key : schema()) {
        table_of(root, key.table()).keys[std::string(key.leaf())] = described(key, type_json(key), key.help);
    }
    for (const KeyAlias& alias : key_aliases()) {
        const Key* key = find_key(alias.name);
        size_t dot = alias.alias.rfind('.');
        std::string text = "Another spelling of " + std::string(key->leaf()) + ".";
        table_of(root, alias.alias.substr(0, dot)).keys[std::string(alias.alias.substr(dot + 1))] =
            described(*key, type_json(*key), text);
    }
    return fmt::format(
        "{{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": \"sbx policy\",\n"
        "  \"type\": \"object\",\n  \"additionalProperties\": false,\n  \"properties\": {{\n{}\n  }}\n}}\n",
        render(root, "  "));
}

}  // namespace sbx
