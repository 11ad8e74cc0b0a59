#pragma once
#include "core/snapshot/snapshot.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace earscope {

struct RecognisedFamily {
    Family family = Family::MusicFlamingo;
    std::string by;  ///< the words of config.json that named it
};

/// Which model a config.json describes, by model_type and, where that is missing, architectures.
std::optional<RecognisedFamily> recognise_family(const nlohmann::json& config);

/// What to say about a config.json that recognise_family() does not know.
std::string unsupported_family(const nlohmann::json& config);

}  // namespace earscope
