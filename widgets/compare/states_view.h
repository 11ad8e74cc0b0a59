#pragma once
#include "widgets/compare/state_pictures.h"

#include <QWidget>

#include <array>
#include <memory>

class QBoxLayout;
class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace earscope {

class ColorBar;
class CursorModel;
class EmbeddingPlot;

/// Embeddings and hidden states of two runs as heatmaps: A and B on a common scale, and A−B.
/// Pictures are made by whoever hears `pictureRequested`, off the GUI thread.
class StatesView : public QWidget {
    Q_OBJECT
public:
    using Picture = std::shared_ptr<const StatePicture>;

    explicit StatesView(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    /// Nothing to show; with `canCompute` a button asks for the states of both runs.
    void showEmpty(const QString& text, bool canCompute);
    /// What can be looked at; keeps the choice where it is still there.
    void setKeys(const std::vector<PictureKey>& keys);
    void setPicture(Picture picture);
    const StatePicture* picture() const { return picture_.get(); }
    EmbeddingPlot* plot(int index) const { return panes_[static_cast<std::size_t>(index)].plot; }
    void choose(const PictureKey& key);

Q_SIGNALS:
    void computeRequested();
    void pictureRequested(const earscope::PictureKey& key);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Pane {
        QWidget* area = nullptr;
        QLabel* title = nullptr;
        EmbeddingPlot* plot = nullptr;
        ColorBar* bar = nullptr;
        QLabel* reason = nullptr;
    };

    QWidget* buildEmpty();
    QWidget* buildContent();
    QWidget* buildToolbar();
    Pane buildPane(int index);
    void fillKinds();
    void requestChosen();
    void applyLimits();
    void arrange();

    QStackedWidget* pages_;
    QLabel* empty_text_ = nullptr;
    QPushButton* compute_ = nullptr;
    QComboBox* source_ = nullptr;
    QComboBox* kind_ = nullptr;
    QComboBox* limits_mode_ = nullptr;
    QLabel* facts_ = nullptr;
    QBoxLayout* panes_layout_ = nullptr;
    std::array<Pane, 3> panes_;
    std::vector<PictureKey> keys_;
    Picture picture_;
};

}  // namespace earscope
