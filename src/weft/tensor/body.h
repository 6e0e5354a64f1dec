// What the functions share whose arguments are functions to be recorded as regions: loops, branches, checkpoints.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <weft/record/recording.h>
#include <weft/tensor/body_parameters.h>
#include <weft/tensor/frame.h>

namespace weft::detail {

// One region while it is being made: a recording whose first inputs are the carried values.
class Body {
 public:
  explicit Body(record::Recording& parent) : recording_(parent) {}

  // Calls `function`, whose operations go to this body; keeps the values of what it returns.
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

  // Takes on the captures of another body, in its order, after which both have the same.
  void capture_like(const Body& other) {
    for (const record::TensorPtr& tensor : other.captures()) recording_.capture(tensor);
  }
  std::span<const record::TensorPtr> captures() const { return recording_.captures(); }

  const std::vector<ir::Value>& outputs() const { return outputs_; }
  // The captures come out as they went in.
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
