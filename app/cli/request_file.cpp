#include "app/cli/request_file.h"

#include "core/base/errors.h"
#include "core/formats/json_file.h"
#include "core/formats/safetensors.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace earscope::cli {

namespace {

using nlohmann::json;

/// "requests[0].audios[1]" and the like, for messages.
std::string place(std::string_view list, std::size_t index) {
    return std::string(list) + "[" + std::to_string(index) + "]";
}

class Reader {
public:
    explicit Reader(const std::filesystem::path& file) : file_(file), folder_(file.parent_path()) {}

    RequestFile read() {
        const json root = read_json_file(file_);
        if (!root.is_object()) {
            throw fault("", "expected an object with the key \"requests\"");
        }
        const auto requests = root.find("requests");
        if (requests == root.end() || !requests->is_array() || requests->empty()) {
            throw fault("requests", "expected a list of at least one request");
        }
        RequestFile result;
        for (std::size_t i = 0; i < requests->size(); ++i) {
            result.requests.push_back(read_request((*requests)[i], place("requests", i)));
        }
        result.profile = optional_text(root, "profile");
        result.dtype = optional_text(root, "dtype");
        if (const auto budget = root.find("max_new_tokens"); budget != root.end()) {
            result.max_new_tokens = whole_number(*budget, "max_new_tokens");
        }
        return result;
    }

private:
    RequestError fault(const std::string& where, const std::string& what) const {
        return RequestError(file_.string() + ": " + (where.empty() ? "" : where + ": ") + what);
    }

    std::optional<std::string> optional_text(const json& object, const char* key) const {
        const auto found = object.find(key);
        if (found == object.end()) {
            return std::nullopt;
        }
        if (!found->is_string()) {
            throw fault(key, "expected a text");
        }
        return found->get<std::string>();
    }

    std::int64_t whole_number(const json& value, const std::string& where) const {
        const bool fits = value.is_number_integer() &&
                          (!value.is_number_unsigned() ||
                           value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
        if (!fits) {
            throw fault(where, "expected a whole number, found " + value.dump());
        }
        return value.get<std::int64_t>();
    }

    Request read_request(const json& value, const std::string& where) {
        const auto prompt = value.is_object() ? value.find("prompt") : value.end();
        if (prompt == value.end() || !prompt->is_string()) {
            throw fault(where, "expected an object with a text under \"prompt\"");
        }
        Request request;
        request.prompt = prompt->get<std::string>();
        const auto audios = value.find("audios");
        if (audios == value.end()) {
            return request;
        }
        if (!audios->is_array()) {
            throw fault(where + ".audios", "expected a list");
        }
        for (std::size_t i = 0; i < audios->size(); ++i) {
            request.audios.push_back(read_audio((*audios)[i], place(where + ".audios", i)));
        }
        return request;
    }

    AudioSource read_audio(const json& value, const std::string& where) {
        const bool is_object = value.is_object();
        const bool has_file = is_object && value.contains("file");
        if (has_file == (is_object && value.contains("waveform"))) {
            throw fault(where, "expected {\"file\":...} or {\"waveform\":...,\"sample_rate\":...}");
        }
        const json& name = value.at(has_file ? "file" : "waveform");
        if (!name.is_string()) {
            throw fault(where, "the name must be a text");
        }
        if (has_file) {
            return resolve(name.get<std::string>());
        }
        const auto rate = value.find("sample_rate");
        if (rate == value.end()) {
            throw fault(where, "a waveform needs its \"sample_rate\" in Hz");
        }
        Waveform waveform;
        waveform.samples = read_samples(name.get<std::string>(), where);
        waveform.sample_rate = whole_number(*rate, where + ".sample_rate");
        return waveform;
    }

    std::filesystem::path resolve(const std::string& name) const {
        // A URL stays as it is written, so that its refusal shows it.
        const auto scheme = name.find("://");
        const bool url = scheme != std::string::npos && scheme > 0 &&
                         std::all_of(name.begin(), name.begin() + static_cast<long>(scheme),
                                     [](unsigned char c) { return std::isalnum(c) != 0; });
        return url ? std::filesystem::path(name) : folder_ / name;
    }

    std::vector<float> read_samples(const std::string& name, const std::string& where) {
        if (!inputs_) {
            inputs_ = SafetensorsFile::open(folder_ / "inputs.safetensors");
        }
        const auto found = inputs_->tensors().find(name);
        if (found == inputs_->tensors().end()) {
            throw fault(where, "inputs.safetensors has no tensor '" + name + "'");
        }
        const TensorView& tensor = found->second;
        if (tensor.shape.size() != 1) {
            throw fault(where, "tensor '" + name + "' has shape " + shape_text(tensor) +
                                   ", a waveform has one dimension: mono samples");
        }
        if (tensor.dtype == DType::F32) {
            return copied<float>(tensor);
        }
        if (tensor.dtype == DType::F64) {
            const std::vector<double> wide = copied<double>(tensor);
            std::vector<float> samples(wide.size());
            std::transform(wide.begin(), wide.end(), samples.begin(),
                           [](double sample) { return static_cast<float>(sample); });
            return samples;
        }
        throw fault(where, "tensor '" + name + "' is " + std::string(dtype_name(tensor.dtype)) +
                               ", a waveform is F32 or F64");
    }

    static std::string shape_text(const TensorView& tensor) {
        std::string text = "[";
        for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
            text += (i == 0 ? "" : ",") + std::to_string(tensor.shape[i]);
        }
        return text + "]";
    }

    // The file's data need not be aligned for its type.
    template <typename Sample>
    static std::vector<Sample> copied(const TensorView& tensor) {
        std::vector<Sample> samples(tensor.bytes / sizeof(Sample));
        if (!samples.empty()) {
            std::memcpy(samples.data(), tensor.data, samples.size() * sizeof(Sample));
        }
        return samples;
    }

    std::filesystem::path file_;
    std::filesystem::path folder_;
    std::optional<SafetensorsFile> inputs_;
};

}  // namespace

RequestFile read_request_file(const std::filesystem::path& file) {
    return Reader(file).read();
}

}  // namespace earscope::cli
