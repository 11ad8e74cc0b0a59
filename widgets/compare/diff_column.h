#pragma once
#include "core/bridge/run_values.h"

#include <QTextCharFormat>
#include <QTextEdit>

#include <optional>
#include <vector>

namespace earscope {

/// One of the two answers of a comparison. Tokens that stand in both are plain; those of this run
/// alone are underlined and tinted and begin with a sign (− in A, + in B). A triangle marks the
/// first divergence. Special tokens are shown, in a quieter colour.
class DiffColumn : public QTextEdit {
    Q_OBJECT
public:
    enum class Side { A, B };

    explicit DiffColumn(Side side, QWidget* parent = nullptr);

    /// Null clears. Without a comparison the text stands alone.
    void setRun(RunPointer run, const std::optional<Comparison>& comparison);
    /// The run's text as it is drawn, without the signs: equal to the record's text.
    QString shownText() const;
    /// Tokens that are drawn as standing here alone.
    std::vector<int> tokensHereOnly() const;

    /// The token at the upper edge, and the other way round.
    int topToken() const;
    void scrollToToken(int token);
    /// Shows the first divergence in the upper third.
    void showDivergence();
    int divergence() const { return divergence_; }

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Formats {
        QTextCharFormat plain;
        QTextCharFormat here;
        QTextCharFormat sign;
        QTextCharFormat marker;
    };

    void classify(const std::optional<Comparison>& comparison);
    void draw();
    Formats formats() const;
    int positionOf(int token) const;

    Side side_;
    RunPointer run_;
    std::vector<bool> here_only_;
    std::vector<int> positions_;  ///< in the document, per token
    QString shown_;
    int divergence_ = -1;
};

}  // namespace earscope
