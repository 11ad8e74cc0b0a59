#pragma once
#include "core/session.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace earscope::cli {

/// Prints the answers of a batch as they come, one after the other: the first unfinished request is
/// shown live, the text of later ones is kept back until it is their turn. Every answer ends with a
/// line end.
class StreamPrinter {
public:
    using Write = std::function<void(std::string_view)>;

    StreamPrinter(std::size_t requests, std::vector<std::int64_t> end_ids, Write write);
    void add(const StreamEvent& event);
    /// All requests are done: prints what was kept back.
    void finish();

private:
    struct Answer {
        std::string pending;
        bool ended = false;
    };
    void flush();

    std::vector<Answer> answers_;
    std::vector<std::int64_t> end_ids_;
    Write write_;
    std::size_t current_ = 0;
};

}  // namespace earscope::cli
