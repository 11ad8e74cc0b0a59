#pragma once
#include <QStringList>
#include <QWidget>

#include <vector>

class QStackedWidget;
class QTableWidget;
class QToolButton;

namespace earscope {

/// A table of texts; numbers stand right. Rows are chosen whole, with mouse or arrow keys.
QTableWidget* makeTable(QWidget* parent, const QString& name, const QStringList& header);
void fillTable(QTableWidget& table, const std::vector<QStringList>& rows);

/// A plot and the table that says the same, one at a time.
class TwinView : public QWidget {
    Q_OBJECT
public:
    TwinView(QWidget* plot, QTableWidget* table, QWidget* parent);

    QTableWidget* table() const { return table_; }
    void showTable(bool table);

private:
    QTableWidget* table_;
    QStackedWidget* pages_;
    QToolButton* as_table_;
};

}  // namespace earscope
