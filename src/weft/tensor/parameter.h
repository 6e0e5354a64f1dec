// A Parameter is mutable state of a model or an optimizer: it holds the current Tensor. Copying a Parameter copies its
// current value; the copies are independent, for training and for gradients. So `head.weight = emb.weight` does not tie
// the weights; to tie them, use one Parameter in both places. A Tensor that is assigned to a parameter is the tensor
// that the parameter holds: a gradient with respect to it is a gradient with respect to the parameter. An optimizer
// finds parameters that were moved (parameter_ref.h); a compiled function identifies the parameters it captured by
// address.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <weft/record/lifetime.h>
#include <weft/tensor/body_parameters.h>
#include <weft/tensor/host_observer.h>
#include <weft/tensor/host_state.h>
#include <weft/tensor/parameter_ref.h>
#include <weft/tensor/saved_pieces.h>
#include <weft/tensor/scalar.h>
#include <weft/tensor/scope.h>
#include <weft/tensor/tensor.h>

namespace weft {

namespace detail {
// Returns another tensor with the same value.
Tensor copy_of(const Tensor& tensor);
}  // namespace detail

class Parameter {
 public:
  Parameter() { made(); }
  Parameter(Tensor value) : value_(state(std::move(value))) { made(); }  // NOLINT
  Parameter(const Parameter& other)
      : requires_grad(other.requires_grad),
        sparse_update(other.sparse_update),
        saved_pieces(other.saved_pieces),
        row_counters(other.row_counters),
        value_(state(detail::copy_of(other.tensor()))) {
    made();
  }
  Parameter(Parameter&& other) noexcept
      : requires_grad(other.requires_grad),
        sparse_update(other.sparse_update),
        saved_pieces(std::move(other.saved_pieces)),
        row_counters(std::move(other.row_counters)),
        value_(other.take()) {
    made();
    place_.take(other.place_, *this);
  }
  Parameter& operator=(const Parameter& other) {
    if (this != &other) reset(detail::copy_of(other.tensor()));
    requires_grad = other.requires_grad;
    sparse_update = other.sparse_update;
    saved_pieces = other.saved_pieces;
    row_counters = other.row_counters;
    return *this;
  }
  // Not noexcept, because every write may throw.
  Parameter& operator=(Parameter&& other) {  // NOLINT(performance-noexcept-move-constructor)
    if (this != &other) {
      reset(other.take());
      place_.take(other.place_, *this);
    }
    requires_grad = other.requires_grad;
    sparse_update = other.sparse_update;
    saved_pieces = other.saved_pieces;
    row_counters = other.row_counters;
    return *this;
  }
  ~Parameter() {
    if (host_state.observer) [[unlikely]]
      host_state.observer->ended(this);
    if (host_state.body_parameters) [[unlikely]]
      host_state.body_parameters->removed(*this);
  }

  // Throws Error if the parameter has a value and the new value has a different type. Like reset, throws Error inside
  // the body of a loop, branch or checkpoint, because a body is recorded, not run.
  Parameter& operator=(Tensor value) {
    if (value_.defined()) {
      require(value_.type() == value.type(), "a parameter of type ", value_.type(), " cannot become ", value.type());
    }
    reset(std::move(value));
    return *this;
  }
  void reset(Tensor value) {  // accepts a value of any type
    if (host_state.body_parameters) [[unlikely]]
      host_state.body_parameters->require_own(*this, value);
    write(std::move(value));
  }

  const Tensor& tensor() const {
    if (host_state.observer) [[unlikely]]
      return host_state.observer->parameter_read(*this);
    return value_;
  }
  operator const Tensor&() const { return tensor(); }  // NOLINT
  bool defined() const { return value_.defined(); }
  Type type() const { return value_.type(); }
  Shape shape() const { return value_.shape(); }
  DType dtype() const { return value_.dtype(); }

  // If false, optimizers do not update the parameter; may change between steps.
  Flag requires_grad{true, "requires_grad"};
  // If true, the parameter is an embedding table of which optimizers update only the rows that the step looked up, in place and
  // without a gradient of the whole table (tensor/embedding.h).
  Flag sparse_update{false, "sparse_update"};
  // How a state dict holds the value; null: as it is.
  std::shared_ptr<const SavedPieces> saved_pieces = {};
  // Of an embedding table: the parameter i64 [rows] that says where the random bits of each row begin, if its rows come and go.
  std::optional<ParameterRef> row_counters = {};

  // Returns the path under which named_parameters last found the parameter; empty if it was never named.
  std::string_view name() const { return path_.interned ? path_.interned : ""; }
  void set_path(Scope::Path path) {
    if (path_.interned != path.interned) path_ = path;  // no write if equal, so concurrent readers are safe
  }

  const Tensor& unobserved() const { return value_; }  // for internal use by weft
  Tensor& unobserved() { return value_; }
  const record::Lifetime& lifetime() const { return lifetime_; }

 private:
  void made() {
    if (host_state.observer) [[unlikely]]
      host_state.observer->parameter_made(*this);
    if (host_state.body_parameters) [[unlikely]]
      host_state.body_parameters->added(*this);
  }
  void write(Tensor value) {
    if (host_state.observer) [[unlikely]]
      host_state.observer->parameter_written(*this, value);
    if (value.defined() && value_.defined()) value.impl().takes_layout_of(value_.impl());
    value_ = state(std::move(value));
  }
  static Tensor state(Tensor value) {
    if (value.defined()) value.impl().becomes_state();
    return value;
  }
  Tensor take() {
    if (host_state.body_parameters && !host_state.body_parameters->own(*this)) [[unlikely]]
      return tensor();  // a body does not change parameters from outside
    if (!host_state.observer) [[likely]]
      return std::move(value_);
    Tensor taken = tensor();
    write({});
    return taken;
  }

  Tensor value_;
  Scope::Path path_;
  record::Lifetime lifetime_;
  friend class ParameterRef;
  detail::ParameterPlace place_;
};

inline ParameterRef::ParameterRef(Parameter& parameter) : place_(parameter.place_.of(parameter)) {}

}  // namespace weft
