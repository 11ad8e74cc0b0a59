#include "core/models/families.h"

#include "core/models/moss_music.h"
#include "core/models/music_flamingo.h"
#include "core/snapshot/config.h"

namespace earscope {
namespace {

std::string same_name(const std::string& parameter) {
    return parameter;
}

void check_size(const Snapshot& snapshot, const Tokenizer& tokenizer, const DecoderConfig& text) {
    if (tokenizer.size() > text.vocab_size) {
        throw SnapshotError(snapshot.folder.string() + ": the tokenizer has ids up to " +
                            std::to_string(tokenizer.size() - 1) + ", the model only " +
                            std::to_string(text.vocab_size) + " embeddings");
    }
}

void check_known(const Snapshot& snapshot, const Tokenizer& tokenizer, const char* key,
                 std::int64_t id) {
    if (tokenizer.bytes(id).empty()) {
        throw SnapshotError(snapshot.folder.string() + ": " + key + " is " + std::to_string(id) +
                            ", which the tokenizer does not know");
    }
}

FamilyParts make_music_flamingo(const Snapshot& snapshot, const LoadOptions& options) {
    const MusicFlamingoConfig config = parse_music_flamingo_config(snapshot);
    FamilyParts parts;
    parts.processor = std::make_unique<Processor>(Processor{
        Tokenizer::from_folder(snapshot.folder), config.audio_token_id, config.audio_bos_token_id,
        config.audio_eos_token_id, config.eos_token_ids, config.pad_token_id});
    const Tokenizer& tokenizer = parts.processor->tokenizer;
    check_known(snapshot, tokenizer, "audio_token_id", config.audio_token_id);
    check_known(snapshot, tokenizer, "audio_bos_token_id", config.audio_bos_token_id);
    check_known(snapshot, tokenizer, "audio_eos_token_id", config.audio_eos_token_id);
    check_size(snapshot, tokenizer, config.text);
    parts.model = std::make_unique<MusicFlamingoModel>(config, options.attention);
    // Snapshots are found with the names of the conversion script and with those in memory.
    const bool in_memory = snapshot.tensors.contains("model.audio_tower.conv1.weight");
    parts.disk_name = in_memory ? same_name : music_flamingo_disk_name;
    return parts;
}

FamilyParts make_moss_music(const Snapshot& snapshot, const LoadOptions& options) {
    const MossMusicConfig config = parse_moss_music_config(snapshot);
    FamilyParts parts;
    // The reference forces the slow tokenizer, whose order of steps differs. The audio ids need not
    // be known to it: spans are built from ids.
    parts.processor = std::make_unique<Processor>(Processor{
        Tokenizer::from_folder(snapshot.folder, TokenizerKind::Slow), config.audio_token_id,
        config.audio_start_id, config.audio_end_id, config.eos_token_ids, config.pad_token_id});
    check_size(snapshot, parts.processor->tokenizer, config.text);
    parts.model =
        std::make_unique<MossMusicModel>(config, options.attention, options.chunk_padding);
    parts.disk_name = same_name;
    // Real checkpoints carry this buffer, rounded; it is computed instead.
    parts.ignored = {"audio_encoder.embed_positions.inv_timescales"};
    return parts;
}

}  // namespace

FamilyParts make_family(const Snapshot& snapshot, const LoadOptions& options) {
    return snapshot.family == Family::MossMusic ? make_moss_music(snapshot, options)
                                                : make_music_flamingo(snapshot, options);
}

}  // namespace earscope
