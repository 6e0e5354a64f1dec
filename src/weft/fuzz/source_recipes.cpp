// Recipes for ops without operands and for opaque ops.
#include <weft/fuzz/grower.h>
#include <weft/ir/ops.h>

namespace weft::fuzz {

using ir::Op;
using ir::Value;

namespace {

void grow_constant(Grower& g, const Op&) {
  g.add(g.random_constant(Grower::type_of(g.random_dtype(), g.random_sizes(0, 3))));
}

void grow_iota(Grower& g, const Op& op) {
  const Type type = Grower::type_of(g.random_dtype(op.domain), g.random_sizes(1, 3));
  g.add(ir::iota(g.graph(), type, g.random().between(0, type.rank() - 1)));
}

void grow_rng_bit_generator(Grower& g, const Op&) {
  constexpr ir::RngAlgorithm algorithms[] = {ir::RngAlgorithm::DEFAULT, ir::RngAlgorithm::THREE_FRY,
                                             ir::RngAlgorithm::PHILOX};
  const ir::RngAlgorithm algorithm = g.random().pick(algorithms);
  const std::int64_t words = algorithm == ir::RngAlgorithm::PHILOX && g.random().one_in(2) ? 3 : 2;
  const Type type = Grower::type_of(g.random_dtype(ir::unsigned_integers), g.random_sizes(0, 3));
  g.add(ir::rng_bit_generator(g.fitted(DType::u64, Dims{words}), type, algorithm));
}

void grow_optimization_barrier(Grower& g, const Op&) {
  std::vector<Value> values{g.any()};
  while (g.random().one_in(2)) values.push_back(g.any());
  g.add(ir::optimization_barrier(values));
}

// Most matrices get a large diagonal, because a factor or a solution of a random one is soon infinite or NaN.
Value random_matrices(Grower& g, const Dims& sizes, DType dtype) {
  const Value x = g.fitted(dtype, sizes);
  if (g.random().one_in(6)) return x;
  const Type places = x.type().with(DType::i32);
  const Value row = ir::iota(g.graph(), places, x.rank() - 2), column = ir::iota(g.graph(), places, x.rank() - 1);
  return ir::select(ir::compare(row, column, ir::Direction::EQ), ir::constant_like(x, g.random().between(4, 40)), x);
}

Dims square_sizes(Grower& g) {
  Dims sizes = g.random_sizes(1, 3);
  sizes.push_back(sizes.back());
  return sizes;
}

void grow_cholesky(Grower& g, const Op& op) {
  const Value operands[] = {random_matrices(g, square_sizes(g), g.random_dtype(op.domain))};
  const ir::CholeskyAttributes attributes{.lower = g.random().one_in(2)};
  g.add(g.graph().append(op, operands, &attributes).result());
}

void grow_triangular_solve(Grower& g, const Op& op) {
  constexpr ir::Transpose transposes[] = {ir::Transpose::NO_TRANSPOSE, ir::Transpose::TRANSPOSE,
                                          ir::Transpose::ADJOINT};
  const Dims square = square_sizes(g);
  const DType dtype = g.random_dtype(op.domain);
  const ir::TriangularSolveAttributes attributes{.left_side = g.random().one_in(2),
                                                 .lower = g.random().one_in(2),
                                                 .unit_diagonal = g.random().one_in(3),
                                                 .transpose_a = g.random().pick(transposes)};
  Dims sides = square;
  sides[sides.size() - (attributes.left_side ? 1 : 2)] = g.random_size();
  const Value operands[] = {random_matrices(g, square, dtype), g.fitted(dtype, sides)};
  g.add(g.graph().append(op, operands, &attributes).result());
}

// Sizes of matrices of any form.
Dims matrix_sizes(Grower& g) {
  Dims sizes = g.random_sizes(1, 3);
  sizes.push_back(g.random_size());
  return sizes;
}

void grow_decomposition(Grower& g, const Op& op, Dims sizes, const void* attributes) {
  const Value operands[] = {random_matrices(g, sizes, g.random_dtype(op.domain))};
  ir::Node& node = g.graph().append(op, operands, attributes);
  for (std::uint32_t i = 0; i < node.types.size(); ++i) g.add(node.result(i));
}

void grow_lu(Grower& g, const Op& op) { grow_decomposition(g, op, matrix_sizes(g), nullptr); }

void grow_qr(Grower& g, const Op& op) {
  const ir::QrAttributes attributes{.full = g.random().one_in(3)};
  grow_decomposition(g, op, matrix_sizes(g), &attributes);
}

void grow_eigh(Grower& g, const Op& op) {
  const ir::EighAttributes attributes{.lower = g.random().one_in(2), .vectors = g.random().one_in(2)};
  grow_decomposition(g, op, square_sizes(g), &attributes);
}

void grow_svd(Grower& g, const Op& op) {
  const ir::SvdAttributes attributes{.full = g.random().one_in(3), .vectors = g.random().one_in(2)};
  grow_decomposition(g, op, matrix_sizes(g), &attributes);
}

void grow_pseudo_inverse(Grower& g, const Op& op) {
  const Dims sizes = matrix_sizes(g);
  const DType dtype = g.random_dtype(op.domain);
  const Value operands[] = {random_matrices(g, sizes, dtype), g.fitted(dtype, Dims(sizes.begin(), sizes.end() - 2))};
  g.add(g.graph().append(op, operands).result());
}

void grow_solve(Grower& g, const Op& op) {
  const Dims square = square_sizes(g);
  const DType dtype = g.random_dtype(op.domain);
  Dims sides = square;
  sides.back() = g.random_size();
  const Value operands[] = {random_matrices(g, square, dtype), g.fitted(dtype, sides)};
  const ir::SolveAttributes attributes{.transposed = g.random().one_in(2)};
  g.add(g.graph().append(op, operands, &attributes).result());
}

constexpr FuzzEntry sources[] = {{&ir::ops::constant, grow_constant}, {&ir::ops::iota, grow_iota}};
// Errors of factors and solutions grow with the condition number of the matrix, so they are compared only where the operands are
// exact, bit for bit.
constexpr FuzzEntry opaque[] = {{&ir::ops::cholesky, grow_cholesky, all_or_nothing},
                                {&ir::ops::triangular_solve, grow_triangular_solve, all_or_nothing},
                                {&ir::ops::lu, grow_lu, all_or_nothing},
                                {&ir::ops::qr, grow_qr, all_or_nothing},
                                {&ir::ops::eigh, grow_eigh, all_or_nothing},
                                {&ir::ops::svd, grow_svd, all_or_nothing},
                                {&ir::ops::solve, grow_solve, all_or_nothing},
                                {&ir::ops::pseudo_inverse, grow_pseudo_inverse, all_or_nothing},
                                {&ir::ops::rng_bit_generator, grow_rng_bit_generator},
                                {&ir::ops::optimization_barrier, grow_optimization_barrier, same_operands_bounds}};

}  // namespace

constinit const std::span<const FuzzEntry> source_entries = sources, opaque_entries = opaque;

}  // namespace weft::fuzz
