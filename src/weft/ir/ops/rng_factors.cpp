// Random bits in shards: each device draws the bits of its own elements, those that the whole tensor has there.
#include <weft/ir/builder.h>
#include <weft/ir/factors.h>
#include <weft/ir/localize.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

// Philox makes blocks of so many elements, in row-major order.
std::int64_t elements_per_block(Type bits) { return byte_size(bits.dtype()) == 8 ? 2 : 4; }

// Returns the outermost dimension that has more than one element; the rank if there is none.
int outermost(Type bits) {
  int d = 0;
  while (d < bits.rank() && bits.size(d) == 1) ++d;
  return d;
}

std::int64_t row_elements(Type bits, int outer) {
  std::int64_t elements = 1;
  for (int d = outer + 1; d < bits.rank(); ++d) elements *= bits.size(d);
  return elements;
}

Value words(Graph& graph, std::int64_t n) { return constant(graph, Type(DType::u64, {1}), static_cast<double>(n)); }

struct Counter {
  Value low, high;
};

// The counter after this number of blocks.
Counter advanced(const Counter& counter, Value blocks) {
  const Value low = add(counter.low, blocks);
  return {low, add(counter.high, convert(compare(low, counter.low, Direction::LT), DType::u64))};
}

}  // namespace

// The rows of the outermost dimension can be drawn apart if each begins with a block. Threefry pairs elements along a dimension that
// depends on the sizes, so its shards have other bits than the whole.
void rng_factors(const Node& node, Factors& f) {
  const Type bits = node.type(1);
  const int outer = outermost(bits);
  const bool has_rows = outer < bits.rank() && row_elements(bits, outer) % elements_per_block(bits) == 0;
  if (node.attributes<RngAttributes>().algorithm == RngAlgorithm::THREE_FRY || !has_rows) return;
  f.results[1][outer] = {f.add(bits.dim(outer))};
}

std::vector<Value> rng_local(const LocalCall& call) {
  const Value state = call.operands[0];
  const RngAlgorithm algorithm = call.node.attributes<RngAttributes>().algorithm;
  const Type whole = call.node.type(1), bits = call.types[1];
  if (whole == bits) return rng_bit_generator(state, bits, algorithm);
  const auto word = [&](std::int64_t i) {
    const std::int64_t start[] = {i}, limit[] = {i + 1}, stride[] = {1};
    return slice(state, start, limit, stride);
  };
  const bool has_high = state.size(0) == 3;
  const Counter first{word(1), has_high ? word(2) : word(0)};  // a state of two words has the key there
  const std::int64_t per_block = elements_per_block(bits);
  const Value position = reshape(convert(call.position(1, outermost(whole)), DType::u64), {1});
  const Counter mine = advanced(first, multiply(position, words(call.graph, bits.elements() / per_block)));
  const Value from = concatenate(std::array{word(0), mine.low, mine.high}, 0);
  const Counter next = advanced(first, words(call.graph, whole.elements() / per_block));
  const Value end = has_high ? concatenate(std::array{word(0), next.low, next.high}, 0)
                             : concatenate(std::array{word(0), next.low}, 0);
  return {end, rng_bit_generator(from, bits, algorithm)[1]};
}

}  // namespace weft::ir
