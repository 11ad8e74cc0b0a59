#include "widgets/model/model_panel.h"

#include "widgets/model/display_text.h"
#include "widgets/model/load_options_form.h"
#include "widgets/model/model_info_view.h"

#include <QDir>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace earscope {
namespace {

/// Progress bars count in int; weights are counted in thousandths of the whole instead of bytes.
constexpr int kBarSteps = 1'000;

}  // namespace

ModelPanel::ModelPanel(QWidget* parent) : QWidget(parent), pages_(new QStackedWidget(this)) {
    choice_page_ = buildChoicePage();
    loading_page_ = buildLoadingPage();
    info_ = new ModelInfoView(this);
    pages_->addWidget(choice_page_);
    pages_->addWidget(loading_page_);
    pages_->addWidget(info_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(pages_);

    connect(info_, &ModelInfoView::changeRequested, this, [this] {
        showChoice(tr("Choose another model. The present one stays until the new one is loaded."),
                   {});
    });
    connect(info_, &ModelInfoView::closeRequested, this, &ModelPanel::closeRequested);
    showNoModel();
}

QWidget* ModelPanel::buildChoicePage() {
    auto* page = new QWidget(this);
    choice_text_ = new QLabel(page);
    choice_text_->setObjectName(QStringLiteral("modelChoiceText"));
    choice_text_->setWordWrap(true);
    failure_text_ = new QLabel(page);
    failure_text_->setObjectName(QStringLiteral("modelFailure"));
    failure_text_->setWordWrap(true);
    QFont bold = failure_text_->font();
    bold.setBold(true);
    failure_text_->setFont(bold);
    failure_detail_ = new QLabel(page);
    failure_detail_->setObjectName(QStringLiteral("modelFailureDetail"));
    failure_detail_->setWordWrap(true);
    failure_detail_->setTextFormat(Qt::PlainText);
    failure_detail_->setTextInteractionFlags(Qt::TextSelectableByMouse |
                                             Qt::TextSelectableByKeyboard);

    open_ = new QPushButton(tr("Open folder…"), page);
    open_->setObjectName(QStringLiteral("openFolder"));
    open_->setToolTip(tr("A snapshot folder: config.json, tokenizer and *.safetensors."));
    cached_ = new QToolButton(page);
    cached_->setObjectName(QStringLiteral("cachedSnapshots"));
    cached_->setText(tr("From the Hugging Face cache"));
    cached_->setPopupMode(QToolButton::InstantPopup);
    cached_->setToolButtonStyle(Qt::ToolButtonTextOnly);
    cached_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    cached_menu_ = new QMenu(cached_);
    cached_menu_->setToolTipsVisible(true);
    cached_->setMenu(cached_menu_);
    demo_ = new QPushButton(tr("Use demo model"), page);
    demo_->setObjectName(QStringLiteral("useDemo"));
    demo_moss_ = new QPushButton(tr("Use MOSS-Music demo model"), page);
    demo_moss_->setObjectName(QStringLiteral("useDemoMoss"));
    demo_moss_->setToolTip(tr("A tiny model of the second family."));
    keep_ = new QPushButton(tr("Back to the loaded model"), page);
    keep_->setObjectName(QStringLiteral("keepModel"));
    options_ = new LoadOptionsForm(page);

    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{failure_text_, failure_detail_, choice_text_, options_,
                                         open_, cached_, demo_, demo_moss_, keep_}) {
        layout->addWidget(widget);
    }
    layout->addStretch(1);
    connect(open_, &QPushButton::clicked, this, &ModelPanel::openRequested);
    connect(demo_, &QPushButton::clicked, this, &ModelPanel::demoRequested);
    connect(demo_moss_, &QPushButton::clicked, this, &ModelPanel::demoMossRequested);
    connect(keep_, &QPushButton::clicked, this, [this] { showPage(info_); });
    setCachedSnapshots({});
    return page;
}

QWidget* ModelPanel::buildLoadingPage() {
    auto* page = new QWidget(this);
    loading_name_ = new QLabel(page);
    loading_name_->setWordWrap(true);
    loading_name_->setTextFormat(Qt::PlainText);
    loading_text_ = new QLabel(page);
    loading_text_->setObjectName(QStringLiteral("loadingText"));
    loading_text_->setWordWrap(true);
    loading_bar_ = new QProgressBar(page);
    loading_bar_->setObjectName(QStringLiteral("loadingBar"));
    loading_bar_->setAccessibleName(tr("Loading progress"));
    loading_cancel_ = new QPushButton(tr("Cancel"), page);
    loading_cancel_->setObjectName(QStringLiteral("cancelLoading"));
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(loading_name_);
    layout->addWidget(loading_bar_);
    layout->addWidget(loading_text_);
    layout->addWidget(loading_cancel_);
    layout->addStretch(1);
    connect(loading_cancel_, &QPushButton::clicked, this, [this] {
        loading_cancel_->setEnabled(false);
        loading_text_->setText(tr("Stopping…"));
        Q_EMIT cancelRequested();
    });
    return page;
}

void ModelPanel::showPage(QWidget* page) {
    pages_->setCurrentWidget(page);
}

void ModelPanel::showChoice(const QString& title, const QString& detail) {
    choice_text_->setText(title);
    failure_text_->setVisible(!detail.isEmpty());
    failure_detail_->setVisible(!detail.isEmpty());
    failure_detail_->setText(detail);
    keep_->setVisible(has_model_);
    showPage(choice_page_);
}

void ModelPanel::setDevices(const QStringList& devices) {
    options_->setDevices(devices);
}
void ModelPanel::setDtypes(const QStringList& dtypes) {
    options_->setDtypes(dtypes);
}

void ModelPanel::setLoadOptions(const QString& device, const QString& dtype,
                                const QString& attention, const QString& chunkPadding) {
    options_->choose(device, dtype, attention, chunkPadding);
}

QString ModelPanel::device() const {
    return options_->device();
}
QString ModelPanel::dtype() const {
    return options_->dtype();
}
QString ModelPanel::attention() const {
    return options_->attention();
}

QString ModelPanel::chunkPadding() const {
    return options_->chunkPadding();
}

QString ModelPanel::titleOfFolder(const QString& folder) {
    static const QRegularExpression cache(
        QStringLiteral("/models--([^/]+?)--([^/]+)(?:/snapshots/([0-9a-f]{7,40}))?$"));
    const QString path = QDir::cleanPath(folder);
    const auto match = cache.match(path);
    if (!match.hasMatch()) {
        return QDir(path).dirName();
    }
    const QString name = QStringLiteral("%1/%2").arg(match.captured(1), match.captured(2));
    return match.captured(3).isEmpty()
               ? name
               : QStringLiteral("%1 @ %2").arg(name, match.captured(3).left(7));
}

void ModelPanel::setCachedSnapshots(const QStringList& folders) {
    cached_menu_->clear();
    for (const QString& folder : folders) {
        QAction* action = cached_menu_->addAction(titleOfFolder(folder));
        action->setToolTip(folder);
        connect(action, &QAction::triggered, this,
                [this, folder] { Q_EMIT snapshotChosen(folder); });
    }
    cached_->setEnabled(!folders.isEmpty());
    cached_->setToolTip(folders.isEmpty()
                            ? tr("No model of a supported family was found in the Hugging Face "
                                 "cache of this computer.")
                            : tr("Models that are already on this computer."));
}

void ModelPanel::setDemosAvailable(bool flamingo, bool moss) {
    demo_moss_->setVisible(moss);
    demo_->setEnabled(flamingo);
    demo_->setToolTip(flamingo
                          ? tr("A tiny model that ships with the program, to try everything out.")
                          : tr("The demonstration model was not found beside the program."));
}

void ModelPanel::showNoModel() {
    has_model_ = false;
    showChoice(tr("No model. Earscope reads local snapshots only; nothing is downloaded."), {});
}

void ModelPanel::showLoading(const QString& folder) {
    loading_name_->setText(tr("Opening %1").arg(titleOfFolder(folder)));
    loading_name_->setToolTip(folder);
    loading_text_->setText(tr("Checking the files…"));
    loading_bar_->setRange(0, 0);
    loading_cancel_->setEnabled(true);
    showPage(loading_page_);
}

void ModelPanel::setProgress(const Progress& progress) {
    if (!isLoading() || !loading_cancel_->isEnabled()) {
        return;
    }
    loading_text_->setText(progressText(progress));
    if (progress.total > 0) {
        loading_bar_->setRange(0, kBarSteps);
        loading_bar_->setValue(static_cast<int>(static_cast<double>(progress.done) /
                                                static_cast<double>(progress.total) * kBarSteps));
    }
}

void ModelPanel::showModel(const ModelValue& model) {
    has_model_ = true;
    info_->setModel(model, model.name.isEmpty() ? titleOfFolder(model.folder) : model.name);
    showPage(info_);
}

void ModelPanel::showFailure(const Failure& failure) {
    failure_text_->setText(failureTitle(failure.kind));
    showChoice(has_model_ ? tr("The model that was loaded before is still there.")
                          : tr("Choose another folder, or correct this one and try again."),
               failure.message.isEmpty() ? tr("No reason was given.") : failure.message);
}

void ModelPanel::showCancelled() {
    if (has_model_) {
        showPage(info_);
    } else {
        showChoice(tr("Loading was cancelled. Nothing is kept in memory."), {});
    }
}

void ModelPanel::focusSearch() {
    if (pages_->currentWidget() == info_) {
        info_->focusSearch();
    }
}

bool ModelPanel::isLoading() const {
    return pages_->currentWidget() == loading_page_;
}

}  // namespace earscope
