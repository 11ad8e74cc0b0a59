#pragma once
#include "core/bridge/values.h"

#include <QWidget>

class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeView;

namespace earscope {

class ElidedLabel;
class ModuleTreeModel;

/// Name, numbers, licence and module tree of a loaded model.
class ModelInfoView : public QWidget {
    Q_OBJECT
public:
    explicit ModelInfoView(QWidget* parent = nullptr);

    void setModel(const ModelValue& model, const QString& title);
    /// The licence a model card names in its front matter, or an empty text.
    static QString licenceOfCard(const QString& card);
    void focusSearch();

Q_SIGNALS:
    void changeRequested();
    void closeRequested();

private:
    QWidget* buildFacts();
    QWidget* buildTree();
    void search(const QString& text);
    void showTreeMenu(const QPoint& position);
    void showCard();

    ElidedLabel* name_;
    QLabel* untrained_;
    QLabel* family_;
    QLabel* place_;
    QLabel* size_;
    QLabel* shape_;
    QLabel* context_;
    QLabel* padding_;
    QFormLayout* form_ = nullptr;
    QLabel* licence_;
    QPushButton* card_button_;
    QLineEdit* search_;
    QLabel* search_count_;
    QTreeView* tree_;
    ModuleTreeModel* modules_;
    QString card_;
};

}  // namespace earscope
