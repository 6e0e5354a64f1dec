// Stochastic rounding to 16-bit floats: a number between two neighbours becomes the upper one with the probability that makes the result
// right on average. So small updates of a parameter are not lost, as they are when each is rounded to the nearest.
#pragma once

#include <cstdint>
#include <string_view>

#include <weft/tensor/operand.h>

namespace weft {

// Rounds x, of f32, to f16 or bf16, with random bits of its shape, u32: up if they are less than the fraction of the gap between the
// neighbours that x has passed. Probabilities are exact, but for numbers below the smallest normal f16 they are multiples of 2^-24. Numbers
// that are not finite, or beyond the largest one of the dtype, are rounded to the nearest.
Tensor round_stochastically(const Operand& x, DType dtype, const Operand& bits);

// Returns the key of the random bits of a step, u64 [], from its number, an integer that a program computes.
Tensor rounding_key(std::uint64_t seed, const Operand& step);
// Returns random bits, u32, of Philox with this key; different names have different bits.
Tensor rounding_bits(const Operand& key, std::string_view name, const Shape& shape);
// Where the random bits for a name begin, from 0 to 2^52.
std::int64_t rounding_counter(std::string_view name);

}  // namespace weft
