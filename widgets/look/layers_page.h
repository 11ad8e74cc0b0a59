#pragma once
#include "widgets/look/layer_views.h"
#include "widgets/look/look_page.h"

#include <QPointer>

class QComboBox;
class QLineEdit;
class QPushButton;
class QTableWidget;

namespace earscope {

class ColorBar;
class CursorModel;
class HeatmapPanel;
class HistogramView;
class ScatterView;
class TwinView;

/// What every hidden state holds at every position.
class LayersPage : public LookPage {
    Q_OBJECT
public:
    explicit LayersPage(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    /// Number of decoder blocks (hidden states go from 0 to it) and width of a state.
    void setModel(int blocks, int width);
    void setPositions(int positions);
    void setSourceNames(const QStringList& names);
    /// Hidden states to keep whole; empty with a problem in the field.
    std::vector<int> layers() const;

    /// Shows the chosen view of it: asks for that by `viewWanted`.
    void setData(LayersPointer data);
    const LayersPointer& data() const { return data_; }
    LayerViewRequest request() const;
    /// Dropped when the user has chosen another view meanwhile.
    void setView(const LayerView& view);
    void chooseView(LayerViewKind kind);
    HeatmapPanel* panel() const { return panel_; }

Q_SIGNALS:
    void viewWanted(const earscope::LayerViewRequest& request);
    void playRequested();

private:
    QWidget* buildContent();
    QWidget* buildChoice();
    QWidget* buildScatter();
    void wantView();
    void refreshEstimate();
    void pin();
    void showHistogram(const LayerView& view);
    void showLargest(const LayerView& view);
    void showScatter(const LayerView& view);
    void showNeighbours();
    void goToRow(QTableWidget* table);

    QPointer<CursorModel> cursor_;
    QLineEdit* layers_ = nullptr;
    QComboBox* view_ = nullptr;
    QComboBox* states_ = nullptr;
    QComboBox* source_ = nullptr;
    QPushButton* pin_ = nullptr;
    QLabel* note_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    HeatmapPanel* panel_ = nullptr;
    HistogramView* histogram_ = nullptr;
    TwinView* histogram_twin_ = nullptr;
    QTableWidget* largest_ = nullptr;
    ScatterView* scatter_ = nullptr;
    ColorBar* scatter_bar_ = nullptr;
    TwinView* scatter_twin_ = nullptr;
    QWidget* scatter_page_ = nullptr;
    QTableWidget* neighbours_ = nullptr;
    LayersPointer data_;
    LayerView shown_;
    int blocks_ = 0;
    int width_ = 0;
    int positions_ = 0;
    int pinned_ = -1;
};

}  // namespace earscope
