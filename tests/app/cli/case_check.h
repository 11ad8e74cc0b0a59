#pragma once
// How what the program writes is held against the reference's golden values: the rules and limits
// of the fixtures' own checking tool.
#include "tests/app/cli/arrays.h"

#include <limits>
#include <numeric>
#include <sstream>

namespace earscope::testing {

/// How one tensor is compared.
struct Rule {
    double allowed = 0;  ///< largest absolute difference, or relative root mean square
    bool root_mean_square = false;
};

/// float32: 1e-4 of the largest value, gradients 1e-3. bfloat16: two runs of the reference (eager
/// and sdpa) are 1.4 % and 3.5 % apart, twice that is allowed. mel: an own FFT may be off by 2e-4,
/// 1e-3 behind an MP3 or Vorbis decoder, one step in 16-bit sessions.
inline Rule rule_for(const std::string& name, const Array& want, bool bfloat16, bool lossy) {
    const auto begins = [&](const char* prefix) { return name.starts_with(prefix); };
    if (begins("input_ids") || begins("attention_mask") || begins("feature_") ||
        begins("token_positions.")) {
        return {};
    }
    if (begins("mel")) {
        return {std::max(lossy ? 1e-3 : 2e-4, bfloat16 ? 8.2e-3 : 0.0)};
    }
    if (begins("resampled.")) {
        return {(lossy ? 1e-5 : 2e-6) * std::max(1.0, want.largest())};
    }
    if (begins("time_s.")) {
        return {1e-3};
    }
    if (bfloat16) {
        return {begins("raw") || begins("projected") || begins("deepstack_") ? 3e-2 : 7e-2, true};
    }
    return {(begins("grad.") ? 1e-3 : 1e-4) * want.largest()};
}

/// Empty when the tensor of that name in `all` is near enough to `want`, else what is wrong.
/// `real` marks the rows that count (1 of [B,L]); empty: all.
inline std::string difference(const std::string& name, const Arrays& all, const Array& want,
                              const Rule& rule, const std::vector<double>& real = {}) {
    const auto found = all.find(name);
    if (found == all.end()) {
        return name + ": not written";
    }
    const Array& got = found->second;
    if (got.shape != want.shape) {
        return name + ": another shape";
    }
    const std::size_t width = real.empty() ? 1 : want.values.size() / real.size();
    double worst = 0;
    double off_squares = 0;
    double want_squares = 0;
    for (std::size_t i = 0; i < want.values.size(); ++i) {
        if (!real.empty() && real[i / width] == 0) {
            continue;
        }
        const double off = std::abs(got.values[i] - want.values[i]);
        worst = std::isfinite(off) ? std::max(worst, off) : std::numeric_limits<double>::infinity();
        off_squares += off * off;
        want_squares += want.values[i] * want.values[i];
    }
    const double error =
        rule.root_mean_square ? std::sqrt(off_squares / std::max(1e-30, want_squares)) : worst;
    if (error <= rule.allowed) {
        return {};
    }
    std::ostringstream text;
    text << name << ": off by " << error << ", allowed " << rule.allowed;
    return text.str();
}

/// The elements `index` of each of `rows` equal parts.
inline Array picked(const Array& from, const Array& index, std::size_t rows,
                    std::vector<std::int64_t> shape) {
    Array result{std::move(shape), {}};
    const std::size_t stride = from.values.size() / rows;
    for (std::size_t row = 0; row < rows; ++row) {
        for (const double at : index.values) {
            result.values.push_back(from.values.at(row * stride + static_cast<std::size_t>(at)));
        }
    }
    return result;
}

/// The first frames of [W,128,F], as many as `shape` [W,128,K] says.
inline Array first_frames(const Array& from, const std::vector<std::int64_t>& shape) {
    Array result{shape, {}};
    const auto frames = static_cast<std::size_t>(from.shape.back());
    for (std::size_t i = 0; i < from.values.size(); ++i) {
        if (i % frames < static_cast<std::size_t>(shape.back())) {
            result.values.push_back(from.values[i]);
        }
    }
    return result;
}

/// mel_first_frames, mel_mean, mel_std (population) [W] and mel_val [W,K] of mel [W,128,3000].
inline void derive_mel(Arrays& got, const Arrays& want) {
    const auto found = got.find("mel");
    if (found == got.end()) {
        return;
    }
    const Array mel = found->second;
    const std::size_t size = mel.values.size() / mel.rows();
    Array mean{{mel.shape[0]}, {}};
    Array deviation{{mel.shape[0]}, {}};
    for (std::size_t w = 0; w < mel.rows(); ++w) {
        const double* const first = mel.values.data() + w * size;
        const auto count = static_cast<double>(size);
        const double average = std::accumulate(first, first + size, 0.0) / count;
        const double squares = std::accumulate(first, first + size, 0.0, [&](double sum, double v) {
            return sum + (v - average) * (v - average);
        });
        mean.values.push_back(average);
        deviation.values.push_back(std::sqrt(squares / count));
    }
    const bool over_everything = want.contains("mel_stats");  // MOSS-Music's sets
    if (over_everything) {
        const auto count = static_cast<double>(mel.values.size());
        const double average = std::accumulate(mel.values.begin(), mel.values.end(), 0.0) / count;
        double squares = 0;
        for (const double value : mel.values) {
            squares += (value - average) * (value - average);
        }
        got["mel_stats"] = Array{{2}, {average, std::sqrt(squares / count)}};
    }
    if (want.contains("mel_idx")) {
        const Array& index = want.at("mel_idx");
        if (over_everything) {
            got["mel_val"] = picked(mel, index, 1, {index.shape[0]});
        } else {
            got["mel_val"] = picked(mel, index, mel.rows(), {mel.shape[0], index.shape[0]});
        }
    }
    if (const auto first = want.find("mel_first_frames"); first != want.end()) {
        got["mel_first_frames"] = first_frames(mel, first->second.shape);
    }
    got["mel_mean"] = std::move(mean);
    got["mel_std"] = std::move(deviation);
}

/// resampled.a_val: some samples of resampled.a.
inline void derive_resampled(Arrays& got, const Arrays& want) {
    for (const auto& [name, index] : want) {
        if (name.starts_with("resampled.") && name.ends_with("_idx")) {
            const std::string source = name.substr(0, name.size() - 4);
            if (got.contains(source)) {
                got[source + "_val"] = picked(got.at(source), index, 1, index.shape);
            }
        }
    }
}

/// grad.mel_first_frames [W,128,K]: the project's own short form of grad.mel [W,128,3000]; what
/// follows must be exactly zero, which is returned as a problem otherwise.
inline std::string derive_gradient(Arrays& got, const Arrays& want) {
    const auto stored = want.find("grad.mel_first_frames");
    const auto found = got.find("grad.mel");
    if (stored == want.end() || found == got.end()) {
        return {};
    }
    const auto kept = static_cast<std::size_t>(stored->second.shape[2]);
    const auto frames = static_cast<std::size_t>(found->second.shape[2]);
    for (std::size_t i = 0; i < found->second.values.size(); ++i) {
        if (i % frames >= kept && found->second.values[i] != 0) {
            return "grad.mel: not zero in frames that no token hears";
        }
    }
    got["grad.mel_first_frames"] = first_frames(found->second, stored->second.shape);
    return {};
}

}  // namespace earscope::testing
