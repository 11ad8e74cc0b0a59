#pragma once
#include <QToolButton>

#include <vector>

class QListWidget;
class QWidget;

namespace earscope {

/// The problems of this session, behind a button of the status bar. Errors never interrupt.
class ProblemList : public QToolButton {
    Q_OBJECT
public:
    explicit ProblemList(QWidget* parent = nullptr);

    void add(const QString& problem);
    int count() const { return static_cast<int>(entries_.size()); }
    /// All of them with their times, as copied by the user.
    QString report() const;
    void clear();

private:
    void showList();
    void refresh();

    std::vector<QString> entries_;
};

}  // namespace earscope
