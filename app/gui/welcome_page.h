#pragma once
#include <QWidget>

class QPushButton;

namespace earscope {

/// What the centre shows before there is a model or a sound: the three ways to begin.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);

    /// The button of a demonstration that is not there is disabled (the first) or hidden.
    void setDemosAvailable(bool flamingo, bool moss);

Q_SIGNALS:
    void openModelRequested();
    void addAudioRequested();
    void demoRequested();
    void demoMossRequested();

private:
    QPushButton* demo_;
    QPushButton* demo_moss_;
};

}  // namespace earscope
