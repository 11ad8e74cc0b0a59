#pragma once
#include <QFuture>
#include <QObject>
#include <QPromise>
#include <QThreadPool>

#include <memory>
#include <utility>

namespace earscope {

/// Runs `work` on the thread pool and gives its result to `done` on the thread of `context`; if
/// `context` is gone by then, nothing happens. `work` must not throw.
template <typename Work, typename Done>
void runInBackground(QObject* context, Work work, Done done) {
    using Result = decltype(work());
    auto promise = std::make_shared<QPromise<Result>>();
    promise->future().then(context, std::move(done));
    promise->start();
    QThreadPool::globalInstance()->start([promise, work = std::move(work)] {
        promise->addResult(work());
        promise->finish();
    });
}

}  // namespace earscope
