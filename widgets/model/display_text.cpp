#include "widgets/model/display_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("earscope::DisplayText", text);
}

/// Three significant digits, without an exponent.
QString threeDigits(double value) {
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    return QLocale().toString(value, 'f', decimals);
}

}  // namespace

QString compactCount(qint64 count) {
    const auto value = static_cast<double>(count);
    if (count >= 1'000'000'000) {
        return tr("%1 B").arg(threeDigits(value / 1e9));
    }
    if (count >= 1'000'000) {
        return tr("%1 M").arg(threeDigits(value / 1e6));
    }
    return QLocale().toString(count);
}

QString compactBytes(qint64 bytes) {
    // Two decimals of GB, one where a single digit would stand alone ("1.4 MB").
    double unit = 1;
    while (static_cast<double>(bytes) >= unit * 1'000) {
        unit *= 1'000;
    }
    const int decimals = unit >= 1e9 ? 2 : static_cast<double>(bytes) < 10 * unit ? 1 : 0;
    return QLocale().formattedDataSize(bytes, unit > 1 ? decimals : 0, QLocale::DataSizeSIFormat);
}

QString clockTime(double seconds) {
    const auto tenths = static_cast<qint64>(std::llround(std::max(0.0, seconds) * 10));
    const qint64 whole = tenths / 10;
    const QLatin1Char zero('0');
    const QString rest = QStringLiteral("%1%2%3")
                             .arg(whole % 60, 2, 10, zero)
                             .arg(QLocale().decimalPoint())
                             .arg(tenths % 10);
    if (whole < 3600) {
        return QStringLiteral("%1:%2").arg(whole / 60).arg(rest);
    }
    return QStringLiteral("%1:%2:%3").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, zero).arg(rest);
}

QString failureTitle(FailureKind kind) {
    switch (kind) {
        case FailureKind::Snapshot:
            return tr("The model could not be opened.");
        case FailureKind::Request:
            return tr("The request cannot be given to the model.");
        case FailureKind::Audio:
            return tr("The sound file could not be used.");
        case FailureKind::Busy:
            return tr("The model is busy with another job.");
        case FailureKind::Device:
            return tr("The device failed or ran out of memory.");
        case FailureKind::Export:
            return tr("The file could not be written.");
        case FailureKind::Internal:
            break;
    }
    return tr("An internal error ended the job; the program is still usable.");
}

QString failureText(const Failure& failure) {
    QString title = failureTitle(failure.kind);
    if (failure.message.isEmpty()) {
        return title;
    }
    if (title.endsWith(QLatin1Char('.'))) {
        title.chop(1);
    }
    return tr("%1: %2").arg(title, failure.message);
}

QString stageName(Stage stage) {
    switch (stage) {
        case Stage::LoadWeights:
            return tr("Reading weights");
        case Stage::Decode:
            return tr("Decoding sound");
        case Stage::Resample:
            return tr("Resampling");
        case Stage::Mel:
            return tr("Computing the mel spectrogram");
        case Stage::Encode:
            return tr("Encoding audio");
        case Stage::Prefill:
            return tr("Reading the prompt");
        case Stage::Generate:
            return tr("Generating");
        case Stage::Export:
            return tr("Writing");
    }
    return {};
}

QString progressText(const Progress& progress) {
    const bool bytes = progress.stage == Stage::LoadWeights || progress.stage == Stage::Export;
    const auto amount = [bytes](std::int64_t value) {
        return bytes ? compactBytes(value) : QLocale().toString(static_cast<qlonglong>(value));
    };
    const QString name = stageName(progress.stage);
    if (progress.total <= 0) {
        return progress.done > 0 ? tr("%1: %2").arg(name, amount(progress.done)) : name;
    }
    return tr("%1: %2 of %3").arg(name, amount(progress.done), amount(progress.total));
}

QString editCount(qsizetype count) {
    return count == 1 ? tr("1 edit") : tr("%1 edits").arg(QLocale().toString(count));
}

QString editedText(const QStringList& edits) {
    return edits.isEmpty() ? QString()
                           : tr("EDITED · made under: %1").arg(edits.join(QStringLiteral(", ")));
}

QString otherEditsText(const QStringList& made, const QStringList& present) {
    if (made == present) {
        return {};
    }
    if (made.isEmpty()) {
        return tr("Edits were set since: this is without them.");
    }
    return present.isEmpty() ? tr("The edits were taken away since.")
                             : tr("The edits have changed since.");
}

}  // namespace earscope
