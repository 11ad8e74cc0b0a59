#pragma once
#include "core/bridge/values.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace earscope {

/// How large the parts of an export are, in bytes, before anything is computed.
struct ExportEstimate {
    qint64 inputs = 0;
    qint64 embeddings = 0;
    qint64 perLayer = 0;  ///< one layer of contextual embeddings
    int layers = 0;       ///< decoder layers; hidden states are numbered 0 to this
};

/// From what was prepared and the model's dimensions.
ExportEstimate estimateExport(const ModelValue& model, const PreparedValue& prepared);

/// "0, -1, 3-5" as layers of a model with hidden states 0..layers; empty if nothing is wrong with
/// an empty text. `error` gets a translated sentence if the text cannot be read.
std::vector<int> parseLayers(const QString& text, int layers, QString* error);

/// Chooses the file and what goes into it. Shows the size first and asks before it replaces.
class ExportDialog : public QDialog {
    Q_OBJECT
public:
    ExportDialog(const ExportEstimate& estimate, const QString& suggestedFile,
                 QWidget* parent = nullptr);

    QString file() const;
    bool inputs() const;
    bool embeddings() const;
    std::vector<int> layers() const;
    void setFile(const QString& file);
    /// Edits in force in all but the inputs: said in the dialog.
    void setEdits(const QStringList& edits);

Q_SIGNALS:
    void exportRequested();

private:
    void build(const QString& suggestedFile);
    void browse();
    void refresh();
    void onFormatChosen();
    void onAccepted();
    QString targetError() const;

    ExportEstimate estimate_;
    QStringList edits_;
    QComboBox* format_ = nullptr;
    QLineEdit* file_ = nullptr;
    QCheckBox* inputs_ = nullptr;
    QCheckBox* embeddings_ = nullptr;
    QCheckBox* contextual_ = nullptr;
    QLineEdit* layers_ = nullptr;
    QLabel* edited_ = nullptr;
    QLabel* size_ = nullptr;
    QLabel* error_ = nullptr;
    QPushButton* export_ = nullptr;
};

}  // namespace earscope
