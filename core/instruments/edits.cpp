#include "core/instruments/edits.h"

#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/instruments/names.h"
#include "core/instruments/saved_tensor.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace earscope {

namespace {

constexpr std::array<std::pair<std::string_view, EditOperation>, 5> kOperations{
    {{"zero", EditOperation::Zero},
     {"add", EditOperation::Add},
     {"scale", EditOperation::Scale},
     {"noise", EditOperation::Noise},
     {"from", EditOperation::From}}};

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
    if (edit.operation == EditOperation::From) {
        const auto parts = cut(value, '#');
        edit.file = parts ? parts->first : std::string_view();
        edit.tensor = parts ? parts->second : std::string_view();
        return !edit.file.empty() && !edit.tensor.empty();
    }
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

/// The same number for the same seed, module and position on every machine: FNV-1a over the name,
/// then the finaliser of MurmurHash3.
std::uint64_t mixed_seed(std::uint64_t seed, std::string_view module, std::int64_t position) {
    std::uint64_t hash = 14695981039346656037ULL ^ seed;
    for (const char letter : module) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 1099511628211ULL;
    }
    hash ^= static_cast<std::uint64_t>(position) * 0x9E3779B97F4A7C15ULL;
    hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDULL;
    hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53ULL;
    return hash ^ (hash >> 33);
}

/// Standard normal numbers of one position, float32 [B,...] on the CPU.
/// @param output  [B,n,...]
at::Tensor position_noise(const Edit& edit, const std::string& module, const at::Tensor& output,
                          std::int64_t position) {
    const at::Generator generator =
        at::detail::createCPUGenerator(mixed_seed(edit.seed, module, position));
    return at::randn(output.select(1, 0).sizes(), generator, at::kFloat);
}

/// Of every position. @param begin  position of the first row  @return the shape of `output`
at::Tensor noise_everywhere(const Edit& edit, const std::string& module, const at::Tensor& output,
                            std::int64_t begin) {
    std::vector<at::Tensor> columns;
    for (std::int64_t i = 0; i < output.size(1); ++i) {
        columns.push_back(position_noise(edit, module, output, begin + i));
    }
    return columns.empty() ? at::zeros_like(output, at::kFloat) : at::stack(columns, 1);
}

/// Of some rows. @param request, place  int64 [n]  @return [n,...]
at::Tensor noise_of_rows(const Edit& edit, const std::string& module, const at::Tensor& output,
                         std::int64_t begin, const at::Tensor& request, const at::Tensor& place) {
    const at::Tensor requests = request.cpu();
    const at::Tensor places = place.cpu();
    const std::int64_t* const b = requests.const_data_ptr<std::int64_t>();
    const std::int64_t* const p = places.const_data_ptr<std::int64_t>();
    std::map<std::int64_t, at::Tensor> drawn;
    std::vector<at::Tensor> rows;
    for (std::int64_t i = 0; i < requests.numel(); ++i) {
        at::Tensor& column = drawn[p[i]];
        if (!column.defined()) {
            column = position_noise(edit, module, output, begin + p[i]);
        }
        rows.push_back(column.select(0, b[i]));
    }
    return at::stack(rows);
}

/// Adds in float32, so that the numbers do not depend on the dtype.
at::Tensor with_noise(const Edit& edit, const at::Tensor& rows, const at::Tensor& noise) {
    return (rows.to(at::kFloat) + noise.to(rows.device()) * edit.value).to(rows.scalar_type());
}

/// Zero, add and scale. @param rows  any shape  @return the same
at::Tensor plainly_edited(const Edit& edit, const at::Tensor& rows) {
    switch (edit.operation) {
        case EditOperation::Zero:
            return at::zeros_like(rows);
        case EditOperation::Add:
            return rows + edit.value;
        default:
            return rows * edit.value;
    }
}

std::string shape_of(const at::Tensor& tensor) {
    return shape_text(tensor.sizes().vec());
}

at::Tensor checked_shape(const Edit& edit, const at::Tensor& saved, const at::Tensor& rows) {
    if (saved.sizes() != rows.sizes()) {
        throw RequestError("edit '" + edit_text(edit) + "': the saved tensor is " +
                           shape_of(saved) + ", what it would replace " + shape_of(rows));
    }
    return saved.to(rows.device(), rows.scalar_type());
}

}  // namespace

Edit parse_edit(std::string_view text) {
    const auto fail = [&] {
        return RequestError("edit '" + std::string(text) +
                            "': expected MODULE=zero, MODULE=add:NUMBER, MODULE=scale:NUMBER, "
                            "MODULE=noise:DEVIATION[:SEED] or MODULE=from:FILE#TENSOR");
    };
    const auto parts = cut(text, '=');
    if (!parts || parts->first.empty()) {
        throw fail();
    }
    Edit edit;
    edit.target = parse_target(parts->first);
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
    std::string text = target_text(edit.target) + "=" + std::string(operation_name(edit.operation));
    if (edit.operation == EditOperation::From) {
        return text + ":" + edit.file + "#" + edit.tensor;
    }
    if (edit.operation != EditOperation::Zero) {
        text += ":" + number_text(edit.value);
    }
    if (edit.operation == EditOperation::Noise) {
        text += ":" + std::to_string(edit.seed);
    }
    return text;
}

std::vector<std::string> edit_texts(std::span<const Edit> edits) {
    std::vector<std::string> texts;
    for (const Edit& edit : edits) {
        texts.push_back(edit_text(edit));
    }
    return texts;
}

Module& find_module(Module& model, std::string_view name) {
    return *find_places(model, name).front().module;
}

void check_edits(Module& model, std::span<const Edit> edits) {
    for (const Edit& edit : edits) {
        check_target(model, edit.target);
        if (edit.target.pattern.ends_with("#in")) {
            throw RequestError("edit '" + edit_text(edit) +
                               "': an input can be probed; edit the output of a module");
        }
        if (edit.operation == EditOperation::From &&
            edit.target.scope.kind == Scope::Kind::Generated) {
            throw RequestError("edit '" + edit_text(edit) +
                               "': a saved tensor replaces prompt positions only");
        }
    }
}

/// One edit at one module.
struct EditSet::Stream {
    Edit edit;
    std::string module;
    bool positions = false;   // in the language model, under a prepared request
    ScopeRows rows;           // where there are positions
    at::Tensor saved;         // from only
    at::Generator generator;  // noise without positions

    void restart() {
        if (edit.operation == EditOperation::Noise) {
            generator = at::detail::createCPUGenerator(edit.seed);
        }
    }

    /// @param output  any shape, floating
    at::Tensor everywhere(const at::Tensor& output, std::int64_t begin) const {
        if (edit.operation == EditOperation::From) {
            return replaced(output, begin);
        }
        if (edit.operation != EditOperation::Noise) {
            return plainly_edited(edit, output);
        }
        const bool by_position = positions && output.dim() >= 2;
        return with_noise(edit, output,
                          by_position ? noise_everywhere(edit, module, output, begin)
                                      : at::randn(output.sizes(), generator, at::kFloat));
    }

    /// The whole output; in the language model the whole prompt, what is behind it stays.
    at::Tensor replaced(const at::Tensor& output, std::int64_t begin) const {
        if (!positions || output.dim() < 2) {
            return checked_shape(edit, saved, output);
        }
        const std::int64_t width = rows.prompt_width();
        if (begin > 0) {
            return {};
        }
        const std::int64_t on_prompt = std::min(width, output.size(1));
        const at::Tensor head = checked_shape(edit, saved, output.narrow(1, 0, on_prompt));
        return at::cat({head, output.narrow(1, on_prompt, output.size(1) - on_prompt)}, 1);
    }

    /// @param output  [B,n,...]  @return the same, undefined where the scope has no row in it
    at::Tensor at_rows(const at::Tensor& output, std::int64_t begin, std::int64_t requests) const {
        check_rows(module, output, requests);
        const auto [request, place] = rows.within(begin, output.size(1), output);
        if (request.numel() == 0) {
            return {};
        }
        const at::Tensor old = output.index({request, place});  // [n,...]
        at::Tensor fresh;
        if (edit.operation == EditOperation::From) {
            fresh = checked_shape(edit, saved, old);
        } else if (edit.operation == EditOperation::Noise) {
            fresh =
                with_noise(edit, old, noise_of_rows(edit, module, output, begin, request, place));
        } else {
            fresh = plainly_edited(edit, old);
        }
        return output.index_put({request, place}, fresh);
    }
};

EditSet::EditSet(Module& model, std::span<const Edit> edits) {
    check_edits(model, edits);
    for (const Edit& edit : edits) {
        if (edit.target.scope.kind != Scope::Kind::All) {
            throw RequestError("edit '" + edit_text(edit) + "': a scope needs a prepared request");
        }
        for (const Place& place : find_places(model, edit.target.pattern)) {
            auto stream = std::make_shared<Stream>();
            stream->edit = edit;
            stream->module = place.name;
            if (edit.operation == EditOperation::From) {
                stream->saved = load_saved_tensor(edit.file, edit.tensor);
            }
            stream->restart();
            streams_.push_back(stream);
            handles_.push_back(place.module->register_forward_hook(
                [stream](const Module&, const at::Tensor&, const at::Tensor& output) {
                    return stream->everywhere(output, 0);
                }));
        }
    }
}

EditSet::EditSet(Model& model, std::span<const Edit> edits, const PreparedBatch& batch) {
    check_edits(model, edits);
    const std::int64_t requests = batch.inputs.input_ids.size(0);
    for (const Edit& edit : edits) {
        const ScopeRows rows(edit.target.scope, batch);
        at::Tensor saved;
        if (edit.operation == EditOperation::From) {
            saved = load_saved_tensor(edit.file, edit.tensor);
            if (!rows.all() && (saved.dim() < 1 || saved.size(0) != rows.prompt_rows())) {
                throw RequestError("edit '" + edit_text(edit) + "': the saved tensor is " +
                                   shape_of(saved) + ", the scope has " +
                                   std::to_string(rows.prompt_rows()) + " rows");
            }
        }
        for (const Place& place : find_places(model, edit.target.pattern)) {
            auto stream = std::make_shared<Stream>();
            stream->edit = edit;
            stream->module = place.name;
            stream->positions = in_language_model(place.name);
            stream->rows = rows;
            stream->saved = saved;
            stream->restart();
            streams_.push_back(stream);
            handles_.push_back(place.module->register_forward_hook(
                [stream, requests, &model](const Module&, const at::Tensor&,
                                           const at::Tensor& output) {
                    const std::int64_t begin = model.first_position();
                    return stream->rows.all() ? stream->everywhere(output, begin)
                                              : stream->at_rows(output, begin, requests);
                }));
        }
    }
}

void EditSet::restart() {
    for (const auto& stream : streams_) {
        stream->restart();
    }
}

}  // namespace earscope
