#pragma once
#include "core/bridge/instrument_values.h"
#include "widgets/look/heatmap.h"
#include "widgets/look/look_page.h"

#include <memory>
#include <optional>

class QComboBox;
class QPushButton;
class QSpinBox;
class QTableWidget;

namespace earscope {

class HeatmapPanel;
class WordList;

using SaliencyPointer = std::shared_ptr<const SaliencyValue>;

/// What a run costs beside its answer: told before it runs.
struct SaliencyRunCost {
    int passes = 0;
    double seconds = 0;
    qint64 bytes = 0;  ///< beside the weights
};
SaliencyRunCost saliencyRunCost(const QString& method, const PassEstimate& pass);

/// Mel bin x frame of one source. The work grows with the sound: it is done off the GUI thread.
HeatmapPointer saliencyMap(const SaliencyValue& value, int source);

/// "gradient × input", "integrated gradients, 32 steps".
QString saliencyMethodName(const QString& method);

/// Which parts of the mel a generated token's log-probability hangs on.
class SaliencyPage : public LookPage {
    Q_OBJECT
public:
    explicit SaliencyPage(QWidget* parent = nullptr);

    void setSourceNames(const QStringList& names) { names_ = names; }
    /// Sizes of the request, 0: none is prepared.
    void setSizes(int promptTokens, double seconds);
    /// What a pass over this request takes; null: not known.
    void setPass(const std::optional<PassEstimate>& pass);
    /// It is being measured now.
    void setMeasuring(bool measuring);
    /// Words of an answer to choose from; empty hides them and leaves the number.
    void setAnswer(const std::vector<TokenValue>& tokens);
    int token() const;
    /// "gradient", "gradient_x_input", "integrated:32".
    QString method() const;

    void setSaliency(SaliencyPointer saliency);
    SaliencyPointer saliency() const { return saliency_; }
    QString factsText() const;
    HeatmapPanel* panel() const { return panel_; }
    WordList* words() const { return words_; }

    /// A map that was made meanwhile; of another result or source it is dropped.
    void setMap(const SaliencyPointer& of, int source, const HeatmapPointer& map);

Q_SIGNALS:
    /// The map of this source is to be made; `setMap` gives it, at any time.
    void mapWanted(int source);
    void measureRequested();
    /// Maps for the mel of the signal view came or went.
    void overlayChanged();

private:
    QWidget* buildContent();
    void refreshEstimate();
    void showMap();
    QString sumText() const;

    QStringList names_;
    QComboBox* method_ = nullptr;
    QSpinBox* steps_ = nullptr;
    QSpinBox* token_ = nullptr;
    QPushButton* measure_ = nullptr;
    WordList* words_ = nullptr;
    QLabel* facts_ = nullptr;
    QTableWidget* shares_ = nullptr;
    QComboBox* source_ = nullptr;
    HeatmapPanel* panel_ = nullptr;
    SaliencyPointer saliency_;
    int prompt_tokens_ = 0;
    double seconds_ = 0;
    std::optional<PassEstimate> pass_;
    bool measuring_ = false;
};

}  // namespace earscope
