// Models are plain structs that list their members in one function:
//   struct Mlp {
//     nn::Linear up{784, 256}, down{256, 10};
//     void fields(auto&& field) { field("up", up); field("down", down); }
//   };
// Members may be parameters, such structs, and vectors, arrays, optionals and unique_ptrs of these. The name of a
// parameter is its path through the members ("blocks.3.attention.qkv.weight"). All functions below use this list, for
// models and optimizers alike.
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

// Base class of modules that report their position in the model in profiles and messages. Naming the parameters of a
// model (as every optimizer does) sets the paths of its modules:
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

// Calls on_parameter(path, parameter) for every parameter and on_module(path, module) for every module, in the order of
// fields().
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

// Returns every parameter once, under the first of its names. Sets the paths of the model's layers and parameters.
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

// Returns the parameters that require gradients, in the order that an optimizer uses: optimizer.step(grad(loss,
// parameters(model))).
template <class M>
std::vector<Parameter*> parameters(M& model) {
  std::vector<Parameter*> result;
  for (const NamedParameter& named : named_parameters(model))
    if (named.parameter->requires_grad) result.push_back(named.parameter);
  return result;
}

// Returns the number of elements of all parameters that require gradients.
template <class M>
std::int64_t parameter_count(M& model) {
  std::int64_t count = 0;
  for (const Parameter* parameter : parameters(model)) count += parameter->type().elements();
  return count;
}

namespace detail {
StateDict state_of(const std::vector<NamedParameter>& parameters);
// Returns whether the state has the parameter, or some of the matrices whose pieces it holds.
bool is_saved(const StateDict& state, const std::string& name, const Parameter& parameter);
void load_state(const std::vector<NamedParameter>& parameters, const StateDict& state);
std::string summarize(const std::vector<NamedParameter>& parameters);
}  // namespace detail

// Returns the values of all parameters by name. Parameters that hold pieces of matrices are saved as these (saved_pieces.h); on a mesh, all
// processes must then call it.
template <class M>
StateDict state_dict(M& model) {
  return detail::state_of(named_parameters(model));
}

// Sets all parameters to the given values, converted to the dtypes of the parameters. Throws one Error that lists all
// names that are missing, unexpected or have a different shape; in this case nothing changes. A model whose set of
// parameters depends on its history has a member before_load(state), which is called first and creates the parameters
// that the state names.
template <class M>
void load_state_dict(M& model, const StateDict& state) {
  if constexpr (requires { model.before_load(state); }) model.before_load(state);
  detail::load_state(named_parameters(model), state);
}

// Switches every module that has a member `training` (such as dropout) to training or evaluation.
template <class M>
void set_training(M& model, bool training) {
  walk(
      model, "", [](const std::string&, Parameter&) {},
      [training](const std::string&, auto& module) {
        if constexpr (requires { module.training = training; }) module.training = training;
      });
}

// Returns a table of names, types and sizes.
template <class M>
std::string summary(M& model) {
  return detail::summarize(named_parameters(model));
}

}  // namespace weft
