#include "widgets/signal/signal_accessible.h"

#include "widgets/signal/signal_view.h"

#include <QAccessible>
#include <QAccessibleWidget>

namespace earscope {

namespace {

class SignalAccessible : public QAccessibleWidget {
public:
    explicit SignalAccessible(SignalView* view) : QAccessibleWidget(view, QAccessible::Chart) {}

    QString text(QAccessible::Text kind) const override {
        // Braille and speech read the description where a role has no value of its own.
        if (kind == QAccessible::Value || kind == QAccessible::Description) {
            return static_cast<const SignalView*>(object())->cursorText();
        }
        return QAccessibleWidget::text(kind);
    }
};

QAccessibleInterface* makeAccessible(const QString& /*className*/, QObject* object) {
    auto* view = qobject_cast<SignalView*>(object);
    return view != nullptr ? new SignalAccessible(view) : nullptr;  // owned by Qt's cache
}

}  // namespace

void installSignalAccessibility() {
    static const bool kInstalled = [] {
        QAccessible::installFactory(makeAccessible);
        return true;
    }();
    static_cast<void>(kInstalled);
}

}  // namespace earscope
