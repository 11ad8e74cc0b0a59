#pragma once
#include <QWidget>

class QComboBox;

namespace earscope {

/// Where and how the next model is loaded: device, number format, attention path, and how
/// MOSS-Music pads its chunks.
class LoadOptionsForm : public QWidget {
    Q_OBJECT
public:
    explicit LoadOptionsForm(QWidget* parent = nullptr);

    /// "auto" comes first and is the default. A device chosen before is kept where it still exists.
    void setDevices(const QStringList& devices);
    void setDtypes(const QStringList& dtypes);
    void choose(const QString& device, const QString& dtype, const QString& attention,
                const QString& chunkPadding);

    QString device() const;
    QString dtype() const;
    QString attention() const;
    QString chunkPadding() const;

private:
    QComboBox* device_;
    QComboBox* dtype_;
    QComboBox* attention_;
    QComboBox* chunk_padding_;
};

}  // namespace earscope
