#pragma once
// Both tiny models, and requests of one and of two sources for each.
#include "core/session.h"
#include "tests/support/stop_at.h"
#include "tests/support/tensor_compare.h"

#include <QTest>

#include <filesystem>
#include <functional>
#include <memory>

namespace earscope::testing {

inline std::filesystem::path family_folder(bool moss) {
    return std::filesystem::path(EARSCOPE_FIXTURES) / (moss ? "moss-tiny" : "mf-tiny");
}

inline std::shared_ptr<Session> load_family(bool moss, Attention attention = Attention::Sdpa) {
    LoadOptions options;
    options.device = "cpu";
    options.dtype = at::kFloat;
    options.attention = attention;
    return load_model(family_folder(moss) / "snapshot", options);
}

/// Quiet noise that is the same every time.
inline Waveform noise_wave(double seconds) {
    Waveform wave;
    wave.sample_rate = 16'000;
    wave.samples.resize(static_cast<std::size_t>(seconds * 16'000));
    std::uint32_t state = 1;
    for (float& sample : wave.samples) {
        state = state * 1664525U + 1013904223U;
        sample = 0.2F * (static_cast<float>(state >> 8) / 8388608.0F - 1.0F);
    }
    return wave;
}

inline Request one_source(double seconds = 0.9) {
    return {"Describe the track in full detail.", {noise_wave(seconds)}};
}
inline Request two_sources() {
    return {"Compare the clips: which is louder?", {noise_wave(0.9), noise_wave(0.5)}};
}

/// Two requests of different widths, so that one row is padded.
inline std::vector<Request> padded_pair() {
    return {one_source(0.5), two_sources()};
}

inline GenerateOptions short_answer(std::int64_t tokens = 4) {
    GenerateOptions options;
    options.max_new_tokens = tokens;
    return options;
}

/// Message of the RequestError that `call` throws; empty when it throws none.
inline QByteArray refused(const std::function<void()>& call) {
    try {
        call();
    } catch (const RequestError& error) {
        return error.what();
    }
    return {};
}

/// Rows for both families, column "moss".
inline void both_families() {
    QTest::addColumn<bool>("moss");
    QTest::newRow("Music Flamingo") << false;
    QTest::newRow("MOSS-Music") << true;
}

}  // namespace earscope::testing
