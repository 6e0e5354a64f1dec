// Mutable state of a model or an optimizer: holds the current Tensor. Copying a Parameter copies the value it holds at that
// time; training one copy leaves the other as it was. What refers to parameters (an optimizer) does so by address, so a model
// stays where it is once it is being trained.
#pragma once

#include <utility>

#include <weft/tensor/tensor.h>

namespace weft {

class Parameter {
 public:
  Parameter() = default;
  Parameter(Tensor value) : value_(std::move(value)) {}  // NOLINT

  // The new value must have the type of the old one, if there is one.
  Parameter& operator=(Tensor value) {
    if (value_.defined()) {
      require(value_.type() == value.type(), "a parameter of type ", value_.type(), " cannot become ", value.type());
    }
    value_ = std::move(value);
    return *this;
  }
  void reset(Tensor value) { value_ = std::move(value); }  // of any type

  const Tensor& tensor() const { return value_; }
  operator const Tensor&() const { return value_; }  // NOLINT
  bool defined() const { return value_.defined(); }
  Type type() const { return value_.type(); }
  Shape shape() const { return value_.shape(); }
  DType dtype() const { return value_.dtype(); }

  bool requires_grad = true;  // false: optimizers leave it alone

 private:
  Tensor value_;
};

}  // namespace weft
