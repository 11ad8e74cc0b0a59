#include "app/cli/output.h"

#include "core/base/atomic_file.h"

#include <cerrno>
#include <cstdio>
#include <iterator>
#include <unistd.h>

namespace earscope::cli {

std::string json_text(const nlohmann::ordered_json& value) {
    return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string one_line(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\n') {
            line += "\\n";
        } else if (byte < 0x20 || byte == 0x7f) {
            char escape[5];
            std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(byte));
            line += escape;
        } else {
            line += c;
        }
    }
    return line;
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

void check_writable(const std::filesystem::path& file) {
    // Making the temporary file asks the system itself; it is gone again at once.
    const AtomicFile probe(file);
}

nlohmann::ordered_json file_summary(const std::filesystem::path& file,
                                    const std::vector<NamedTensor>& tensors) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const NamedTensor& entry : tensors) {
        list.push_back({{"name", entry.name},
                        {"dtype", c10::toString(entry.tensor.scalar_type())},
                        {"shape", entry.tensor.sizes().vec()}});
    }
    return {{"file", file.string()}, {"tensors", std::move(list)}};
}

void append(std::vector<NamedTensor>& tensors, std::vector<NamedTensor> more) {
    tensors.insert(tensors.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
}

}  // namespace earscope::cli
