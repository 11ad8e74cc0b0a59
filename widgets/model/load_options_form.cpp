#include "widgets/model/load_options_form.h"

#include <QComboBox>
#include <QFormLayout>

#include <algorithm>

namespace earscope {
namespace {

void select(QComboBox* box, const QString& value) {
    const int index = box->findData(value);
    if (index >= 0) {
        box->setCurrentIndex(index);
    }
}

}  // namespace

LoadOptionsForm::LoadOptionsForm(QWidget* parent)
    : QWidget(parent),
      device_(new QComboBox(this)),
      dtype_(new QComboBox(this)),
      attention_(new QComboBox(this)),
      chunk_padding_(new QComboBox(this)) {
    device_->setObjectName(QStringLiteral("deviceChoice"));
    dtype_->setObjectName(QStringLiteral("dtypeChoice"));
    attention_->setObjectName(QStringLiteral("attentionChoice"));
    device_->setToolTip(
        tr("Automatic takes an NVIDIA GPU where there is one, else the processor."));
    dtype_->setToolTip(tr(
        "float32 is exact and largest; bfloat16 halves the memory, as the models were trained."));
    attention_->setToolTip(tr("SDPA is fast. Eager computes the attention weights explicitly."));
    attention_->addItem(tr("SDPA (fast)"), QStringLiteral("sdpa"));
    attention_->addItem(tr("Eager (explicit weights)"), QStringLiteral("eager"));
    chunk_padding_->setObjectName(QStringLiteral("chunkPaddingChoice"));
    chunk_padding_->setToolTip(
        tr("MOSS-Music only. As the reference: the chunks of all sources are padded to the longest "
           "one, so the embeddings of a source under 4 s depend on what else is sent. Independent: "
           "every source is encoded as if it were alone."));
    chunk_padding_->addItem(tr("As the reference"), QStringLiteral("reference"));
    chunk_padding_->addItem(tr("Independent"), QStringLiteral("independent"));
    setDevices({});
    setDtypes({QStringLiteral("float32"), QStringLiteral("bfloat16"), QStringLiteral("float16")});

    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    layout->addRow(tr("&Device"), device_);
    layout->addRow(tr("Number &format"), dtype_);
    layout->addRow(tr("&Attention"), attention_);
    layout->addRow(tr("&Chunk padding"), chunk_padding_);
}

void LoadOptionsForm::setDevices(const QStringList& devices) {
    const QString before = device();
    device_->clear();
    device_->addItem(tr("Automatic"), QStringLiteral("auto"));
    for (const QString& name : devices) {
        if (name != QLatin1String("auto")) {
            device_->addItem(name == QLatin1String("cpu") ? tr("Processor (cpu)") : name, name);
        }
    }
    select(device_, before);
}

void LoadOptionsForm::setDtypes(const QStringList& dtypes) {
    const QString before = dtype();
    dtype_->clear();
    for (const QString& name : dtypes) {
        dtype_->addItem(name, name);
    }
    select(dtype_, before);
}

void LoadOptionsForm::choose(const QString& device, const QString& dtype, const QString& attention,
                             const QString& chunkPadding) {
    select(device_, device);
    select(dtype_, dtype);
    select(attention_, attention);
    select(chunk_padding_, chunkPadding);
}

QString LoadOptionsForm::device() const {
    return device_->currentData().toString();
}
QString LoadOptionsForm::dtype() const {
    return dtype_->currentData().toString();
}
QString LoadOptionsForm::attention() const {
    return attention_->currentData().toString();
}
QString LoadOptionsForm::chunkPadding() const {
    return chunk_padding_->currentData().toString();
}

}  // namespace earscope
