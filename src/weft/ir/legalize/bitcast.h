// stablehlo.bitcast_convert between any two dtypes, including complex ones: the same bits, read as other numbers.
#pragma once

#include <weft/ir/legalize/written.h>

namespace weft::ir::legalize {

// Converts a number to a last dimension of narrower numbers or the reverse, lowest bits first. A complex number is its real part
// followed by its imaginary part; a boolean is one bit. Throws Error if the types do not fit each other.
WrittenValue bitcast(const WrittenValue& x, WrittenType result);

}  // namespace weft::ir::legalize
