#include "audio/resample.h"
#include "core/bridge/session_controller.h"
#include "core/request.h"
#include "core/session.h"
#include "core/snapshot/snapshot.h"

#include <QFile>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

constexpr std::int64_t kHop = 160;                // samples of one mel frame, both families
constexpr std::int64_t kWindowSamples = 480'000;  // Music Flamingo: 30 s
constexpr std::int64_t kMaxWindows = 40;          // Music Flamingo: 1,200 s
constexpr std::int64_t kMossFramesPerToken = 8;

bool isMoss(const QString& family) {
    const std::string_view name = family_name(Family::MossMusic);
    return family == QLatin1String(name.data(), static_cast<qsizetype>(name.size()));
}

/// Samples after resampling, rounded up as the resampler does. Seconds made from a count of samples
/// carry an error of a few last places, which must not become a sample; true fractions of samples
/// are at least 1/768,000.
std::int64_t resampledCount(double seconds) {
    const double exact = seconds * static_cast<double>(kModelSampleRate);
    const double nearest = std::round(exact);
    constexpr double kRoundOff = 5e-7;
    return static_cast<std::int64_t>(std::abs(exact - nearest) < kRoundOff ? nearest
                                                                           : std::ceil(exact));
}

}  // namespace

QStringList cachedSnapshotFolders() {
    QStringList folders;
    try {
        for (const auto& folder : cached_snapshots()) {
            folders.append(QFile::decodeName(folder.c_str()));
        }
    } catch (const std::exception&) {
        return folders;  // a cache that cannot be read is as good as none
    }
    return folders;
}

QStringList availableDevices() {
    QStringList devices{QStringLiteral("auto")};
    try {
        for (const std::string& device : available_devices()) {
            devices.append(QString::fromStdString(device));
        }
    } catch (const std::exception&) {
        return {QStringLiteral("auto"), QStringLiteral("cpu")};  // a broken driver
    }
    return devices;
}

QStringList supportedDtypes() {
    return {QStringLiteral("float32"), QStringLiteral("bfloat16"), QStringLiteral("float16")};
}

QString promptWithDefaultMarkers(const QString& prompt, int audios, const QString& family) {
    const QString marker =
        QString::fromUtf8(kAudioMarker.data(), static_cast<qsizetype>(kAudioMarker.size()));
    if (audios <= 0 || prompt.contains(marker)) {
        return prompt;
    }
    if (audios == 1 && !isMoss(family)) {
        return marker + QLatin1Char('\n') + prompt;
    }
    QString result;
    for (int a = 1; a <= audios; ++a) {
        result += QStringLiteral("Audio %1: ").arg(a) + marker + QLatin1Char('\n');
    }
    return result + prompt;
}

int expectedAudioTokens(double durationSeconds, const QString& family) {
    if (!(durationSeconds > 0)) {
        return 0;
    }
    const std::int64_t samples = resampledCount(durationSeconds);
    if (isMoss(family)) {
        const std::int64_t frames = samples / kHop;
        return static_cast<int>((frames + kMossFramesPerToken - 1) / kMossFramesPerToken);
    }
    std::int64_t left = std::min(samples, kMaxWindows * kWindowSamples);
    std::int64_t tokens = 0;
    for (; left > 0; left -= kWindowSamples) {
        const std::int64_t frames = (std::min(left, kWindowSamples) + kHop - 1) / kHop;
        tokens += (frames + 1) / 4;  // what two convolutions and a pooling of stride 2 leave
    }
    return static_cast<int>(tokens);
}

}  // namespace earscope
