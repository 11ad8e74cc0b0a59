#include "widgets/model/model_info_view.h"

#include "widgets/model/display_text.h"
#include "widgets/model/elided_label.h"
#include "widgets/model/module_tree_model.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QTextBrowser>
#include <QTreeView>
#include <QVBoxLayout>

namespace earscope {
namespace {

/// Up to this many rows a search opens every branch, so that nothing found stays hidden.
constexpr int kExpandLimit = 2'000;

QLabel* valueLabel(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setWordWrap(true);
    return label;
}

}  // namespace

ModelInfoView::ModelInfoView(QWidget* parent)
    : QWidget(parent),
      name_(new ElidedLabel(this)),
      untrained_(new QLabel(this)),
      family_(valueLabel(this)),
      place_(valueLabel(this)),
      size_(valueLabel(this)),
      shape_(valueLabel(this)),
      context_(valueLabel(this)),
      padding_(valueLabel(this)),
      licence_(valueLabel(this)),
      card_button_(new QPushButton(tr("Card…"), this)),
      search_(new QLineEdit(this)),
      search_count_(new QLabel(this)),
      tree_(new QTreeView(this)),
      modules_(new ModuleTreeModel(this)) {
    name_->setObjectName(QStringLiteral("modelName"));
    QFont bold = name_->font();
    bold.setBold(true);
    name_->setFont(bold);

    untrained_->setObjectName(QStringLiteral("untrainedBanner"));
    untrained_->setWordWrap(true);
    untrained_->setText(
        tr("Untrained demonstration model: its weights are random and its words mean nothing."));
    untrained_->setFrameShape(QFrame::StyledPanel);
    untrained_->setAutoFillBackground(true);
    untrained_->setMargin(6);
    untrained_->setBackgroundRole(QPalette::ToolTipBase);
    untrained_->setForegroundRole(QPalette::ToolTipText);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(name_);
    layout->addWidget(untrained_);
    layout->addWidget(buildFacts());
    layout->addWidget(buildTree(), 1);

    auto* change = new QPushButton(tr("Change model…"), this);
    change->setObjectName(QStringLiteral("changeModel"));
    auto* close = new QPushButton(tr("Close"), this);
    close->setObjectName(QStringLiteral("closeModel"));
    close->setToolTip(tr("Removes the model from memory."));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(change, 1);
    buttons->addWidget(close);
    layout->addLayout(buttons);
    connect(change, &QPushButton::clicked, this, &ModelInfoView::changeRequested);
    connect(close, &QPushButton::clicked, this, &ModelInfoView::closeRequested);
    connect(card_button_, &QPushButton::clicked, this, &ModelInfoView::showCard);
}

QWidget* ModelInfoView::buildFacts() {
    auto* facts = new QWidget(this);
    auto* form = new QFormLayout(facts);
    form_ = form;
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(2);
    form->addRow(tr("Family"), family_);
    form->addRow(tr("Runs on"), place_);
    form->addRow(tr("Parameters"), size_);
    form->addRow(tr("Decoder"), shape_);
    form->addRow(tr("Context"), context_);
    form->addRow(tr("Chunk padding"), padding_);
    padding_->setObjectName(QStringLiteral("modelChunkPadding"));
    auto* licence = new QHBoxLayout;
    licence->addWidget(licence_, 1);
    licence->addWidget(card_button_);
    form->addRow(tr("Licence"), licence);
    card_button_->setObjectName(QStringLiteral("modelCard"));
    card_button_->setToolTip(tr("Shows the model card that came with the weights."));
    return facts;
}

QWidget* ModelInfoView::buildTree() {
    auto* area = new QWidget(this);
    search_->setObjectName(QStringLiteral("moduleSearch"));
    search_->setPlaceholderText(tr("Search modules"));
    search_->setClearButtonEnabled(true);
    search_->setAccessibleName(tr("Search modules"));
    search_->setToolTip(
        tr("Part of a name or class; a pattern such as *.layers.*.mlp, where * "
           "stands for anything without a dot; or layers:0-7."));
    search_count_->setObjectName(QStringLiteral("moduleCount"));
    search_count_->setForegroundRole(QPalette::PlaceholderText);

    tree_->setObjectName(QStringLiteral("moduleTree"));
    tree_->setAccessibleName(tr("Modules of the model"));
    tree_->setModel(modules_);
    tree_->setUniformRowHeights(true);
    tree_->setAlternatingRowColors(true);
    tree_->setContextMenuPolicy(Qt::CustomContextMenu);
    tree_->setIndentation(14);
    tree_->header()->setStretchLastSection(false);
    tree_->header()->setSectionResizeMode(ModuleTreeModel::NameColumn, QHeaderView::Interactive);
    tree_->header()->setSectionResizeMode(ModuleTreeModel::ClassColumn, QHeaderView::Stretch);
    tree_->header()->setSectionResizeMode(ModuleTreeModel::ParametersColumn,
                                          QHeaderView::ResizeToContents);
    tree_->header()->setMinimumSectionSize(40);
    tree_->header()->resizeSection(ModuleTreeModel::NameColumn, 136);
    tree_->setTextElideMode(Qt::ElideMiddle);
    tree_->setMinimumHeight(80);

    auto* row = new QHBoxLayout;
    row->addWidget(search_, 1);
    row->addWidget(search_count_);
    auto* layout = new QVBoxLayout(area);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(tree_, 1);
    connect(search_, &QLineEdit::textChanged, this, &ModelInfoView::search);
    connect(tree_, &QTreeView::customContextMenuRequested, this, &ModelInfoView::showTreeMenu);
    return area;
}

void ModelInfoView::setModel(const ModelValue& model, const QString& title) {
    const QLocale locale;
    name_->setFullText(title);
    name_->setToolTip(model.folder);
    untrained_->setVisible(model.untrained);
    family_->setText(model.family);
    place_->setText(tr("%1, %2, %3 attention").arg(model.device, model.dtype, model.attention));
    size_->setText(tr("%1 (%2 of weights)")
                       .arg(compactCount(model.parameters), compactBytes(model.weightBytes)));
    size_->setToolTip(tr("%1 parameters").arg(locale.toString(model.parameters)));
    shape_->setText(tr("%1 layers × %2; audio %3")
                        .arg(locale.toString(model.layers), locale.toString(model.hiddenSize),
                             locale.toString(model.audioWidth)));
    shape_->setToolTip(
        tr("Number of decoder layers, width of their hidden states, width of the "
           "audio encoder's output."));
    padding_->setText(model.chunkPadding == QLatin1String("independent")
                          ? tr("independent of other sources")
                          : tr("as the reference"));
    form_->setRowVisible(padding_, !model.chunkPadding.isEmpty());
    context_->setText(tr("%1 tokens").arg(locale.toString(model.contextLength)));
    card_ = model.card;
    const QString licence = licenceOfCard(card_);
    licence_->setText(!licence.isEmpty() ? licence
                      : card_.isEmpty()  ? tr("not stated in the snapshot")
                                         : tr("see the card"));
    card_button_->setVisible(!card_.isEmpty());
    modules_->setModules(model.modules);
    search(search_->text());
}

QString ModelInfoView::licenceOfCard(const QString& card) {
    static const QRegularExpression frontMatter(QStringLiteral("\\A---\\s*\\n(.*?)\\n---"),
                                                QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression line(
        QStringLiteral("^licen[sc]e(_name)?:[ \\t]*(\\S.*)$"),
        QRegularExpression::MultilineOption | QRegularExpression::CaseInsensitiveOption);
    const auto front = frontMatter.match(card);
    QString licence;
    auto found = line.globalMatch(front.hasMatch() ? front.captured(1) : card.left(2'000));
    while (found.hasNext()) {
        const auto match = found.next();
        // "license: other" is only a pointer to license_name.
        if (licence.isEmpty() || !match.captured(1).isEmpty()) {
            licence = match.captured(2).trimmed();
        }
    }
    licence.remove(QLatin1Char('"')).remove(QLatin1Char('\''));
    return licence;
}

void ModelInfoView::focusSearch() {
    search_->setFocus(Qt::ShortcutFocusReason);
    search_->selectAll();
}

void ModelInfoView::search(const QString& text) {
    const int matches = modules_->setSearch(text);
    const QLocale locale;
    search_count_->setText(
        text.trimmed().isEmpty()
            ? tr("%1 modules").arg(locale.toString(modules_->moduleCount()))
            : tr("%1 of %2")
                  .arg(locale.toString(matches), locale.toString(modules_->moduleCount())));
    if (text.trimmed().isEmpty()) {
        tree_->expandToDepth(0);
    } else if (matches <= kExpandLimit) {
        tree_->expandAll();
    }
}

void ModelInfoView::showTreeMenu(const QPoint& position) {
    const QModelIndex index = tree_->indexAt(position);
    if (!index.isValid()) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QString path = index.data(ModuleTreeModel::PathRole).toString();
    menu->addAction(tr("Copy name"), this, [path] { QApplication::clipboard()->setText(path); });
    menu->addAction(tr("Expand all below"), this,
                    [this, index] { tree_->expandRecursively(index.siblingAtColumn(0)); });
    menu->addActions(tree_->actions());
    menu->popup(tree_->viewport()->mapToGlobal(position));
}

void ModelInfoView::showCard() {
    auto* dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Model card"));
    dialog->resize(720, 560);
    auto* text = new QTextBrowser(dialog);
    text->setOpenLinks(false);
    text->document()->setMarkdown(card_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(text, 1);
    layout->addWidget(buttons);
    dialog->open();
}

}  // namespace earscope
