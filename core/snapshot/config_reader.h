#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace earscope {

/// Names a value may have; the first is today's, the others are older spellings.
using Keys = std::initializer_list<const char*>;

/// Takes checked values out of one JSON object. Every refusal names file, key, value and what would
/// be right.
class ConfigReader {
public:
    /// @param where  "config.json" or "config.json: text_config"
    ConfigReader(const nlohmann::json& object, std::string where)
        : object_(&object), where_(std::move(where)) {}

    /// A whole number between the bounds; `fallback` where the key is missing or null.
    /// @throws SnapshotError  as all below
    std::int64_t integer(Keys keys, std::int64_t lowest, std::int64_t highest,
                         std::optional<std::int64_t> fallback = {}) const;
    /// A finite number between the bounds.
    double number(Keys keys, double lowest, double highest,
                  std::optional<double> fallback = {}) const;
    bool boolean(const char* key, bool fallback) const;
    std::string text(const char* key, const std::string& fallback) const;
    /// A number the family fixes: missing, or equal to `only`.
    void require_number(const char* key, double only) const;
    void require_text(const char* key, std::initializer_list<const char*> allowed) const;
    /// An object in this one; an empty one where it is missing or null.
    ConfigReader object(const char* key) const;

    bool has(const char* key) const { return find({key}).second != nullptr; }
    /// The value that is not null under one of the names, with its name.
    /// @throws SnapshotError  two spellings with different values
    std::pair<const char*, const nlohmann::json*> find(Keys keys) const;

    [[noreturn]] void refuse(const std::string& key, const nlohmann::json& value,
                             const std::string& wanted) const;
    [[noreturn]] void refuse_missing(const std::string& key) const;

private:
    const nlohmann::json* object_;
    std::string where_;
};

}  // namespace earscope
