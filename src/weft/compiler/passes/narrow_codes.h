// Computes with elements of narrow types (base/narrow.h) by operations on wider ones. A narrow value is held as its bytes: integers of fewer
// than 8 bits as i8 or ui8, sign-extended or zero-extended, and floats as the ui8 of their codes.
#pragma once

#include <weft/ir/graph.h>

namespace weft::compiler {

// Returns i8 or ui8, in which an element of the narrow dtype is held.
DType held_dtype(DType narrow);

// Returns the numbers, as f32, of which x has the codes in the narrow floating-point dtype. Exact.
ir::Value decode_floats(ir::Value x, DType narrow);
// Returns the codes of x, which is f32 or f64, rounded to nearest, ties to even.
ir::Value encode_floats(ir::Value x, DType narrow);
// Keeps the low bits of x, which is i8 or ui8, and extends them.
ir::Value wrap_integers(ir::Value x, DType narrow);

}  // namespace weft::compiler
