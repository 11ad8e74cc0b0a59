#pragma once
#include "app/cli/commands.h"
#include "app/cli/request_file.h"
#include "core/export/tensor_export.h"
#include "core/instruments/result_tensors.h"
#include "core/session.h"

#include <memory>
#include <string>
#include <vector>

namespace earscope::cli {

/// The folder that SNAPSHOT stands for: "demo" and "demo-moss" are the built-in models.
/// @throws SnapshotError  a built-in model that is not installed
std::filesystem::path snapshot_folder(const std::string& given);

/// What the commands that run a model begin with: the request (file or command line), checked
/// --out, the loaded session.
struct ModelRun {
    RequestFile request;
    std::shared_ptr<Session> session;
};

ModelRun start_model_run(Context& context);

/// The two steps of it: the request of the options, and how to load a snapshot for it.
/// @throws RequestError, SnapshotError  as read_request_file(); a dtype that does not exist
RequestFile read_request(const Options& options);
LoadOptions load_options(Context& context, const RequestFile& request);

CallOptions call_options(Context& context);

/// Profile, budget and seed: of the command line, else of the request file, else the defaults.
GenerateOptions generate_options(Context& context, const RequestFile& request);

/// Refuses a name, pattern or scope of --edit or --probe before any audio is read.
/// @throws RequestError  also a probe on generated tokens, of which these commands make none
void check_instruments(Session& session, const Options& options);

/// "device cpu, float32" for stderr.
std::string device_note(const Session& session);

/// --layers as layer numbers 0..N in the order asked, with the name each was asked by.
struct AskedLayer {
    std::int64_t asked = 0;
    std::int64_t layer = 0;
};
/// @throws RequestError  a layer that the model does not have
std::vector<AskedLayer> asked_layers(const LayerSelection& selection, const Model& model);
/// Decoder layers 0..N-1 in the same way.
std::vector<AskedLayer> asked_decoder_layers(const LayerSelection& selection, const Model& model);

/// The numbers as asked.
std::vector<std::int64_t> asked_numbers(const std::vector<AskedLayer>& layers);

/// Edits, probes and layers of the options, for the manifest.
nlohmann::json instrument_manifest(const Options& options);

/// What the probes of the options will keep, in one line on stderr; nothing where there are none.
/// @throws RequestError  as ProbeSet
void tell_probe_sizes(Context& context, Session& session, const PreparedBatch& batch);

}  // namespace earscope::cli
