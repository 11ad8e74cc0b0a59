#pragma once
// Numbers, sizes and failures as the user reads them, in the user's locale.
#include "core/bridge/values.h"

#include <QString>

namespace earscope {

/// "7.62 B", "12.4 M", "8,192": at most three digits and a unit from a million on.
QString compactCount(qint64 count);
/// "1.25 GB", "412 MB", decimal units.
QString compactBytes(qint64 bytes);
/// "3:05.2" for 185.2 s, "1:02:03.0" from an hour on.
QString clockTime(double seconds);
/// The translated line for a kind of failure; the core's own sentence follows as detail.
QString failureTitle(FailureKind kind);
/// Title and detail in one text, for places with a single label.
QString failureText(const Failure& failure);
/// What a stage is called while it runs, e.g. "Reading weights".
QString stageName(Stage stage);
/// "Reading weights: 412 MB of 1.25 GB"; without a total only what was done.
QString progressText(const Progress& progress);
/// "2 edits".
QString editCount(qsizetype count);
/// "EDITED · made under: layers:0-0=scale:0.5", the mark of all that came about under edits; empty
/// without any.
QString editedText(const QStringList& edits);
/// Why what was made under these edits no longer stands for the present ones; empty when they are
/// the same.
QString otherEditsText(const QStringList& made, const QStringList& present);

}  // namespace earscope
