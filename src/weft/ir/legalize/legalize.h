// What programs hold beyond the ops of weft's table, written with those ops: complex numbers, CHLO's special functions, Fourier
// transforms, shapes that are operands, regions of other forms. A reader of a format, such as ir/text, looks up an operation by its
// name and calls what it finds:
//
//   find_dynamic   the operation is another one, once the operands that say its shape are known        dynamic.h
//   find_complex   with complex operands or results: what becomes of the parts                         complex.h
//   find_chlo      a function of elements                                                              chlo.h
//
// Operations whose attributes or regions matter are functions of their own, and the reader gives them both: fft, batch_norm_training and its
// siblings, bitcast,
// complex_cholesky and complex_triangular_solve, chlo_top_k and first_k, expand_scan and expand_map. regions.h brings regions into
// the form that ops take, written.h says what a complex value is.
//
// Everything here is made of Values and Graphs and knows no format. Nodes are appended to the graph of the operands. What an
// operation does not take is an Error that says so without the operation's name and place, which the reader knows.
#pragma once

#include <string_view>

#include <weft/ir/legalize/batch_norm.h>
#include <weft/ir/legalize/bitcast.h>
#include <weft/ir/legalize/chlo.h>
#include <weft/ir/legalize/complex.h>
#include <weft/ir/legalize/complex_linalg.h>
#include <weft/ir/legalize/dynamic.h>
#include <weft/ir/legalize/expand.h>
#include <weft/ir/legalize/expand_regions.h>
#include <weft/ir/legalize/fft.h>
#include <weft/ir/legalize/regions.h>
#include <weft/ir/legalize/written.h>

namespace weft::ir::legalize {

// Whether one of the three knows the operation; `name` is with the dialect.
inline bool is_function(std::string_view name) { return find_dynamic(name) || find_complex(name) || find_chlo(name); }

}  // namespace weft::ir::legalize
