// Operations that are applied to complex numbers part by part.
#pragma once

#include <weft/ir/builder.h>
#include <weft/ir/legalize/written.h>

namespace weft::ir::legalize {

using Complex = WrittenValue;

// Applies the function to each part; a real number has only one.
template <class Function>
Complex both(Complex z, Function&& function) {
  return {function(z.re), z.is_complex() ? function(z.im) : Value()};
}

inline Complex choose(Value condition, Complex a, Complex b) {
  return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
}

}  // namespace weft::ir::legalize
