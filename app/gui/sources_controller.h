#pragma once
#include "core/bridge/session_controller.h"
#include "widgets/sources/sources_panel.h"

#include <QObject>

#include <memory>
#include <vector>

class QSettings;

namespace earscope {

class Player;
class ProblemList;
class RecordBar;
class WorkState;

/// Keeps the sources: reads the files, their order and labels, plays and records them.
class SourcesController : public QObject {
    Q_OBJECT
public:
    SourcesController(WorkState& state, SourcesPanel& panel, RecordBar& recorder,
                      ProblemList& problems, QObject* parent = nullptr);
    ~SourcesController() override;

    /// Adds what may be added; the panel shows why the rest may not.
    void add(const QStringList& paths);
    void chooseFiles();
    int count() const { return static_cast<int>(sources_.size()); }
    const SourceValue& sound(int index) const;
    QString label(int index) const;
    QString error(int index) const;
    bool isLoading(int index) const;

    /// Plays a stretch of a source; an end below 0 is the source's end.
    void play(int index, double beginSeconds = 0, double endSeconds = -1);
    void stopPlaying();
    bool isPlaying() const;
    int playingIndex() const { return playing_; }

Q_SIGNALS:
    /// Sounds, their order, labels or states changed.
    void changed();
    /// -1: nothing plays.
    void playHeadMoved(int index, double seconds);

private:
    struct Source {
        SourceValue sound;
        QString label;
        QString error;
        JobId job = 0;  ///< 0: not being read
    };

    void connectPanel();
    void connectLoader();
    void connectPlayer();
    Source* byJob(JobId id);
    void remove(int index);
    void move(int from, int to);
    /// Tells state, panel and views of other sources, labels or reasons.
    void refresh();
    void refreshRows();
    SourceEntry entryOf(const Source& source, std::size_t index) const;
    /// For sources of MOSS-Music that are shorter than a chunk.
    QString paddingNote(const PreparedSource& source) const;
    QString reason() const;

    WorkState& state_;
    SourcesPanel& panel_;
    RecordBar& recorder_;
    ProblemList& problems_;
    SourceLoader loader_;
    std::unique_ptr<Player> player_;
    std::vector<Source> sources_;
    int playing_ = -1;
    QString last_folder_;
};

}  // namespace earscope
