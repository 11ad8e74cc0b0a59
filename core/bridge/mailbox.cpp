#include "core/bridge/mailbox.h"

namespace earscope {

void Mailbox::putProgress(JobId id, const Progress& progress) {
    const std::lock_guard lock(mutex_);
    progress_.emplace(id, progress);
}

void Mailbox::putText(JobId id, const std::string& text, int tokens, double tokensPerSecond) {
    const std::lock_guard lock(mutex_);
    if (texts_.empty() || texts_.back().first.id != id) {
        texts_.emplace_back().first.id = id;
    }
    auto& [value, bytes] = texts_.back();
    value.tokens = tokens;
    value.tokensPerSecond = tokensPerSecond;
    bytes += text;
}

std::optional<std::pair<JobId, Progress>> Mailbox::takeProgress() {
    const std::lock_guard lock(mutex_);
    return std::exchange(progress_, std::nullopt);
}

std::vector<StreamValue> Mailbox::takeText() {
    std::vector<std::pair<StreamValue, std::string>> taken;
    {
        const std::lock_guard lock(mutex_);
        taken.swap(texts_);
    }
    std::vector<StreamValue> values;
    values.reserve(taken.size());
    for (auto& [value, bytes] : taken) {
        value.text = QString::fromStdString(bytes);
        values.push_back(std::move(value));
    }
    return values;
}

}  // namespace earscope
