#pragma once
#include "widgets/look/heatmap.h"

#include <QWidget>

class QAbstractItemModel;
class QComboBox;
class QLabel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace earscope {

class ColorBar;
class CursorModel;
class HeatmapView;
class MatrixTableModel;

/// A heatmap with its colour bar, its limits in words and its table twin.
class HeatmapPanel : public QWidget {
    Q_OBJECT
public:
    explicit HeatmapPanel(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    void setMap(HeatmapPointer map);
    /// Shows nothing but that a map is on its way.
    void setPreparing();
    /// Another table for the same cells, e.g. of words; owned by the caller.
    void setTwin(QAbstractItemModel* model);
    void showTable(bool table);
    HeatmapView* view() const { return view_; }
    QTableView* table() const { return table_; }
    /// The line that says how the colours were scaled.
    QString limitsText() const;

Q_SIGNALS:
    void currentChanged(qint64 row, qint64 column);

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* buildTools();
    void buildTable();
    void applyLimits();
    void copyPicture();

    HeatmapView* view_ = nullptr;
    ColorBar* bar_ = nullptr;
    QTableView* table_ = nullptr;
    MatrixTableModel* model_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QComboBox* limits_mode_ = nullptr;
    QToolButton* fit_ = nullptr;
    QToolButton* as_table_ = nullptr;
    QLabel* limits_text_ = nullptr;
    QLabel* about_ = nullptr;
    HeatmapPointer map_;
    bool own_table_ = true;
    bool syncing_ = false;
};

}  // namespace earscope
