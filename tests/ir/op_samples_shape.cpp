// Samples of shape ops.
#include <tests/ir/op_samples.h>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

using Dims = std::vector<std::int64_t>;

// Shape ops do the same to every dtype: one of each width, and f64 for the gradient.
constexpr DType some_dtypes[] = {DType::boolean, DType::u8, DType::bf16, DType::f32, DType::f64};

Type type_of(DType dtype, const Dims& sizes) {
  const std::vector<Dim> dims(sizes.begin(), sizes.end());
  return Type(dtype, dims);
}

}  // namespace

void broadcast_in_dim_samples(SampleList& list) {
  struct Case {
    Dims from, to, dimensions;
  };
  for (const DType dtype : some_dtypes)
    for (const Case& c :
         {Case{{}, {2, 3}, {}}, Case{{3}, {2, 3}, {1}}, Case{{2}, {2, 3}, {0}}, Case{{1, 3}, {2, 3}, {0, 1}},
          Case{{2, 3}, {3, 4, 2}, {2, 0}}, Case{{2, 1}, {3, 2}, {1, 0}}, Case{{1}, {0}, {0}}, Case{{0}, {0, 2}, {0}},
          Case{{}, {}, {}}, Case{{2, 1, 3}, {2, 5, 3}, {0, 1, 2}}})
      list.add({type_of(dtype, c.from)}, [&](Graph&, std::span<const Value> x) {
        return std::vector{broadcast_in_dim(x[0], type_of(dtype, c.to), c.dimensions)};
      });
}

void reshape_samples(SampleList& list) {
  for (const DType dtype : some_dtypes)
    for (const auto& [from, to] : std::initializer_list<std::pair<Dims, Dims>>{
             {{2, 6}, {3, 4}}, {{2, 3, 4}, {24}}, {{1}, {}}, {{}, {1, 1}}, {{0, 3}, {5, 0}}, {{4, 1, 2}, {4, 2}}})
      list.add({type_of(dtype, from)}, [&](Graph&, std::span<const Value> x) {
        const std::vector<Dim> dims(to.begin(), to.end());
        return std::vector{reshape(x[0], dims)};
      });
}

void transpose_samples(SampleList& list) {
  for (const DType dtype : some_dtypes)
    for (const auto& [from, permutation] : std::initializer_list<std::pair<Dims, Dims>>{{{2, 3}, {1, 0}},
                                                                                        {{2, 3, 4}, {2, 0, 1}},
                                                                                        {{2, 3, 4}, {0, 2, 1}},
                                                                                        {{0, 3}, {1, 0}},
                                                                                        {{1, 5}, {1, 0}},
                                                                                        {{17, 19}, {1, 0}}})
      list.add({type_of(dtype, from)},
               [&](Graph&, std::span<const Value> x) { return std::vector{transpose(x[0], permutation)}; });
}

void slice_samples(SampleList& list) {
  struct Case {
    Dims from, start, limit, strides;
  };
  for (const DType dtype : some_dtypes)
    for (const Case& c : {Case{{7}, {2}, {6}, {1}}, Case{{7}, {1}, {7}, {3}}, Case{{4, 5}, {1, 0}, {3, 5}, {1, 2}},
                          Case{{4}, {2}, {2}, {1}}, Case{{0, 2}, {0, 0}, {0, 1}, {1, 1}}, Case{{}, {}, {}, {}},
                          Case{{5}, {4}, {5}, {9}}})
      list.add({type_of(dtype, c.from)},
               [&](Graph&, std::span<const Value> x) { return std::vector{slice(x[0], c.start, c.limit, c.strides)}; });
}

void pad_samples(SampleList& list) {
  struct Case {
    Dims from, low, high, interior;
  };
  for (const DType dtype : some_dtypes)
    for (const Case& c : {Case{{3}, {1}, {2}, {0}}, Case{{3}, {0}, {0}, {2}}, Case{{2, 3}, {1, 0}, {0, 2}, {1, 0}},
                          Case{{4}, {-1}, {-2}, {0}}, Case{{4}, {-1}, {3}, {1}}, Case{{4}, {-2}, {0}, {2}},
                          Case{{0}, {2}, {1}, {3}}, Case{{}, {}, {}, {}}, Case{{2}, {-2}, {0}, {0}}})
      list.add({type_of(dtype, c.from), Type(dtype, {})}, [&](Graph&, std::span<const Value> x) {
        return std::vector{pad(x[0], x[1], c.low, c.high, c.interior)};
      });
}

void concatenate_samples(SampleList& list) {
  for (const DType dtype : some_dtypes)
    for (const auto& [parts, dimension] : std::initializer_list<std::pair<std::vector<Dims>, int>>{
             {{{2}, {3}}, 0}, {{{2, 3}, {2, 1}, {2, 2}}, 1}, {{{2, 3}, {0, 3}}, 0}, {{{4}}, 0}}) {
      std::vector<Type> types;
      for (const Dims& part : parts) types.push_back(type_of(dtype, part));
      const std::int64_t d = dimension;
      list.add(types, [d](Graph&, std::span<const Value> x) { return std::vector{concatenate(x, d)}; });
    }
}

void reverse_samples(SampleList& list) {
  for (const DType dtype : some_dtypes)
    for (const auto& [from, dimensions] : std::initializer_list<std::pair<Dims, Dims>>{
             {{5}, {0}}, {{2, 3}, {1}}, {{2, 3}, {1, 0}}, {{2, 3}, {}}, {{0, 2}, {0}}, {{}, {}}})
      list.add({type_of(dtype, from)},
               [&](Graph&, std::span<const Value> x) { return std::vector{reverse(x[0], dimensions)}; });
}

}  // namespace weft::ir
