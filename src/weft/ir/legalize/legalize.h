// Legalisation: expresses program constructs that are not in weft's op table with ops of the table. These are complex numbers,
// CHLO's special functions, Fourier transforms, shapes given as operands, and regions of other forms. A reader of a format, such
// as ir/text, looks up an operation by its name and calls the function that it finds:
//
//   find_dynamic   another operation, once the operands that give its shape are known                  dynamic.h
//   find_complex   an operation with complex operands or results, as operations on their parts        complex.h
//   find_chlo      an elementwise function                                                             chlo.h
//
// Operations that need their attributes or regions are separate functions, to which the reader passes both: fft,
// batch_norm_inference and its siblings, bitcast, complex_cholesky and complex_triangular_solve, chlo_top_k and first_k,
// expand_scan and expand_map, and the operations of early versions of StableHLO (deprecated.h). regions.h brings regions into the form that ops take; written.h defines complex values.
//
// Everything here works on Values and Graphs and knows no format. Nodes are appended to the graph of the operands. An operation
// that does not accept its operands throws Error without its name and place, which the reader adds.
#pragma once

#include <string_view>

#include <weft/ir/legalize/batch_norm.h>
#include <weft/ir/legalize/bitcast.h>
#include <weft/ir/legalize/chlo.h>
#include <weft/ir/legalize/complex.h>
#include <weft/ir/legalize/complex_linalg.h>
#include <weft/ir/legalize/deprecated.h>
#include <weft/ir/legalize/dynamic.h>
#include <weft/ir/legalize/expand.h>
#include <weft/ir/legalize/expand_regions.h>
#include <weft/ir/legalize/fft.h>
#include <weft/ir/legalize/regions.h>
#include <weft/ir/legalize/written.h>

namespace weft::ir::legalize {

// Returns whether one of the three tables has the operation; `name` includes the dialect.
inline bool is_function(std::string_view name) { return find_dynamic(name) || find_complex(name) || find_chlo(name); }

}  // namespace weft::ir::legalize
