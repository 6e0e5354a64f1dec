#include <numeric>

#include <weft/fuzz/grower.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Op;
using ir::Value;

namespace {

// An operand whose dimensions have several roles and are in random order.
struct Layout {
  Dims order;  // the role's dimension for each dimension of the operand
  Dims sizes;

  Layout(Random& random, const Dims& dims) : order(dims.size()) {
    std::iota(order.begin(), order.end(), 0);
    if (random.one_in(2)) random.shuffle(order);
    for (const std::int64_t d : order) sizes.push_back(dims[d]);
  }
  std::int64_t place(std::size_t dim) const {
    return std::find(order.begin(), order.end(), static_cast<std::int64_t>(dim)) - order.begin();
  }
  Dims places(std::size_t begin, std::size_t end) const {
    Dims result;
    for (std::size_t d = begin; d < end; ++d) result.push_back(place(d));
    return result;
  }
};

DType result_dtype(Grower& g, DType dtype) {
  if (g.random().one_in(4)) {
    if (dtype == DType::f16 || dtype == DType::bf16) return DType::f32;
    if (dtype == DType::i8) return DType::i32;
    if (dtype == DType::f32) return DType::f64;
  }
  return dtype;
}

void grow_dot_general(Grower& g, const Op& op) {
  Random& random = g.random();
  const auto sizes = [&](std::int64_t most) {
    Dims list(random.below(most + 1));
    for (auto& s : list) s = g.random_size();
    return list;
  };
  const Dims batch = random.one_in(3) ? sizes(2) : Dims{},
             contracted = random.one_in(6) ? sizes(2) : Dims{g.random_size()},
             left = random.one_in(4) ? sizes(2) : Dims{g.random_size()},
             right = random.one_in(4) ? sizes(2) : Dims{g.random_size()};
  const auto joined = [&](const Dims& free) {
    Dims all = batch;
    all.insert(all.end(), contracted.begin(), contracted.end());
    all.insert(all.end(), free.begin(), free.end());
    return all;
  };
  const Layout lhs(random, joined(left)), rhs(random, joined(right));
  const DType dtype = random.one_in(2) ? DType::f32 : g.random_dtype(op.domain);
  const std::size_t b = batch.size(), c = b + contracted.size();
  const Dims lhs_batch = lhs.places(0, b), rhs_batch = rhs.places(0, b), lhs_contracted = lhs.places(b, c),
             rhs_contracted = rhs.places(b, c);
  g.add(ir::dot_general(g.fitted(dtype, lhs.sizes), g.fitted(dtype, rhs.sizes),
                        {lhs_batch, rhs_batch, lhs_contracted, rhs_contracted}, result_dtype(g, dtype)));
}

void grow_convolution(Grower& g, const Op& op) {
  Random& random = g.random();
  const auto spatial = random.below(random.one_in(6) ? 4 : 3);
  const std::int64_t feature_groups = random.one_in(3) ? random.between(2, 3) : 1,
                     batch_groups = feature_groups == 1 && random.one_in(4) ? 2 : 1;
  const std::int64_t batch = random.between(1, 3) * batch_groups, in = random.between(1, 5) * feature_groups,
                     out = random.between(1, 5) * feature_groups * batch_groups;
  Dims x{batch, in}, kernel{in / feature_groups, out}, strides, padding, lhs_dilation, rhs_dilation, reversal;
  for (std::size_t d = 0; d < spatial; ++d) {
    x.push_back(random.between(1, 8));
    kernel.push_back(random.between(1, 4));
    strides.push_back(random.one_in(2) ? 1 : random.between(1, 3));
    lhs_dilation.push_back(random.one_in(4) ? 2 : 1);
    rhs_dilation.push_back(random.one_in(4) ? 2 : 1);
    reversal.push_back(random.one_in(5));
    for (int side = 0; side < 2; ++side) padding.push_back(random.one_in(3) ? 0 : random.between(-1, 2));
  }
  const Layout from(random, x), weights(random, kernel), to(random, x);
  const Dims input_spatial = from.places(2, 2 + spatial), kernel_spatial = weights.places(2, 2 + spatial),
             output_spatial = to.places(2, 2 + spatial);
  ir::ConvolutionAttributes a;
  a.input_batch = from.place(0), a.input_feature = from.place(1), a.input_spatial = input_spatial;
  a.kernel_input_feature = weights.place(0), a.kernel_output_feature = weights.place(1);
  a.kernel_spatial = kernel_spatial;
  a.output_batch = to.place(0), a.output_feature = to.place(1), a.output_spatial = output_spatial;
  a.strides = strides, a.padding = padding, a.lhs_dilation = lhs_dilation, a.rhs_dilation = rhs_dilation;
  a.reversal = reversal, a.feature_groups = feature_groups, a.batch_groups = batch_groups;
  const DType dtype = random.one_in(2) ? DType::f32 : g.random_dtype(op.domain);
  g.add(ir::convolution(g.fitted(dtype, from.sizes), g.fitted(dtype, weights.sizes), a));
}

constexpr FuzzEntry contraction_table[] = {{&ir::ops::dot_general, grow_dot_general},
                                           {&ir::ops::convolution, grow_convolution}};

}  // namespace

constinit const std::span<const FuzzEntry> contraction_entries = contraction_table;

}  // namespace weft::fuzz
