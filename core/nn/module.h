#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace earscope {

class Module;

/// Sees a module's output and may replace it. `input` and `output` are the first tensor where a
/// module takes or gives several. Returning an undefined tensor leaves the output as it is.
using ForwardHook = std::function<at::Tensor(const Module& module, const at::Tensor& input,
                                             const at::Tensor& output)>;
/// Sees a module's (first) input before it runs and may replace it; an undefined tensor leaves it
/// as it is.
using ForwardPreHook = std::function<at::Tensor(const Module& module, const at::Tensor& input)>;

/// A parameter by name, the shape it must have, and the tensor that holds it once loaded.
struct ParameterSlot {
    std::string name;
    std::vector<std::int64_t> shape;
    at::Tensor* tensor = nullptr;
};

/// Removes its hook when destroyed. Outliving the module is harmless.
class HookHandle {
public:
    HookHandle() = default;
    HookHandle(HookHandle&&) noexcept = default;
    HookHandle& operator=(HookHandle&& other) noexcept;
    HookHandle(const HookHandle&) = delete;
    HookHandle& operator=(const HookHandle&) = delete;
    ~HookHandle() { remove(); }
    void remove();

private:
    friend class Module;
    explicit HookHandle(std::function<void()> undo) : undo_(std::move(undo)) {}
    std::function<void()> undo_;
};

/// A named part of a model: parameters, children in the reference's order, and hooks.
///
/// Every module of `named_modules()` can be observed and edited. Where a faster path is normally
/// taken (fused products, trimmed windows), a hook on a part of it makes the model take the
/// reference's path. Not thread-safe; hooks may register and remove hooks, also themselves.
class Module {
public:
    explicit Module(std::string class_name);
    virtual ~Module();
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    const std::string& class_name() const { return class_name_; }
    /// Full path from the model, "" for the model itself.
    const std::string& name() const { return name_; }

    /// This module ("") and all below it, depth first, in the reference's order.
    std::vector<std::pair<std::string, Module*>> named_modules();
    std::vector<std::pair<std::string, at::Tensor>> named_parameters() const;
    std::int64_t parameter_count() const;
    /// Where the weights of this module and all below go; the names are full paths.
    std::vector<ParameterSlot> parameter_slots() const;
    /// A module by its path, or with "PATH#pre" the observation point before its DeepStack
    /// addition.
    /// @return nullptr when there is none of that path
    Module* find(std::string_view path);
    /// Sees the output before something is added to it; nullptr where nothing is.
    virtual Module* before_injection() const { return nullptr; }

    [[nodiscard]] HookHandle register_forward_hook(ForwardHook hook, bool prepend = false);
    [[nodiscard]] HookHandle register_forward_pre_hook(ForwardPreHook hook);
    /// Hooks on this module alone, and on it or anything below it.
    std::size_t hook_count() const;
    bool any_hook_below() const;

    /// Training is outside of the contract: gradients work in evaluation mode.
    /// @throws RequestError always
    void train();
    void enable_gradient_checkpointing();

    /// Runs `compute(input)` between this module's pre-hooks and hooks. An exception from a hook,
    /// or a replacement of another shape, becomes a RequestError that names the module.
    template <typename Compute>
    at::Tensor run(const at::Tensor& input, Compute&& compute) {
        if (!hooks_ || hook_count() == 0) {
            return compute(input);
        }
        const at::Tensor seen = apply_pre_hooks(input);
        return apply_hooks(seen, compute(seen));
    }

protected:
    /// The child is owned by the caller (a member) and must live as long as this module.
    void register_module(std::string name, Module& child);
    void register_parameter(std::string name, at::Tensor& slot, std::vector<std::int64_t> shape);

private:
    struct Hooks;
    at::Tensor apply_pre_hooks(const at::Tensor& input);
    at::Tensor apply_hooks(const at::Tensor& input, at::Tensor output);
    void set_name(std::string name);

    std::string class_name_;
    std::string name_;
    std::vector<std::pair<std::string, Module*>> children_;
    std::vector<ParameterSlot> parameters_;
    std::shared_ptr<Hooks> hooks_;
};

}  // namespace earscope
