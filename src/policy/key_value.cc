// The value of a key as TOML, for `explain` and the test of the defaults (key_value of schema.h).
#include <fmt/format.h>

#include "policy/schema.h"
#include "util/text.h"

namespace sbx {
namespace {

/// What explain shows of a variable's value: never the value itself (T90).
constexpr std::string_view kHiddenValue = "[set]";

std::string quoted(std::string_view text) { return "\"" + printable_line(text) + "\""; }

class Show {
  public:
    explicit Show(const Key& key) : key_(key) {}

    KeyValue operator()(std::monostate) const { return {"[]", {}}; }
    KeyValue operator()(const ChoiceSlot& slot) const {
        auto number = static_cast<size_t>(slot.get(slot.setting));
        std::string text = key_.type == KeyType::OnOff ? (number == 1 ? "true" : "false")
                                                       : quoted(split(key_.values, '|').at(number));
        return {text, {slot.origin(slot.setting)}};
    }
    KeyValue operator()(const Setting<bool>* setting) const {
        return {setting->value ? "true" : "false", {setting->origin}};
    }
    KeyValue operator()(const Setting<std::string>* setting) const {
        return {quoted(setting->value), {setting->origin}};
    }
    KeyValue operator()(const Setting<int64_t>* setting) const { return {number(setting->value), {setting->origin}}; }
    KeyValue operator()(const Setting<std::optional<int64_t>>* setting) const {
        return {setting->value ? number(*setting->value) : "", {setting->origin}};
    }
    KeyValue operator()(const Setting<std::optional<double>>* setting) const {
        return {setting->value ? fmt::format("{}", *setting->value) : "", {setting->origin}};
    }
    KeyValue operator()(const std::optional<PathEntry>* entry) const {
        return *entry ? KeyValue{quoted((*entry)->text), {(*entry)->origin}} : KeyValue{"", {Origin::built_in()}};
    }
    KeyValue operator()(const std::vector<PathEntry>* entries) const {
        return list(*entries, [](const PathEntry& entry) {
            return quoted((entry.optional ? "?" : "") + std::string(entry.create ? "+" : "") + entry.text);
        });
    }
    KeyValue operator()(const std::vector<NameEntry>* entries) const {
        return list(*entries, [](const NameEntry& entry) { return quoted(entry.text); });
    }
    KeyValue operator()(const std::vector<PortEntry>* entries) const {
        return list(*entries, [](const PortEntry& entry) { return std::to_string(entry.port); });
    }
    KeyValue operator()(const std::map<std::string, Setting<std::string>>* entries) const {
        KeyValue value;
        for (const auto& [name, setting] : *entries) {
            value.text += (value.text.empty() ? "" : ", ") + name + " = " + std::string(kHiddenValue);
            value.origins.push_back(setting.origin);
        }
        value.text = value.text.empty() ? "{}" : "{ " + value.text + " }";
        return value;
    }
    KeyValue operator()(const std::vector<VmFolder>* entries) const {
        KeyValue value;
        for (const VmFolder& folder : *entries) {
            value.text += (value.text.empty() ? "" : ", ") + quoted(folder.path.text);
            value.origins.push_back(folder.path.origin);
        }
        value.text = "[" + value.text + "]";
        return value;
    }
    KeyValue operator()(const Policy* policy) const {
        if (policy->toolchain_paths.empty()) {
            return {policy->toolchains_auto.value ? "\"auto\"" : "\"off\"", {policy->toolchains_auto.origin}};
        }
        return (*this)(&policy->toolchain_paths);
    }

  private:
    template <typename T, typename F>
    static KeyValue list(const std::vector<T>& entries, F text) {
        KeyValue value;
        for (const T& entry : entries) {
            value.text += (value.text.empty() ? "" : ", ") + text(entry);
            value.origins.push_back(entry.origin);
        }
        value.text = "[" + value.text + "]";
        return value;
    }

    /// Sizes and durations in the largest unit that loses nothing.
    std::string number(int64_t amount) const {
        if (key_.type == KeyType::Size) {
            for (auto [unit, factor] : {std::pair{"G", int64_t{1} << 30}, {"M", int64_t{1} << 20}, {"K", int64_t{1} << 10}}) {
                if (amount % factor == 0) {
                    return fmt::format("\"{}{}\"", amount / factor, unit);
                }
            }
        }
        if (key_.type == KeyType::Duration) {
            for (auto [unit, factor] : {std::pair{"h", int64_t{3'600'000}}, {"m", int64_t{60'000}}, {"s", int64_t{1000}}}) {
                if (amount % factor == 0) {
                    return fmt::format("\"{}{}\"", amount / factor, unit);
                }
            }
            return fmt::format("\"{}ms\"", amount);
        }
        return std::to_string(amount);
    }

    const Key& key_;
};

}  // namespace

KeyValue key_value(const Key& key, const Policy& policy) {
    // Slots are for storing; here nothing is stored.
    return std::visit(Show(key), key.slot(const_cast<Policy&>(policy)));
}

}  // namespace sbx
