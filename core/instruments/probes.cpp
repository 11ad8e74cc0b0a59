#include "core/instruments/probes.h"

#include "core/base/errors.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace earscope {

/// One probed module.
struct ProbeSet::Probe {
    std::string name;
    std::string module;
    ProbeOptions options;
    ScopeRows rows;  // `all` where there is no scope
    std::int64_t requests = 0;

    bool ran = false;
    at::Tensor whole;               // the last output, without a scope
    std::vector<at::Tensor> parts;  // scoped rows of each pass
    std::vector<at::Tensor> part_requests;
    std::vector<at::Tensor> part_positions;
    std::vector<std::int64_t> full_shape;
    Statistics statistics;

    /// Always a copy: the model may reuse the output's memory for what comes next.
    at::Tensor kept(const at::Tensor& values) const {
        const c10::Device device = options.on_device ? values.device() : c10::Device(c10::kCPU);
        return values.detach().to(device, values.scalar_type(), /*non_blocking=*/false,
                                  /*copy=*/true);
    }

    void see(const at::Tensor& output, std::int64_t begin) {
        if (rows.all() && begin > 0) {
            return;  // a step of a generation: `generated` is the scope for it
        }
        ran = true;
        if (rows.all()) {
            full_shape = output.sizes().vec();
            count(output);
            if (options.keep) {
                whole = kept(output);
            }
            return;
        }
        check_rows(module, output, requests);
        if (begin == 0) {  // a pass over the prompt: what was kept belongs to another run
            parts.clear();
            part_requests.clear();
            part_positions.clear();
            full_shape = output.sizes().slice(1).vec();
            full_shape[0] = 0;
        }
        const auto [request, place] = rows.within(begin, output.size(1), output);
        if (request.numel() == 0 && begin > 0) {
            return;
        }
        const at::Tensor values = output.detach().index({request, place});  // a copy, [n,...]
        full_shape[0] += values.size(0);
        count(values);
        if (options.keep) {
            parts.push_back(options.on_device ? values : values.cpu());
        }
        part_requests.push_back(request.cpu());
        part_positions.push_back(place.cpu() + begin);
    }

    void count(const at::Tensor& values) {
        if (options.statistics) {
            statistics.add(values);
        }
    }

    Capture result(std::span<const std::int64_t> answer_lengths) const {
        if (!ran) {
            throw RequestError("probe on module '" + module +
                               "': this module has no output in what was run");
        }
        Capture capture{name, whole, {}, {}, full_shape, statistics};
        if (rows.all()) {
            return capture;
        }
        at::Tensor requests_of = at::cat(part_requests);
        at::Tensor positions = at::cat(part_positions);
        at::Tensor order = row_order(requests_of, positions, answer_lengths);
        capture.requests = requests_of.index_select(0, order);
        capture.positions = positions.index_select(0, order);
        capture.full_shape[0] = order.numel();
        if (options.keep) {
            const at::Tensor values = at::cat(parts);
            capture.values = values.index_select(0, order.to(values.device()));
        }
        return capture;
    }

    /// By request and then by position, without rows behind the end of an answer.
    at::Tensor row_order(const at::Tensor& requests_of, const at::Tensor& positions,
                         std::span<const std::int64_t> answer_lengths) const {
        const std::int64_t* const b = requests_of.const_data_ptr<std::int64_t>();
        const std::int64_t* const p = positions.const_data_ptr<std::int64_t>();
        std::vector<std::int64_t> order;
        for (std::int64_t i = 0; i < requests_of.numel(); ++i) {
            const bool beyond =
                rows.generated() && !answer_lengths.empty() &&
                p[i] - rows.prompt_width() >= answer_lengths[static_cast<std::size_t>(b[i])];
            if (!beyond) {
                order.push_back(i);
            }
        }
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
            return std::pair(b[x], p[x]) < std::pair(b[y], p[y]);
        });
        return at::tensor(order, at::kLong);
    }
};

void check_probes(Module& model, std::span<const std::string> probes) {
    for (const std::string& text : probes) {
        check_target(model, parse_target(text));
    }
}

void ProbeSet::attach(const Place& place, const Target& target, const ProbeOptions& options,
                      Model* model, const PreparedBatch* batch) {
    const std::string name = target_text({place.name, target.scope});
    const bool known = std::any_of(probes_.begin(), probes_.end(),
                                   [&](const auto& probe) { return probe->name == name; });
    if (known) {
        return;
    }
    auto probe = std::make_shared<Probe>();
    probe->name = name;
    probe->module = place.name;
    probe->options = options;
    if (batch != nullptr) {
        probe->rows = ScopeRows(target.scope, *batch);
        probe->requests = batch->inputs.input_ids.size(0);
    }
    const auto see = [probe, model](const at::Tensor& values) {
        probe->see(values, model != nullptr ? model->first_position() : 0);
        return at::Tensor();
    };
    handles_.push_back(
        place.input ? place.module->register_forward_pre_hook(
                          [see](const Module&, const at::Tensor& input) { return see(input); })
                    : place.module->register_forward_hook(
                          [see](const Module&, const at::Tensor&, const at::Tensor& output) {
                              return see(output);
                          }));
    probes_.push_back(std::move(probe));
}

ProbeSet::ProbeSet(Module& model, std::span<const std::string> probes,
                   const ProbeOptions& options) {
    check_probes(model, probes);
    for (const std::string& text : probes) {
        const Target target = parse_target(text);
        if (target.scope.kind != Scope::Kind::All) {
            throw RequestError("probe '" + text + "': a scope needs a prepared request");
        }
        for (const Place& place : find_places(model, target.pattern)) {
            attach(place, target, options, nullptr, nullptr);
        }
    }
}

ProbeSet::ProbeSet(Model& model, std::span<const std::string> probes, const PreparedBatch& batch,
                   const ProbeOptions& options) {
    check_probes(model, probes);
    for (const std::string& text : probes) {
        const Target target = parse_target(text);
        for (const Place& place : find_places(model, target.pattern)) {
            attach(place, target, options, &model, &batch);
        }
    }
}

std::vector<Capture> ProbeSet::captured(std::span<const std::int64_t> answer_lengths) const {
    std::vector<Capture> captures;
    for (const auto& probe : probes_) {
        captures.push_back(probe->result(answer_lengths));
    }
    return captures;
}

}  // namespace earscope
