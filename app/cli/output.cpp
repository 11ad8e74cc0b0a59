#include "app/cli/output.h"

#include "app/cli/options.h"
#include "core/base/atomic_file.h"
#include "core/base/errors.h"
#include "core/models/dtype_text.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <system_error>
#include <unistd.h>

namespace earscope::cli {

std::string json_text(const nlohmann::ordered_json& value) {
    return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string byte_text(std::int64_t bytes) {
    constexpr std::array<const char*, 4> kUnits{"kB", "MB", "GB", "TB"};
    if (bytes < 1000) {
        return std::to_string(bytes) + " bytes";
    }
    double value = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) {
        value /= 1000;
    }
    std::array<char, 32> text{};
    const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    std::snprintf(text.data(), text.size(), "%.*f %s", digits, value, kUnits.at(unit));
    return text.data();
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
    std::error_code error;
    static_cast<void>(std::filesystem::status(file, error));
    if (error == std::errc::filename_too_long) {
        throw ExportError("cannot write " + file.string() + ": " + error.message());
    }
    // Making the temporary file asks the system itself; it is gone again at once.
    const AtomicFile probe(file);
}

nlohmann::ordered_json file_summary(const std::filesystem::path& file,
                                    const std::vector<NamedTensor>& tensors) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const NamedTensor& entry : tensors) {
        list.push_back({{"name", entry.name},
                        {"dtype", dtype_text(entry.tensor.scalar_type())},
                        {"shape", entry.tensor.sizes().vec()}});
    }
    return {{"file", file.string()}, {"tensors", std::move(list)}};
}

void append(std::vector<NamedTensor>& tensors, std::vector<NamedTensor> more) {
    tensors.insert(tensors.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
}

}  // namespace earscope::cli
