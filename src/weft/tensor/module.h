// Models are plain structs that list their members once:
//   struct Mlp {
//     nn::Linear up{784, 256}, down{256, 10};
//     void fields(auto&& field) { field("up", up); field("down", down); }
//   };
// Members may be parameters, such structs, vectors, arrays, optionals and unique_ptrs of them; a parameter's name is its path
// through them ("blocks.3.attention.qkv.weight"). Everything below follows from that list, for models and optimizers alike.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <weft/tensor/parameter.h>
#include <weft/tensor/scope.h>

namespace weft {

struct NamedParameter {
  std::string name;
  Parameter* parameter;
};

using StateDict = std::map<std::string, Tensor>;

// Base of modules that say in profiles and messages where they stand in their model. Naming a model's parameters (as every
// optimizer does) gives the modules their paths:
//   Tensor operator()(const Operand& x) const { const Scope scope = enter(); return ...; }
class Layer {
 public:
  Scope enter() const { return Scope(path_); }
  const char* path() const { return path_.interned ? path_.interned : ""; }
  void set_path(Scope::Path path) { path_ = path; }

 private:
  Scope::Path path_;
};

namespace detail {

struct IgnoreField {
  void operator()(std::string_view, auto&) const {}
};

}  // namespace detail

template <class M>
concept Module = requires(M& module, detail::IgnoreField ignore) { module.fields(ignore); };

// Calls on_parameter(path, parameter) for every parameter and on_module(path, module) for every module, in the order of the lists.
template <class Node, class OnParameter, class OnModule>
void walk(Node& node, const std::string& path, OnParameter&& on_parameter, OnModule&& on_module) {
  const auto below = [&](std::string_view name, auto& member) {
    walk(member, path.empty() ? std::string(name) : path + '.' + std::string(name), on_parameter, on_module);
  };
  if constexpr (std::same_as<Node, Parameter>) {
    on_parameter(path, node);
  } else if constexpr (Module<Node>) {
    on_module(path, node);
    node.fields(below);
  } else if constexpr (requires {
                         node.has_value();
                         *node;
                       }) {  // std::optional
    if (node) walk(*node, path, on_parameter, on_module);
  } else if constexpr (requires {
                         node.get();
                         *node;
                       }) {  // std::unique_ptr, std::shared_ptr
    if (node) walk(*node, path, on_parameter, on_module);
  } else if constexpr (requires {
                         node.begin();
                         node.end();
                       }) {
    std::size_t i = 0;
    for (auto& item : node) below(std::to_string(i++), item);
  } else {
    static_assert(Module<Node>,
                  "a member listed by fields() is neither a parameter nor a module nor a container of them");
  }
}

// Every parameter once, under the first of its names. Gives the model's layers and parameters their paths.
template <class M>
std::vector<NamedParameter> named_parameters(M& model) {
  std::vector<NamedParameter> found;
  walk(
      model, "",
      [&](const std::string& name, Parameter& parameter) {
        for (const NamedParameter& other : found) {
          if (other.parameter == &parameter) return;
        }
        parameter.set_path(Scope::intern(name));
        found.push_back({name, &parameter});
      },
      [](const std::string& path, auto& module) {
        if constexpr (std::derived_from<std::remove_reference_t<decltype(module)>, Layer>)
          module.set_path(Scope::intern(path));
      });
  return found;
}

// Those that require gradients, in the order of an optimizer's: optimizer.step(grad(loss, parameters(model))).
template <class M>
std::vector<Parameter*> parameters(M& model) {
  std::vector<Parameter*> result;
  for (const NamedParameter& named : named_parameters(model))
    if (named.parameter->requires_grad) result.push_back(named.parameter);
  return result;
}

// How many numbers the parameters that require gradients are.
template <class M>
std::int64_t parameter_count(M& model) {
  std::int64_t count = 0;
  for (const Parameter* parameter : parameters(model)) count += parameter->type().elements();
  return count;
}

namespace detail {
StateDict state_of(const std::vector<NamedParameter>& parameters);
void load_state(const std::vector<NamedParameter>& parameters, const StateDict& state);
std::string summarize(const std::vector<NamedParameter>& parameters);
}  // namespace detail

// The values of all parameters by name.
template <class M>
StateDict state_dict(M& model) {
  return detail::state_of(named_parameters(model));
}

// Sets all parameters from such values, converted to their dtypes. Throws one Error that lists all names that are missing, that
// are unexpected and whose shape is another, and then changes nothing. A model whose parameters depend on what happened before has a
// member before_load(state), called first, which makes those that the state names.
template <class M>
void load_state_dict(M& model, const StateDict& state) {
  if constexpr (requires { model.before_load(state); }) model.before_load(state);
  detail::load_state(named_parameters(model), state);
}

// Switches every module that has a member `training` (dropout) to training or evaluation.
template <class M>
void set_training(M& model, bool training) {
  walk(
      model, "", [](const std::string&, Parameter&) {},
      [training](const std::string&, auto& module) {
        if constexpr (requires { module.training = training; }) module.training = training;
      });
}

// A table of names, types and sizes.
template <class M>
std::string summary(M& model) {
  return detail::summarize(named_parameters(model));
}

}  // namespace weft
