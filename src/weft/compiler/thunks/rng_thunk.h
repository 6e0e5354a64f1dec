// rng_bit_generator as a loop over blocks of the generator.
#pragma once

#include <weft/compiler/unit.h>

namespace weft::compiler {

Unit rng_unit(const ir::Node& node);

}  // namespace weft::compiler
