#include "core/formats/safetensors_header.h"

#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/formats/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace earscope {
namespace {

constexpr std::string_view kMetadata = "__metadata__";

/// A state machine over the few forms a header can have.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
public:
    bool null() override { return unexpected("null"); }
    bool boolean(bool value) override { return unexpected(value ? "true" : "false"); }
    bool binary(binary_t&) override { return unexpected("a binary value"); }
    bool number_float(number_float_t, const string_t& digits) override {
        return unexpected("the number " + one_line(digits, 40));
    }
    bool number_integer(number_integer_t value) override {
        return unexpected("the negative number " + std::to_string(value));
    }
    bool number_unsigned(number_unsigned_t value) override;
    bool string(string_t& value) override;
    bool start_object(std::size_t) override;
    bool key(string_t& name) override;
    bool end_object() override;
    bool start_array(std::size_t) override;
    bool end_array() override;
    bool parse_error(std::size_t, const std::string&,
                     const nlohmann::detail::exception& error) override {
        return refuse("not valid JSON: " + json_fault(error));
    }

    const std::string& fault() const { return fault_; }
    SafetensorsHeader take() { return std::move(header_); }

private:
    enum class State { Start, Root, Tensor, Shape, Offsets, Metadata };
    enum Field : unsigned { NoField = 0, DTypeField = 1, ShapeField = 2, OffsetsField = 4 };

    bool refuse(const std::string& fault) {
        const bool inside = state_ != State::Start && state_ != State::Root;
        if (state_ == State::Metadata) {
            fault_ = "__metadata__: " + fault;
        } else {
            fault_ = (inside ? "tensor " + one_line(entry_.name) + ": " : "") + fault;
        }
        return false;
    }
    bool unexpected(const std::string& found);
    bool root_key(string_t& name);
    bool tensor_key(const string_t& name);
    bool finish_tensor();

    SafetensorsHeader header_;
    std::set<std::string, std::less<>> names_;
    State state_ = State::Start;
    bool metadata_next_ = false;
    bool metadata_seen_ = false;
    SafetensorsEntry entry_;
    unsigned seen_ = NoField;
    Field field_ = NoField;
    std::vector<std::uint64_t> offsets_;
    std::string metadata_key_;
    std::string fault_;
};

bool HeaderHandler::unexpected(const std::string& found) {
    switch (state_) {
        case State::Start:
            return refuse("the header is " + found + ", an object is needed");
        case State::Root:
            return refuse(
                (metadata_next_ ? std::string(kMetadata) : "tensor " + one_line(entry_.name)) +
                " is " + found + ", an object is needed");
        case State::Tensor:
            return refuse(std::string(field_ == DTypeField   ? "dtype"
                                      : field_ == ShapeField ? "shape"
                                                             : "data_offsets") +
                          " is " + found);
        case State::Shape:
            return refuse("shape holds " + found);
        case State::Offsets:
            return refuse("data_offsets hold " + found);
        case State::Metadata:
            return refuse(one_line(metadata_key_) + " is " + found + ", only strings are allowed");
    }
    return false;
}

bool HeaderHandler::number_unsigned(number_unsigned_t value) {
    if (state_ == State::Shape) {
        if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
            return unexpected("the number " + std::to_string(value));
        }
        if (entry_.shape.size() == kMaxTensorRank) {
            return refuse("more than " + std::to_string(kMaxTensorRank) + " dimensions");
        }
        entry_.shape.push_back(static_cast<std::int64_t>(value));
        return true;
    }
    if (state_ == State::Offsets) {
        if (offsets_.size() == 2) {
            return refuse("data_offsets hold more than two numbers");
        }
        offsets_.push_back(value);
        return true;
    }
    return unexpected("the number " + std::to_string(value));
}

bool HeaderHandler::string(string_t& value) {
    if (state_ == State::Metadata) {
        header_.metadata.emplace(metadata_key_, std::move(value));
        return true;
    }
    if (state_ != State::Tensor || field_ != DTypeField) {
        return unexpected("the string \"" + one_line(value, 40) + "\"");
    }
    const auto dtype = dtype_from_name(value);
    if (!dtype) {
        return refuse("dtype \"" + one_line(value, 40) + "\" is not supported");
    }
    entry_.dtype = *dtype;
    return true;
}

bool HeaderHandler::start_object(std::size_t) {
    if (state_ == State::Start) {
        state_ = State::Root;
        return true;
    }
    if (state_ != State::Root) {
        return unexpected("an object");
    }
    state_ = metadata_next_ ? State::Metadata : State::Tensor;
    seen_ = NoField;
    return true;
}

bool HeaderHandler::key(string_t& name) {
    if (state_ == State::Root) {
        return root_key(name);
    }
    if (state_ == State::Tensor) {
        return tensor_key(name);
    }
    if (header_.metadata.contains(name)) {
        return refuse("duplicate key \"" + one_line(name) + "\"");
    }
    if (header_.metadata.size() == kMaxTensorCount) {
        return refuse("more than " + std::to_string(kMaxTensorCount) + " entries");
    }
    metadata_key_ = std::move(name);
    return true;
}

bool HeaderHandler::root_key(string_t& name) {
    metadata_next_ = name == kMetadata;
    if (metadata_next_) {
        if (std::exchange(metadata_seen_, true)) {
            return refuse("duplicate __metadata__");
        }
        return true;
    }
    if (const std::string fault = tensor_name_fault(name); !fault.empty()) {
        return refuse("tensor name \"" + one_line(name, 60) + "\" " + fault);
    }
    if (names_.size() == kMaxTensorCount) {
        return refuse("more than " + std::to_string(kMaxTensorCount) + " tensors");
    }
    if (!names_.insert(name).second) {
        return refuse("duplicate tensor " + one_line(name));
    }
    entry_ = {};
    entry_.name = std::move(name);
    return true;
}

bool HeaderHandler::tensor_key(const string_t& name) {
    field_ = name == "dtype"          ? DTypeField
             : name == "shape"        ? ShapeField
             : name == "data_offsets" ? OffsetsField
                                      : NoField;
    if (field_ == NoField) {
        return refuse("unknown field \"" + one_line(name, 60) + "\"");
    }
    if ((seen_ & field_) != 0) {
        return refuse("duplicate field " + name);
    }
    seen_ |= field_;
    return true;
}

bool HeaderHandler::start_array(std::size_t) {
    if (state_ != State::Tensor || field_ == DTypeField) {
        return unexpected("an array");
    }
    state_ = field_ == ShapeField ? State::Shape : State::Offsets;
    offsets_.clear();
    return true;
}

bool HeaderHandler::end_array() {
    if (state_ == State::Offsets) {
        if (offsets_.size() != 2) {
            return refuse("data_offsets need two numbers");
        }
        entry_.begin = offsets_[0];
        entry_.end = offsets_[1];
    }
    state_ = State::Tensor;
    return true;
}

bool HeaderHandler::end_object() {
    if (state_ == State::Tensor && !finish_tensor()) {
        return false;
    }
    state_ = State::Root;
    return true;
}

bool HeaderHandler::finish_tensor() {
    for (const auto& [field, name] :
         {std::pair{DTypeField, "dtype"}, {ShapeField, "shape"}, {OffsetsField, "data_offsets"}}) {
        if ((seen_ & field) == 0) {
            return refuse(std::string(name) + " is missing");
        }
    }
    const auto bytes = tensor_bytes(entry_.dtype, entry_.shape);
    if (!bytes) {
        return refuse("the size of shape " + shape_text(entry_.shape) + " overflows");
    }
    const std::string span =
        "data_offsets [" + std::to_string(entry_.begin) + "," + std::to_string(entry_.end) + "]";
    if (entry_.begin > entry_.end) {
        return refuse(span + " are inverted");
    }
    if (entry_.end - entry_.begin != *bytes) {
        return refuse(span + " hold " + std::to_string(entry_.end - entry_.begin) + " bytes, " +
                      std::string(dtype_name(entry_.dtype)) + " " + shape_text(entry_.shape) +
                      " needs " + std::to_string(*bytes));
    }
    header_.entries.push_back(std::move(entry_));
    return true;
}

/// The tensors must tile the data: no hole, no overlap, nothing behind the last one.
std::string layout_fault(std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes) {
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    std::uint64_t position = 0;
    for (const SafetensorsEntry& entry : entries) {
        const std::string tensor = "tensor " + one_line(entry.name) + ": data_offsets [" +
                                   std::to_string(entry.begin) + "," + std::to_string(entry.end) +
                                   "]";
        if (entry.end > data_bytes) {
            return tensor + " end behind the file's " + std::to_string(data_bytes) +
                   " bytes of data (is the download complete?)";
        }
        if (entry.begin < position) {
            return tensor + " overlap the tensor before, which ends at " + std::to_string(position);
        }
        if (entry.begin > position) {
            return tensor + " leave a hole from byte " + std::to_string(position);
        }
        position = entry.end;
    }
    if (position != data_bytes) {
        return std::to_string(data_bytes - position) + " bytes behind the last tensor";
    }
    return {};
}

}  // namespace

std::string tensor_name_fault(std::string_view name) {
    if (name.empty()) {
        return "is empty";
    }
    if (name.size() > kMaxTensorNameBytes) {
        return "is longer than " + std::to_string(kMaxTensorNameBytes) + " bytes";
    }
    if (name.find('\0') != std::string_view::npos) {
        return "holds NUL";
    }
    if (first_invalid_utf8(name)) {
        return "is not UTF-8";
    }
    return {};
}

SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_bytes,
                                           const std::string& what) {
    check_json_text(text, what, {.bytes = static_cast<std::int64_t>(kMaxSafetensorsHeader)});
    HeaderHandler handler;
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &handler)) {
        throw SnapshotError(what + ": " + handler.fault());
    }
    SafetensorsHeader header = handler.take();
    if (const std::string fault = layout_fault(header.entries, data_bytes); !fault.empty()) {
        throw SnapshotError(what + ": " + fault);
    }
    return header;
}

}  // namespace earscope
