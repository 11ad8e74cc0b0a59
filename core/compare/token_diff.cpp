#include "core/compare/token_diff.h"

#include <algorithm>
#include <dtl/dtl.hpp>
#include <map>
#include <string_view>
#include <utility>

namespace earscope {
namespace {

/// Numbers tokens by id and piece, so that dtl compares plain integers.
class TokenNumbers {
public:
    std::vector<std::int64_t> of(std::span<const RunToken> tokens) {
        std::vector<std::int64_t> numbers;
        numbers.reserve(tokens.size());
        for (const RunToken& token : tokens) {
            const auto next = static_cast<std::int64_t>(known_.size());
            numbers.push_back(
                known_.try_emplace({token.id, std::string_view(token.piece)}, next).first->second);
        }
        return numbers;
    }

private:
    std::map<std::pair<std::int64_t, std::string_view>, std::int64_t> known_;
};

/// Collects steps; deletions and insertions that follow each other are sorted, `a` first.
class Script {
public:
    void equal() {
        flush();
        steps_.push_back({DiffKind::Equal, a_++, b_++});
    }
    void only_a() { ++pending_a_; }
    void only_b() { ++pending_b_; }
    std::vector<DiffStep> take() {
        flush();
        return std::move(steps_);
    }

private:
    void flush() {
        for (; pending_a_ > 0; --pending_a_) {
            steps_.push_back({DiffKind::OnlyA, a_++, -1});
        }
        for (; pending_b_ > 0; --pending_b_) {
            steps_.push_back({DiffKind::OnlyB, -1, b_++});
        }
    }

    std::vector<DiffStep> steps_;
    std::int64_t a_ = 0;
    std::int64_t b_ = 0;
    std::int64_t pending_a_ = 0;
    std::int64_t pending_b_ = 0;
};

}  // namespace

std::vector<DiffStep> token_diff(std::span<const RunToken> a, std::span<const RunToken> b) {
    TokenNumbers numbers;
    const std::vector<std::int64_t> all_a = numbers.of(a);
    const std::vector<std::int64_t> all_b = numbers.of(b);
    const auto [begin_a, begin_b] =
        std::mismatch(all_a.begin(), all_a.end(), all_b.begin(), all_b.end());
    const auto prefix = begin_a - all_a.begin();
    const auto [end_a, end_b] = std::mismatch(all_a.rbegin(), std::make_reverse_iterator(begin_a),
                                              all_b.rbegin(), std::make_reverse_iterator(begin_b));
    const auto suffix = end_a - all_a.rbegin();
    const std::vector<std::int64_t> middle_a(begin_a, end_a.base());
    const std::vector<std::int64_t> middle_b(begin_b, end_b.base());

    Script script;
    for (auto i = prefix; i > 0; --i) {
        script.equal();
    }
    dtl::Diff<std::int64_t, std::vector<std::int64_t>> diff(middle_a, middle_b);
    diff.compose();
    // dtl's own indexes are wrong once it has restarted; the kinds are right.
    for (const auto& [number, info] : diff.getSes().getSequence()) {
        switch (info.type) {
            case dtl::SES_COMMON:
                script.equal();
                break;
            case dtl::SES_DELETE:
                script.only_a();
                break;
            default:
                script.only_b();
                break;
        }
    }
    for (auto i = suffix; i > 0; --i) {
        script.equal();
    }
    return script.take();
}

std::vector<DiffBlock> diff_blocks(std::span<const DiffStep> steps) {
    std::vector<DiffBlock> blocks;
    for (const DiffStep& step : steps) {
        const bool equal = step.kind == DiffKind::Equal;
        if (blocks.empty() || blocks.back().equal != equal) {
            const DiffBlock before = blocks.empty() ? DiffBlock{} : blocks.back();
            blocks.push_back({equal, before.a_end, before.a_end, before.b_end, before.b_end});
        }
        blocks.back().a_end += step.a >= 0 ? 1 : 0;
        blocks.back().b_end += step.b >= 0 ? 1 : 0;
    }
    return blocks;
}

}  // namespace earscope
