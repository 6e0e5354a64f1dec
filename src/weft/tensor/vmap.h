// vmap makes a function of one example a function of a batch of examples: it records the function once and computes it for all examples at
// once, as jax.vmap and torch.func.vmap do.
//
//   const auto distances = vmap([](const Tensor& a, const Tensor& b) { return norm(a - b); });
//   distances(points, others);                                            // [n, 3] and [n, 3] give [n]
//   vmap([&](const Tensor& x, const Tensor& y) { return grad(loss(model(x), y), parameters); })(images, labels);  // of each example
//
// What does not depend on the example is computed once: a product with a matrix from outside stays one product. The function may use
// tensors and Parameters from outside; they are the same for all examples. Results can be differentiated, and the function may itself
// use grad, vmap, jvp, loops and branches. Branches that depend on the example are computed for all examples, of which each takes its own;
// a loop goes on until no example needs it. The function cannot read values, nor write Parameters from outside.
//
// Random numbers are the same for all examples, because keys come from outside, as in JAX; with Randomness::different, every example has
// numbers of its own. Keys that are tensors (random::keys) may depend on the example: then its numbers are those of its key.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/tensor/leaves.h>
#include <weft/tensor/parameter.h>
#include <weft/tensor/tensor.h>

namespace weft {

// Says of an argument that it is the same for all examples, and of a result that it does not depend on the example.
inline constexpr std::nullopt_t unbatched = std::nullopt;

// Chooses which axis of tensors is the batch; negative axes count from the end.
class BatchAxes {
 public:
  BatchAxes(std::integral auto axis) : all_(axis) {}  // NOLINT: of all tensors
  BatchAxes(std::initializer_list<std::optional<std::int64_t>> axes) : each_(std::vector(axes)) {}  // one for each
  explicit BatchAxes(std::vector<std::optional<std::int64_t>> axes) : each_(std::move(axes)) {}

  // Returns the number of axes; nullopt if there is one for all tensors.
  std::optional<std::size_t> count() const { return each_ ? std::optional(each_->size()) : std::nullopt; }
  std::optional<std::int64_t> operator[](std::size_t i) const { return each_ ? (*each_)[i] : all_; }

 private:
  std::optional<std::int64_t> all_ = {};
  std::optional<std::vector<std::optional<std::int64_t>>> each_ = {};
};

// How examples draw where the key does not depend on the example. (randomness= of torch.func.vmap, whose default is error)
enum class Randomness : std::uint8_t { same, different, error };

struct VmapOptions {
  BatchAxes in_axes = 0;   // one for each argument, for all tensors in it: {0, unbatched, 1}
  BatchAxes out_axes = 0;  // one for each tensor of the result, in order
  Randomness randomness = Randomness::same;
  std::optional<std::int64_t> size = {};  // the number of examples, if no argument tells it
};

namespace detail {

struct VmapArgument {
  const Tensor* tensor;
  std::size_t position;  // of the argument that it is part of
};
// Calls `function` with one example of each tensor.
std::vector<Tensor> vmapped(const VmapOptions& options, std::span<const VmapArgument> tensors, std::size_t arguments,
                            const std::function<std::vector<Tensor>(std::span<const Tensor>)>& function,
                            const std::source_location& where);

// Finds the tensors of an argument.
class ArgumentVisitor {
 public:
  static constexpr bool is_of_result = false;
  explicit ArgumentVisitor(std::vector<Tensor*>& found) : found_(found) {}
  void tensor(Tensor& x) { found_.push_back(&x); }
  void parameter(const Parameter& parameter) const;  // throws Error
  void scalar(const Scalar&) {}
  void key(const random::Key&) {}
  void value(const auto&) {}
  void text(std::string_view) {}
  void size(std::size_t) {}
  void enter(const auto&) {}
  void leave() {}
  void structure(bool) {}

 private:
  std::vector<Tensor*>& found_;
};

template <class T>
using OwnArgument = std::conditional_t<TensorHolder<T>, Tensor, T>;
template <class T>
OwnArgument<T> own_argument(const T& argument) {
  if constexpr (TensorHolder<T>)
    return argument.tensor();
  else
    return argument;
}

// The arguments of a call, whose tensors can be replaced.
template <class... Arguments>
class OwnArguments {
 public:
  explicit OwnArguments(const Arguments&... arguments) : values_(own_argument(arguments)...) {
    std::apply([&](auto&... values) { (find(values), ...); }, values_);
  }
  OwnArguments(const OwnArguments&) = delete;
  OwnArguments& operator=(const OwnArguments&) = delete;

  const std::vector<Tensor*>& tensors() const { return tensors_; }
  std::size_t position(std::size_t tensor) const { return positions_[tensor]; }
  void replace(std::span<const Tensor> tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) *tensors_[i] = tensors[i];
  }
  template <class F>
  auto call(const F& function) const {
    return std::apply(function, values_);
  }

 private:
  template <class T>
  void find(T& value) {
    if constexpr (has_leaves<T>()) {
      ArgumentVisitor visitor(tensors_);
      visit_leaves(value, visitor);
    }
    positions_.resize(tensors_.size(), count_);
    ++count_;
  }

  std::tuple<OwnArgument<Arguments>...> values_;
  std::vector<Tensor*> tensors_;
  std::vector<std::size_t> positions_;
  std::size_t count_ = 0;
};

template <class T>
std::vector<Tensor> tensors_in(T& result) {
  std::vector<Tensor> tensors;
  for_each_tensor(result, [&](const Tensor& tensor) { tensors.push_back(tensor); });
  return tensors;
}
template <class T>
void replace_tensors(T& result, std::span<const Tensor> tensors) {
  auto next = tensors.begin();
  for_each_tensor(result, [&](Tensor& tensor) { tensor = *next++; });
}

}  // namespace detail

// Returns a function of batches. Arguments and results are tensors, or structs, tuples and vectors with tensors; other values in them are
// passed on. Throws Error, when it is called, for an axis that a tensor lacks, and for arguments that differ in the number of examples.
template <class F>
auto vmap(F function, VmapOptions options = {}, std::source_location where = std::source_location::current()) {
  return [function = std::move(function), options = std::move(options), where](const auto&... arguments)
    requires std::invocable<const F&, const detail::OwnArgument<std::decay_t<decltype(arguments)>>&...>
  {
    detail::OwnArguments<std::decay_t<decltype(arguments)>...> examples(arguments...);
    std::vector<Tensor> batches;
    for (const Tensor* tensor : examples.tensors()) batches.push_back(*tensor);
    std::vector<detail::VmapArgument> tensors;
    for (std::size_t i = 0; i < batches.size(); ++i) tensors.push_back({&batches[i], examples.position(i)});
    std::optional<std::decay_t<decltype(examples.call(function))>> result;
    const auto run = [&](std::span<const Tensor> inputs) {
      examples.replace(inputs);
      result.emplace(examples.call(function));
      return detail::tensors_in(*result);
    };
    const std::vector<Tensor> made = detail::vmapped(options, tensors, sizeof...(arguments), run, where);
    detail::replace_tensors(*result, made);
    return *std::move(result);
  };
}

}  // namespace weft
