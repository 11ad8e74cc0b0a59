#pragma once
#include <QWidget>

class QPushButton;

namespace earscope {

/// What the centre shows before there is a model or a sound: the three ways to begin.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);

    void setDemoAvailable(bool available);

Q_SIGNALS:
    void openModelRequested();
    void addAudioRequested();
    void demoRequested();

private:
    QPushButton* demo_;
};

}  // namespace earscope
