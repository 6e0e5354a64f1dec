// Meshes and tensors that the tests of several devices share.
#pragma once

#include <weft/weft.h>

namespace weft::test {

inline const Mesh four{{"x", 4}}, grid{{"x", 2}, {"y", 3}};

// Returns 0, 1, 2, ... in this shape.
inline Tensor counted(const Shape& shape) {
  return reshape(arange(Type(DType::f32, shape).elements()).to(DType::f32), shape);
}

}  // namespace weft::test
