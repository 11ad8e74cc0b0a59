#include "widgets/model/module_tree_model.h"

#include "widgets/model/display_text.h"

#include <QHash>
#include <QLocale>
#include <QRegularExpression>

namespace earscope {
namespace {

/// The number after "language_model.layers." in a path, or -1.
int languageLayer(const QString& path) {
    static const QRegularExpression pattern(
        QStringLiteral("(?:^|\\.)language_model\\.layers\\.(\\d+)(?:\\.|$)"));
    const auto match = pattern.match(path);
    return match.hasMatch() ? match.captured(1).toInt() : -1;
}

/// The pattern as a regular expression over the whole path.
QString globExpression(const QString& pattern) {
    QStringList parts;
    for (const QString& part : pattern.split(QLatin1Char('*'))) {
        parts << QRegularExpression::escape(part);
    }
    return QRegularExpression::anchoredPattern(parts.join(QStringLiteral("[^.]+")));
}

}  // namespace

ModuleSearch::ModuleSearch(const QString& text) : text_(text.trimmed()) {
    static const QRegularExpression range(
        QStringLiteral("^layers?[: ]\\s*(\\d{1,6})(?:\\s*[-–]\\s*(\\d{1,6}))?$"),
        QRegularExpression::CaseInsensitiveOption);
    const auto match = range.match(text_);
    if (match.hasMatch()) {
        const int first = match.captured(1).toInt();
        layers_ =
            LayerRange{first, match.captured(2).isEmpty() ? first : match.captured(2).toInt()};
    } else if (text_.contains(QLatin1Char('*'))) {
        glob_ = globExpression(text_);
    }
}

bool ModuleSearch::matches(const ModuleEntry& entry) const {
    if (layers_) {
        const int layer = languageLayer(entry.name);
        return layer >= layers_->first && layer <= layers_->last;
    }
    if (!glob_.isEmpty()) {
        return QRegularExpression(glob_).match(entry.name).hasMatch();
    }
    return entry.name.contains(text_, Qt::CaseInsensitive) ||
           entry.className.contains(text_, Qt::CaseInsensitive);
}

struct ModuleTreeModel::Node {
    Node* parent = nullptr;
    int row = 0;
    QString path;
    int module = -1;         ///< index of its entry; -1 for a level that is no module itself
    std::vector<int> below;  ///< entries beneath it that are shown
    bool fetched = false;
    std::vector<std::unique_ptr<Node>> children;
};

ModuleTreeModel::ModuleTreeModel(QObject* parent)
    : QAbstractItemModel(parent), root_(std::make_unique<Node>()) {
    root_->fetched = true;
}

ModuleTreeModel::~ModuleTreeModel() = default;

void ModuleTreeModel::setModules(std::vector<ModuleEntry> modules) {
    beginResetModel();
    modules_ = std::move(modules);
    rebuild();
    endResetModel();
}

int ModuleTreeModel::setSearch(const QString& text) {
    beginResetModel();
    search_ = ModuleSearch(text);
    rebuild();
    endResetModel();
    return matches_;
}

void ModuleTreeModel::rebuild() {
    root_ = std::make_unique<Node>();
    matches_ = 0;
    for (std::size_t i = 0; i < modules_.size(); ++i) {
        const bool shown = search_.isEmpty() || search_.matches(modules_[i]);
        matches_ += shown ? 1 : 0;
        if (shown && !modules_[i].name.isEmpty()) {
            root_->below.push_back(static_cast<int>(i));
        }
    }
    root_->children = makeChildren(root_.get());
    root_->fetched = true;
}

std::vector<std::unique_ptr<ModuleTreeModel::Node>> ModuleTreeModel::makeChildren(
    Node* node) const {
    std::vector<std::unique_ptr<Node>> children;
    QHash<QString, Node*> byPath;
    const qsizetype begin = node->path.isEmpty() ? 0 : node->path.size() + 1;
    for (const int i : node->below) {
        const QString& name = modules_[static_cast<std::size_t>(i)].name;
        const qsizetype dot = name.indexOf(QLatin1Char('.'), begin);
        const QString path = dot < 0 ? name : name.left(dot);
        Node*& child = byPath[path];
        if (child == nullptr) {
            children.push_back(std::make_unique<Node>());
            child = children.back().get();
            child->parent = node;
            child->row = static_cast<int>(children.size()) - 1;
            child->path = path;
        }
        if (dot < 0) {
            child->module = i;
        } else {
            child->below.push_back(i);
        }
    }
    if (search_.isEmpty()) {
        return children;
    }
    // A parent that does not match itself is shown as the way to a match; it keeps its class.
    for (std::size_t i = 0; i < modules_.size(); ++i) {
        const auto found = byPath.constFind(modules_[i].name);
        if (found != byPath.constEnd()) {
            found.value()->module = static_cast<int>(i);
        }
    }
    return children;
}

ModuleTreeModel::Node* ModuleTreeModel::nodeAt(const QModelIndex& index) const {
    return index.isValid() ? static_cast<Node*>(index.internalPointer()) : root_.get();
}

QModelIndex ModuleTreeModel::index(int row, int column, const QModelIndex& parent) const {
    const Node* node = nodeAt(parent);
    if (row < 0 || column < 0 || column >= ColumnCount || parent.column() > 0 ||
        row >= static_cast<int>(node->children.size())) {
        return {};
    }
    return createIndex(row, column, node->children[static_cast<std::size_t>(row)].get());
}

QModelIndex ModuleTreeModel::parent(const QModelIndex& child) const {
    if (!child.isValid()) {
        return {};
    }
    Node* parent = nodeAt(child)->parent;
    return parent == root_.get() || parent == nullptr ? QModelIndex()
                                                      : createIndex(parent->row, 0, parent);
}

int ModuleTreeModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(nodeAt(parent)->children.size());
}

int ModuleTreeModel::columnCount(const QModelIndex& /*parent*/) const {
    return ColumnCount;
}

bool ModuleTreeModel::hasChildren(const QModelIndex& parent) const {
    return parent.column() <= 0 && !nodeAt(parent)->below.empty();
}

bool ModuleTreeModel::canFetchMore(const QModelIndex& parent) const {
    const Node* node = nodeAt(parent);
    return parent.column() <= 0 && !node->fetched && !node->below.empty();
}

void ModuleTreeModel::fetchMore(const QModelIndex& parent) {
    Node* node = nodeAt(parent);
    if (node->fetched) {
        return;
    }
    auto children = makeChildren(node);
    beginInsertRows(parent, 0, static_cast<int>(children.size()) - 1);
    node->fetched = true;
    node->children = std::move(children);
    endInsertRows();
}

QVariant ModuleTreeModel::text(const Node& node, int column) const {
    if (column == NameColumn) {
        return node.path.mid(node.path.lastIndexOf(QLatin1Char('.')) + 1);
    }
    if (node.module < 0) {
        return {};
    }
    const ModuleEntry& entry = modules_[static_cast<std::size_t>(node.module)];
    return column == ClassColumn
               ? entry.className
               : (entry.parameters > 0 ? compactCount(entry.parameters) : QStringLiteral("–"));
}

QVariant ModuleTreeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const Node& node = *nodeAt(index);
    switch (role) {
        case Qt::DisplayRole:
            return text(node, index.column());
        case PathRole:
            return node.path;
        case Qt::ToolTipRole:
            if (node.module < 0) {
                return node.path;
            }
            return tr("%1\n%2, %3 parameters")
                .arg(
                    node.path, modules_[static_cast<std::size_t>(node.module)].className,
                    QLocale().toString(modules_[static_cast<std::size_t>(node.module)].parameters));
        case Qt::TextAlignmentRole:
            return index.column() == ParametersColumn
                       ? QVariant(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter))
                       : QVariant();
        default:
            return {};
    }
}

QVariant ModuleTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole && section == ParametersColumn) {
        return QVariant(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case NameColumn:
            return tr("Module");
        case ClassColumn:
            return tr("Class");
        case ParametersColumn:
            return tr("Parameters");
        default:
            return {};
    }
}

}  // namespace earscope
