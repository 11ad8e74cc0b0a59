#include "core/instruments/names.h"

#include <algorithm>
#include <numeric>

namespace earscope {

namespace {

/// Levenshtein distance in bytes, O(|a| |b|) time, one row of memory.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

/// Whether `name` is `part` below something: "a.b.c" ends in the path "b.c".
bool ends_in_path(std::string_view name, std::string_view part) {
    return !part.empty() && name.size() > part.size() && name.ends_with(part) &&
           name[name.size() - part.size() - 1] == '.';
}

/// A name that only lacks or has a prefix ("layers.1" for "model.language_model.layers.1") is
/// nearer than any misspelt one, however long the prefix is.
std::size_t distance(std::string_view wanted, std::string_view candidate) {
    const bool same_end = ends_in_path(candidate, wanted) || ends_in_path(wanted, candidate);
    return same_end ? 0 : 1 + edit_distance(wanted, candidate);
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view wanted,
                                       const std::vector<std::string>& candidates,
                                       std::size_t count) {
    // Longer than any real name: only the cost of comparing it would grow.
    constexpr std::size_t kLongestCompared = 512;
    wanted = wanted.substr(0, kLongestCompared);
    std::vector<std::pair<std::size_t, std::size_t>> ranked;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!candidates[i].empty()) {
            ranked.emplace_back(distance(wanted, candidates[i]), i);
        }
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> nearest;
    for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) {
        nearest.push_back(candidates[ranked[i].second]);
    }
    return nearest;
}

std::string unknown_name_message(std::string_view kind, std::string_view wanted,
                                 const std::vector<std::string>& candidates) {
    std::string message =
        "there is no " + std::string(kind) + " '" + std::string(wanted) + "' in this model";
    const char* separator = "; nearest: '";
    for (const std::string& name : nearest_names(wanted, candidates)) {
        message += separator + name + "'";
        separator = ", '";
    }
    return message;
}

}  // namespace earscope
