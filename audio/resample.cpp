#include "audio/resample.h"

#include "audio/decode.h"
#include "audio/file_text.h"
#include "core/base/errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>

namespace earscope {
namespace {

// y[o] = sum over i of x[i] * h[o*down - i*up + half]: for output o only every up-th tap counts.
// Outputs whose o is equal modulo `up` use the same taps, so a table holds the taps per phase, and
// sixteen outputs of one phase, a multiple of `up` apart, are summed side by side: each lane keeps
// SciPy's order (i ascending, float32, product rounded first) and all lanes together fill the
// vector units. Their input is first laid out lane beside lane.

constexpr int kLanes = 16;
constexpr std::int64_t kRun = 128;  // neighbouring outputs per layout of the input

using Vector [[gnu::vector_size(16)]] = float;
constexpr int kVectors = kLanes / 4;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}
std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return -floor_div(-a, b);
}

constexpr int kBesselTerms = 26;

/// 1 / (k!)^2 for k = 0, 1, ...
constexpr std::array<double, kBesselTerms + 1> kBesselSeries = [] {
    std::array<double, kBesselTerms + 1> series{1};
    for (std::size_t k = 1; k < series.size(); ++k) {
        series[k] = series[k - 1] / static_cast<double>(k * k);
    }
    return series;
}();

/// Modified Bessel function of order 0 for 0 <= x <= 5, by its power series in (x/2)^2: all terms
/// are positive, and the 26th is below 1e-19 of the sum. Takes x^2.
double bessel_i0_of_root(double square) {
    const double t = square / 4;
    double sum = 0;
    for (std::size_t k = kBesselSeries.size(); k-- > 0;) {
        sum = sum * t + kBesselSeries[k];
    }
    return sum;
}

/// One half of scipy.signal.firwin(2*half+1, 1/max_rate, window=("kaiser", 5.0)) with the middle at
/// the front; the other half mirrors it.
std::vector<double> design_half(std::int64_t max_rate, std::int64_t half,
                                const std::stop_token& stop) {
    constexpr double kBeta = 5.0;
    const double i0_beta = bessel_i0_of_root(kBeta * kBeta);
    std::vector<double> taps(static_cast<std::size_t>(half + 1));
    // Kahan's sum: SciPy adds pairwise, both are near the exact one.
    double sum = 0;
    double lost = 0;
    for (std::int64_t n = half; n >= 0; --n) {
        if (n % 65536 == 0) {
            throw_if_stopped(stop);
        }
        const double ratio = static_cast<double>(n) / static_cast<double>(half);
        const double angle =
            std::numbers::pi * (static_cast<double>(n) / static_cast<double>(max_rate));
        const double sinc = n == 0 ? 1.0 : std::sin(angle) / angle;
        const double window = bessel_i0_of_root(kBeta * kBeta * (1 - ratio * ratio)) / i0_beta;
        const double tap = sinc / static_cast<double>(max_rate) * window;
        taps[static_cast<std::size_t>(n)] = tap;
        const double part = (n == 0 ? tap : 2 * tap) - lost;
        const double next = sum + part;
        lost = (next - sum) - part;
        sum = next;
    }
    for (double& tap : taps) {
        tap /= sum;
    }
    return taps;
}

/// The taps of one phase, for inputs first_input, first_input+1, ...
struct Phase {
    std::int64_t first_input = 0;  // relative to the input of the period's first output
    std::size_t at = 0;            // of its taps in the table
    std::int64_t count = 0;
};

struct Filter {
    std::int64_t up = 1;
    std::int64_t down = 1;
    std::vector<Phase> phases;  // `up` of them
    std::vector<float> taps;
};

/// Writes the taps of the phases whose lowest tap is `first` to `last` - 1, side by side: the
/// filter is read and the rows are written in order, where phase after phase would miss the cache
/// with every tap.
void fill_rows(Filter& filter, const std::vector<double>& half_taps, std::int64_t first,
               std::span<std::size_t> rows) {
    const auto half = static_cast<std::int64_t>(half_taps.size()) - 1;
    const auto gain = static_cast<float>(filter.up);
    const auto last = first + static_cast<std::int64_t>(rows.size());
    // Inputs ascend while taps descend.
    for (std::int64_t base = 2 * half / filter.up * filter.up; base >= 0; base -= filter.up) {
        for (std::int64_t lowest = first; lowest < last && base + lowest <= 2 * half; ++lowest) {
            const auto from_middle = static_cast<std::size_t>(std::abs(base + lowest - half));
            filter.taps[rows[static_cast<std::size_t>(lowest - first)]++] =
                static_cast<float>(half_taps[from_middle]) * gain;
        }
    }
}

Filter design(std::int64_t up, std::int64_t down, const std::stop_token& stop) {
    const std::int64_t max_rate = std::max(up, down);
    const std::int64_t half = 10 * max_rate;
    const std::vector<double> half_taps = design_half(max_rate, half, stop);
    Filter filter{up, down, std::vector<Phase>(static_cast<std::size_t>(up)),
                  std::vector<float>(static_cast<std::size_t>(2 * half + 1))};
    // Each phase has one lowest tap below `up`, and no two share it.
    std::vector<std::int64_t> phase_of(static_cast<std::size_t>(up));
    for (std::int64_t phase = 0; phase < up; ++phase) {
        const std::int64_t centre = phase * down;
        const std::int64_t first = ceil_div(centre - half, up);
        const std::int64_t last = floor_div(centre + half, up);
        filter.phases[static_cast<std::size_t>(phase)] = {first, 0, last - first + 1};
        phase_of[static_cast<std::size_t>(centre - last * up + half)] = phase;
    }
    constexpr std::int64_t kTogether = 16;
    std::size_t at = 0;
    for (std::int64_t lowest = 0; lowest < up; lowest += kTogether) {
        throw_if_stopped(stop);
        std::array<std::size_t, kTogether> rows{};
        const auto count = static_cast<std::size_t>(std::min(kTogether, up - lowest));
        for (std::size_t row = 0; row < count; ++row) {
            Phase& phase = filter.phases[static_cast<std::size_t>(
                phase_of[static_cast<std::size_t>(lowest) + row])];
            phase.at = rows[row] = at;
            at += static_cast<std::size_t>(phase.count);
        }
        fill_rows(filter, half_taps, lowest, std::span(rows).first(count));
    }
    return filter;
}

/// Sums of one phase for kLanes outputs; `rows` holds kLanes inputs beside each other per input
/// position.
void sum_phase(const float* taps, std::int64_t count, const float* rows, float* sums) {
    std::array<Vector, kVectors> sum{};
    for (std::int64_t tap = 0; tap < count; ++tap) {
        const float weight = taps[tap];
        for (int v = 0; v < kVectors; ++v) {
            Vector inputs;
            std::memcpy(&inputs, rows + tap * kLanes + v * 4, sizeof inputs);
            sum[static_cast<std::size_t>(v)] += inputs * weight;
        }
    }
    std::memcpy(sums, sum.data(), sizeof sum);
}

class Resampler {
public:
    Resampler(const Filter& filter, std::span<const float> in, std::span<float> out)
        : filter_(filter), in_(in), out_(out) {
        // Lanes lie this many outputs apart: a multiple of `up` that holds at least one run.
        const std::int64_t periods = ceil_div(kRun, filter.up);
        lane_outputs_ = periods * filter.up;
        lane_inputs_ = periods * filter.down;
    }

    std::int64_t block_outputs() const { return lane_outputs_ * kLanes; }

    /// Outputs [first, first + block_outputs()) as far as they exist; `first` is a multiple of it.
    void run_block(std::int64_t first, const std::stop_token& stop) {
        const std::int64_t needed =
            std::min(lane_outputs_, static_cast<std::int64_t>(out_.size()) - first);
        for (std::int64_t run = 0; run < needed; run += kRun) {
            throw_if_stopped(stop);
            run_lanes(first, run, std::min(run + kRun, lane_outputs_));
        }
    }

private:
    std::int64_t first_input(std::int64_t output) const {
        return phase(output).first_input + output / filter_.up * filter_.down;
    }
    const Phase& phase(std::int64_t output) const {
        return filter_.phases[static_cast<std::size_t>(output % filter_.up)];
    }

    /// Outputs [begin, end) of each lane of the block that starts at output `block`.
    void run_lanes(std::int64_t block, std::int64_t begin, std::int64_t end) {
        const std::int64_t row = first_input(begin);
        const std::int64_t rows = first_input(end - 1) + phase(end - 1).count - row;
        // Neither end of an output's inputs lies before that of the output before it, so the first
        // and the last output of the run bound them all.
        lay_out(block / filter_.up * filter_.down + row, rows);
        std::array<float, kLanes> sums{};
        const auto total = static_cast<std::int64_t>(out_.size());
        for (std::int64_t output = begin; output < end; ++output) {
            const Phase& taps = phase(output);
            sum_phase(filter_.taps.data() + taps.at, taps.count,
                      rows_.data() + (first_input(output) - row) * kLanes, sums.data());
            std::int64_t target = block + output;
            for (int lane = 0; lane < kLanes && target < total; ++lane) {
                out_[static_cast<std::size_t>(target)] = sums[static_cast<std::size_t>(lane)];
                target += lane_outputs_;
            }
        }
    }

    /// rows_[r*kLanes + lane] = input first + lane*lane_inputs_ + r, 0 outside of the signal.
    void lay_out(std::int64_t first, std::int64_t rows) {
        rows_.resize(std::max(rows_.size(), static_cast<std::size_t>(rows * kLanes)));
        const auto size = static_cast<std::int64_t>(in_.size());
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t start = first + lane * lane_inputs_;
            const std::int64_t inside = std::clamp<std::int64_t>(-start, 0, rows);
            const std::int64_t outside = std::clamp<std::int64_t>(size - start, inside, rows);
            float* to = rows_.data() + lane;
            for (std::int64_t r = 0; r < inside; ++r) {
                to[r * kLanes] = 0;
            }
            for (std::int64_t r = inside; r < outside; ++r) {
                to[r * kLanes] = in_[static_cast<std::size_t>(start + r)];
            }
            for (std::int64_t r = outside; r < rows; ++r) {
                to[r * kLanes] = 0;
            }
        }
    }

    const Filter& filter_;
    std::span<const float> in_;
    std::span<float> out_;
    std::int64_t lane_outputs_ = 0;
    std::int64_t lane_inputs_ = 0;
    std::vector<float> rows_;
};

void check_rate(std::int64_t rate) {
    if (rate < kMinSampleRate || rate > kMaxSampleRate) {
        throw AudioError("a sample rate of " + grouped(rate) + " Hz cannot be resampled, " +
                         grouped(kMinSampleRate) + " to " + grouped(kMaxSampleRate) +
                         " Hz are allowed");
    }
}

}  // namespace

std::vector<float> resample_poly(std::span<const float> samples, std::int64_t from_rate,
                                 std::int64_t to_rate, std::stop_token stop,
                                 const ProgressCallback& progress) {
    check_rate(from_rate);
    check_rate(to_rate);
    throw_if_stopped(stop);
    if (from_rate == to_rate || samples.empty()) {
        return {samples.begin(), samples.end()};
    }
    const std::int64_t common = std::gcd(from_rate, to_rate);
    const Filter filter = design(to_rate / common, from_rate / common, stop);
    const std::int64_t total =
        ceil_div(static_cast<std::int64_t>(samples.size()) * filter.up, filter.down);
    std::vector<float> out(static_cast<std::size_t>(total));
    Resampler resampler(filter, samples, out);
    for (std::int64_t first = 0; first < total; first += resampler.block_outputs()) {
        resampler.run_block(first, stop);
        report(progress, Stage::Resample, std::min(first + resampler.block_outputs(), total),
               total);
    }
    return out;
}

}  // namespace earscope
