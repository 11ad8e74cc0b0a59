#pragma once
// The only place that includes QCustomPlot: its header still uses Qt's keywords, which the project
// leaves undefined.
#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef emit
#undef foreach
