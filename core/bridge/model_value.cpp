#include "core/base/regular_file.h"
#include "core/bridge/value_conversion.h"
#include "core/models/dtype_text.h"

#include <ATen/ATen.h>
#include <QFile>

#include <system_error>
#include <unistd.h>

namespace earscope {
namespace {

constexpr std::size_t kCardBytes = 16 << 10;

/// Nothing outside of a snapshot is read, apart from the blobs of its own cache entry.
bool belongsTo(const std::filesystem::path& file, const std::filesystem::path& folder) {
    const auto real = std::filesystem::canonical(file);
    const auto root = std::filesystem::canonical(folder);
    return real.parent_path() == root ||
           real.parent_path() == root.parent_path().parent_path() / "blobs";
}

/// The begin of the snapshot's README.md; empty when there is none that can be read.
QString readCard(const std::filesystem::path& folder) {
    std::string text(kCardBytes, '\0');
    std::size_t size = 0;
    try {
        const auto path = folder / "README.md";
        if (!belongsTo(path, folder)) {
            return {};
        }
        const RegularFile file(path);
        while (size < text.size()) {
            const ssize_t got = ::pread(file.descriptor(), text.data() + size, text.size() - size,
                                        static_cast<off_t>(size));
            if (got <= 0) {
                break;
            }
            size += static_cast<std::size_t>(got);
        }
    } catch (const std::system_error&) {  // also filesystem_error: a snapshot need not have a card
        return {};
    }
    QString card = QString::fromUtf8(text.data(), static_cast<qsizetype>(size));
    while (size == kCardBytes && card.endsWith(QChar(QChar::ReplacementCharacter))) {
        card.chop(1);  // cut inside of a character
    }
    return card;
}

/// A demonstration snapshot says of itself whether it was trained.
bool isUntrained(const nlohmann::json& config) {
    const auto demo = config.find("earscope_demo");
    if (demo == config.end() || !demo->is_object()) {
        return false;
    }
    const auto trained = demo->find("trained");
    return trained != demo->end() && trained->is_boolean() && !trained->get<bool>();
}

std::vector<ModuleEntry> moduleEntries(Model& model) {
    std::vector<ModuleEntry> entries;
    for (const auto& [name, module] : model.named_modules()) {
        entries.push_back({QString::fromStdString(name),
                           QString::fromStdString(module->class_name()),
                           module->parameter_count()});
    }
    return entries;
}

}  // namespace

ModelValue toModelValue(Session& session) {
    const Snapshot& snapshot = session.snapshot();
    Model& model = session.model();
    ModelValue value;
    value.name = QString::fromStdString(snapshot.name);
    value.folder = QFile::decodeName(snapshot.folder.c_str());
    const std::string_view family = family_name(session.family());
    value.family = QString::fromUtf8(family.data(), static_cast<qsizetype>(family.size()));
    value.usesWindows = session.family() == Family::MusicFlamingo;
    value.device = QString::fromStdString(session.device_name());
    value.dtype = QString::fromStdString(std::string(dtype_text(session.options().dtype)));
    value.attention = session.options().attention == Attention::Sdpa ? QStringLiteral("sdpa")
                                                                     : QStringLiteral("eager");
    if (session.family() == Family::MossMusic) {
        value.chunkPadding = session.options().chunk_padding == ChunkPadding::Reference
                                 ? QStringLiteral("reference")
                                 : QStringLiteral("independent");
    }
    value.parameters = model.parameter_count();
    value.weightBytes = snapshot.weight_bytes;
    value.layers = static_cast<int>(model.layer_count());
    value.hiddenSize = static_cast<int>(model.hidden_size());
    value.audioWidth = static_cast<int>(model.audio_width());
    value.contextLength = static_cast<int>(session.context_length());
    value.defaultBudget = static_cast<int>(
        sampling_parameters(Profile::PaperReference, session.family()).max_new_tokens);
    value.untrained = isUntrained(snapshot.config);
    value.card = readCard(snapshot.folder);
    value.modules = moduleEntries(model);
    return value;
}

}  // namespace earscope
