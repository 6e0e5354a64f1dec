// compile(fn) records a function on tensors once for every kind of arguments and replays it from then on: a call checks
// the guards, binds the arguments and launches one program, without running the function.
//
//   auto train_step = weft::compile([&](const Tensor& images, const Tensor& labels) {
//     const Tensor loss = nn::cross_entropy(model(images), labels);
//     optimizer.step(grad(loss, optimizer.parameters()));
//     return loss;
//   });
//
// Arguments and results are tensors, numbers and strings, and structs and containers of these; arguments may also be
// models. A number among the results keeps the value that it had when the call was recorded. Through references, a
// function may write only tensors, Parameters and models. What the function captures is treated as follows:
//   Parameter (of models, optimizers)   state: every call reads it and updates it as the function does
//   Scalar, Flag (learning rate, mode)  read again by every call; see scalar.h
//   random generators                   every call draws new numbers
//   Tensor                              a constant: the tensor of the first call
//   anything else                       not tracked: keeps what the host computed when the function was recorded
// If a captured Parameter, Scalar, Flag or generator was destroyed or moved, the next call records again. A model (a
// struct with fields) that is passed as an lvalue is held by reference, any other function by value: compile(model)
// sees later changes of the model.
//
// The guards bound the number of recordings: types of arguments and parameters, values of numbers, flags and strings
// among the arguments, and values of Scalars that the host read. A function that reads a value of a tensor (item,
// printing: a graph break), keeps a tensor outside of Parameters, or changes a Scalar is computed correctly too, but
// recorded in every call; explain() says so.
//
// A call that throws changes no Parameter and no generator, unless its graph was cut before: each graph between breaks
// is one update, and graphs that were launched keep their effect. Inside the function, only operations that are called
// with wrong arguments throw, so the function may be noexcept or catch every exception. Errors of compile() itself are
// thrown by the call after the function has returned.
//
// A tensor that a call finds in several places (two arguments, or an argument and the value of a Parameter) is one
// tensor, as when the function runs uncompiled: a gradient with respect to one of them is the gradient with respect to
// all. If such gradients are taken, a guard checks which tensors are the same.
//
// A compiled function that is called while another compiled function, a loop body or a branch is recorded becomes part
// of that graph.
//
// It is best to take a gradient inside the function. A gradient that is taken outside, through results of a call, is
// correct too: the operations of the call are computed again, and later calls with the same guards become part of the
// surrounding recording (unless the options name a backend or check replays), which costs the host the time to record
// them. Throws Error if a tensor that the gradient needs is no longer held; the caller must keep the arguments of a
// replayed call until then.
//
// Copies of a compiled function share its specialisations. A compiled function is thread-safe if the function is. Calls
// of a function that updates Parameters run one after the other, each as one atomic update. Two functions on the same
// model, such as training and evaluation, need a lock by the caller.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/jit/disable.h>
#include <weft/jit/invocation.h>
#include <weft/jit/leaves.h>
#include <weft/jit/options.h>

namespace weft {

namespace jit {

// The type that holds an argument during a call: the parameter type that the function declares, so that a number passed
// for a Scalar becomes one. Tensors and Scalars are held by value, because the recording must distinguish arguments
// from captured objects.
template <class Declared, class Given, class Plain = std::remove_cvref_t<Declared>>
inline constexpr bool held_by_reference =
    std::same_as<Plain, std::remove_cvref_t<Given>> &&
    !((std::same_as<Plain, Tensor> || std::same_as<Plain, Scalar>) && std::convertible_to<const Plain&, Declared>);
template <class Declared, class Given>
using Held = std::conditional_t<held_by_reference<Declared, Given>, Given&&, std::remove_cvref_t<Declared>>;

// The same if the declared parameter types are not known; plain numbers are then const.
template <class Given>
using HeldAsGiven = Held<Given, std::conditional_t<has_plain_values<std::remove_reference_t<Given>>(),
                                                   const std::remove_reference_t<Given>&, Given>>;

// Adds a call operator with the declared parameter types, so that a braced list converts to the parameter: `f({a, b})`.
template <class Callee, class... Parameters>
struct DeclaredCall {
  auto operator()(Parameters... given) const {
    return static_cast<const Callee&>(*this).call(std::forward<Parameters>(given)...);
  }
};
struct NoDeclaredCall {
  void operator()(NoDeclaredCall) const = delete;
};

template <class F>
struct Declared {  // a generic lambda or an overloaded operator: arguments are held as given
  template <class... Given>
  using Arguments = std::tuple<HeldAsGiven<Given>...>;
  template <class Callee>
  using Call = NoDeclaredCall;
};
template <class F, class R, class... Parameters>
struct DeclaredParameters {
  static_assert(
      (!writes_plain_values<Parameters> && ...),
      "compile: the function takes a plain number or string, or a container of them, by a reference or pointer "
      "through which it could be written. Only tensors, Parameters and models may be written through a reference: "
      "return the number, or take "
      "it by value");
  template <class... Given>
  using Arguments = std::tuple<Held<Parameters, Given>...>;
  template <class Callee>
  using Call = DeclaredCall<Callee, Parameters...>;
};
template <class R, class... P>
struct Declared<R (*)(P...)> : DeclaredParameters<void, R, P...> {};
template <class R, class... P>
struct Declared<R (*)(P...) noexcept> : DeclaredParameters<void, R, P...> {};
template <class R, class C, class... P>
struct Declared<R (C::*)(P...)> : DeclaredParameters<C, R, P...> {};
template <class R, class C, class... P>
struct Declared<R (C::*)(P...) const> : DeclaredParameters<C, R, P...> {};
template <class R, class C, class... P>
struct Declared<R (C::*)(P...) noexcept> : DeclaredParameters<C, R, P...> {};
template <class R, class C, class... P>
struct Declared<R (C::*)(P...) const noexcept> : DeclaredParameters<C, R, P...> {};
template <class F>
struct Declared<F&> : Declared<std::remove_const_t<F>> {};
template <class F>
  requires requires { &F::operator(); }
struct Declared<F> : Declared<decltype(&F::operator())> {};

// In a noexcept function, an operation that rejects a size would end the process. So such a function is not sampled
// with sizes that it was never called with.
template <class F>
inline constexpr bool is_declared_noexcept = false;
template <class R, class... P>
inline constexpr bool is_declared_noexcept<R (*)(P...) noexcept> = true;
template <class R, class C, class... P>
inline constexpr bool is_declared_noexcept<R (C::*)(P...) noexcept> = true;
template <class R, class C, class... P>
inline constexpr bool is_declared_noexcept<R (C::*)(P...) const noexcept> = true;
template <class F>
  requires requires { &F::operator(); }
inline constexpr bool is_declared_noexcept<F> = is_declared_noexcept<decltype(&F::operator())>;
template <class F, class Arguments>  // of a generic lambda, noexcept depends on the arguments
inline constexpr bool is_noexcept = is_declared_noexcept<std::remove_cvref_t<F>> ||
                                    noexcept(std::apply(std::declval<F&>(), std::declval<Arguments&>()));

// The result of a function that returns void.
struct Nothing {
  void fields(auto&&) {}
};

// The result type of a call for the type that the function returns: a Tensor for a Parameter.
template <class Returned>
using Made = std::conditional_t<std::is_void_v<Returned>, Nothing,
                                std::conditional_t<std::same_as<Returned, Parameter>, Tensor, Returned>>;

// Returns a copy of a result without tensors, and puts tensors into it.
template <class Made>
Made copy_of(const Prototype& prototype) {
  if constexpr (std::same_as<Made, Nothing>) {
    return {};
  } else {
    return *static_cast<const Made*>(prototype.value.get());
  }
}
template <class Made>
void fill_with(Made& made, std::vector<Tensor>& tensors) {
  auto next = tensors.begin();
  for_each_tensor(made, [&](Tensor& tensor) { tensor = std::move(*next++); });
}

template <class F, class Made, class Arguments>
class TypedInvocation final : public Invocation {
 public:
  TypedInvocation(F& function, Arguments& arguments) : function_(function), arguments_(arguments) {}
  Made& made() { return *made_; }

  void collect(LeafCollector& collector) override {
    std::size_t i = 0;
    std::apply([&](auto&... all) { (collector.argument(i++, all), ...); }, arguments_);
  }
  void run() override { made_.emplace(invoke()); }
  std::vector<Tensor> tensors() const override { return tensors_of(*made_); }
  Prototype prototype() const override {
    Prototype kept;
    if constexpr (!std::same_as<Made, Nothing>) {
      LeafCollector collector(kept.leaves, &kept.paths);
      visit_leaves(*made_, collector);
      auto value = std::make_shared<Made>(*made_);
      for_each_tensor(*value, [](Tensor& tensor) { tensor = Tensor(); });
      kept.value = std::move(value);
    }
    return kept;
  }
  void replay(const Prototype& prototype) override { made_.emplace(copy_of<Made>(prototype)); }
  void fill(std::vector<Tensor>& tensors) override { fill_with(*made_, tensors); }
  std::vector<Tensor> sample() override {
    if constexpr (is_noexcept<F, Arguments>) return {};
    return tensors_of(invoke());
  }
  bool may_sample() const override { return !is_noexcept<F, Arguments>; }

 private:
  Made invoke() {
    if constexpr (std::same_as<Made, Nothing>) {
      std::apply(function_, arguments_);
      return {};
    } else {
      return std::apply(function_, arguments_);
    }
  }
  static std::vector<Tensor> tensors_of(const Made& result) {
    std::vector<Tensor> tensors;
    for_each_tensor(result, [&](const Tensor& tensor) { tensors.push_back(tensor); });
    return tensors;
  }

  F& function_;
  Arguments& arguments_;
  std::optional<Made> made_;
};

}  // namespace jit

template <class F>
class Compiled : public jit::Declared<F>::template Call<Compiled<F>> {
 public:
  using jit::Declared<F>::template Call<Compiled>::operator();

  Compiled(F function, CompileOptions options, const std::source_location& where)
      : state_(std::make_shared<State>(std::forward<F>(function), std::move(options), where)) {}

  template <class... Given>
  auto operator()(Given&&... given) const {
    return call(std::forward<Given>(given)...);
  }

  // A handle that checks only the arguments: every call replays the function's last call, with other tensors of the
  // same types and sizes, other values of Scalars, and the same numbers and Parameters. Other sizes need other handles,
  // even if one program serves many sizes. Use it for an inner loop in which nothing else changes. Throws Error if the
  // last call cannot be replayed. A call of the handle throws Error if its arguments differ in another way, or if
  // something that the function captured was destroyed or moved. With CompileOptions::check_replays, every call is also
  // recorded and throws Error if the replay would have been wrong.
  class Pinned : public jit::Declared<F>::template Call<Pinned> {
   public:
    using jit::Declared<F>::template Call<Pinned>::operator();

    template <class... Given>
    auto operator()(Given&&... given) const {
      return call(std::forward<Given>(given)...);
    }

   private:
    friend class Compiled;
    template <class Callee, class... Parameters>
    friend struct jit::DeclaredCall;
    template <class... Given>
    auto call(Given&&... given) const {
      return compiled_.call(std::forward<Given>(given)...);
    }
    explicit Pinned(const Compiled& compiled) : compiled_(compiled) {
      compiled_.pinned_ = jit::last_call(*compiled_.state_->core);
    }
    Compiled compiled_;
  };
  Pinned pinned() const { return Pinned(*this); }

  Explanation explain(const ExplainOptions& options = {}) const { return jit::explain(*state_->core, options); }

  // For train::Pipeline: hands a call to the pipeline, and calls finished(result) for results that have become available, in the order of
  // the calls.
  template <class Finished, class... Given>
  void call_in(jit::Pipeline& pipeline, Finished&& finished, Given&&... given) const {
    using Arguments = typename jit::Declared<F>::template Arguments<Given...>;
    using Made = jit::Made<std::remove_cvref_t<Result<Arguments>>>;
    Arguments arguments(std::forward<Given>(given)...);
    jit::TypedInvocation<F, Made, Arguments> invocation(state_->function, arguments);
    const bool was_run = jit::call_in(pipeline, *state_->core, invocation);
    take<Made>(pipeline, finished);
    if (was_run) finished(std::move(invocation.made()));
  }
  template <class Made>
  static void take(jit::Pipeline& pipeline, auto&& finished) {
    for (auto& step : jit::take_finished(pipeline)) {
      Made made = jit::copy_of<Made>(*step.prototype);
      jit::fill_with(made, step.tensors);
      finished(std::move(made));
    }
  }

 private:
  struct State {
    State(F from, CompileOptions options, const std::source_location& where)
        : function(std::forward<F>(from)), core(jit::make_function(std::move(options), where)) {}
    F function;  // must not move: captured objects are known by address
    const std::shared_ptr<jit::Function> core;
  };

  template <class Arguments>
  using Result = decltype(std::apply(std::declval<F&>(), std::declval<Arguments&>()));

  template <class Callee, class... Parameters>
  friend struct jit::DeclaredCall;
  template <class... Given>
  auto call(Given&&... given) const {
    using Arguments = typename jit::Declared<F>::template Arguments<Given...>;
    using Returned = Result<Arguments>;
    using Made = jit::Made<std::remove_cvref_t<Returned>>;
    constexpr bool takes_leaves = jit::has_leaves<Arguments>(), gives_leaves = jit::has_leaves<Made>();
    static_assert(
        takes_leaves,
        "compile: an argument is neither a tensor, a number, a string nor a struct with fields(), nor a "
        "container of them: list the members of its struct in fields(auto&& field) { field(\"name\", name); }");
    static_assert(
        gives_leaves,
        "compile: a result is neither a tensor, a number, a string nor a struct with fields(), nor a "
        "container of them: list the members of its struct in fields(auto&& field) { field(\"name\", name); }");
    if constexpr (takes_leaves && gives_leaves) {
      Arguments arguments(std::forward<Given>(given)...);
      jit::TypedInvocation<F, Made, Arguments> invocation(state_->function, arguments);
      jit::call(*state_->core, invocation, pinned_);
      if constexpr (!std::is_void_v<Returned>) return std::move(invocation.made());
    } else {
      return Made();
    }
  }

  std::shared_ptr<State> state_;
  std::shared_ptr<const jit::Specialization> pinned_;  // null: any specialisation may serve a call
};

namespace jit {
// The type in which compile() holds its function: a model by reference, unless it is a temporary; otherwise by value.
template <class F>
using Kept = std::conditional_t<std::is_lvalue_reference_v<F> && Module<std::remove_cvref_t<F>>, F, std::decay_t<F>>;
}  // namespace jit

template <class F>
Compiled<jit::Kept<F>> compile(F&& function, CompileOptions options = {},
                               std::source_location where = std::source_location::current()) {
  return {std::forward<F>(function), std::move(options), where};
}

// The same for the devices of a mesh.
template <class F>
Compiled<jit::Kept<F>> compile(const ir::Mesh& mesh, F&& function, CompileOptions options = {},
                               std::source_location where = std::source_location::current()) {
  options.mesh = mesh;
  return {std::forward<F>(function), std::move(options), where};
}

namespace jit {
template <class F>
inline constexpr bool is_compiled = false;
template <class F>
inline constexpr bool is_compiled<Compiled<F>> = true;
}  // namespace jit

// explain(function)(arguments...) calls the compiled function and explains what it became. (torch._dynamo.explain)
template <class F>
auto explain(F&& function, std::source_location where = std::source_location::current()) {
  if constexpr (jit::is_compiled<std::remove_cvref_t<F>>) {
    return [function](auto&&... arguments) {
      function(std::forward<decltype(arguments)>(arguments)...);
      return function.explain();
    };
  } else {
    return explain(compile(std::forward<F>(function), {}, where));
  }
}

// Returns whether compile() is recording a function on this thread.
bool is_compiling();

}  // namespace weft
