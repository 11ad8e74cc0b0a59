#include "app/cli/stream_printer.h"

#include <algorithm>
#include <utility>

namespace earscope::cli {

StreamPrinter::StreamPrinter(std::size_t requests, std::vector<std::int64_t> end_ids, Write write)
    : answers_(requests), end_ids_(std::move(end_ids)), write_(std::move(write)) {}

void StreamPrinter::add(const StreamEvent& event) {
    Answer& answer = answers_.at(static_cast<std::size_t>(event.sample_index));
    answer.pending += event.text;
    answer.ended = std::find(end_ids_.begin(), end_ids_.end(), event.token_id) != end_ids_.end();
    flush();
}

void StreamPrinter::finish() {
    for (Answer& answer : answers_) {
        answer.ended = true;
    }
    flush();
}

void StreamPrinter::flush() {
    while (current_ < answers_.size()) {
        Answer& answer = answers_[current_];
        std::string text = std::exchange(answer.pending, {});
        if (answer.ended) {
            text += '\n';
        }
        if (!text.empty()) {
            write_(text);
        }
        if (!answer.ended) {
            return;
        }
        ++current_;
    }
}

}  // namespace earscope::cli
