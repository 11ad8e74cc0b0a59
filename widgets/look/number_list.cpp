#include "widgets/look/number_list.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace earscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("earscope::NumberList", text);
}

}  // namespace

NumberList readNumbers(const QString& text, int count, const QString& what) {
    static const QRegularExpression range(
        QStringLiteral("^(-?\\d{1,6})(?:\\s*-\\s*(-?\\d{1,6}))?$"));
    NumberList result;
    const auto add = [&result](int number) {
        if (std::find(result.numbers.begin(), result.numbers.end(), number) ==
            result.numbers.end()) {
            result.numbers.push_back(number);
        }
    };
    const QString trimmed = text.trimmed();
    if (trimmed.compare(QStringLiteral("all"), Qt::CaseInsensitive) == 0 ||
        trimmed.compare(tr("all"), Qt::CaseInsensitive) == 0) {
        for (int i = 0; i < count; ++i) {
            add(i);
        }
        return result;
    }
    for (const QString& part : trimmed.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        const QRegularExpressionMatch match = range.match(part.trimmed());
        if (!match.hasMatch()) {
            return {
                {},
                tr("“%1” is no %2: write all, 3, 0-7 or 0, 4, 9-11.").arg(part.trimmed(), what)};
        }
        int first = match.captured(1).toInt();
        int last = match.captured(2).isEmpty() ? first : match.captured(2).toInt();
        first += first < 0 ? count : 0;
        last += last < 0 ? count : 0;
        if (first < 0 || last < first || last >= count) {
            return {{},
                    tr("There is no %1 %2: they go from 0 to %3.")
                        .arg(what, part.trimmed())
                        .arg(count - 1)};
        }
        for (int i = first; i <= last; ++i) {
            add(i);
        }
    }
    if (result.numbers.empty()) {
        result.problem = tr("Name a %1: all, 3, 0-7 or 0, 4, 9-11.").arg(what);
    }
    return result;
}

}  // namespace earscope
