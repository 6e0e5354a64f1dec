// Rotary position embeddings. (Su et al. 2021, "RoFormer")
#pragma once

#include <cstdint>

#include <weft/tensor/operand.h>
#include <weft/tensor/tensor.h>

namespace weft {

struct RotaryOptions {
  double base = 10000;
  // Which elements of a row form pair i: i and i + width / 2 (Llama, GPT-NeoX), or 2 i and 2 i + 1 (GPT-J, RoFormer).
  bool interleaved = false;
  std::int64_t width = 0;  // rotates only the first elements of each row, an even number; 0: all of them

  void fields(auto&& field) {
    field("base", base);
    field("interleaved", interleaved);
    field("width", width);
  }
};
// Rotates each pair i of a row of x [..., time, width] by the angle position * base^(-2 i / width). The positions, integers or floating
// point, broadcast to [..., time]. 16-bit floats are computed in f32.
Tensor rotary_embedding(const Operand& x, const Operand& positions, const RotaryOptions& options = {});

}  // namespace weft
