#pragma once
#include "core/base/progress.h"

#include <memory>

namespace earscope::test {

/// A stop token that is triggered by the n-th progress report.
class StopAt {
public:
    std::stop_token token() const { return stop_->get_token(); }
    int reports() const { return *reports_; }
    ProgressCallback at(int report) const {
        return [stop = stop_, reports = reports_, report](const Progress&) {
            if (++*reports == report) {
                stop->request_stop();
            }
        };
    }

private:
    std::shared_ptr<std::stop_source> stop_ = std::make_shared<std::stop_source>();
    std::shared_ptr<int> reports_ = std::make_shared<int>(0);
};

}  // namespace earscope::test
