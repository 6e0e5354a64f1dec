// rng_bit_generator as a loop over the generator's blocks, many of which generated code computes at once.
#pragma once

#include <weft/compiler/thunks/native_context.h>

namespace weft::compiler {

// Returns the code of Philox or Threefry, which is the same everywhere.
std::shared_ptr<Routine> random_routine(bool threefry);

Unit rng_unit(const ir::Node& node, const NativeContext& context);

}  // namespace weft::compiler
