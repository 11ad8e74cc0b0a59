#include "widgets/sources/sources_panel.h"

#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

namespace earscope {

namespace {

/// Why this path cannot be a source; empty if it may be one. The decoder has the last word.
QString refusalOf(const QString& path) {
    const QFileInfo info(path);
    const QString name = info.fileName().isEmpty() ? path : info.fileName();
    if (!info.exists()) {
        return SourcesPanel::tr("“%1” does not exist.").arg(name);
    }
    if (info.isDir()) {
        return SourcesPanel::tr("“%1” is a folder. Drop the sound files in it instead.").arg(name);
    }
    if (!info.isFile()) {
        return SourcesPanel::tr("“%1” is not a regular file.").arg(name);
    }
    return {};
}

}  // namespace

SourcesPanel::DropVerdict SourcesPanel::judgePaths(const QStringList& paths) const {
    DropVerdict verdict;
    QStringList surplus;
    for (const QString& path : paths) {
        const QString refusal = refusalOf(path);
        if (!refusal.isEmpty()) {
            verdict.refusals << refusal;
        } else if (static_cast<qsizetype>(entries_.size()) + verdict.paths.size() >= kMaxSources) {
            surplus << QFileInfo(path).fileName();
        } else {
            verdict.paths << path;
        }
    }
    if (surplus.size() == 1) {
        verdict.refusals
            << tr("“%1” was not added: a request has at most five sources.").arg(surplus.front());
    } else if (!surplus.isEmpty()) {
        verdict.refusals << tr("%n files were not added: a request has at most five sources.",
                               nullptr, static_cast<int>(surplus.size()));
    }
    return verdict;
}

SourcesPanel::DropVerdict SourcesPanel::judgeDrop(const QMimeData& mime) const {
    if (!mime.hasUrls()) {
        return {{}, {tr("Only sound files can be dropped here.")}};
    }
    QStringList paths;
    QStringList refusals;
    for (const QUrl& url : mime.urls()) {
        if (url.isLocalFile()) {
            paths << url.toLocalFile();
        } else {
            refusals << tr("“%1” is not a file on this computer; nothing is downloaded.")
                            .arg(url.toDisplayString(QUrl::RemoveUserInfo));
        }
    }
    DropVerdict verdict = judgePaths(paths);
    verdict.refusals = refusals + verdict.refusals;
    return verdict;
}

}  // namespace earscope
