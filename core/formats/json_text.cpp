#include "core/formats/json_text.h"

#include "core/base/errors.h"
#include "core/base/regular_file.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <unistd.h>

namespace earscope {

void check_json_text(std::string_view text, const std::string& what, const JsonLimits& limits) {
    if (text.size() > static_cast<std::size_t>(limits.bytes)) {
        throw SnapshotError(what + ": " + std::to_string(text.size()) + " bytes of JSON, at most " +
                            std::to_string(limits.bytes) + " are read");
    }
    if (text.starts_with("\xEF\xBB\xBF")) {
        throw SnapshotError(what + ": starts with a byte order mark; plain UTF-8 is needed");
    }
    if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
        throw SnapshotError(what + ": not valid JSON, NUL at byte " + std::to_string(nul));
    }
    if (const auto bad = first_invalid_utf8(text)) {
        throw SnapshotError(what + ": not valid UTF-8 at byte " + std::to_string(*bad));
    }
}

std::string json_fault(const nlohmann::detail::exception& error) {
    const std::string text = error.what();
    const auto end = text.find("] ");  // "[json.exception.parse_error.101] parse error at ..."
    return one_line(end == std::string::npos ? text : text.substr(end + 2), 300);
}

std::string read_text_file(const std::filesystem::path& file, std::int64_t limit) try {
    const RegularFile opened(file);
    const std::string name = one_line(file.string(), 500);
    if (opened.size() > limit) {
        throw SnapshotError(name + ": " + std::to_string(opened.size()) + " bytes, at most " +
                            std::to_string(limit) + " are read");
    }
    std::string text(static_cast<std::size_t>(opened.size()), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t got = ::read(opened.descriptor(), text.data() + done, text.size() - done);
        if (got < 0 && errno != EINTR) {
            throw std::system_error(errno, std::generic_category());
        }
        if (got == 0) {
            throw SnapshotError(name + ": became shorter while it was read");
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    return text;
} catch (const std::system_error& error) {
    const std::string reason =
        error.code().value() == ENOTSUP ? "not a regular file" : error.code().message();
    throw SnapshotError(one_line(file.string(), 500) + ": cannot be read: " + reason);
}

}  // namespace earscope
