#pragma once
#include "core/bridge/values.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace earscope {

class AnswerView;
class ContextBar;
class PromptEditor;

/// What the user wants to run.
struct PromptSettings {
    QString prompt;
    QString profile;
    int budget = 0;
    quint64 seed = 3407;
};

/// The Prompt dock: what is asked, how it is generated, and the answer as it streams.
class PromptPanel : public QWidget {
    Q_OBJECT
public:
    explicit PromptPanel(QWidget* parent = nullptr);

    PromptSettings settings() const;
    void setSettings(const PromptSettings& settings);
    void setPrompt(const QString& prompt);

    /// Context length 0: no model. An untrained model gets a warning above its answers.
    void setModel(int contextLength, bool untrained);
    void setBudget(int tokens);
    /// The prompt with the default markers, as the model will be told it; equal to the prompt when
    /// nothing is inserted.
    void setMarkedPrompt(const QString& marked);
    /// Why the request cannot be prepared, or an empty text.
    void setProblem(const QString& problem);
    void setPromptTokens(int promptTokens, int audioTokens);
    /// An empty reason allows generating; otherwise the button is disabled and says why.
    void setBlockedReason(const QString& reason);

    /// Edits that act on everything that is run from now on: said beside the button, and whether
    /// the answer shown came about under the same ones.
    void setEdits(const QStringList& edits);

    /// A run was asked for and waits or reads the prompt; clears the answer.
    void beginAnswer();
    /// What happens before the first token, e.g. "Encoding audio: 2 of 3".
    void setStage(const QString& text);
    void appendAnswer(const StreamValue& value);
    void finishAnswer(const GenerationValue& value);
    /// Cancelled: the text stays, marked.
    void stopAnswer();
    void failAnswer(const Failure& failure);
    bool isRunning() const { return running_; }
    QString answer() const;

    void focusPrompt();
    PromptEditor* editor() const { return editor_; }

Q_SIGNALS:
    void promptChanged(const QString& prompt);
    void settingsChanged();
    void generateRequested();
    void stopRequested();
    /// The mark of the edits in force was clicked.
    void editsRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildEditor();
    QWidget* buildSettings();
    QWidget* buildAnswer();
    QToolButton* buildExamples();
    void refreshMarkers();
    void refreshContext();
    void refreshButtons();
    void refreshEdits();
    void setRunning(bool running);

    PromptEditor* editor_ = nullptr;
    QLabel* markers_ = nullptr;
    QLabel* problem_ = nullptr;
    QComboBox* profile_ = nullptr;
    QSpinBox* budget_ = nullptr;
    QSpinBox* seed_ = nullptr;
    QPushButton* generate_ = nullptr;
    QPushButton* stop_ = nullptr;
    QToolButton* edits_chip_ = nullptr;
    ContextBar* context_ = nullptr;
    QLabel* context_text_ = nullptr;
    QLabel* untrained_ = nullptr;
    QLabel* edited_ = nullptr;
    QLabel* outdated_ = nullptr;
    AnswerView* answer_ = nullptr;
    QLabel* status_ = nullptr;
    QPushButton* copy_ = nullptr;

    QString marked_;
    QString blocked_reason_;
    QStringList edits_;
    QStringList answer_edits_;  ///< of the answer shown
    int context_length_ = 0;
    int prompt_tokens_ = 0;
    int audio_tokens_ = 0;
    int generated_ = 0;
    bool running_ = false;
};

}  // namespace earscope
