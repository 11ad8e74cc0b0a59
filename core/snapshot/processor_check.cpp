#include "core/snapshot/processor_check.h"

#include "core/snapshot/config_reader.h"
#include "core/snapshot/member_file.h"

namespace earscope {

void check_music_flamingo_processor(const Snapshot& snapshot) {
    const bool combined = has_member(snapshot.folder, "processor_config.json");
    const ConfigReader root(snapshot.processor_config,
                            combined ? "processor_config.json" : "preprocessor_config.json");
    root.require_number("max_audio_len", 1200);
    // Older snapshots keep the extractor's keys at the top of preprocessor_config.json.
    const ConfigReader extractor = combined ? root.object("feature_extractor") : root;
    extractor.require_text("feature_extractor_type", {"WhisperFeatureExtractor"});
    extractor.require_number("sampling_rate", 16000);
    extractor.require_number("n_fft", 400);
    extractor.require_number("hop_length", 160);
    extractor.require_number("feature_size", 128);
    extractor.require_number("chunk_length", 30);
    extractor.require_number("n_samples", 480000);
    extractor.require_number("nb_max_frames", 3000);
    extractor.require_number("dither", 0);
    extractor.require_number("padding_value", 0);
    extractor.require_text("padding_side", {"right"});
}

}  // namespace earscope
