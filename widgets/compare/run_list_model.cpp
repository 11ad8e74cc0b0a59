#include "widgets/compare/run_list_model.h"

#include "widgets/compare/run_text.h"

#include <QLocale>

namespace earscope {
namespace {

/// Table cells get the beginning of a text; the whole stands below the table.
constexpr qsizetype kCellCharacters = 160;

QString firstLine(const std::string& text) {
    return QString::fromStdString(text).left(kCellCharacters).simplified();
}

QString tokensPerSource(const RunRecord& run) {
    QStringList parts;
    for (const RunSource& source : run.sources) {
        parts << QLocale().toString(static_cast<qlonglong>(source.tokens));
    }
    return parts.isEmpty() ? QStringLiteral("–") : parts.join(QStringLiteral(" + "));
}

}  // namespace

RunListModel::RunListModel(QObject* parent) : QAbstractTableModel(parent) {}

void RunListModel::append(RunPointer run) {
    const int row = rowCount();
    beginInsertRows({}, row, row);
    runs_.push_back(std::move(run));
    endInsertRows();
}

QString RunListModel::title(int row) const {
    return runTitle(row + 1, *run(row));
}

void RunListModel::setMarks(int a, int b) {
    if (a == a_ && b == b_) {
        return;
    }
    a_ = a;
    b_ = b;
    if (!runs_.empty()) {
        Q_EMIT dataChanged(index(0, MarkColumn), index(rowCount() - 1, MarkColumn));
    }
}

int RunListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}

int RunListModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString RunListModel::text(int row, int column) const {
    const RunRecord& record = *run(row);
    switch (column) {
        case NumberColumn:
            return QLocale().toString(row + 1);
        case MarkColumn:
            return (row == a_ ? QStringLiteral("A") : QString()) +
                   (row == b_ ? QStringLiteral("B") : QString());
        case TimeColumn:
            return clockText(record);
        case RequestColumn:
            return firstLine(record.prompt);
        case ModelColumn:
            return QString::fromStdString(record.snapshot);
        case ProfileColumn:
            return QString::fromStdString(record.profile);
        case ChangesColumn:
            return changesText(record);
        case TextColumn:
            return firstLine(record.text);
        case TokensColumn:
            return QLocale().toString(static_cast<int>(record.tokens.size()));
        case SpeedColumn:
            return speedText(record.tokens_per_second);
        case FinishColumn:
            return record.finish == "length" ? tr("budget") : tr("model");
        case SourcesColumn:
            return tokensPerSource(record);
        default:
            return {};
    }
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const bool numeric = index.column() == NumberColumn || index.column() == TokensColumn ||
                         index.column() == SpeedColumn;
    switch (role) {
        case Qt::DisplayRole:
            return text(index.row(), index.column());
        case Qt::ToolTipRole:
            return runFacts(*run(index.row()));
        case Qt::AccessibleTextRole:
            return index.column() == FinishColumn ? finishText(*run(index.row()))
                                                  : text(index.row(), index.column());
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((numeric                        ? Qt::AlignRight
                                        : index.column() == MarkColumn ? Qt::AlignHCenter
                                                                       : Qt::AlignLeft) |
                                       Qt::AlignVCenter);
        default:
            return {};
    }
}

QVariant RunListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    switch (section) {
        case NumberColumn:
            return tr("Run");
        case MarkColumn:
            return tr("A/B");
        case TimeColumn:
            return tr("Time");
        case RequestColumn:
            return tr("Request");
        case ModelColumn:
            return tr("Model");
        case ProfileColumn:
            return tr("Profile");
        case ChangesColumn:
            return tr("Edited");
        case TextColumn:
            return tr("Answer");
        case TokensColumn:
            return tr("Tokens");
        case SpeedColumn:
            return tr("Tokens/s");
        case FinishColumn:
            return tr("Ended by");
        case SourcesColumn:
            return tr("Audio tokens");
        default:
            return {};
    }
}

}  // namespace earscope
