#pragma once
#include "core/bridge/values.h"

#include <QObject>

#include <memory>
#include <stop_token>

namespace earscope {

class Mailbox;

/// Decodes on the thread it lives on. Each `load` ends in exactly one of its signals.
class SourceWorker : public QObject {
    Q_OBJECT
public:
    explicit SourceWorker(std::shared_ptr<Mailbox> mailbox);
    ~SourceWorker() override;

    void load(JobId id, const QString& path, const std::stop_token& stop);

Q_SIGNALS:
    void loaded(const earscope::SourceValue& source);
    void failed(earscope::JobId id, const earscope::Failure& failure);
    void cancelled(earscope::JobId id);

private:
    std::shared_ptr<Mailbox> mailbox_;
};

}  // namespace earscope
