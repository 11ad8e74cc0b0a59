#pragma once
#include "widgets/embeddings/embedding_matrix.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;

namespace earscope {

class ColorBar;
class CursorModel;
class EmbeddingPlot;

/// The Embeddings tab: what the encoder and the projector made of each source, token by token.
class EmbeddingsTab : public QWidget {
    Q_OBJECT
public:
    using Matrix = std::shared_ptr<const EmbeddingMatrix>;

    explicit EmbeddingsTab(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    /// Names of the sources as the user knows them.
    void setSourceNames(const QStringList& names);
    /// All tensors of an extraction; the choice of source and kind is kept where it still exists.
    void setMatrices(std::vector<Matrix> matrices);
    /// Nothing to show: `text` says why. Extract is offered when `canExtract`.
    void showEmpty(const QString& text, bool canExtract);
    /// Work is under way; `text` says which.
    void showBusy(const QString& text);
    /// What is shown no longer belongs to the present sources; an empty text takes it away.
    void setOutdated(const QString& text);
    void setExtractReason(const QString& reason);
    /// Edits under which what is shown came about.
    void setEdited(const QStringList& edits);
    /// Edits that the next extraction will have.
    void setPendingEdits(const QStringList& edits);

    bool hasMatrices() const { return !matrices_.empty(); }
    EmbeddingPlot* plot() const { return plot_; }
    /// The line that says how the colours were scaled.
    QString limitsText() const;

Q_SIGNALS:
    void extractRequested();

private:
    QWidget* buildEmpty();
    QWidget* buildContent();
    QWidget* buildToolbar();
    void fillKinds();
    void showChosen();
    void applyLimits();
    void refreshExtract();
    Matrix chosen() const;

    QStackedWidget* pages_;
    QLabel* empty_text_ = nullptr;
    QPushButton* empty_extract_ = nullptr;
    QPushButton* extract_ = nullptr;
    QComboBox* source_ = nullptr;
    QComboBox* kind_ = nullptr;
    QComboBox* limits_mode_ = nullptr;
    QLabel* facts_ = nullptr;
    QLabel* limits_text_ = nullptr;
    QLabel* edited_ = nullptr;
    QLabel* outdated_ = nullptr;
    EmbeddingPlot* plot_ = nullptr;
    ColorBar* color_bar_ = nullptr;
    QPointer<CursorModel> cursor_;
    std::vector<Matrix> matrices_;
    QStringList names_;
    QString extract_reason_;
    QStringList pending_edits_;
};

}  // namespace earscope
