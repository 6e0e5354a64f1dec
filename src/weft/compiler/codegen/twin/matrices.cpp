#include <weft/compiler/codegen/twin/matrices.h>

#include <cstring>

#include <weft/base/half.h>

namespace weft::compiler::twin {

namespace {

constexpr int warp = 32;

float widened(bool is_bf16, std::uint16_t bits) {
  return static_cast<float>(is_bf16 ? double(bfloat16::from_bits(bits)) : double(float16::from_bits(bits)));
}

float element(const ProductPart& part, int value, int which) {
  return widened(part.is_bf16, static_cast<std::uint16_t>(part.operands[value] >> (16 * which)));
}

}  // namespace

void multiply_add(ProductPart* const* parts) {
  float left[16][16], right[16][8];
  for (int thread = 0; thread < warp; ++thread) {
    const int g = thread / 4, t = thread % 4;
    for (int which = 0; which < 2; ++which) {
      for (int value = 0; value < 4; ++value)
        left[g + 8 * (value % 2)][2 * t + which + 8 * (value / 2)] = element(*parts[thread], value, which);
      for (int value = 0; value < 2; ++value)
        right[2 * t + which + 8 * value][g] = element(*parts[thread], 4 + value, which);
    }
  }
  for (int thread = 0; thread < warp; ++thread) {
    const int g = thread / 4, t = thread % 4;
    for (int i = 0; i < 4; ++i) {
      const int row = g + 8 * (i / 2), column = 2 * t + i % 2;
      for (int k = 0; k < 16; ++k) parts[thread]->sum[i] += left[row][k] * right[k][column];
    }
  }
}

void load(LoadPart* const* parts) {
  for (int matrix = 0; matrix < 4; ++matrix) {
    std::uint16_t elements[8][8];
    for (int row = 0; row < 8; ++row)
      std::memcpy(elements[row], parts[8 * matrix + row]->address, sizeof(elements[row]));
    for (int thread = 0; thread < warp; ++thread) {
      const int g = thread / 4, t = thread % 4;
      const bool transposed = parts[thread]->transposed;
      const std::uint16_t low = transposed ? elements[2 * t][g] : elements[g][2 * t],
                          high = transposed ? elements[2 * t + 1][g] : elements[g][2 * t + 1];
      parts[thread]->result[matrix] = low | std::uint32_t{high} << 16;
    }
  }
}

std::uint32_t rounded(bool is_bf16, float first, float second) {
  const auto bits = [&](float x) -> std::uint32_t { return is_bf16 ? bfloat16(x).bits : float16(x).bits; };
  return bits(first) | bits(second) << 16;
}

}  // namespace weft::compiler::twin
