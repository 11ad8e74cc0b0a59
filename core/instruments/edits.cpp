#include "core/instruments/edits.h"

#include "core/base/errors.h"
#include "core/instruments/names.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace earscope {

namespace {

constexpr std::array<std::pair<std::string_view, EditOperation>, 4> kOperations{
    {{"zero", EditOperation::Zero},
     {"add", EditOperation::Add},
     {"scale", EditOperation::Scale},
     {"noise", EditOperation::Noise}}};

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

/// Cuts `text` at the first `mark`; nothing when there is none.
std::optional<std::pair<std::string_view, std::string_view>> cut(std::string_view text, char mark) {
    const auto at = text.find(mark);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    return std::pair(text.substr(0, at), text.substr(at + 1));
}

/// Fills value and seed from what stands behind the operation's colon; false when it is malformed.
bool read_value(Edit& edit, std::optional<std::string_view> text) {
    if (edit.operation == EditOperation::Zero) {
        return !text;
    }
    if (!text) {
        return false;
    }
    std::string_view value = *text;
    if (const auto parts = cut(value, ':')) {
        const auto seed = parse_number<std::uint64_t>(parts->second);
        if (edit.operation != EditOperation::Noise || !seed) {
            return false;
        }
        edit.seed = *seed;
        value = parts->first;
    }
    const auto number = parse_number<double>(value);
    if (!number || !std::isfinite(*number) ||
        (edit.operation == EditOperation::Noise && *number < 0)) {
        return false;
    }
    edit.value = *number;
    return true;
}

std::string_view operation_name(EditOperation operation) {
    for (const auto& [name, known] : kOperations) {
        if (known == operation) {
            return name;
        }
    }
    return "";
}

/// Shortest text that reads back as the same number.
std::string number_text(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

/// @param output  any shape, floating
/// @return        the replacement, same shape, dtype and device
at::Tensor edited(const Edit& edit, const at::Generator& generator, const at::Tensor& output) {
    switch (edit.operation) {
        case EditOperation::Zero:
            return at::zeros_like(output);
        case EditOperation::Add:
            return output + edit.value;
        case EditOperation::Scale:
            return output * edit.value;
        case EditOperation::Noise:
            break;
    }
    // Drawn in float32 on the CPU, so that the numbers do not depend on device and dtype.
    const at::Tensor noise = at::randn(output.sizes(), generator, at::kFloat) * edit.value;
    return (output.to(at::kFloat) + noise.to(output.device())).to(output.scalar_type());
}

}  // namespace

Edit parse_edit(std::string_view text) {
    const auto fail = [&] {
        return RequestError("edit '" + std::string(text) +
                            "': expected MODULE=zero, MODULE=add:NUMBER, MODULE=scale:NUMBER or "
                            "MODULE=noise:DEVIATION[:SEED]");
    };
    const auto parts = cut(text, '=');
    if (!parts || parts->first.empty()) {
        throw fail();
    }
    Edit edit;
    edit.module = parts->first;
    std::string_view operation = parts->second;
    std::optional<std::string_view> value;
    if (const auto split = cut(operation, ':')) {
        operation = split->first;
        value = split->second;
    }
    bool known = false;
    for (const auto& [name, candidate] : kOperations) {
        if (name == operation) {
            edit.operation = candidate;
            known = true;
        }
    }
    if (!known || !read_value(edit, value)) {
        throw fail();
    }
    return edit;
}

std::string edit_text(const Edit& edit) {
    std::string text = edit.module + "=" + std::string(operation_name(edit.operation));
    if (edit.operation != EditOperation::Zero) {
        text += ":" + number_text(edit.value);
    }
    if (edit.operation == EditOperation::Noise) {
        text += ":" + std::to_string(edit.seed);
    }
    return text;
}

Module& find_module(Module& model, std::string_view name) {
    if (Module* module = model.find(name)) {
        return *module;
    }
    std::vector<std::string> names;
    for (const auto& [known, module] : model.named_modules()) {
        names.push_back(known);
    }
    throw RequestError(unknown_name_message("module", name, names));
}

EditSet::EditSet(Module& model, std::span<const Edit> edits) {
    for (const Edit& edit : edits) {
        Module& module = find_module(model, edit.module);
        const at::Generator generator = edit.operation == EditOperation::Noise
                                            ? at::detail::createCPUGenerator(edit.seed)
                                            : at::Generator();
        handles_.push_back(module.register_forward_hook(
            [edit, generator](const Module&, const at::Tensor&, const at::Tensor& output) {
                return edited(edit, generator, output);
            }));
    }
}

}  // namespace earscope
