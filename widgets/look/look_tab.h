#pragma once
#include <QWidget>

#include <vector>

class QTabWidget;

namespace earscope {

class AlternativesPage;
class AttentionPage;
class CursorBar;
class CursorModel;
class LayersPage;
class LensPage;
class LookPage;
class ProbesPage;
class SaliencyPage;

/// The Look inside tab: one page per instrument below the shared cursor.
class LookTab : public QWidget {
    Q_OBJECT
public:
    explicit LookTab(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    void setSourceNames(const QStringList& names);

    CursorBar* cursorBar() const { return cursor_bar_; }
    LayersPage* layers() const { return layers_; }
    LensPage* lens() const { return lens_; }
    AttentionPage* attention() const { return attention_; }
    SaliencyPage* saliency() const { return saliency_; }
    AlternativesPage* alternatives() const { return alternatives_; }
    ProbesPage* probes() const { return probes_; }
    std::vector<LookPage*> pages() const;
    void showPage(LookPage* page);
    LookPage* currentPage() const;
    /// Name of the help chapter of the page in front, e.g. "lens".
    QString chapter() const;

Q_SIGNALS:
    void pageChanged();

private:
    QTabWidget* tabs_ = nullptr;
    CursorBar* cursor_bar_ = nullptr;
    LayersPage* layers_ = nullptr;
    LensPage* lens_ = nullptr;
    AttentionPage* attention_ = nullptr;
    SaliencyPage* saliency_ = nullptr;
    AlternativesPage* alternatives_ = nullptr;
    ProbesPage* probes_ = nullptr;
};

}  // namespace earscope
