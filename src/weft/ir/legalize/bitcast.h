// stablehlo.bitcast_convert between any two dtypes, complex ones too: the same bits, read as other numbers.
#pragma once

#include <weft/ir/legalize/written.h>

namespace weft::ir::legalize {

// A number becomes a last dimension of narrower ones, or the other way round, the lowest bits first; a complex number is its real
// part followed by its imaginary one; a boolean is one bit. Throws Error where the types do not fit each other.
WrittenValue bitcast(const WrittenValue& x, WrittenType result);

}  // namespace weft::ir::legalize
