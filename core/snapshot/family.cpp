#include "core/snapshot/family.h"

#include "core/base/text.h"

#include <array>
#include <vector>

namespace earscope {
namespace {

struct Known {
    Family family;
    std::string_view model_type;
    std::string_view architecture;  ///< how the names of its classes begin
};

constexpr std::array<Known, 2> kFamilies{{{Family::MusicFlamingo, "musicflamingo", "MusicFlamingo"},
                                          {Family::MossMusic, "moss_music", "MossMusic"}}};

std::string text_of(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> architectures(const nlohmann::json& config) {
    std::vector<std::string> names;
    if (const auto found = config.find("architectures");
        found != config.end() && found->is_array()) {
        for (const nlohmann::json& name : *found) {
            if (name.is_string() && names.size() < 4) {
                names.push_back(name.get<std::string>());
            }
        }
    }
    return names;
}

}  // namespace

std::string_view family_name(Family family) {
    return family == Family::MusicFlamingo ? "Music Flamingo" : "MOSS-Music";
}

std::optional<RecognisedFamily> recognise_family(const nlohmann::json& config) {
    if (!config.is_object()) {
        return std::nullopt;
    }
    const std::string model_type = text_of(config, "model_type");
    for (const Known& known : kFamilies) {
        if (model_type == known.model_type) {
            return RecognisedFamily{known.family, "model_type \"" + model_type + "\""};
        }
    }
    if (!model_type.empty()) {
        return std::nullopt;  // another model, whatever its class is called
    }
    for (const std::string& name : architectures(config)) {
        for (const Known& known : kFamilies) {
            if (name.starts_with(known.architecture)) {
                return RecognisedFamily{known.family, "architecture \"" + one_line(name) + "\""};
            }
        }
    }
    return std::nullopt;
}

std::string unsupported_family(const nlohmann::json& config) {
    const std::string model_type = text_of(config, "model_type");
    std::string found =
        model_type.empty() ? "no model_type" : "model_type \"" + one_line(model_type, 80) + "\"";
    std::string listed;
    for (const std::string& name : architectures(config)) {
        listed += (listed.empty() ? "" : ", ") + one_line(name, 80);
    }
    if (!listed.empty()) {
        found += " (architectures " + listed + ")";
    }
    std::string text = found + " is not a model Earscope runs; it runs";
    for (const Known& known : kFamilies) {
        text += std::string(&known == &kFamilies.front() ? " " : " and ") +
                std::string(family_name(known.family)) + " (model_type \"" +
                std::string(known.model_type) + "\")";
    }
    if (model_type == "audioflamingo3") {
        // Early Music Flamingo snapshots carry this type: they would load and talk, but without
        // the rotary time embedding they are another model.
        text += "; Audio Flamingo 3 lacks Music Flamingo's rotary time embedding";
    }
    return text;
}

}  // namespace earscope
