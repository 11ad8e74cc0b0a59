#pragma once
#include "core/bridge/values.h"

#include <QAbstractItemModel>

#include <memory>
#include <optional>
#include <vector>

namespace earscope {

/// Decides whether a module's path matches what was typed into a search field.
///
/// Three forms: `layers:0-7` (or "layers 0-7") is a range of language layers and what is below
/// them; text with `*` is a pattern over the whole path, `*` standing for one or more characters
/// without a dot; anything else is looked for anywhere in the path or class name, without case.
class ModuleSearch {
public:
    ModuleSearch() = default;
    explicit ModuleSearch(const QString& text);

    bool isEmpty() const { return text_.isEmpty(); }
    bool matches(const ModuleEntry& entry) const;

private:
    struct LayerRange {
        int first = 0;
        int last = 0;
    };

    QString text_;
    QString glob_;  ///< regular expression of a pattern, or empty
    std::optional<LayerRange> layers_;
};

/// The modules of a model as a tree over the dots of their names. A branch is built when it is
/// first opened, so that a model with thousands of modules appears at once.
class ModuleTreeModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { NameColumn, ClassColumn, ParametersColumn, ColumnCount };
    enum Role { PathRole = Qt::UserRole + 1 };

    explicit ModuleTreeModel(QObject* parent = nullptr);
    ~ModuleTreeModel() override;

    void setModules(std::vector<ModuleEntry> modules);
    /// Shows only modules that match, and what they lie in. Returns the number of matches.
    int setSearch(const QString& text);
    int moduleCount() const { return static_cast<int>(modules_.size()); }

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    bool hasChildren(const QModelIndex& parent = {}) const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    struct Node;

    Node* nodeAt(const QModelIndex& index) const;
    std::vector<std::unique_ptr<Node>> makeChildren(Node* node) const;
    QVariant text(const Node& node, int column) const;
    void rebuild();

    std::vector<ModuleEntry> modules_;
    ModuleSearch search_;
    std::unique_ptr<Node> root_;
    int matches_ = 0;
};

}  // namespace earscope
