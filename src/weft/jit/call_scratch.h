// What a call of a compiled function works on, kept from call to call so that a replay allocates nothing. No user code runs while it
// is in use.
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
  std::vector<Alias> aliases;

  static CallScratch& of_this_thread();
};

}  // namespace weft::jit
