#pragma once
// What the tests of the tokenizer share: fixture files, and lists of differences with a summary.
#include "core/tokenizer/tokenizer.h"

#include <QByteArray>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace earscope {

inline const std::filesystem::path kFixtures =
    std::filesystem::path(EARSCOPE_FIXTURES) / "tokenizer";
/// The real vocabulary (4.7 MB) and its cases are not part of the project; they are used where they
/// lie.
inline const std::filesystem::path kSharedFixtures =
    std::filesystem::path(EARSCOPE_SHARED_FIXTURES) / "tokenizer";
inline const std::filesystem::path kRealVocabulary = kSharedFixtures / "qwen";

inline nlohmann::json read_fixture(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream) {
        throw std::runtime_error("the fixture " + file.string() + " is missing");
    }
    return nlohmann::json::parse(stream);
}

/// A list of cases stands alone or as "cases" beside "meta".
inline nlohmann::json read_cases(const std::filesystem::path& file) {
    nlohmann::json root = read_fixture(file);
    return root.is_object() ? root.at("cases") : root;
}

inline std::filesystem::path path_of(const QTemporaryDir& folder) {
    return folder.path().toStdString();
}

/// Counts comparisons and keeps the first differences.
class Differences {
public:
    template <typename T>
    void compare(const T& got, const T& wanted, const std::string& what) {
        ++compared_;
        if (got == wanted) {
            return;
        }
        if (++different_ <= 5) {
            details_ += "\n" + what + ": got " + nlohmann::json(got).dump() + ", wanted " +
                        nlohmann::json(wanted).dump();
        }
    }

    bool none() const { return different_ == 0; }
    int compared() const { return compared_; }
    QByteArray summary() const {
        return QByteArray::fromStdString(std::to_string(different_) + " of " +
                                         std::to_string(compared_) + " differ" + details_);
    }

private:
    int compared_ = 0;
    int different_ = 0;
    std::string details_;
};

}  // namespace earscope
