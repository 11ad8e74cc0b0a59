#pragma once
#include "core/base/errors.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace earscope {

/// Reads the fields of JSON objects that come from outside; every fault is a SnapshotError that
/// names the file and the place in it.
class JsonFields {
public:
    /// @param where  file and place, e.g. "tokenizer.json: model"
    JsonFields(const nlohmann::json& value, std::string where)
        : value_(value), where_(std::move(where)) {
        if (!value_.is_object()) {
            throw SnapshotError(where_ + " must be an object");
        }
    }

    [[noreturn]] void fail(const std::string& fault) const {
        throw SnapshotError(where_ + ": " + fault);
    }

    const std::string& where() const { return where_; }

    /// Null where the field is missing or null.
    const nlohmann::json* find(const char* key) const {
        const auto found = value_.find(key);
        return found == value_.end() || found->is_null() ? nullptr : &*found;
    }

    const nlohmann::json& at(const char* key) const {
        const nlohmann::json* found = find(key);
        if (found == nullptr) {
            fail(std::string("\"") + key + "\" is missing");
        }
        return *found;
    }

    std::string text(const char* key) const {
        const nlohmann::json& field = at(key);
        if (!field.is_string()) {
            fail(std::string("\"") + key + "\" must be a string");
        }
        return field.get<std::string>();
    }

    bool flag(const char* key, bool otherwise) const {
        const nlohmann::json* field = find(key);
        if (field == nullptr) {
            return otherwise;
        }
        if (!field->is_boolean()) {
            fail(std::string("\"") + key + "\" must be true or false");
        }
        return field->get<bool>();
    }

    std::int64_t id(const char* key) const {
        return id_value(at(key), where_ + ": \"" + key + "\"");
    }

    /// A token id: an integer of at least 0 that fits in 31 bits.
    static std::int64_t id_value(const nlohmann::json& field, const std::string& where) {
        if (!is_id(field)) {
            throw SnapshotError(where + " must be a token id (an integer from 0 on)");
        }
        return field.get<std::int64_t>();
    }

    static bool is_id(const nlohmann::json& field) {
        constexpr std::uint64_t kHighest = std::numeric_limits<std::int32_t>::max();
        // Numbers from 2^63 on would wrap if they were read as signed.
        return field.is_number_unsigned() && field.get<std::uint64_t>() <= kHighest;
    }

private:
    const nlohmann::json& value_;
    std::string where_;
};

}  // namespace earscope
