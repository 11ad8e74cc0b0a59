#include "app/gui/export_dialog.h"

#include "widgets/model/display_text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QStorageInfo>
#include <QVBoxLayout>

#include <algorithm>

namespace earscope {
namespace {

const QLatin1String kSafetensors(".safetensors");
const QLatin1String kNpz(".npz");
constexpr qint64 kFloatBytes = 4;
constexpr qint64 kModelRate = 16'000;
constexpr qint64 kMelBins = 128;
constexpr qint64 kWindowFrames = 3'000;

qint64 bytesPerValue(const QString& dtype) {
    return dtype == QLatin1String("float32") ? 4 : 2;
}

}  // namespace

ExportEstimate estimateExport(const ModelValue& model, const PreparedValue& prepared) {
    ExportEstimate estimate;
    estimate.layers = model.layers;
    estimate.inputs = prepared.promptTokens * qint64{16};  // ids and mask, 8 bytes each
    qint64 tokens = 0;
    for (const PreparedSource& source : prepared.sources) {
        tokens += source.tokens;
        estimate.inputs += static_cast<qint64>(source.durationSeconds * kModelRate) * kFloatBytes;
        const qint64 frames = model.usesWindows
                                  ? static_cast<qint64>(source.windowTokens.size()) * kWindowFrames
                                  : static_cast<qint64>(source.durationSeconds * 100);
        estimate.inputs += frames * kMelBins * kFloatBytes + source.tokens * qint64{16};
    }
    const qint64 bytes = bytesPerValue(model.dtype);
    estimate.embeddings = tokens * (model.audioWidth + model.hiddenSize) * bytes;
    estimate.perLayer = tokens * model.hiddenSize * bytes;
    return estimate;
}

std::vector<int> parseLayers(const QString& text, int layers, QString* error) {
    static const QRegularExpression form(
        QStringLiteral("^(-?\\d{1,6})(?:\\s*(?:-|–|\\.\\.)\\s*(\\d{1,6}))?$"));
    std::vector<int> result;
    error->clear();
    for (const QString& part : text.split(QRegularExpression(QStringLiteral("[,;]")))) {
        const QString item = part.trimmed();
        if (item.isEmpty()) {
            continue;
        }
        const auto match = form.match(item);
        const int first = match.captured(1).toInt();
        const int last = match.captured(2).isEmpty() ? first : match.captured(2).toInt();
        if (!match.hasMatch() || first < -(layers + 1) || last > layers || last < first) {
            *error = ExportDialog::tr(
                         "“%1” is no layer: hidden states go from 0 (decoder input) to %2, "
                         "or from −1 back to −%3.")
                         .arg(item)
                         .arg(layers)
                         .arg(layers + 1);
            return {};
        }
        for (int layer = first; layer <= last; ++layer) {
            if (std::find(result.begin(), result.end(), layer) == result.end()) {
                result.push_back(layer);
            }
        }
    }
    return result;
}

ExportDialog::ExportDialog(const ExportEstimate& estimate, const QString& suggestedFile,
                           QWidget* parent)
    : QDialog(parent), estimate_(estimate) {
    setWindowTitle(tr("Export"));
    build(suggestedFile);
    refresh();
}

void ExportDialog::build(const QString& suggestedFile) {
    format_ = new QComboBox(this);
    format_->setObjectName(QStringLiteral("exportFormat"));
    format_->addItem(tr("safetensors (keeps bfloat16)"), kSafetensors);
    format_->addItem(tr("npz for NumPy (bfloat16 becomes float32)"), kNpz);
    file_ = new QLineEdit(suggestedFile, this);
    file_->setObjectName(QStringLiteral("exportFile"));
    file_->setMinimumWidth(320);
    auto* browseButton = new QPushButton(tr("Browse…"), this);
    inputs_ = new QCheckBox(tr("Inputs: ids, mask, mel, 16 kHz sound, positions, times"), this);
    inputs_->setObjectName(QStringLiteral("exportInputs"));
    inputs_->setChecked(true);
    embeddings_ = new QCheckBox(tr("Audio embeddings: raw and projected"), this);
    embeddings_->setObjectName(QStringLiteral("exportEmbeddings"));
    embeddings_->setChecked(true);
    contextual_ = new QCheckBox(tr("Contextual embeddings of layers"), this);
    contextual_->setObjectName(QStringLiteral("exportContextual"));
    layers_ = new QLineEdit(QStringLiteral("-1"), this);
    layers_->setObjectName(QStringLiteral("exportLayers"));
    layers_->setAccessibleName(tr("Layers"));
    layers_->setToolTip(
        tr("For example: 0, 14, -1 or 0-7. 0 is the decoder's input, k the output of block k−1; "
           "−1 is taken after the final norm."));
    edited_ = new QLabel(this);
    edited_->setObjectName(QStringLiteral("exportEdited"));
    edited_->setWordWrap(true);
    edited_->setMargin(4);
    edited_->setAutoFillBackground(true);
    edited_->setBackgroundRole(QPalette::ToolTipBase);
    edited_->setForegroundRole(QPalette::ToolTipText);
    size_ = new QLabel(this);
    size_->setObjectName(QStringLiteral("exportSize"));
    size_->setWordWrap(true);
    error_ = new QLabel(this);
    error_->setObjectName(QStringLiteral("exportError"));
    error_->setWordWrap(true);

    auto* fileRow = new QHBoxLayout;
    fileRow->addWidget(file_, 1);
    fileRow->addWidget(browseButton);
    auto* layerRow = new QHBoxLayout;
    layerRow->addWidget(contextual_);
    layerRow->addWidget(layers_, 1);
    auto* form = new QFormLayout;
    form->addRow(tr("&Format"), format_);
    form->addRow(tr("F&ile"), fileRow);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    export_ = buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
    export_->setObjectName(QStringLiteral("exportButton"));
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(inputs_);
    layout->addWidget(embeddings_);
    layout->addLayout(layerRow);
    layout->addWidget(edited_);
    layout->addWidget(size_);
    layout->addWidget(error_);
    layout->addStretch(1);
    layout->addWidget(buttons);

    connect(format_, &QComboBox::currentIndexChanged, this, &ExportDialog::onFormatChosen);
    connect(browseButton, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(file_, &QLineEdit::textChanged, this, &ExportDialog::refresh);
    connect(layers_, &QLineEdit::textChanged, this, &ExportDialog::refresh);
    for (QCheckBox* box : {inputs_, embeddings_, contextual_}) {
        connect(box, &QCheckBox::toggled, this, &ExportDialog::refresh);
    }
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::onAccepted);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    setFile(suggestedFile);
}

QString ExportDialog::file() const {
    return QDir::cleanPath(file_->text().trimmed());
}
bool ExportDialog::inputs() const {
    return inputs_->isChecked();
}
bool ExportDialog::embeddings() const {
    return embeddings_->isChecked();
}

std::vector<int> ExportDialog::layers() const {
    QString ignored;
    return contextual_->isChecked() ? parseLayers(layers_->text(), estimate_.layers, &ignored)
                                    : std::vector<int>();
}

void ExportDialog::setEdits(const QStringList& edits) {
    edits_ = edits;
    edited_->setText(tr("EDITED · embeddings and layers are computed under: %1")
                         .arg(edits.join(QStringLiteral(", "))));
    refresh();
}

void ExportDialog::setFile(const QString& file) {
    file_->setText(file);
    format_->setCurrentIndex(file.endsWith(kNpz, Qt::CaseInsensitive) ? 1 : 0);
}

void ExportDialog::onFormatChosen() {
    const QString ending = format_->currentData().toString();
    QString name = file_->text();
    for (const QLatin1String& known : {kSafetensors, kNpz}) {
        if (name.endsWith(known, Qt::CaseInsensitive)) {
            name.chop(known.size());
            break;
        }
    }
    file_->setText(name + ending);
}

void ExportDialog::browse() {
    auto* dialog = new QFileDialog(this, tr("Export to"), QFileInfo(file()).absolutePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    // Replacing is asked for by this dialog, for typed names too.
    dialog->setOption(QFileDialog::DontConfirmOverwrite);
    dialog->setNameFilters({tr("safetensors (*.safetensors)"), tr("NumPy archive (*.npz)")});
    dialog->selectNameFilter(dialog->nameFilters().at(format_->currentIndex()));
    dialog->selectFile(QFileInfo(file()).fileName());
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& chosen) {
        const bool known = chosen.endsWith(kSafetensors, Qt::CaseInsensitive) ||
                           chosen.endsWith(kNpz, Qt::CaseInsensitive);
        setFile(known ? chosen : chosen + format_->currentData().toString());
    });
    dialog->open();
}

QString ExportDialog::targetError() const {
    const QFileInfo info(file());
    if (file_->text().trimmed().isEmpty()) {
        return tr("Choose a file.");
    }
    if (!file().endsWith(kSafetensors, Qt::CaseInsensitive) &&
        !file().endsWith(kNpz, Qt::CaseInsensitive)) {
        return tr("The name must end in .safetensors or .npz.");
    }
    if (info.isDir()) {
        return tr("This is a folder.");
    }
    const QFileInfo folder(info.absolutePath());
    if (!folder.isDir()) {
        return tr("The folder %1 does not exist.").arg(folder.absoluteFilePath());
    }
    return folder.isWritable() ? QString()
                               : tr("You may not write into %1.").arg(folder.absoluteFilePath());
}

void ExportDialog::refresh() {
    layers_->setEnabled(contextual_->isChecked());
    edited_->setVisible(!edits_.isEmpty() && (embeddings() || contextual_->isChecked()));
    QString error = targetError();
    QString layerError;
    const auto chosen = parseLayers(layers_->text(), estimate_.layers, &layerError);
    if (contextual_->isChecked() && error.isEmpty()) {
        error = !layerError.isEmpty() ? layerError
                : chosen.empty()      ? tr("Name at least one layer.")
                                      : QString();
    }
    if (!inputs() && !embeddings() && !contextual_->isChecked() && error.isEmpty()) {
        error = tr("Choose something to export.");
    }
    const qint64 bytes =
        (inputs() ? estimate_.inputs : 0) + (embeddings() ? estimate_.embeddings : 0) +
        (contextual_->isChecked() ? estimate_.perLayer * static_cast<qint64>(chosen.size()) : 0);
    const qint64 room = QStorageInfo(QFileInfo(file()).absolutePath()).bytesAvailable();
    size_->setText(room > 0
                       ? tr("About %1; %2 free there.").arg(compactBytes(bytes), compactBytes(room))
                       : tr("About %1.").arg(compactBytes(bytes)));
    if (error.isEmpty() && room > 0 && bytes > room) {
        error = tr("There is not enough room for it.");
    }
    export_->setEnabled(error.isEmpty());
    const bool exists = error.isEmpty() && QFileInfo::exists(file());
    export_->setText(exists ? tr("Replace the file") : tr("Export"));
    error_->setText(exists ? tr("There is a file of this name already.") : error);
}

void ExportDialog::onAccepted() {
    refresh();
    if (export_->isEnabled()) {
        Q_EMIT exportRequested();
        accept();
    }
}

}  // namespace earscope
