// The tensors that the recording of a call finds, the places where it finds them, and the tensor that is recorded for
// each. A tensor that is found in several places is one tensor.
#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>
#include <vector>

#include <weft/jit/aliases.h>
#include <weft/tensor/tensor.h>

namespace weft::jit {

class FoundTensors {
 public:
  // `apart`: a tensor in several places is recorded as several tensors.
  explicit FoundTensors(bool apart) : apart_(apart) {}

  void add(const record::TensorImpl& tensor, Finding::Kind kind, std::size_t index);
  // Sets the tensor that is recorded for `tensor`, unless there is one. `recorded` is not owned and must stay at its
  // address.
  void record_as(const record::TensorImpl& tensor, const Tensor& recorded) {
    recorded_as_.try_emplace(&tensor, &recorded);
  }
  void forget_recorded_as(const record::TensorImpl& tensor, const Tensor& recorded);
  // Returns the tensor that was recorded for `tensor` earlier, if it has this type; else null.
  const Tensor* known_as(const record::TensorImpl& tensor, Type type) const;

  // Returns the index of the tensor among the captured tensors; adds it if it is new.
  std::size_t capture(record::TensorImpl& tensor);
  const std::deque<Tensor>& captured() const { return captured_; }

  bool has_aliases() const;
  std::vector<Alias> aliases() const;  // sorted

 private:
  bool apart_;
  std::unordered_map<const record::TensorImpl*, std::vector<Finding>> findings_;
  std::unordered_map<const record::TensorImpl*, const Tensor*> recorded_as_;
  std::deque<Tensor> captured_;
};

}  // namespace weft::jit
