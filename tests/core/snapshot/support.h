#pragma once
#include "core/formats/json_file.h"
#include "core/formats/safetensors.h"
#include "tests/core/formats/support.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace earscope::test {

/// The configuration of the tiny Music Flamingo.
inline nlohmann::json tiny_config() {
    return read_json_file(EARSCOPE_FIXTURES "/mf-tiny/snapshot/config.json");
}

inline void write_json(const std::filesystem::path& file, const nlohmann::json& value) {
    write_file(file, value.dump(2));
}

/// A shard that holds [2] float32 tensors of these names.
inline void write_shard(const std::filesystem::path& file, const std::vector<std::string>& names) {
    static const float values[2] = {1, 2};
    std::vector<TensorView> tensors;
    for (const std::string& name : names) {
        tensors.push_back({.name = name,
                           .dtype = DType::F32,
                           .shape = {2},
                           .data = reinterpret_cast<const std::byte*>(values),
                           .bytes = sizeof(values)});
    }
    write_safetensors(file, tensors, {{"format", "pt"}});
}

inline void write_index(const std::filesystem::path& folder,
                        const std::map<std::string, nlohmann::json>& weight_map) {
    write_json(folder / "model.safetensors.index.json",
               {{"metadata", {{"total_size", 16}}}, {"weight_map", weight_map}});
}

/// Side files of a Music Flamingo snapshot, without weights.
inline void write_side_files(const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    write_json(folder / "config.json", tiny_config());
    write_file(folder / "generation_config.json", "{\"eos_token_id\":1002}");
    write_file(folder / "processor_config.json", "{\"max_audio_len\":1200}");
    write_file(folder / "tokenizer.json", "{}");
    write_file(folder / "tokenizer_config.json", "{}");
    write_file(folder / "chat_template.jinja", "{{ messages }}");
}

/// A snapshot with tensors a, b in one shard and c in another.
inline void write_sharded(const std::filesystem::path& folder) {
    write_side_files(folder);
    write_shard(folder / "one.safetensors", {"a", "b"});
    write_shard(folder / "two.safetensors", {"c"});
    write_index(folder,
                {{"a", "one.safetensors"}, {"b", "one.safetensors"}, {"c", "two.safetensors"}});
}

}  // namespace earscope::test
