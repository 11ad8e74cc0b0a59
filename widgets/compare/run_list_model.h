#pragma once
#include "core/bridge/run_values.h"

#include <QAbstractTableModel>

#include <vector>

namespace earscope {

/// The finished runs of this session, oldest first. Runs are added and never changed or removed.
/// Two of them may be marked as A and B.
class RunListModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        NumberColumn,
        MarkColumn,
        TimeColumn,
        ChangesColumn,
        RequestColumn,
        ModelColumn,
        ProfileColumn,
        TextColumn,
        TokensColumn,
        SpeedColumn,
        FinishColumn,
        SourcesColumn,
        ColumnCount
    };

    explicit RunListModel(QObject* parent = nullptr);

    void append(RunPointer run);
    const RunPointer& run(int row) const { return runs_[static_cast<std::size_t>(row)]; }
    /// "#3 · model · profile"
    QString title(int row) const;
    /// Rows marked as A and B, -1: none.
    void setMarks(int a, int b);
    int markA() const { return a_; }
    int markB() const { return b_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QString text(int row, int column) const;

    std::vector<RunPointer> runs_;
    int a_ = -1;
    int b_ = -1;
};

}  // namespace earscope
