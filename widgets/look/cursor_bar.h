#pragma once
#include "widgets/look/heatmap.h"

#include <QPointer>
#include <QWidget>

class QDoubleSpinBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace earscope {

class CursorModel;

/// The shared cursor as numbers that can be typed, and which token stands there.
class CursorBar : public QWidget {
    Q_OBJECT
public:
    explicit CursorBar(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    /// All positions of the prompt; null while nothing is prepared.
    void setTokens(TokenList tokens);
    /// "Token 312 of source 1, 12.480 – 12.520 s, position 331"
    QString text() const;

Q_SIGNALS:
    /// The token under the cursor, with half a second around it.
    void playRequested();

private:
    void refresh();
    void lock();

    QPointer<CursorModel> cursor_;
    TokenList tokens_;
    HeatmapAxis axis_;
    QSpinBox* source_ = nullptr;
    QDoubleSpinBox* seconds_ = nullptr;
    QToolButton* play_ = nullptr;
    QLabel* text_ = nullptr;
};

}  // namespace earscope
