#include "core/snapshot/config_reader.h"

#include "core/base/errors.h"
#include "core/base/text.h"

#include <cmath>
#include <cstdio>

namespace earscope {
namespace {

/// Limits are read by people: up to ten digits without an exponent.
std::string plain_text(double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.10g", value);
    return text;
}

}  // namespace

void ConfigReader::refuse(const std::string& key, const nlohmann::json& value,
                          const std::string& wanted) const {
    // dump() of a broken text would throw; the values come from a checked parser all the same.
    const std::string shown = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    throw SnapshotError(where_ + ": " + key + " is " + one_line(shown, 100) + ", " + wanted);
}

void ConfigReader::refuse_missing(const std::string& key) const {
    throw SnapshotError(where_ + ": " + key + " is missing");
}

std::pair<const char*, const nlohmann::json*> ConfigReader::find(Keys keys) const {
    std::pair<const char*, const nlohmann::json*> result{*keys.begin(), nullptr};
    for (const char* const key : keys) {
        const auto found = object_->find(key);
        if (found == object_->end() || found->is_null()) {
            continue;
        }
        if (result.second == nullptr) {
            result = {key, &*found};
        } else if (*result.second != *found) {
            refuse(key, *found,
                   std::string("but ") + result.first + " says " +
                       one_line(result.second->dump(), 100));
        }
    }
    return result;
}

std::int64_t ConfigReader::integer(Keys keys, std::int64_t lowest, std::int64_t highest,
                                   std::optional<std::int64_t> fallback) const {
    const auto [key, value] = find(keys);
    const std::string wanted = "a whole number from " + std::to_string(lowest) + " to " +
                               std::to_string(highest) + " is needed";
    if (value == nullptr) {
        if (!fallback) {
            refuse_missing(key);
        }
        if (*fallback < lowest || *fallback > highest) {
            refuse(std::string(key) + " (missing, so its default)", *fallback, wanted);
        }
        return *fallback;
    }
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!value->is_number_integer() ||
        (value->is_number_unsigned() && value->get<std::uint64_t>() > kLargest)) {
        refuse(key, *value, wanted);
    }
    const auto number = value->get<std::int64_t>();
    if (number < lowest || number > highest) {
        refuse(key, *value, wanted);
    }
    return number;
}

double ConfigReader::number(Keys keys, double lowest, double highest,
                            std::optional<double> fallback) const {
    const auto [key, value] = find(keys);
    if (value == nullptr) {
        if (!fallback) {
            refuse_missing(key);
        }
        return *fallback;
    }
    const double number = value->is_number() ? value->get<double>() : std::nan("");
    if (!(number >= lowest && number <= highest)) {  // written so that NaN fails
        refuse(key, *value,
               "a number from " + plain_text(lowest) + " to " + plain_text(highest) + " is needed");
    }
    return number;
}

bool ConfigReader::boolean(const char* key, bool fallback) const {
    const auto* const value = find({key}).second;
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_boolean()) {
        refuse(key, *value, "true or false is needed");
    }
    return value->get<bool>();
}

std::string ConfigReader::text(const char* key, const std::string& fallback) const {
    const auto* const value = find({key}).second;
    if (value == nullptr) {
        return fallback;
    }
    if (!value->is_string()) {
        refuse(key, *value, "a text is needed");
    }
    return value->get<std::string>();
}

void ConfigReader::require_number(const char* key, double only) const {
    const auto* const value = find({key}).second;
    if (value != nullptr && (!value->is_number() || value->get<double>() != only)) {
        refuse(key, *value, "only " + plain_text(only) + " is supported");
    }
}

void ConfigReader::require_text(const char* key, std::initializer_list<const char*> allowed) const {
    const auto* const value = find({key}).second;
    if (value == nullptr) {
        return;
    }
    std::string listed;
    for (const char* const text : allowed) {
        if (*value == text) {
            return;
        }
        listed += (listed.empty() ? "\"" : " or \"") + std::string(text) + "\"";
    }
    refuse(key, *value, "only " + listed + " is supported");
}

ConfigReader ConfigReader::object(const char* key) const {
    static const nlohmann::json empty = nlohmann::json::object();
    const auto* const value = find({key}).second;
    if (value == nullptr) {
        return {empty, where_ + ": " + key};
    }
    if (!value->is_object()) {
        refuse(key, *value, "an object is needed");
    }
    return {*value, where_ + ": " + key};
}

}  // namespace earscope
