#include "widgets/look/look_tab.h"

#include "widgets/look/alternatives_page.h"
#include "widgets/look/attention_page.h"
#include "widgets/look/cursor_bar.h"
#include "widgets/look/layers_page.h"
#include "widgets/look/lens_page.h"
#include "widgets/look/probes_page.h"
#include "widgets/look/saliency_page.h"

#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace earscope {

LookTab::LookTab(QWidget* parent) : QWidget(parent) {
    cursor_bar_ = new CursorBar(this);
    tabs_ = new QTabWidget(this);
    tabs_->setObjectName(QStringLiteral("lookPages"));
    tabs_->setDocumentMode(true);
    tabs_->setUsesScrollButtons(true);
    tabs_->tabBar()->setAccessibleName(tr("Instruments"));
    layers_ = new LayersPage(this);
    lens_ = new LensPage(this);
    attention_ = new AttentionPage(this);
    saliency_ = new SaliencyPage(this);
    alternatives_ = new AlternativesPage(this);
    probes_ = new ProbesPage(this);
    const auto add = [this](LookPage* page, const QString& name, const QString& title,
                            const QString& help) {
        page->setObjectName(name);
        const int index = tabs_->addTab(page, title);
        tabs_->setTabToolTip(index, help);
    };
    add(lens_, QStringLiteral("lens"), tr("Lens"), tr("What the model would say at each layer"));
    add(attention_, QStringLiteral("attention"), tr("Attention"),
        tr("Which seconds each word looked at"));
    add(saliency_, QStringLiteral("saliency"), tr("Saliency"),
        tr("Which parts of the mel a word hangs on"));
    add(alternatives_, QStringLiteral("alternatives"), tr("Words"),
        tr("Probabilities and alternatives of each word"));
    add(layers_, QStringLiteral("layers"), tr("Layers"), tr("What every hidden state holds"));
    add(probes_, QStringLiteral("probes"), tr("Probes"), tr("Watch and edit any module"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(cursor_bar_);
    layout->addWidget(tabs_, 1);
    connect(tabs_, &QTabWidget::currentChanged, this, &LookTab::pageChanged);
}

std::vector<LookPage*> LookTab::pages() const {
    return {lens_, attention_, saliency_, alternatives_, layers_, probes_};
}

void LookTab::setCursorModel(CursorModel* cursor) {
    cursor_bar_->setCursorModel(cursor);
    layers_->setCursorModel(cursor);
    lens_->setCursorModel(cursor);
    attention_->setCursorModel(cursor);
    probes_->setCursorModel(cursor);
}

void LookTab::setSourceNames(const QStringList& names) {
    layers_->setSourceNames(names);
    attention_->setSourceNames(names);
    saliency_->setSourceNames(names);
    probes_->setSources(static_cast<int>(names.size()));
}

void LookTab::showPage(LookPage* page) {
    tabs_->setCurrentWidget(page);
}

LookPage* LookTab::currentPage() const {
    return static_cast<LookPage*>(tabs_->currentWidget());
}

QString LookTab::chapter() const {
    return tabs_->currentWidget()->objectName();
}

}  // namespace earscope
