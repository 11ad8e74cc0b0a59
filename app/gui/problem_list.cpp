#include "app/gui/problem_list.h"

#include <QApplication>
#include <QClipboard>
#include <QDateTime>
#include <QDialog>
#include <QDialogButtonBox>
#include <QListWidget>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

namespace earscope {
namespace {

constexpr std::size_t kMost = 500;

}  // namespace

ProblemList::ProblemList(QWidget* parent) : QToolButton(parent) {
    setObjectName(QStringLiteral("problems"));
    setAutoRaise(true);
    connect(this, &QToolButton::clicked, this, &ProblemList::showList);
    refresh();
}

void ProblemList::add(const QString& problem) {
    if (entries_.size() == kMost) {
        entries_.erase(entries_.begin());
    }
    entries_.push_back(tr("%1  %2").arg(
        QLocale().toString(QTime::currentTime(), QStringLiteral("HH:mm:ss")), problem));
    refresh();
}

QString ProblemList::report() const {
    QString text;
    for (const QString& entry : entries_) {
        text += entry + QLatin1Char('\n');
    }
    return text;
}

void ProblemList::clear() {
    entries_.clear();
    refresh();
}

void ProblemList::refresh() {
    setText(entries_.empty() ? tr("No problems")
                             : tr("⚠ Problems: %1").arg(QLocale().toString(count())));
    setEnabled(!entries_.empty());
    setToolTip(entries_.empty() ? QString() : entries_.back());
}

void ProblemList::showList() {
    auto* dialog = new QDialog(window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Problems of this session"));
    dialog->resize(640, 320);
    auto* list = new QListWidget(dialog);
    list->setWordWrap(true);
    list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    for (const QString& entry : entries_) {
        list->addItem(entry);
    }
    list->scrollToBottom();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    QPushButton* copy = buttons->addButton(tr("Copy report"), QDialogButtonBox::ActionRole);
    QPushButton* empty = buttons->addButton(tr("Clear"), QDialogButtonBox::DestructiveRole);
    connect(copy, &QPushButton::clicked, this,
            [this] { QApplication::clipboard()->setText(report()); });
    connect(empty, &QPushButton::clicked, this, [this, dialog] {
        clear();
        dialog->close();
    });
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(list);
    layout->addWidget(buttons);
    dialog->open();
}

}  // namespace earscope
