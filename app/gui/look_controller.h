#pragma once
#include "core/bridge/instrument_values.h"
#include "widgets/look/layer_views.h"

#include <QObject>

#include <array>
#include <functional>
#include <optional>

namespace earscope {

class LookPage;
class LookTab;
class ProblemList;
class PromptPanel;
class SessionController;
class SignalView;
class WorkState;

/// Runs the instruments of the Look inside tab and lays what they find over the sound.
class LookController : public QObject {
    Q_OBJECT
public:
    /// Where results are shown.
    struct Views {
        LookTab& tab;
        SignalView& signal;
    };

    LookController(SessionController& session, WorkState& state, PromptPanel& prompt,
                   const Views& views, ProblemList& problems, QObject* parent = nullptr);

    bool isRunning() const;

Q_SIGNALS:
    /// Before a job is given to the model: what waits to be prepared goes first.
    void aboutToRun();
    /// An edit was set or taken away.
    void editsChanged(const QStringList& edits);

protected:
    /// The page that wants a measurement comes to the front.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    static constexpr std::size_t kInstruments = 6;

    /// One page and the job it waits for.
    struct Run {
        LookPage* page = nullptr;
        JobId job = 0;
        JobId result = 0;  ///< job that what is shown came of
        RequestValue asked;
        QStringList asked_edits;
        RequestValue shown;
        QStringList edits;  ///< of what is shown
    };

    void connectPages();
    void connectEndings();
    void connectResults();
    void connectAnswers();
    void connectLaidOver();
    void connectMaps();
    void connectExport();
    void connectPass();
    Run& runFor(Instrument instrument) { return runs_[static_cast<std::size_t>(instrument)]; }
    /// Asks for a file, then writes.
    void chooseFile(Instrument instrument);
    void write(Instrument instrument, const QString& file);
    void endWriting(const QString& text);
    /// Measures what a pass takes, unless it is known or nobody looks; `asked` for: in any case.
    void measurePass(bool asked);
    void start(Instrument instrument, const std::function<JobId(const InstrumentRequest&)>& post);
    /// True when the result is the one this page waits for; the run is over then.
    bool arrived(Instrument instrument, JobId id);
    Run* runOf(JobId id);
    void refresh();
    void refreshPage(Run& run);
    void refreshSizes();
    void clearResults();
    void layOver();
    void estimateProbes();
    void onProbed(const ProbesValue& value);
    void mapCapture(int capture);
    void onLayers(const LayersValue& value);
    void setLayers();
    void makeView(const LayerViewRequest& request);
    void continueAnswer(int token, qint64 id);
    /// Of an answer under these edits.
    void offerWords(const std::vector<TokenValue>& tokens, const QStringList& edits);
    std::vector<NamedStates> streams() const;
    InstrumentRequest instrumentRequest() const;
    QString reason() const;

    SessionController& session_;
    WorkState& state_;
    PromptPanel& prompt_;
    LookTab& tab_;
    SignalView& signal_;
    ProblemList& problems_;
    std::array<Run, kInstruments> runs_;
    JobId export_job_ = 0;
    Instrument exported_ = Instrument::Lens;
    QString last_folder_;
    JobId pass_job_ = 0;
    RequestValue pass_asked_;
    std::optional<PassEstimate> pass_;  ///< of the request that it names
    JobId estimate_job_ = 0;
    QStringList estimated_;  ///< probes of the estimate under way
    TokenList tokens_;       ///< of the present request, or of the one before while it is prepared
    std::shared_ptr<const ProbesValue> probed_;
    std::shared_ptr<const LayersValue> layers_;
    std::shared_ptr<const EmbeddingsValue> extracted_;
};

}  // namespace earscope
