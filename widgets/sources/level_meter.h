#pragma once
#include <QElapsedTimer>
#include <QWidget>

namespace earscope {

/// Level of a signal in dB below full scale, with the peak held for a moment and overload marked.
class LevelMeter : public QWidget {
    Q_OBJECT
public:
    static constexpr double kFloorDb = -60;

    explicit LevelMeter(QWidget* parent = nullptr);

    /// Linear, full scale 1.
    void setLevel(double peak, double rms);
    void clear();
    double peakDb() const { return peak_db_; }
    bool isOverloaded() const { return overloaded_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void describe();

    double peak_db_ = kFloorDb;
    double rms_db_ = kFloorDb;
    double held_db_ = kFloorDb;
    QElapsedTimer held_since_;
    bool overloaded_ = false;
};

}  // namespace earscope
