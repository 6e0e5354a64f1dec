// The buffers of the tensors that a launch reads, and of the parameters that it updates.
#pragma once

#include <algorithm>
#include <vector>

#include <weft/record/tensor_impl.h>
#include <weft/tensor/parameter.h>
#include <weft/tensor/tensor.h>

namespace weft::jit {

inline const runtime::BufferPtr& buffer_of(const Tensor& tensor) {
  record::TensorImpl& impl = tensor.impl();
  if (!impl.buffer) tensor.buffer();  // launches the recording to which the tensor belongs
  return impl.buffer;
}

// Makes a parameter that is about to be updated give up its old buffer, so that a result can be donated its memory.
inline void release(Parameter& parameter, std::vector<record::TensorImpl*>& released) {
  record::TensorImpl& impl = parameter.unobserved().impl();
  if (impl.references.load(std::memory_order_relaxed) != 1 || !impl.buffer) return;
  impl.buffer->remove_holder();
  released.push_back(&impl);
}

inline void assign(Parameter& parameter, const runtime::BufferPtr& buffer,
                   const std::vector<record::TensorImpl*>& released) {
  record::TensorImpl& impl = parameter.unobserved().impl();
  if (!std::ranges::binary_search(released, &impl)) {
    parameter.reset(Tensor(buffer));
    return;
  }
  impl.stamp.store(0, std::memory_order_relaxed);  // it is no longer an input of any recording
  impl.set_buffer(buffer);
}

}  // namespace weft::jit
