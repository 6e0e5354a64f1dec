#include <weft/tensor/parameter.h>

#include <weft/tensor/recording.h>

namespace weft::detail {

Tensor copy_of(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  const TensorImpl& from = tensor.impl();
  if (!from.buffer) {
    Recording& recording = Recording::current();
    return from.recording == &recording ? recording.wrap(from.value) : tensor;
  }
  Tensor copy(from.buffer);
  copy.impl().origin = from.origin;
  copy.impl().cut = from.cut;
  if (observer) observer->copied(from, copy);
  return copy;
}

}  // namespace weft::detail
