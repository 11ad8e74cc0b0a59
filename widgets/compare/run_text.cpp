#include "widgets/compare/run_text.h"

#include "widgets/model/display_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>

namespace earscope {
namespace {

QString tr(const char* text, int n = -1) {
    return QCoreApplication::translate("earscope::RunText", text, nullptr, n);
}

QString number(double value) {
    return QLocale().toString(value, 'g', 6);
}

}  // namespace

QString runTitle(int number, const RunRecord& run) {
    const QString title = tr("#%1 · %2 · %3")
                              .arg(QLocale().toString(number), QString::fromStdString(run.snapshot),
                                   QString::fromStdString(run.profile));
    const QString changes = changesText(run);
    return changes.isEmpty() ? title : tr("%1 · %2").arg(title, changes);
}

QString finishText(const RunRecord& run) {
    return run.finish == "length" ? tr("ended because the budget is used up")
                                  : tr("ended by the model");
}

QString tokenCountText(const RunRecord& run) {
    return run.tokens.size() == 1 ? tr("1 token")
                                  : tr("%Ln tokens", static_cast<int>(run.tokens.size()));
}

QString speedText(double tokensPerSecond) {
    if (tokensPerSecond <= 0) {
        return QStringLiteral("–");
    }
    return QLocale().toString(tokensPerSecond, 'f', tokensPerSecond < 10 ? 2 : 1);
}

QString samplingText(const RunRecord& run) {
    if (!run.sample) {
        return tr("greedy");
    }
    return tr("sampled: temperature %1, top-p %2, top-k %3, seed %4")
        .arg(number(run.temperature), number(run.top_p),
             QLocale().toString(static_cast<qlonglong>(run.top_k)), QString::number(run.seed));
}

QString sourcesText(const RunRecord& run) {
    QStringList lines;
    for (const RunSource& source : run.sources) {
        lines << tr("%1: %2, %3 tokens (%4 s)")
                     .arg(QLocale().toString(lines.size() + 1), QString::fromStdString(source.name),
                          QLocale().toString(static_cast<qlonglong>(source.tokens)),
                          QLocale().toString(source.duration_seconds, 'f', 2));
    }
    return lines.isEmpty() ? tr("no audio") : lines.join(QLatin1Char('\n'));
}

QString clockText(const RunRecord& run) {
    QDateTime time = QDateTime::fromString(QString::fromStdString(run.time_utc), Qt::ISODate);
    if (!time.isValid()) {
        return QString::fromStdString(run.time_utc);
    }
    time.setTimeSpec(Qt::UTC);  // the record's time, also where the text does not say so
    return QLocale().toString(time.toLocalTime().time(), QStringLiteral("HH:mm:ss"));
}

QString changesText(const RunRecord& run) {
    QStringList parts;
    if (!run.edits.empty()) {
        parts << editCount(static_cast<qsizetype>(run.edits.size()));
    }
    if (run.continued) {
        parts << tr("continued");
    }
    return parts.join(QStringLiteral(", "));
}

QString changesInFull(const RunRecord& run) {
    QStringList edits;
    for (const std::string& edit : run.edits) {
        edits << QString::fromStdString(edit);
    }
    QStringList lines;
    if (!edits.isEmpty()) {
        lines << editedText(edits);
    }
    if (run.continued) {
        lines << tr("Continued from token %1 with “%2”: the tokens before are those of the answer "
                    "it was made from.")
                     .arg(QLocale().toString(static_cast<qlonglong>(run.continued->token)),
                          QString::fromStdString(run.continued->put.piece));
    }
    return lines.join(QLatin1Char('\n'));
}

QString runFacts(const RunRecord& run) {
    const QString changes = changesInFull(run);
    return changes.isEmpty() ? runConditions(run)
                             : changes + QLatin1Char('\n') + runConditions(run);
}

QString runConditions(const RunRecord& run) {
    QStringList lines;
    lines << tr("%1 (%2) on %3, %4, %5")
                 .arg(QString::fromStdString(run.snapshot), QString::fromStdString(run.family),
                      QString::fromStdString(run.device), QString::fromStdString(run.dtype),
                      QString::fromStdString(run.attention));
    if (!run.chunk_padding.empty()) {
        lines << tr("Chunk padding: %1").arg(QString::fromStdString(run.chunk_padding));
    }
    lines << tr("%1, %2, at most %3 tokens")
                 .arg(QString::fromStdString(run.profile), samplingText(run),
                      QLocale().toString(static_cast<qlonglong>(run.max_new_tokens)));
    lines << tr("%1, %2 tokens/s, %3")
                 .arg(tokenCountText(run), speedText(run.tokens_per_second), finishText(run));
    lines << tr("Prompt: %1 tokens")
                 .arg(QLocale().toString(static_cast<qlonglong>(run.prompt_width)));
    lines << sourcesText(run);
    return lines.join(QLatin1Char('\n'));
}

}  // namespace earscope
