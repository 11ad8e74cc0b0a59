#pragma once
#include "core/bridge/instrument_values.h"
#include "widgets/look/look_page.h"

#include <memory>

class QComboBox;
class QSpinBox;
class QTableWidget;

namespace earscope {

class HeatmapPanel;
class WordList;

using SaliencyPointer = std::shared_ptr<const SaliencyValue>;

/// What a run costs, roughly: told before it runs.
struct SaliencyCost {
    int passes = 0;        ///< forward and backward
    double gigabytes = 0;  ///< of activations that a backward pass holds
};
/// @param layers, hiddenSize  of the language model; `seconds` of sound go through an encoder of
///                            the size of Whisper large when `audioWidth` is its 1280
SaliencyCost saliencyCost(const QString& method, int promptTokens, double seconds, int layers,
                          int hiddenSize, int audioWidth);

/// "gradient × input", "integrated gradients, 32 steps".
QString saliencyMethodName(const QString& method);

/// Which parts of the mel a generated token's log-probability hangs on.
class SaliencyPage : public LookPage {
    Q_OBJECT
public:
    explicit SaliencyPage(QWidget* parent = nullptr);

    void setSourceNames(const QStringList& names) { names_ = names; }
    /// Sizes for the estimate; all 0: none is shown.
    void setSizes(int promptTokens, double seconds, int layers, int hiddenSize, int audioWidth);
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

Q_SIGNALS:
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
    WordList* words_ = nullptr;
    QLabel* facts_ = nullptr;
    QTableWidget* shares_ = nullptr;
    QComboBox* source_ = nullptr;
    HeatmapPanel* panel_ = nullptr;
    SaliencyPointer saliency_;
    int prompt_tokens_ = 0;
    double seconds_ = 0;
    int layers_ = 0;
    int hidden_size_ = 0;
    int audio_width_ = 0;
};

}  // namespace earscope
