// Batching rules of opaque ops, and of those that say where values are placed.
#include <array>

#include <weft/base/random.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/batch_dims.h>

namespace weft::ir {

namespace {

// Words of u32 for the generator of base/random.h.
struct PhiloxWords {
  Value value;
};
PhiloxWords operator+(PhiloxWords a, std::uint32_t b) { return {a.value + constant_like(a.value, b)}; }
PhiloxWords operator^(PhiloxWords a, PhiloxWords b) { return {xor_(a.value, b.value)}; }
random::Wide<PhiloxWords> multiply_wide(PhiloxWords x, std::uint32_t factor) {
  const Value wide = convert(x.value, DType::u64), product = wide * constant_like(wide, factor);
  const Value high = shift_right_logical(product, constant_like(product, 32));
  return {{convert(product, DType::u32)}, {convert(high, DType::u32)}};
}
std::array<PhiloxWords, 2> halves(Value x) {
  return {PhiloxWords{convert(x, DType::u32)},
          PhiloxWords{convert(shift_right_logical(x, constant_like(x, 32)), DType::u32)}};
}

// Draws for states [batch, 2 or 3] as random::Philox does, all blocks of all examples at once.
std::vector<Batched> philox_of_each(const BatchCall& c) {
  const Value state = c.x();
  const Type drawn = c.node.type(1);
  const std::int64_t size = c.size(), words = state.size(1), per_block = byte_size(drawn.dtype()) == 8 ? 2 : 4;
  const std::int64_t blocks = (drawn.elements() + per_block - 1) / per_block;
  const auto column = [&](std::int64_t i) {  // [batch]
    const std::int64_t start[] = {0, i}, limit[] = {size, i + 1}, strides[] = {1, 1};
    return reshape(slice(state, start, limit, strides), {size});
  };
  const Value key = column(0), low = column(1), high = column(words == 3 ? 2 : 0);
  const auto advanced = [](Value from, Value above, Value by) {
    const Value sum = from + by;
    return std::array{sum, above + convert(compare(sum, from, Direction::LT), DType::u64)};
  };
  const Type each(DType::u64, {size, blocks});
  const std::int64_t batch = 0;
  const auto spread = [&](Value x) { return broadcast_in_dim(x, each, Ints(&batch, 1)); };
  const auto counter = advanced(spread(low), spread(high), iota(c.graph, each, 1));
  const auto below = halves(counter[0]), above = halves(counter[1]);
  const auto block = random::philox4x32<PhiloxWords>(halves(spread(key)), {below[0], below[1], above[0], above[1]});
  std::vector<Value> parts;  // [batch, blocks, 1]
  const auto add_part = [&](Value x) { parts.push_back(reshape(x, {size, blocks, 1})); };
  for (std::size_t i = 0; i < 4; i += 4 / per_block) {
    if (per_block == 4) {
      add_part(block[i].value);
      continue;
    }
    const Value first = convert(block[i].value, DType::u64), second = convert(block[i + 1].value, DType::u64);
    add_part(or_(first, shift_left(second, constant_like(second, 32))));
  }
  const std::int64_t start[] = {0, 0}, limit[] = {size, drawn.elements()}, strides[] = {1, 1};
  const Value all = slice(reshape(concatenate(parts, 2), {size, blocks * per_block}), start, limit, strides);
  const Value bits = all.dtype() == drawn.dtype() ? all : convert(all, drawn.dtype());
  const auto next = advanced(low, high, constant(c.graph, Type(DType::u64, {size}), static_cast<double>(blocks)));
  std::vector<Value> columns;
  for (const Value x : {key, next[0], next[1]})
    if (std::ssize(columns) < words) columns.push_back(reshape(x, {size, 1}));
  return {concatenate(columns, 1), reshape(bits, with_batch(drawn, size).dims())};
}

}  // namespace

// A key that does not depend on the example gives all examples numbers from one draw.
std::vector<Batched> batch_rng_bit_generator(const BatchCall& c) {
  const RngAlgorithm algorithm = c.attributes<RngAttributes>().algorithm;
  if (c.is_batched(0)) return algorithm == RngAlgorithm::THREE_FRY ? batch_by_loop(c) : philox_of_each(c);
  const std::vector<Value> drawn = rng_bit_generator(c.x(), with_batch(c.node.type(1), c.size()), algorithm);
  return {{drawn[0], false}, drawn[1]};
}

std::vector<Batched> batch_optimization_barrier(const BatchCall& c) {
  std::vector<Value> operands;
  for (const Batched& operand : c.operands) operands.push_back(operand.value);
  std::vector<Batched> results;
  for (const Value v : optimization_barrier(operands))
    results.emplace_back(v, c.is_batched(static_cast<int>(results.size())));
  return results;
}

// The batch is not split.
std::vector<Batched> batch_sharding(const BatchCall& c) {
  std::string sharding(c.attributes<ShardingAttributes>().sharding);  // #sdy.sharding<@mesh, [{"x"}, {}]>
  const std::size_t begin = sharding.find('[') + 1;
  sharding.insert(begin, sharding[begin] == ']' ? "{}" : "{}, ");
  const ShardingAttributes attributes{sharding};
  return c.append(c.all_batched(), &attributes);
}

}  // namespace weft::ir
