#include <weft/tensor/parameter.h>

#include <weft/record/recording.h>

namespace weft::detail {

Tensor copy_of(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  const record::TensorImpl& from = tensor.impl();
  if (!from.buffer) {
    record::Recording& recording = record::Recording::current();
    return from.recording == &recording ? Tensor(recording.wrap(from.value)) : tensor;
  }
  Tensor copy(from.buffer);
  copy.impl().origin = from.origin;
  copy.impl().cut = from.cut;
  if (host_observer) host_observer->parameter_copied(from, copy);
  return copy;
}

}  // namespace weft::detail
