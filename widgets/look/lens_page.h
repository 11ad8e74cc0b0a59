#pragma once
#include "widgets/look/lens_table_model.h"
#include "widgets/look/look_page.h"

class QComboBox;
class QLineEdit;
class QSpinBox;
class QTableWidget;

namespace earscope {

class CursorModel;
class HeatmapPanel;

/// What the model would say if it stopped at a layer: final norm and output head applied to hidden
/// states.
class LensPage : public LookPage {
    Q_OBJECT
public:
    explicit LensPage(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    void setModel(int blocks);
    void setPositions(int all, int audio);
    std::vector<int> layers() const;
    /// "audio", "last" or "all".
    QString positions() const;
    int topK() const;

    void setLens(LensPointer lens);
    HeatmapPanel* panel() const { return panel_; }
    /// The current cell as a sentence.
    QString answerText() const;

private:
    QWidget* buildContent();
    void refreshEstimate();
    void showCell(qint64 row, qint64 column);

    QLineEdit* layers_ = nullptr;
    QComboBox* positions_ = nullptr;
    QSpinBox* top_k_ = nullptr;
    QLabel* answer_ = nullptr;
    HeatmapPanel* panel_ = nullptr;
    LensTableModel* model_ = nullptr;
    QTableWidget* choices_ = nullptr;
    LensPointer lens_;
    HeatmapPointer map_;
    int blocks_ = 0;
    int all_ = 0;
    int audio_ = 0;
};

}  // namespace earscope
