#include "core/formats/json_file.h"

#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/formats/json_text.h"

#include <utility>
#include <vector>

namespace earscope {
namespace {

/// Builds the value while checking what nlohmann's own builder lets pass: depth, number of values
/// and duplicate keys (of which it would keep the last).
class StrictBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit StrictBuilder(const JsonLimits& limits) : limits_(limits) {}

    bool null() override { return add(nullptr); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(number_integer_t value) override { return add(value); }
    bool number_unsigned(number_unsigned_t value) override { return add(value); }
    bool number_float(number_float_t value, const string_t&) override { return add(value); }
    bool string(string_t& value) override { return add(std::move(value)); }
    bool binary(binary_t&) override { return refuse("binary value"); }

    bool start_object(std::size_t) override { return open(nlohmann::json::object()); }
    bool start_array(std::size_t) override { return open(nlohmann::json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool key(string_t& name) override {
        if (stack_.back()->contains(name)) {
            return refuse("duplicate key \"" + one_line(name) + "\"");
        }
        key_ = std::move(name);
        return true;
    }

    bool parse_error(std::size_t, const std::string&,
                     const nlohmann::detail::exception& error) override {
        return refuse("not valid JSON: " + json_fault(error));
    }

    const std::string& fault() const { return fault_; }
    nlohmann::json take() { return std::move(root_); }

private:
    bool refuse(std::string fault) {
        fault_ = std::move(fault);
        return false;
    }

    nlohmann::json* place(nlohmann::json value) {
        if (++values_ > limits_.values) {
            refuse("more than " + std::to_string(limits_.values) + " values");
            return nullptr;
        }
        if (stack_.empty()) {
            root_ = std::move(value);
            return &root_;
        }
        nlohmann::json& parent = *stack_.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        nlohmann::json& member = parent[key_];
        member = std::move(value);
        return &member;
    }

    bool add(nlohmann::json value) { return place(std::move(value)) != nullptr; }

    bool open(nlohmann::json value) {
        if (stack_.size() >= static_cast<std::size_t>(limits_.depth)) {
            return refuse("nested deeper than " + std::to_string(limits_.depth) + " levels");
        }
        // Pointers on the stack stay valid: a parent does not grow while its child is open.
        nlohmann::json* const opened = place(std::move(value));
        if (opened == nullptr) {
            return false;
        }
        stack_.push_back(opened);
        return true;
    }

    bool close() {
        stack_.pop_back();
        return true;
    }

    JsonLimits limits_;
    nlohmann::json root_;
    std::vector<nlohmann::json*> stack_;
    std::string key_;
    std::int64_t values_ = 0;
    std::string fault_;
};

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& what,
                          const JsonLimits& limits) {
    check_json_text(text, what, limits);
    StrictBuilder builder(limits);
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
        throw SnapshotError(what + ": " + builder.fault());
    }
    return builder.take();
}

nlohmann::json read_json_file(const std::filesystem::path& file, const JsonLimits& limits) {
    return parse_json(read_text_file(file, limits.bytes), one_line(file.string(), 500), limits);
}

}  // namespace earscope
