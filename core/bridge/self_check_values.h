#pragma once
#include "core/bridge/values.h"

namespace earscope {

/// Holds both demonstration models against the reference's values.
struct SelfCheckJob {
    JobId id = 0;
    QString device = QStringLiteral("auto");
    QString dtype = QStringLiteral("float32");
};

struct SelfCheckRow {
    QString family;
    QString stage;
    QString measure;   ///< what `error` is: "largest", "rms" or "ids that differ"
    double error = 0;  ///< infinite where nothing can be compared
    double bound = 0;
    bool passed = false;
};

struct SelfCheckValue {
    JobId id = 0;
    QString device;
    QString dtype;
    std::vector<SelfCheckRow> rows;
    bool passed = false;
};

}  // namespace earscope
