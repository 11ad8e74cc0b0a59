#pragma once
#include "core/models/model.h"
#include "core/session.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earscope {

/// At which positions of the padded rows a probe or an edit acts.
struct Scope {
    enum class Kind {
        All,
        Audio,      ///< the audio positions of one source
        Range,      ///< those of a source that begin in [begin_ms, end_ms)
        Last,       ///< the last prompt position of each request
        Generated,  ///< behind the prompt: token g stands at L+g
    };
    Kind kind = Kind::All;
    std::int64_t source = 0;  ///< flat, a = 0, 1, ... over the whole batch
    std::int64_t begin_ms = 0;
    std::int64_t end_ms = 0;
    std::string text;  ///< as written; empty for all positions
};

/// "MODULE", "MODULE@SCOPE": where an instrument stands.
struct Target {
    /// A name of named_modules(), "NAME#pre", "NAME#in" (probes), a pattern with `*`, "layers:0-7".
    std::string pattern;
    Scope scope;
};

/// Scopes: "all", "audio:A", "range:A:T0:T1" (seconds), "last", "generated".
/// @throws RequestError  names the text and the forms there are
Target parse_target(std::string_view text);
/// The text that parse_target reads.
std::string target_text(const Target& target);

/// A module that a pattern stands for.
struct Place {
    std::string name;  ///< full; ends in "#pre" or "#in" where that was asked for
    Module* module = nullptr;
    bool input = false;  ///< what the module gets, not what it gives
};

/// The modules of a pattern in the order of named_modules(): `*` stands for one or more characters
/// without a dot, "layers:0-7" for the language layers 0 to 7, both included. "#pre" (of
/// MOSS-Music's DeepStack layers, the output before the addition) and "#in" may stand behind
/// either; a `*` takes only the layers that have a "#pre".
/// @throws RequestError  no such module (with the nearest names), no such layer, a pattern that
/// fits none
std::vector<Place> find_places(Module& model, std::string_view pattern);

/// Whether a module belongs to the language model, where positions are those of the padded rows.
bool in_language_model(std::string_view name);

/// Refuses an unknown module, and a scope outside of the language model.
/// @throws RequestError
void check_target(Module& model, const Target& target);

/// The positions of a scope in one prepared batch.
class ScopeRows {
public:
    ScopeRows() = default;
    /// @throws RequestError  a source that the batch does not have
    ScopeRows(const Scope& scope, const PreparedBatch& batch);

    bool all() const { return kind_ == Scope::Kind::All; }
    bool generated() const { return kind_ == Scope::Kind::Generated; }
    /// Number of rows on the prompt; those of the whole padded batch for `all`.
    std::int64_t prompt_rows() const;
    std::int64_t prompt_width() const { return width_; }

    /// The part of the scope in positions [begin, begin+count), by request and then by position.
    /// @param like  any tensor of the device wanted
    /// @return      request and position - begin of each, int64 [n]; not for `all`
    std::pair<at::Tensor, at::Tensor> within(std::int64_t begin, std::int64_t count,
                                             const at::Tensor& like) const;

private:
    Scope::Kind kind_ = Scope::Kind::All;
    std::int64_t requests_ = 0;
    std::int64_t width_ = 0;
    std::vector<std::int64_t> request_;   // of each prompt row
    std::vector<std::int64_t> position_;  // of each prompt row
};

/// @throws RequestError  the output of a module has no row for each position
void check_rows(const std::string& module, const at::Tensor& output, std::int64_t requests);

}  // namespace earscope
