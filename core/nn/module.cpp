#include "core/nn/module.h"

#include "core/base/errors.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <list>
#include <sstream>

namespace earscope {

// Copied before they are walked, because hooks may register and remove hooks.
struct Module::Hooks {
    std::list<std::shared_ptr<ForwardHook>> forward;
    std::list<std::shared_ptr<ForwardPreHook>> before;
};

HookHandle& HookHandle::operator=(HookHandle&& other) noexcept {
    if (this != &other) {
        remove();
        undo_ = std::exchange(other.undo_, nullptr);
    }
    return *this;
}

void HookHandle::remove() {
    if (auto undo = std::exchange(undo_, nullptr)) {
        undo();
    }
}

Module::Module(std::string class_name)
    : class_name_(std::move(class_name)), hooks_(std::make_shared<Hooks>()) {}

Module::~Module() = default;

void Module::register_module(std::string name, Module& child) {
    child.set_name(name_.empty() ? name : name_ + "." + name);
    children_.emplace_back(std::move(name), &child);
}

void Module::register_parameter(std::string name, at::Tensor& slot,
                                std::vector<std::int64_t> shape) {
    parameters_.push_back({std::move(name), std::move(shape), &slot});
}

void Module::set_name(std::string name) {
    name_ = std::move(name);
    for (auto& [child_name, child] : children_) {
        child->set_name(name_ + "." + child_name);
    }
    if (Module* const point = before_injection()) {
        point->name_ = name_ + "#pre";
    }
}

std::vector<std::pair<std::string, Module*>> Module::named_modules() {
    std::vector<std::pair<std::string, Module*>> found{{name_, this}};
    for (auto& [name, child] : children_) {
        auto below = child->named_modules();
        found.insert(found.end(), below.begin(), below.end());
    }
    return found;
}

std::vector<ParameterSlot> Module::parameter_slots() const {
    std::vector<ParameterSlot> found;
    for (const auto& slot : parameters_) {
        found.push_back(
            {name_.empty() ? slot.name : name_ + "." + slot.name, slot.shape, slot.tensor});
    }
    for (const auto& [name, child] : children_) {
        auto below = child->parameter_slots();
        found.insert(found.end(), below.begin(), below.end());
    }
    return found;
}

std::vector<std::pair<std::string, at::Tensor>> Module::named_parameters() const {
    std::vector<std::pair<std::string, at::Tensor>> found;
    for (const auto& slot : parameter_slots()) {
        found.emplace_back(slot.name, *slot.tensor);
    }
    return found;
}

std::int64_t Module::parameter_count() const {
    std::int64_t count = 0;
    for (const auto& [name, parameter] : named_parameters()) {
        count += parameter.defined() ? parameter.numel() : 0;
    }
    return count;
}

Module* Module::find(std::string_view path) {
    if (path.empty()) {
        return this;
    }
    constexpr std::string_view kBefore = "#pre";
    if (path.ends_with(kBefore)) {
        Module* const module = find(path.substr(0, path.size() - kBefore.size()));
        return module != nullptr ? module->before_injection() : nullptr;
    }
    const auto dot = path.find('.');
    for (auto& [name, child] : children_) {
        if (name == path.substr(0, dot)) {
            return dot == std::string_view::npos ? child : child->find(path.substr(dot + 1));
        }
    }
    return nullptr;
}

HookHandle Module::register_forward_hook(ForwardHook hook, bool prepend) {
    auto shared = std::make_shared<ForwardHook>(std::move(hook));
    hooks_->forward.insert(prepend ? hooks_->forward.begin() : hooks_->forward.end(), shared);
    return HookHandle([hooks = std::weak_ptr(hooks_), shared] {
        if (auto alive = hooks.lock()) {
            alive->forward.remove(shared);
        }
    });
}

HookHandle Module::register_forward_pre_hook(ForwardPreHook hook) {
    auto shared = std::make_shared<ForwardPreHook>(std::move(hook));
    hooks_->before.push_back(shared);
    return HookHandle([hooks = std::weak_ptr(hooks_), shared] {
        if (auto alive = hooks.lock()) {
            alive->before.remove(shared);
        }
    });
}

std::size_t Module::hook_count() const {
    return hooks_->forward.size() + hooks_->before.size();
}

bool Module::any_hook_below() const {
    const Module* const point = before_injection();
    return hook_count() > 0 || (point != nullptr && point->hook_count() > 0) ||
           std::any_of(children_.begin(), children_.end(),
                       [](const auto& c) { return c.second->any_hook_below(); });
}

void Module::train() {
    throw RequestError(
        "training mode is not supported: Earscope is not a fine-tuning program; gradients work in "
        "evaluation mode");
}

void Module::enable_gradient_checkpointing() {
    throw RequestError(
        "gradient checkpointing is not supported: temporary DeepStack hooks would be gone before "
        "the backward pass computes the layers again");
}

namespace {

std::string shape_text(const at::Tensor& tensor) {
    std::ostringstream text;
    text << tensor.sizes();
    return text.str();
}

/// Calls a hook on `value`, which it may replace by a tensor of the same shape.
template <typename Call>
at::Tensor apply(const std::string& module, const char* kind, at::Tensor value, Call&& call) {
    at::Tensor replacement;
    try {
        replacement = call(value);
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        throw RequestError(std::string(kind) + " on module '" + module +
                           "' failed: " + error.what());
    }
    if (!replacement.defined()) {
        return value;
    }
    if (replacement.sizes() != value.sizes()) {
        throw RequestError(std::string(kind) + " on module '" + module + "' returned shape " +
                           shape_text(replacement) + ", the module gives " + shape_text(value));
    }
    return replacement.to(value.device(), value.scalar_type());
}

}  // namespace

at::Tensor Module::apply_pre_hooks(const at::Tensor& input) {
    at::Tensor value = input;
    // A copy: hooks may change the list. The shared pointers keep a hook that removes itself alive.
    const auto hooks = hooks_->before;
    for (const auto& hook : hooks) {
        value =
            apply(name_, "pre-hook", value, [&](const at::Tensor& v) { return (*hook)(*this, v); });
    }
    return value;
}

at::Tensor Module::apply_hooks(const at::Tensor& input, at::Tensor output) {
    if (!output.defined()) {
        return output;  // the forward was asked to end below this module
    }
    const auto hooks = hooks_->forward;
    for (const auto& hook : hooks) {
        output = apply(name_, "hook", std::move(output),
                       [&](const at::Tensor& v) { return (*hook)(*this, input, v); });
    }
    return output;
}

}  // namespace earscope
