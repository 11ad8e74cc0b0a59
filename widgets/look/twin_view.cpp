#include "widgets/look/twin_view.h"

#include <QHeaderView>
#include <QStackedWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace earscope {

QTableWidget* makeTable(QWidget* parent, const QString& name, const QStringList& header) {
    auto* table = new QTableWidget(0, static_cast<int>(header.size()), parent);
    table->setObjectName(name);
    table->setHorizontalHeaderLabels(header);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setTabKeyNavigation(false);
    table->setWordWrap(false);
    table->setAlternatingRowColors(true);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 6);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

void fillTable(QTableWidget& table, const std::vector<QStringList>& rows) {
    table.setRowCount(static_cast<int>(rows.size()));
    for (int r = 0; r < table.rowCount(); ++r) {
        const QStringList& texts = rows[static_cast<std::size_t>(r)];
        for (int c = 0; c < texts.size() && c < table.columnCount(); ++c) {
            auto* item = new QTableWidgetItem(texts[c]);
            // "2: name" is no number.
            const bool number =
                !texts[c].isEmpty() && !texts[c].contains(QStringLiteral(": ")) &&
                (texts[c].front().isDigit() || texts[c].front() == QLatin1Char('-'));
            item->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            item->setToolTip(texts[c]);
            table.setItem(r, c, item);
        }
    }
    // All rows of a long table are not measured: the first ones tell the widths.
    table.horizontalHeader()->setResizeContentsPrecision(100);
    table.resizeColumnsToContents();
}

TwinView::TwinView(QWidget* plot, QTableWidget* table, QWidget* parent)
    : QWidget(parent),
      table_(table),
      pages_(new QStackedWidget(this)),
      as_table_(new QToolButton(this)) {
    as_table_->setText(tr("Table"));
    as_table_->setCheckable(true);
    as_table_->setToolTip(tr("Shows the same as a table."));
    pages_->addWidget(plot);
    pages_->addWidget(table);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    layout->addWidget(as_table_, 0, Qt::AlignLeft);
    layout->addWidget(pages_, 1);
    connect(as_table_, &QToolButton::toggled, this, &TwinView::showTable);
}

void TwinView::showTable(bool table) {
    as_table_->setChecked(table);
    pages_->setCurrentIndex(table ? 1 : 0);
}

}  // namespace earscope
