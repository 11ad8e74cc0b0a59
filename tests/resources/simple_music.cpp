#include "tests/resources/simple_music.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

namespace earscope::test {

namespace {

constexpr int kRate = 16'000;
constexpr std::string_view kNotes[] = {"C",       "C sharp", "D",      "E flat", "E",      "F",
                                       "F sharp", "G",       "A flat", "A",      "B flat", "B"};
constexpr std::string_view kNumbers[] = {"one", "two", "three", "four", "five"};

struct Timbre {
    std::vector<double> ratios;
    std::vector<double> strengths;
    double attack;  ///< s
    double decay;   ///< s to 1/e of the lowest partial; 0: sustained
};

std::vector<double> harmonics(int count) {
    std::vector<double> ratios;
    for (int k = 1; k <= count; ++k) {
        ratios.push_back(k);
    }
    return ratios;
}

const Timbre& timbre_of(std::string_view name) {
    static const std::map<std::string_view, Timbre> timbres = [] {
        std::vector<double> plucked;
        for (int k = 1; k <= 8; ++k) {
            plucked.push_back(std::pow(k, -1.3));
        }
        return std::map<std::string_view, Timbre>{
            {"flute", {harmonics(5), {1, 0.35, 0.14, 0.05, 0.02}, 0.05, 0}},
            {"clarinet", {{1, 2, 3, 5, 7, 9, 11}, {1, 0.04, 0.65, 0.45, 0.3, 0.18, 0.1}, 0.03, 0}},
            {"trumpet",
             {harmonics(14),
              {0.5, 0.8, 1, 1, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.32, 0.25, 0.2},
              0.04,
              0}},
            {"organ", {{1, 2, 4, 8, 16}, {1, 0.8, 0.65, 0.4, 0.15}, 0.008, 0}},
            {"guitar", {harmonics(8), plucked, 0.004, 0.3}},
            {"bell", {{1, 2, 2.76, 3.4, 5.4, 8.2}, {1, 0.6, 0.7, 0.4, 0.5, 0.35}, 0.002, 0.9}}};
    }();
    return timbres.at(name);
}

std::vector<double> tone(const Event& event) {
    const Timbre& timbre = timbre_of(event.timbre);
    const double frequency = 440 * std::exp2((event.pitch - 69) / 12.0);
    std::vector<double> sound(static_cast<std::size_t>(event.seconds * kRate));
    for (std::size_t k = 0; k < timbre.ratios.size(); ++k) {
        const double ratio = timbre.ratios[k];
        if (frequency * ratio > 0.48 * kRate) {
            continue;
        }
        const double fall = timbre.decay > 0 ? (0.6 + 0.4 * ratio) / timbre.decay : 0;
        for (std::size_t i = 0; i < sound.size(); ++i) {
            const double time = static_cast<double>(i) / kRate;
            // The partials start at scattered phases, so that they do not add up to a click.
            const double turns = frequency * ratio * time + 0.37 * static_cast<double>(k * k);
            sound[i] += timbre.strengths[k] * std::exp(-fall * time) *
                        std::sin(2 * std::numbers::pi * turns);
        }
    }
    double power = 0;
    const std::size_t first = static_cast<std::size_t>(timbre.attack * kRate);
    const std::size_t last = std::min(sound.size(), first + kRate / 5);
    for (std::size_t i = first; i < last; ++i) {
        power += sound[i] * sound[i];
    }
    const double gain = std::pow(10, event.level / 20) /
                        std::sqrt(std::max(1e-12, power / static_cast<double>(last - first)));
    for (std::size_t i = 0; i < sound.size(); ++i) {
        const double time = static_cast<double>(i) / kRate;
        sound[i] *= gain * std::min(1.0, time / timbre.attack) *
                    std::min(1.0, (event.seconds - time) / 0.02);
    }
    return sound;
}

Request about(std::string prompt, std::vector<Waveform> clips) {
    Request request{std::move(prompt), {}};
    for (Waveform& clip : clips) {
        request.audios.emplace_back(std::move(clip));
    }
    return request;
}

std::string text(std::string_view view) {
    return std::string(view);
}

std::string_view timbre_at(int i) {
    return kTimbres[i % 6];
}

std::vector<Asked> single_notes(bool ask_pitch) {
    std::vector<Asked> asked;
    for (int i = 0; i < 36; ++i) {
        const int pitch = 60 + i;
        const std::string_view timbre = timbre_at(ask_pitch ? i + i / 6 : i);
        Waveform clip = render(1.5, {{0.2, timbre, pitch, 1.1}});
        asked.push_back({about(ask_pitch ? "Which note is this?" : "Which instrument is this?",
                               {std::move(clip)}),
                         ask_pitch ? note_name(pitch) : text(timbre)});
    }
    return asked;
}

std::vector<Asked> silence() {
    std::vector<Asked> asked;
    for (int i = 0; i < 20; ++i) {
        const double seconds = 0.6 + 0.1 * i;
        const bool sounds = i % 2 == 0;
        std::vector<Event> events;
        if (sounds) {
            events.push_back({0.1, timbre_at(i / 2), 62 + i, 0.45});
        }
        asked.push_back(
            {about("Is there any sound?", {render(seconds, events)}), sounds ? "yes" : "no"});
    }
    return asked;
}

/// Two sources; `task` says what is asked about them.
std::vector<Asked> two_sources(std::string_view task) {
    std::vector<Asked> asked;
    for (int i = 0; i < 24; ++i) {
        const bool second = i % 2 == 1;
        const int low = 60 + (i * 5) % 24, high = low + 4 + i % 8;
        const std::string_view timbres[] = {timbre_at(i / 2), timbre_at(i / 2 + 1 + i % 5)};
        const int pitches[] = {second ? low : high, second ? high : low};
        const double levels[] = {i / 2 % 2 == 0 ? -16.0 : -28.0, i / 2 % 2 == 0 ? -28.0 : -16.0};
        std::vector<Waveform> clips = {render(1, {{0.1, timbres[0], pitches[0], 0.8, levels[0]}}),
                                       render(1, {{0.1, timbres[1], pitches[1], 0.8, levels[1]}})};
        const std::string number = second ? "2" : "1";
        if (task == "higher") {
            asked.push_back(
                {about("Which audio is higher?", std::move(clips)), second ? "second" : "first"});
        } else if (task == "louder") {
            asked.push_back({about("Which audio is louder?", std::move(clips)),
                             levels[1] > levels[0] ? "second" : "first"});
        } else if (task == "source pitch") {
            asked.push_back({about("Which note is in audio " + number + "?", std::move(clips)),
                             note_name(pitches[second ? 1 : 0])});
        } else {
            asked.push_back(
                {about("Which instrument is in audio " + number + "?", std::move(clips)),
                 text(timbres[second ? 1 : 0])});
        }
    }
    return asked;
}

std::vector<Asked> order() {
    std::vector<Asked> asked;
    for (int i = 0; i < 24; ++i) {
        const std::string_view first = timbre_at(i), last = timbre_at(i + 1 + i / 6);
        Waveform clip = render(2.2, {{0.1, first, 62 + i, 0.8}, {1.15, last, 84 - i, 0.8}});
        const bool ask_last = i / 6 % 2 == 1;
        asked.push_back(
            {about(ask_last ? "Which instrument comes last?" : "Which instrument comes first?",
                   {std::move(clip)}),
             text(ask_last ? last : first)});
    }
    return asked;
}

std::vector<Event> line(std::string_view timbre, const std::vector<int>& pitches) {
    std::vector<Event> events;
    for (std::size_t i = 0; i < pitches.size(); ++i) {
        events.push_back({0.2 + 0.45 * static_cast<double>(i), timbre, pitches[i], 0.37});
    }
    return events;
}

std::vector<Asked> direction() {
    std::vector<Asked> asked;
    const std::pair<int, std::string_view> ways[] = {{1, "up"}, {-1, "down"}, {0, "same"}};
    for (int i = 0; i < 30; ++i) {
        const auto& [sign, answer] = ways[i % 3];
        std::vector<int> pitches;
        for (int n = 0; n < 2 + i / 3 % 4; ++n) {
            pitches.push_back(70 + i / 3 + sign * n * (2 + i % 2));
        }
        asked.push_back(
            {about("Do the notes go up or down?", {render(2.4, line(timbre_at(i / 3), pitches))}),
             text(answer)});
    }
    return asked;
}

std::vector<Asked> count() {
    std::vector<Asked> asked;
    for (int i = 0; i < 30; ++i) {
        std::vector<int> pitches;
        for (int n = 0; n <= i % 5; ++n) {
            pitches.push_back(64 + (i + 5 * n) % 12);
        }
        asked.push_back(
            {about("How many notes are there?", {render(2.7, line(timbre_at(i / 5), pitches))}),
             text(kNumbers[i % 5])});
    }
    return asked;
}

std::vector<Asked> tempo() {
    std::vector<Asked> asked;
    const std::pair<double, std::string_view> tempos[] = {
        {52, "slow"}, {105, "middle"}, {205, "fast"}};
    for (int i = 0; i < 18; ++i) {
        const auto& [beats, answer] = tempos[i % 3];
        const double beat = 60 / beats;
        std::vector<Event> events;
        for (double start = 0.1; start < 3.8; start += beat) {
            events.push_back({start, timbre_at(i / 3), 64 + i, 0.15});
        }
        asked.push_back({about("What is the tempo?", {render(4, events)}), text(answer)});
    }
    return asked;
}

std::vector<Asked> when() {
    std::vector<Asked> asked;
    for (const int seconds : {3, 5, 8, 10}) {
        for (int second = 0; second < seconds; ++second) {
            asked.push_back(
                {about(
                     "When does the sound start?",
                     {render(seconds, {{second + 0.4, timbre_at(second), 64 + 2 * second, 0.6}})}),
                 std::to_string(second)});
        }
    }
    return asked;
}

std::vector<Asked> second_window() {
    std::vector<Asked> asked;
    for (int i = 0; i < 12; ++i) {
        asked.push_back({about("Which instrument is this?",
                               {render(36, {{31.5 + 0.25 * i, timbre_at(i), 66 + i, 1.2}})}),
                         text(timbre_at(i))});
    }
    return asked;
}

}  // namespace

Waveform render(double seconds, const std::vector<Event>& events) {
    std::vector<double> track(static_cast<std::size_t>(seconds * kRate));
    for (const Event& event : events) {
        const std::vector<double> sound = tone(event);
        const std::size_t first = static_cast<std::size_t>(event.start * kRate);
        for (std::size_t i = 0; i < sound.size() && first + i < track.size(); ++i) {
            track[first + i] += sound[i];
        }
    }
    return {std::vector<float>(track.begin(), track.end()), kRate};
}

std::string note_name(int pitch) {
    return std::string(kNotes[pitch % 12]);
}

std::vector<Asked> questions(std::string_view task) {
    if (task == "pitch" || task == "timbre") {
        return single_notes(task == "pitch");
    }
    static const std::map<std::string_view, std::vector<Asked> (*)()> makers = {
        {"silence", silence}, {"order", order}, {"direction", direction},        {"count", count},
        {"tempo", tempo},     {"when", when},   {"second window", second_window}};
    const auto maker = makers.find(task);
    return maker == makers.end() ? two_sources(task) : maker->second();
}

double best_constant(const std::vector<Asked>& asked) {
    std::map<std::string, int> times;
    int most = 0;
    for (const Asked& one : asked) {
        most = std::max(most, ++times[one.answer]);
    }
    return most / static_cast<double>(asked.size());
}

}  // namespace earscope::test
