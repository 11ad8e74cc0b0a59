#include "core/instruments/targets.h"

#include "core/base/errors.h"
#include "core/instruments/names.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace earscope {

namespace {

constexpr std::string_view kBefore = "#pre";
constexpr std::string_view kInput = "#in";
constexpr std::string_view kLayers = "layers:";
constexpr std::string_view kLanguageModel = "language_model";

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

std::vector<std::string_view> split(std::string_view text, char mark) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(mark, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// Seconds as whole milliseconds; nothing where they are no time.
std::optional<std::int64_t> milliseconds(std::string_view text) {
    constexpr double kLongest = 1e9;
    const auto seconds = number_of<double>(text);
    if (!seconds || !std::isfinite(*seconds) || std::abs(*seconds) > kLongest) {
        return std::nullopt;
    }
    return std::llround(*seconds * 1000);
}

std::optional<Scope> read_scope(std::string_view text) {
    const auto parts = split(text, ':');
    Scope scope;
    scope.text = text;
    if (parts[0] == "all" && parts.size() == 1) {
        scope.text.clear();
        return scope;
    }
    if ((parts[0] == "last" || parts[0] == "generated") && parts.size() == 1) {
        scope.kind = parts[0] == "last" ? Scope::Kind::Last : Scope::Kind::Generated;
        return scope;
    }
    const bool range = parts[0] == "range" && parts.size() == 4;
    if (!range && !(parts[0] == "audio" && parts.size() == 2)) {
        return std::nullopt;
    }
    const auto source = number_of<std::int64_t>(parts[1]);
    if (!source || *source < 0) {
        return std::nullopt;
    }
    scope.kind = range ? Scope::Kind::Range : Scope::Kind::Audio;
    scope.source = *source;
    if (range) {
        const auto begin = milliseconds(parts[2]);
        const auto end = milliseconds(parts[3]);
        if (!begin || !end || *end < *begin) {
            return std::nullopt;
        }
        scope.begin_ms = *begin;
        scope.end_ms = *end;
    }
    return scope;
}

/// Whether `name` is of the form of `pattern`, whose stars stand for 1.. characters without a dot.
bool fits(std::string_view pattern, std::string_view name) {
    if (pattern.empty()) {
        return name.empty();
    }
    if (pattern.front() != '*') {
        return !name.empty() && name.front() == pattern.front() &&
               fits(pattern.substr(1), name.substr(1));
    }
    for (std::size_t taken = 1; taken <= name.size() && name[taken - 1] != '.'; ++taken) {
        if (fits(pattern.substr(1), name.substr(taken))) {
            return true;
        }
    }
    return false;
}

std::string full_name(const Place& place, std::string_view suffix) {
    return place.name + std::string(suffix);
}

/// The language layers in their order, by full name.
std::vector<Place> language_layers(Module& model) {
    std::vector<Place> layers;
    for (const auto& [name, module] : model.named_modules()) {
        const auto dot = name.rfind('.');
        if (dot != std::string::npos &&
            std::string_view(name).substr(0, dot).ends_with("language_model.layers")) {
            layers.push_back({name, module, false});
        }
    }
    return layers;
}

std::vector<Place> layer_range(Module& model, std::string_view pattern) {
    const std::vector<Place> layers = language_layers(model);
    const auto ends = split(pattern.substr(kLayers.size()), '-');
    const auto first = number_of<std::int64_t>(ends.front());
    const auto last = number_of<std::int64_t>(ends.back());
    const auto count = static_cast<std::int64_t>(layers.size());
    if (ends.size() > 2 || !first || !last || *first < 0 || *last < *first || *last >= count) {
        throw RequestError("'" + std::string(pattern) + "': this model has language layers 0 to " +
                           std::to_string(count - 1) + "; write layers:0-" +
                           std::to_string(count - 1) + " or a part of it");
    }
    return {layers.begin() + *first, layers.begin() + *last + 1};
}

std::vector<Place> matching(Module& model, std::string_view pattern) {
    std::vector<Place> places;
    for (const auto& [name, module] : model.named_modules()) {
        if (fits(pattern, name)) {
            places.push_back({name, module, false});
        }
    }
    return places;
}

[[noreturn]] void throw_unknown(Module& model, std::string_view name) {
    std::vector<std::string> names;
    for (const auto& [known, module] : model.named_modules()) {
        names.push_back(known);
    }
    if (name.find('*') != std::string_view::npos) {
        throw RequestError("no module fits the pattern '" + std::string(name) +
                           "'; * stands for one or more characters without a dot, nearest name: '" +
                           nearest_names(name, names, 1).front() + "'");
    }
    throw RequestError(unknown_name_message("module", name, names));
}

/// The observation points before the DeepStack addition; what has none is left out with a star and
/// refused without.
std::vector<Place> before_injection(const std::vector<Place>& places, bool pattern) {
    std::vector<Place> points;
    for (const Place& place : places) {
        Module* const point = place.module->before_injection();
        if (point != nullptr) {
            points.push_back({full_name(place, kBefore), point, false});
        } else if (!pattern) {
            throw RequestError("module '" + place.name +
                               "' has no #pre: nothing is added to its output");
        }
    }
    return points;
}

}  // namespace

Target parse_target(std::string_view text) {
    Target target;
    const auto at = text.find('@');
    target.pattern = text.substr(0, at);
    if (at != std::string_view::npos) {
        const auto scope = read_scope(text.substr(at + 1));
        if (!scope) {
            throw RequestError(
                "'" + std::string(text) +
                "': expected a scope after @: all, audio:A, range:A:T0:T1 (seconds), "
                "last or generated");
        }
        target.scope = *scope;
    }
    return target;
}

std::string target_text(const Target& target) {
    return target.scope.text.empty() ? target.pattern : target.pattern + "@" + target.scope.text;
}

std::vector<Place> find_places(Module& model, std::string_view pattern) {
    std::string_view body = pattern;
    const bool before = body.ends_with(kBefore);
    const bool input = body.ends_with(kInput);
    body.remove_suffix(before ? kBefore.size() : input ? kInput.size() : 0);
    const bool star = body.find('*') != std::string_view::npos;
    std::vector<Place> places;
    if (body.starts_with(kLayers)) {
        places = layer_range(model, body);
    } else if (star) {
        places = matching(model, body);
    } else if (Module* const module = model.find(body)) {
        places.push_back({std::string(body), module, false});
    }
    if (before) {
        places = before_injection(places, star);
    }
    if (places.empty()) {
        throw_unknown(model, pattern);
    }
    for (Place& place : places) {
        if (input) {
            place.name = full_name(place, kInput);
            place.input = true;
        }
    }
    return places;
}

bool in_language_model(std::string_view name) {
    const auto parts = split(name.substr(0, name.find('#')), '.');
    return std::find(parts.begin(), parts.end(), kLanguageModel) != parts.end();
}

void check_target(Module& model, const Target& target) {
    for (const Place& place : find_places(model, target.pattern)) {
        if (target.scope.kind != Scope::Kind::All && !in_language_model(place.name)) {
            throw RequestError("'" + target_text(target) + "': module '" + place.name +
                               "' is not one of the language model, so that only the scope all "
                               "fits it");
        }
    }
}

ScopeRows::ScopeRows(const Scope& scope, const PreparedBatch& batch)
    : kind_(scope.kind),
      requests_(batch.inputs.input_ids.size(0)),
      width_(batch.inputs.input_ids.size(1)) {
    if (kind_ == Scope::Kind::Last) {
        for (std::int64_t b = 0; b < requests_; ++b) {
            request_.push_back(b);
            position_.push_back(width_ - 1);
        }
    }
    if (kind_ != Scope::Kind::Audio && kind_ != Scope::Kind::Range) {
        return;
    }
    const auto count = static_cast<std::int64_t>(batch.slots.size());
    if (scope.source >= count) {
        throw RequestError(
            "scope '" + scope.text + "': there is no source " + std::to_string(scope.source) +
            "; the request has " +
            (count == 0 ? std::string("no audio") : "sources 0 to " + std::to_string(count - 1)));
    }
    const AudioSlot& slot = batch.slots[static_cast<std::size_t>(scope.source)];
    const at::Tensor times = slot.time_s.to(at::kCPU, at::kFloat).contiguous();
    const at::Tensor positions = slot.token_positions.to(at::kCPU).contiguous();
    const float* const seconds = times.const_data_ptr<float>();
    const std::int64_t* const places = positions.const_data_ptr<std::int64_t>();
    for (std::int64_t u = 0; u < slot.token_count; ++u) {
        const std::int64_t ms = std::llround(static_cast<double>(seconds[u]) * 1000);
        if (kind_ == Scope::Kind::Audio || (ms >= scope.begin_ms && ms < scope.end_ms)) {
            request_.push_back(slot.sample_index);
            position_.push_back(places[u]);
        }
    }
}

std::int64_t ScopeRows::prompt_rows() const {
    return all() ? requests_ * width_ : static_cast<std::int64_t>(position_.size());
}

std::pair<at::Tensor, at::Tensor> ScopeRows::within(std::int64_t begin, std::int64_t count,
                                                    const at::Tensor& like) const {
    std::vector<std::int64_t> requests;
    std::vector<std::int64_t> places;
    if (generated()) {
        for (std::int64_t b = 0; b < requests_; ++b) {
            for (std::int64_t p = std::max(width_, begin); p < begin + count; ++p) {
                requests.push_back(b);
                places.push_back(p - begin);
            }
        }
    }
    for (std::size_t i = 0; i < position_.size(); ++i) {
        if (position_[i] >= begin && position_[i] < begin + count) {
            requests.push_back(request_[i]);
            places.push_back(position_[i] - begin);
        }
    }
    const auto device = [&](const std::vector<std::int64_t>& list) {
        return at::tensor(list, at::kLong).to(like.device());
    };
    return {device(requests), device(places)};
}

void check_rows(const std::string& module, const at::Tensor& output, std::int64_t requests) {
    if (output.dim() < 2 || output.size(0) != requests) {
        throw RequestError("module '" + module +
                           "' gives no row for each position of each request, so that only the "
                           "scope all fits it");
    }
}

}  // namespace earscope
