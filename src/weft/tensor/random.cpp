#include <weft/tensor/random.h>

#include <cstring>
#include <numbers>
#include <span>

#include <weft/base/hash.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/host_observer.h>
#include <weft/tensor/host_state.h>
#include <weft/tensor/reduction.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace random {

Key fold_in(Key key, std::uint64_t data) {
  Fingerprint hash;
  hash.add(key.bits);
  hash.add(data);
  return Key(mix(hash.low, hash.high));
}

std::vector<Key> split(Key key, int count) {
  std::vector<Key> keys;
  for (int i = 0; i < count; ++i) keys.push_back(fold_in(key, i));
  return keys;
}

Key Generator::next() {
  Key key = fold_in(Key(seed), calls++);
  if (host_state.observer) key.draw = host_state.observer->drew(*this);
  return key;
}

Generator& default_generator() {
  thread_local Generator generator;  // so what a thread draws does not depend on other threads
  return generator;
}

namespace {

Value u64_like(Value x, std::uint64_t number) {
  return ir::constant(x.graph(), {Type(DType::u64, {}), std::as_bytes(std::span(&number, 1))});
}

// Returns the key and the counter 0: u64 [2].
Value state_of(Frame& frame, Key key) {
  const std::uint64_t state[] = {key.bits, 0};
  record::Immediate bytes;
  static_assert(sizeof state == sizeof bytes);
  std::memcpy(bytes.data(), state, sizeof state);
  return frame.recording().immediate(Type(DType::u64, {2}), bytes, {.is_key = true, .draw = key.draw});
}

Value key_value(Frame& frame, const Tensor& key) {
  const Value bits = frame.value(key);
  frame.require(bits.type() == Type(DType::u64, {}), "a key is one number of u64, got ", bits.type());
  return bits;
}

Value raw_bits(Frame& frame, const AnyKey& key, Type type) {
  Value state;
  if (key.tensor() == nullptr) {
    state = state_of(frame, key.key());
  } else {
    const Value bits = key_value(frame, *key.tensor());
    const Value parts[] = {ir::reshape(bits, {1}), ir::reshape(u64_like(bits, 0), {1})};
    state = ir::concatenate(parts, 0);
  }
  return ir::rng_bit_generator(state, type, ir::RngAlgorithm::PHILOX)[1];
}

// Computes mix of base/hash.h, by which fold_in folds a number into a key: the high half of the product of 64-bit numbers is the sum of the
// products of their halves.
Value mixed(Value seed, Value number) {
  const auto with = [](Value x, std::uint64_t constant) {
    return ir::xor_(x, detail::broadcast(u64_like(x, constant), x.type().dims()));
  };
  const Value a = with(seed, 0x9e3779b97f4a7c15u), b = with(number, 0xd6e8feb86659fd93u);
  const Value width = ir::constant_like(a, 32);
  const auto upper = [&](Value x) { return ir::shift_right_logical(x, width); };
  const auto lower = [&](Value x) { return upper(ir::shift_left(x, width)); };
  const Value low = lower(a) * lower(b), one = upper(a) * lower(b), other = lower(a) * upper(b);
  const Value carry = upper(low) + lower(one) + lower(other);
  const Value high = upper(a) * upper(b) + upper(one) + upper(other) + upper(carry);
  return ir::xor_(a * b, high);
}

// Returns the bits of fold_in(key, data); the key is broadcast to the data.
Value folded(Value key, Value data) {
  const auto same = [&](std::uint64_t number) { return detail::broadcast(u64_like(data, number), data.type().dims()); };
  const Value numbers[] = {detail::broadcast(key, data.type().dims()), data};
  const Fingerprint start;
  Value low = same(start.low), high = same(start.high);
  for (const Value number : numbers) {
    low = mixed(low, number);
    high = mixed(high + same(0xa4093822299f31d0u), ir::xor_(number, same(0x082efa98ec4e6c89u)));
  }
  return mixed(low, high);
}

Value counted(Frame& frame, std::int64_t count) {
  frame.require(count >= 0, "the number of keys cannot be negative, got ", count);
  return ir::iota(frame.graph(), Type(DType::u64, {count}), 0);
}

// Converts the upper bits of x, as many as `dtype` represents exactly, to a number in [0, 1).
Value unit_interval(Value x, DType dtype) {
  const int width = 8 * byte_size(x.dtype());
  const int digits = std::min(width, dtype == DType::f64   ? 53
                                     : dtype == DType::f32 ? 24
                                     : dtype == DType::f16 ? 11
                                                           : 8);
  const Value kept = ir::shift_right_logical(x, ir::constant_like(x, width - digits));
  return ir::convert(kept, dtype) * std::ldexp(1.0, -digits);
}

Value draw_uniform(Frame& frame, const AnyKey& key, const Shape& shape, DType dtype) {
  frame.require(is_float(dtype), "expected a floating-point type, got ", dtype);
  const DType source = dtype == DType::f64 ? DType::u64 : DType::u32;
  return unit_interval(raw_bits(frame, key, Type(source, shape)), dtype);
}

// Uses the Box-Muller method on the two halves of 64 bits.
Value draw_normal(Frame& frame, const AnyKey& key, const Shape& shape, DType dtype) {
  frame.require(is_float(dtype), "expected a floating-point type, got ", dtype);
  const DType wide = detail::compute_dtype(dtype);
  const Value bits = raw_bits(frame, key, Type(DType::u64, shape));
  const Value upper = ir::convert(ir::shift_right_logical(bits, ir::constant_like(bits, 32)), DType::u32);
  const Value one_minus_uniform =
      ir::constant(frame.graph(), Type(wide, shape), 1) - unit_interval(upper, wide);  // in (0, 1]
  const Value angle = unit_interval(ir::convert(bits, DType::u32), wide) * (2 * std::numbers::pi);
  return detail::as(ir::sqrt(ir::log(one_minus_uniform) * -2.0) * ir::cosine(angle), dtype);
}

Value draw_bernoulli(Frame& frame, const AnyKey& key, const Shape& shape, const Operand& probability) {
  const Value drawn = draw_uniform(frame, key, shape, DType::f32);
  const Value bound = detail::value_as(frame, probability, DType::f32);
  Shape together;
  frame.require(broadcast_shapes(shape, bound.type().dims(), together) && together == shape, "the probability ",
                bound.type(), " does not broadcast to ", shape);
  return ir::compare(drawn, detail::broadcast(bound, shape), ir::Direction::LT);
}

}  // namespace

Tensor fold_in(const Tensor& key, const Operand& data) {
  Frame frame("random::fold_in", {key, data.where()});
  const Value bits = key_value(frame, key), number = detail::value_as(frame, data, DType::u64);
  return frame.tensor(folded(bits, number));
}

Tensor keys(Key key, std::int64_t count, Where where) {
  Frame frame("random::keys", where);
  const std::int64_t begin = 0, end = 1, step = 1;
  const Value bits = ir::slice(state_of(frame, key), {&begin, 1}, {&end, 1}, {&step, 1});
  return frame.tensor(folded(ir::reshape(bits, {}), counted(frame, count)));
}

Tensor split(const Tensor& key, std::int64_t count, Where where) {
  Frame frame("random::split", where);
  return frame.tensor(folded(key_value(frame, key), counted(frame, count)));
}

Tensor bits(const AnyKey& key, const Shape& shape, DType dtype, Where where) {
  Frame frame("random::bits", where);
  frame.require(is_unsigned_integer(dtype), "expected an unsigned integer type, got ", dtype);
  return frame.tensor(raw_bits(frame, key, Type(dtype, shape)));
}

Tensor uniform(const AnyKey& key, const Shape& shape, DType dtype, Where where) {
  Frame frame("random::uniform", where);
  return frame.tensor(draw_uniform(frame, key, shape, dtype));
}

Tensor normal(const AnyKey& key, const Shape& shape, DType dtype, Where where) {
  Frame frame("random::normal", where);
  return frame.tensor(draw_normal(frame, key, shape, dtype));
}

Tensor integers(const AnyKey& key, const Shape& shape, std::int64_t low, std::int64_t high, DType dtype, Where where) {
  Frame frame("random::integers", where);
  frame.require(is_integer(dtype), "expected an integer type, got ", dtype);
  frame.require(low < high && high - low <= std::int64_t{1} << 53, "[", low, ", ", high, ") is empty or too wide");
  const Value drawn = raw_bits(frame, key, Type(DType::u64, shape));
  // Reduces 64 bits to at most 53, so the bias of the remainder is below 2^-11.
  const Value offset = ir::remainder(drawn, ir::constant_like(drawn, high - low));
  const Value wide = ir::convert(offset, DType::i64);
  return frame.tensor(ir::convert(wide + ir::constant_like(wide, low), dtype));
}

Tensor bernoulli(const AnyKey& key, const Shape& shape, const Operand& probability) {
  Frame frame("random::bernoulli", probability);
  return frame.tensor(draw_bernoulli(frame, key, shape, probability));
}

Tensor permutation(const AnyKey& key, std::int64_t size, Where where) {
  return argsort({bits(key, {size}, DType::u64, where), where});
}

Tensor categorical(const AnyKey& key, const Operand& logits) {
  Frame frame("random::categorical", logits);
  const Value value = detail::floating(frame, logits);
  frame.require(value.rank() >= 1, "expected logits of rank 1 or more, got ", value.type());
  const Value wide = detail::as(value, detail::compute_dtype(value.dtype()));
  const Value drawn =
      ir::constant_like(wide, 1) - draw_uniform(frame, key, wide.type().dims(), wide.dtype());  // in (0, 1]
  // The maximum of logits plus Gumbel noise; -log may be 0 where the noise is infinite.
  return argmax({frame.tensor(wide - ir::log(-ir::log(drawn))), logits.where()});
}

}  // namespace random

void manual_seed(std::uint64_t seed) { random::default_generator() = {seed, 0}; }

Tensor rand(const Shape& shape, DType dtype, std::source_location where) {
  return random::uniform(random::default_generator().next(), shape, dtype, where);
}
Tensor randn(const Shape& shape, DType dtype, std::source_location where) {
  return random::normal(random::default_generator().next(), shape, dtype, where);
}
Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, DType dtype, std::source_location where) {
  return random::integers(random::default_generator().next(), shape, low, high, dtype, where);
}
Tensor bernoulli(const Shape& shape, const Operand& probability) {
  return random::bernoulli(random::default_generator().next(), shape, probability);
}

Tensor dropout(const random::AnyKey& key, const Operand& x, const Operand& probability) {
  Frame frame("dropout", x);
  const Value value = detail::floating(frame, x);
  if (probability.is_number()) {
    const double p = probability.number().as_double();
    frame.require(p >= 0 && p < 1, "the probability must lie in [0, 1), got ", p);
  }
  const Value dropped = random::draw_bernoulli(frame, key, value.type().dims(), probability);
  const Value rate = detail::value_as(frame, probability, value.dtype());
  frame.require(rate.rank() == 0, "the probability must be one number, got ", rate.type());
  const Value scale = ir::constant_like(rate, 1) / (ir::constant_like(rate, 1) - rate);
  return frame.tensor(
      ir::select(dropped, ir::constant_like(value, 0), value * detail::broadcast(scale, value.type().dims())));
}

Tensor dropout(const Operand& x, const Operand& probability) {
  return dropout(random::default_generator().next(), x, probability);
}

}  // namespace weft
