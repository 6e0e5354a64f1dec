// Samples of shape ops.
#include <tests/ir/op_samples.h>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

using Dims = std::vector<std::int64_t>;

// Shape ops treat all dtypes alike. The first case covers all dtypes, the others one dtype of each width, including f64 for the gradient.
std::vector<DType> dtypes_of(bool first) {
  if (first) return members(all_dtypes);
  return {DType::boolean, DType::u8, DType::bf16, DType::f32, DType::f64};
}

Type type_of(DType dtype, const Dims& sizes) {
  const std::vector<Dim> dims(sizes.begin(), sizes.end());
  return Type(dtype, dims);
}

void broadcast_in_dim_samples(SampleList& list) {
  const struct {
    Dims from, to, dimensions;
  } cases[] = {{{}, {2, 3}, {}},
               {{3}, {2, 3}, {1}},
               {{2}, {2, 3}, {0}},
               {{1, 3}, {2, 3}, {0, 1}},
               {{2, 3}, {3, 4, 2}, {2, 0}},
               {{2, 1}, {3, 2}, {1, 0}},
               {{1}, {0}, {0}},
               {{0}, {0, 2}, {0}},
               {{}, {}, {}},
               {{2, 1, 3}, {2, 5, 3}, {0, 1, 2}}};
  for (const auto& c : cases)
    for (const DType dtype : dtypes_of(&c == cases))
      list.add({type_of(dtype, c.from)}, [&](Graph&, std::span<const Value> x) {
        return std::vector{broadcast_in_dim(x[0], type_of(dtype, c.to), c.dimensions)};
      });
}

void reshape_samples(SampleList& list) {
  const struct {
    Dims from, to;
  } cases[] = {{{2, 6}, {3, 4}}, {{2, 3, 4}, {24}}, {{1}, {}}, {{}, {1, 1}}, {{0, 3}, {5, 0}}, {{4, 1, 2}, {4, 2}}};
  for (const auto& c : cases)
    for (const DType dtype : dtypes_of(&c == cases))
      list.add({type_of(dtype, c.from)}, [&](Graph&, std::span<const Value> x) {
        const std::vector<Dim> dims(c.to.begin(), c.to.end());
        return std::vector{reshape(x[0], dims)};
      });
  // reshape() of a scalar to a scalar returns its operand, so the node is appended directly.
  const Type scalar(DType::f64, {});
  list.add({scalar}, [&](Graph& graph, std::span<const Value> x) {
    return all_results(graph.append(ops::reshape, x, nullptr, std::span(&scalar, 1)));
  });
}

void transpose_samples(SampleList& list) {
  const struct {
    Dims from, permutation;
  } cases[] = {{{2, 3}, {1, 0}}, {{2, 3, 4}, {2, 0, 1}}, {{2, 3, 4}, {0, 2, 1}},
               {{0, 3}, {1, 0}}, {{1, 5}, {1, 0}},       {{17, 19}, {1, 0}}};
  for (const auto& c : cases)
    for (const DType dtype : dtypes_of(&c == cases))
      list.add({type_of(dtype, c.from)},
               [&](Graph&, std::span<const Value> x) { return std::vector{transpose(x[0], c.permutation)}; });
  // transpose() of rank 0 returns its operand, so the node is appended directly.
  const TransposeAttributes none{};
  list.add({Type(DType::f64, {})},
           [&](Graph& graph, std::span<const Value> x) { return all_results(graph.append(ops::transpose, x, &none)); });
}

void slice_samples(SampleList& list) {
  const struct {
    Dims from, start, limit, strides;
  } cases[] = {{{7}, {2}, {6}, {1}},
               {{7}, {1}, {7}, {3}},
               {{4, 5}, {1, 0}, {3, 5}, {1, 2}},
               {{4}, {2}, {2}, {1}},
               {{0, 2}, {0, 0}, {0, 1}, {1, 1}},
               {{}, {}, {}, {}},
               {{5}, {4}, {5}, {9}},
               {{24, 2}, {2, 0}, {20, 2}, {1, 1}},  // in shards, elements of both neighbours are needed
               {{2, 30}, {1, 5}, {2, 29}, {1, 1}},
               {{12, 16}, {0, 1}, {12, 16}, {2, 2}},
               {{40}, {1}, {39}, {4}}};
  for (const auto& c : cases)
    for (const DType dtype : dtypes_of(&c == cases))
      list.add({type_of(dtype, c.from)},
               [&](Graph&, std::span<const Value> x) { return std::vector{slice(x[0], c.start, c.limit, c.strides)}; });
}

void pad_samples(SampleList& list) {
  const struct {
    Dims from, low, high, interior;
  } cases[] = {{{3}, {1}, {2}, {0}},
               {{3}, {0}, {0}, {2}},
               {{2, 3}, {1, 0}, {0, 2}, {1, 0}},
               {{4}, {-1}, {-2}, {0}},
               {{4}, {-1}, {3}, {1}},
               {{4}, {-2}, {0}, {2}},
               {{0}, {2}, {1}, {3}},
               {{}, {}, {}, {}},
               {{2}, {-2}, {0}, {0}},
               {{3, 4}, {-1, 2}, {2, -3}, {2, 1}},
               {{5}, {-9}, {-5}, {4}},
               {{2, 3}, {0, -1}, {-2, 0}, {0, 1}},
               {{4, 3}, {0, 1}, {0, 2}, {0, 1}},
               {{20, 2}, {1, 0}, {3, 1}, {0, 0}},  // in shards, elements of both neighbours are needed
               {{18, 24}, {2, -2}, {1, -4}, {1, 0}},
               {{20}, {4}, {-4}, {0}},
               {{24}, {-1}, {3}, {0}},
               {{3, 16}, {2, 4}, {0, 0}, {0, 0}}};
  for (const auto& c : cases)
    for (const DType dtype : dtypes_of(&c == cases))
      list.add({type_of(dtype, c.from), Type(dtype, {})}, [&](Graph&, std::span<const Value> x) {
        return std::vector{pad(x[0], x[1], c.low, c.high, c.interior)};
      });
}

void concatenate_samples(SampleList& list) {
  const struct {
    std::vector<Dims> parts;
    std::int64_t dimension;
  } cases[] = {
      {{{2}, {3}}, 0}, {{{2, 3}, {2, 1}, {2, 2}}, 1}, {{{2, 3}, {0, 3}}, 0}, {{{4}}, 0}, {{{0, 2}, {0, 1}}, 1}};
  for (const auto& c : cases)
    for (const DType dtype : dtypes_of(&c == cases)) {
      std::vector<Type> types;
      for (const Dims& part : c.parts) types.push_back(type_of(dtype, part));
      list.add(types, [&](Graph&, std::span<const Value> x) { return std::vector{concatenate(x, c.dimension)}; });
    }
}

void reverse_samples(SampleList& list) {
  const struct {
    Dims from, dimensions;
  } cases[] = {{{5}, {0}}, {{2, 3}, {1}}, {{2, 3}, {1, 0}}, {{2, 3}, {}}, {{0, 2}, {0}}, {{}, {}}};
  for (const auto& c : cases)
    for (const DType dtype : dtypes_of(&c == cases))
      list.add({type_of(dtype, c.from)},
               [&](Graph&, std::span<const Value> x) { return std::vector{reverse(x[0], c.dimensions)}; });
}

constexpr SampleEntry shape_table[] = {
    {&ops::broadcast_in_dim, broadcast_in_dim_samples},
    {&ops::reshape, reshape_samples},
    {&ops::transpose, transpose_samples},
    {&ops::slice, slice_samples},
    {&ops::pad, pad_samples},
    {&ops::concatenate, concatenate_samples, needs_a_dimension},
    {&ops::reverse, reverse_samples},
};

}  // namespace

constinit const std::span<const SampleEntry> shape_samples = shape_table;

}  // namespace weft::ir
