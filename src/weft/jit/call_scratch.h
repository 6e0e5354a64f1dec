// Scratch memory for a call of a compiled function, kept between calls so that a replay does not allocate. No user code
// runs while it is in use.
#pragma once

#include <vector>

#include <weft/jit/aliases.h>
#include <weft/jit/leaves.h>
#include <weft/record/observer.h>
#include <weft/runtime/buffer.h>
#include <weft/tensor/tensor.h>

namespace weft::jit {

struct CallScratch {
  std::vector<Leaf> leaves;
  std::vector<Tensor> results;
  std::vector<runtime::BufferPtr> inputs;
  std::vector<record::Immediate> immediates;
  std::vector<record::TensorImpl*> released;
  AliasFinder aliases;

  static CallScratch& of_this_thread();
};

}  // namespace weft::jit
