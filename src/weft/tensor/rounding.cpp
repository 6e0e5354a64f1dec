#include <weft/tensor/rounding.h>

#include <array>
#include <cmath>

#include <weft/base/hash.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/frame.h>

namespace weft {

using detail::Frame;
using ir::Direction;
using ir::Value;

namespace {

// Constants are exact up to 2^53.
constexpr std::uint64_t exact = (std::uint64_t{1} << 52) - 1;

// Rounds x to a multiple of the spacing of the dtype by adding random bits below the last digit that is kept.
Value round_digits(Value x, Value bits, int dropped) {
  const Value below = ir::shift_right_logical(bits, ir::constant_like(bits, 32 - dropped));
  const Value sum = ir::add(ir::bitcast_convert(x, bits.type()), below);
  const Value kept = ir::and_(sum, ir::constant_like(sum, std::ldexp(1.0, 32) - std::ldexp(1.0, dropped)));
  return ir::bitcast_convert(kept, x.type());
}

// Rounds x to a multiple of 2^-24, the spacing of f16 below its smallest normal number.
Value round_below_normal(Value x, Value bits) {
  const Value scaled = x * std::ldexp(1.0, 24), low = ir::floor(scaled);
  const Value drawn = ir::convert(ir::shift_right_logical(bits, ir::constant_like(bits, 8)), x.dtype());
  const Value up = ir::compare(drawn * std::ldexp(1.0, -24), scaled - low, Direction::LT);
  return ir::select(up, low + ir::constant_like(low, 1), low) * std::ldexp(1.0, -24);
}

}  // namespace

Tensor round_stochastically(const Operand& x, DType dtype, const Operand& bits) {
  Frame frame("round_stochastically", x);
  const Value value = frame.value(x), random = frame.value(bits);
  frame.require(value.dtype() == DType::f32 && (dtype == DType::f16 || dtype == DType::bf16),
                "expected f32 to be rounded to f16 or bf16, got ", value.type(), " and ", dtype);
  frame.require(random.type() == value.type().with(DType::u32), "expected random bits of ",
                value.type().with(DType::u32), ", got ", random.type());
  const bool half = dtype == DType::f16;
  Value rounded = round_digits(value, random, half ? 13 : 16);
  const Value size = ir::abs(value);
  if (half) {
    const Value is_normal = ir::compare(size, ir::constant_like(size, std::ldexp(1.0, -14)), Direction::GE);
    rounded = ir::select(is_normal, rounded, round_below_normal(value, random));
  }
  const double largest = half ? 65504 : std::ldexp(255.0, 120);
  const Value is_inside = ir::compare(size, ir::constant_like(size, largest), Direction::LT);
  return frame.tensor(ir::convert(ir::select(is_inside, rounded, value), dtype));
}

Tensor rounding_key(std::uint64_t seed, const Operand& step) {
  Frame frame("rounding_key", step);
  const Value number = detail::as(frame.value(step), DType::u64);
  frame.require(number.rank() == 0, "expected the number of a step, got ", number.type());
  return frame.tensor(number + ir::constant_like(number, static_cast<double>(mix(seed, 1) & exact)));
}

std::int64_t rounding_counter(std::string_view name) { return static_cast<std::int64_t>(hash_bytes(name) & exact); }

Tensor rounding_bits(const Operand& key, std::string_view name, const Shape& shape) {
  Frame frame("rounding_bits", key);
  const Value words = ir::reshape(frame.value(key), {Dim(1)});
  const Value counter = ir::constant_like(words, static_cast<double>(rounding_counter(name)));
  const Value state = ir::concatenate(std::array{words, counter}, 0);
  return frame.tensor(ir::rng_bit_generator(state, Type(DType::u32, shape), ir::RngAlgorithm::PHILOX)[1]);
}

}  // namespace weft
