// The tensors that a recording of a call finds: where, and what is recorded for each. What lies in several places is one tensor.
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
  // `apart`: what lies in several places is recorded as several tensors.
  explicit FoundTensors(bool apart) : apart_(apart) {}

  void add(const record::TensorImpl& tensor, Finding::Kind kind, std::size_t index);
  // `recorded` is somebody else's, and stays where it is. The first counts.
  void record_as(const record::TensorImpl& tensor, const Tensor& recorded) {
    recorded_as_.try_emplace(&tensor, &recorded);
  }
  void forget_recorded_as(const record::TensorImpl& tensor, const Tensor& recorded);
  // What is recorded for it since it was found before, if it is of this type; null: it was not.
  const Tensor* known_as(const record::TensorImpl& tensor, Type type) const;

  // Its place among the captured ones, new or not.
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
