#include <weft/tensor/parameter.h>

#include <weft/record/recording.h>

namespace weft::detail {

Tensor copy_of(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  const record::TensorImpl& from = tensor.impl();
  if (!from.buffer) {
    record::Recording& recording = record::Recording::current();
    if (from.recording != &recording) return tensor;
    return Tensor(recording.wrap(is_float(from.type.dtype()) ? recording.copy(from.value) : from.value));
  }
  Tensor copy(from.buffer);
  copy.impl().origin = from.origin;
  copy.impl().cut = from.cut;
  if (host_state.observer) host_state.observer->parameter_copied(from, copy);
  return copy;
}

}  // namespace weft::detail
