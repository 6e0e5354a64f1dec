// Helpers of the functions whose arguments are functions that are recorded as regions: loops, branches, checkpoints.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <weft/record/recording.h>
#include <weft/tensor/body_parameters.h>
#include <weft/tensor/frame.h>

namespace weft::detail {

// A region under construction: a recording whose first inputs are the carried values.
class Body {
 public:
  explicit Body(record::Recording& parent) : recording_(parent) {}

  // Calls `function`, records its operations into this body and keeps the values of the tensors that it returns.
  template <class Function>
  void record(const char* name, const Function& function) {
    for (const Tensor& result : function()) outputs_.push_back(recording_.value_of(result.shared(), name));
    writable_.leave();
    recording_.leave();
  }

  Tensor add_input(Type type) { return Tensor(recording_.wrap(recording_.graph().add_input(type))); }
  std::vector<Tensor> add_inputs(std::span<const ir::Value> like) {
    std::vector<Tensor> inputs;
    for (const ir::Value value : like) inputs.push_back(add_input(value.type()));
    return inputs;
  }

  // Captures the tensors that `other` captured, in the same order, so that both bodies have the same captures.
  void capture_like(const Body& other) {
    for (const record::TensorPtr& tensor : other.captures()) recording_.capture(tensor);
  }
  std::span<const record::TensorPtr> captures() const { return recording_.captures(); }

  const std::vector<ir::Value>& outputs() const { return outputs_; }
  // Appends the captures, unchanged, to the outputs.
  void return_captures() {
    for (const record::TensorPtr& tensor : captures()) outputs_.push_back(recording_.capture(tensor));
  }
  std::shared_ptr<const ir::Graph> finish() { return recording_.finish_body(outputs_); }

 private:
  record::Recording recording_;
  BodyParameters writable_;
  std::vector<ir::Value> outputs_;
};

inline std::vector<Tensor> wrap_all(Frame& frame, std::span<const ir::Value> values) {
  std::vector<Tensor> tensors;
  for (const ir::Value value : values) tensors.push_back(frame.tensor(value));
  return tensors;
}

inline void append_values(Frame& frame, std::span<const Tensor> tensors, std::vector<ir::Value>& to) {
  for (const Tensor& tensor : tensors) to.push_back(frame.value(tensor));
}

inline void append_captures(Frame& frame, const Body& body, std::vector<ir::Value>& to) {
  for (const record::TensorPtr& tensor : body.captures())
    to.push_back(frame.recording().value_of(tensor, frame.function()));
}

}  // namespace weft::detail
