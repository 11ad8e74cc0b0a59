#include "app/gui/about_text.h"

#include <QCoreApplication>

namespace earscope {

QString aboutText() {
    const auto tr = [](const char* text) {
        return QCoreApplication::translate("earscope::AboutText", text);
    };
    return QStringLiteral("<h3>Earscope %1</h3><p>%2</p><p>%3</p><p>%4</p>")
        .arg(QStringLiteral(EARSCOPE_VERSION),
             tr("A research workbench for music language models.").toHtmlEscaped(),
             tr("It works offline: models and sounds are read from this computer, and nothing is "
                "downloaded or sent.")
                 .toHtmlEscaped(),
             tr("Licence: GNU General Public License, version 3. Qt %1. The licence of a model's "
                "weights is its own.")
                 .arg(QLatin1String(qVersion()))
                 .toHtmlEscaped());
}

}  // namespace earscope
