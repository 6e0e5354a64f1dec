// Copies a value's bytes.
#pragma once

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Copies bytes in the memory of a GPU, in the order of the launch's queue, or at once in the host's memory.
void copy_on_gpu(const runtime::Launch& launch, const runtime::Slice& from, const runtime::Slice& to, bool is_nvidia);

// Returns a unit that copies `value` in the memory of the target.
Unit copy_unit(ir::Value value, const Target& target);

}  // namespace weft::compiler
