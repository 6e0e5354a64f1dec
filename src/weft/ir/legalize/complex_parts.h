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

// The product of complex numbers, by a function that multiplies real ones and is linear in both, such as a dot product.
template <class Function>
Complex product(Complex a, Complex b, Function&& of_parts) {
  const Value re = of_parts(a.re, b.re);
  if (!a.is_complex() && !b.is_complex()) return {re};
  if (!a.is_complex()) return {re, of_parts(a.re, b.im)};
  if (!b.is_complex()) return {re, of_parts(a.im, b.re)};
  return {re - of_parts(a.im, b.im), of_parts(a.re, b.im) + of_parts(a.im, b.re)};
}

inline Complex choose(Value condition, Complex a, Complex b) {
  return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
}

}  // namespace weft::ir::legalize
