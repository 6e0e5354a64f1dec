// Samples of gather, scatter, dynamic slices and sort. Indices reach out of bounds on both sides.
#include <tests/ir/op_samples.h>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

using Dims = std::vector<std::int64_t>;

Type type_of(DType dtype, const Dims& sizes) {
  const std::vector<Dim> dims(sizes.begin(), sizes.end());
  return Type(dtype, dims);
}

// The same dimension numbers serve gather and scatter: `windowed` is the shape of gather's result and of scatter's updates.
struct Case {
  Dims x, indices, windowed;
  Dims window_dims, dropped, batching, indices_batching, map;
  std::int64_t index_vector_dim;
  Dims slice_sizes;
};

const Case cases[] = {
    {{7, 3}, {4}, {4, 3}, {1}, {0}, {}, {}, {0}, 1, {1, 3}},             // rows of a table
    {{7, 3}, {2, 4, 1}, {2, 4, 3}, {2}, {0}, {}, {}, {0}, 2, {1, 3}},    // for a batch of sequences
    {{3, 7}, {4}, {3, 4}, {0}, {1}, {}, {}, {1}, 1, {3, 1}},             // columns
    {{4, 5}, {6, 2}, {6}, {}, {0, 1}, {}, {}, {0, 1}, 1, {1, 1}},        // single elements
    {{4, 5}, {2, 6}, {6}, {}, {0, 1}, {}, {}, {1, 0}, 0, {1, 1}},        // components first and swapped
    {{6, 5}, {3, 2}, {3, 2, 3}, {1, 2}, {}, {}, {}, {0, 1}, 1, {2, 3}},  // windows that may reach outside
    {{6}, {3, 1}, {3, 2}, {1}, {}, {}, {}, {0}, 1, {2}},
    {{3, 7}, {3, 2}, {3, 2}, {}, {1}, {0}, {0}, {1}, 2, {1, 1}},            // one per row: take_along_axis
    {{2, 7, 3}, {4, 2}, {4, 2, 3}, {2}, {1}, {0}, {1}, {1}, 2, {1, 1, 3}},  // batching in another place
    {{5}, {1}, {}, {}, {0}, {}, {}, {0}, 0, {1}},                           // one element
    {{5, 2}, {0}, {0, 2}, {1}, {0}, {}, {}, {0}, 1, {1, 2}},                // no rows
    {{0, 2}, {3, 1}, {3, 0, 2}, {1, 2}, {}, {}, {}, {0}, 1, {0, 2}},
    {{}, {3, 0}, {3}, {}, {}, {}, {}, {}, 1, {}},  // one element three times
    {{}, {0}, {}, {}, {}, {}, {}, {}, 0, {}},
};

// Indices range from before the start to past the end of every dimension.
InputRange index_range(const Case& c) {
  std::int64_t largest = 0;
  for (const std::int64_t d : c.map) largest = std::max(largest, c.x[d]);
  return {.low = -3, .high = static_cast<double>(largest) + 1, .edges = true};
}

void gather_samples(SampleList& list) {
  const auto add = [&](DType dtype, DType index, const Case& c) {
    auto& sample = list.add({type_of(dtype, c.x), type_of(index, c.indices)}, [&](Graph&, std::span<const Value> v) {
      return std::vector{
          gather(v[0], v[1],
                 {c.window_dims, c.dropped, c.batching, c.indices_batching, c.map, c.index_vector_dim, c.slice_sizes})};
    });
    sample.inputs[1] = index_range(c);
    if (is_unsigned_integer(index)) sample.inputs[1].low = 0;
  };
  for (const Case& c : cases)
    for (const DType dtype : {DType::f32, DType::f64}) add(dtype, DType::i32, c);
  for (const DType dtype : members(list.op().domain)) add(dtype, DType::i64, cases[0]);
  for (const DType index : {DType::u8, DType::i8, DType::u32, DType::u64}) add(DType::f64, index, cases[5]);
}

void scatter_samples(SampleList& list) {
  const auto add = [&](DType dtype, DType index, const Case& c, const std::shared_ptr<const Graph>& body,
                       bool unique) -> OpSample& {
    auto& sample = list.add({type_of(dtype, c.x), type_of(index, c.indices), type_of(dtype, c.windowed)},
                            [&](Graph&, std::span<const Value> v) {
                              return std::vector{scatter(v[0], v[1], v[2],
                                                         {c.window_dims, c.dropped, c.batching, c.indices_batching,
                                                          c.map, c.index_vector_dim, false, unique},
                                                         body)};
                            });
    sample.inputs[1] = index_range(c);
    if (is_unsigned_integer(index)) sample.inputs[1].low = 0;
    sample.inputs[1].distinct = unique;
    sample.inputs[1].edges = !unique;
    return sample;
  };
  const auto replacing = [](DType dtype) {
    const std::array types{Type(dtype, {}), Type(dtype, {})};
    return make_graph(types, [](Graph&, std::span<const Value> x) { return std::vector{x[1]}; });
  };
  for (const DType dtype : {DType::f32, DType::f64})
    for (const Case& c : cases) {
      add(dtype, DType::i32, c, reduction_body(ops::add, dtype), false);
      add(dtype, DType::i32, c, replacing(dtype), false).name += " replacing";
      add(dtype, DType::i32, c, reduction_body(ops::multiply, dtype), false).name += " multiply";
    }
  for (const DType dtype : {DType::f32, DType::f64}) {
    add(dtype, DType::i32, cases[0], reduction_body(ops::add, dtype), true).name += " unique";
    add(dtype, DType::i32, cases[2], replacing(dtype), true).name += " replacing unique";
  }
  for (const Op* op : {&ops::maximum, &ops::minimum}) {
    auto& sample = add(DType::f32, DType::i64, cases[0], reduction_body(*op, DType::f32), false);
    sample.name += concat(" ", op->name);
  }
  for (const DType dtype : members(list.op().domain))
    add(dtype, DType::i64, cases[0], reduction_body(ops::add, dtype), false);
  // Bodies of more than one op, and several operands.
  const Type number(DType::f32, {}), place(DType::i32, {});
  const auto append_digit = make_graph(std::array{place, place}, [](Graph&, std::span<const Value> x) {
    return std::vector{x[0] * constant_like(x[0], 10) + x[1]};
  });
  const auto larger = make_graph(std::array{number, place, number, place}, [](Graph&, std::span<const Value> x) {
    const Value keep = compare(x[0], x[2], Direction::GE);
    return std::vector{select(keep, x[0], x[2]), select(keep, x[1], x[3])};
  });
  for (const Case& c : cases) {
    add(DType::i32, DType::i32, c, append_digit, false).name += " appending digits";
    auto& sample = list.add({type_of(DType::f32, c.x), type_of(DType::i32, c.x), type_of(DType::i64, c.indices),
                             type_of(DType::f32, c.windowed), type_of(DType::i32, c.windowed)},
                            [&](Graph&, std::span<const Value> v) {
                              return scatter(v.first(2), v[2], v.last(2),
                                             {c.window_dims, c.dropped, c.batching, c.indices_batching, c.map,
                                              c.index_vector_dim, false, false},
                                             larger);
                            });
    sample.inputs[2] = index_range(c);
  }
  for (const DType index : {DType::u8, DType::i8, DType::u64})
    add(DType::f64, index, cases[5], reduction_body(ops::add, DType::f64), false);
}

void dynamic_slice_samples(SampleList& list) {
  for (const DType dtype : members(list.op().domain))
    for (const auto& [from, sizes] : std::initializer_list<std::pair<Dims, Dims>>{
             {{7}, {3}}, {{4, 5}, {2, 5}}, {{4, 5}, {1, 0}}, {{}, {}}, {{0}, {0}}, {{3}, {3}}})
      for (const DType index : {DType::i32, DType::u8}) {
        std::vector<Type> types(from.size() + 1, Type(index, {}));
        types[0] = type_of(dtype, from);
        auto& sample = list.add(types, [&](Graph&, std::span<const Value> x) {
          return std::vector{dynamic_slice(x[0], x.subspan(1), sizes)};
        });
        for (std::size_t i = 1; i < types.size(); ++i)
          sample.inputs[i] = {.low = is_signed_integer(index) ? -2.0 : 0.0, .high = 8, .edges = true};
      }
}

void dynamic_update_slice_samples(SampleList& list) {
  for (const DType dtype : members(list.op().domain))
    for (const auto& [from, update] : std::initializer_list<std::pair<Dims, Dims>>{
             {{7}, {3}}, {{4, 5}, {2, 5}}, {{4, 5}, {1, 0}}, {{}, {}}, {{0}, {0}}, {{3}, {3}}})
      for (const DType index : {DType::i32, DType::u64}) {
        std::vector<Type> types(from.size() + 2, Type(index, {}));
        types[0] = type_of(dtype, from);
        types[1] = type_of(dtype, update);
        auto& sample = list.add(types);
        for (std::size_t i = 2; i < types.size(); ++i)
          sample.inputs[i] = {.low = is_signed_integer(index) ? -2.0 : 0.0, .high = 8, .edges = true};
      }
}

// Comparators that need more than one comparison.
void sort_by_several_keys(SampleList& list) {
  const auto scalars = [](std::vector<DType> dtypes) {
    std::vector<Type> types;
    for (const DType t : dtypes) types.insert(types.end(), {Type(t, {}), Type(t, {})});
    return types;
  };
  // The first operand decides, or the second if the first elements are equal; the third is permuted along.
  for (const DType first : {DType::i32, DType::u8, DType::boolean, DType::f32}) {
    const auto comparator = make_graph(scalars({first, DType::f64, DType::i64}), [](Graph&, std::span<const Value> x) {
      const auto less = [&](std::size_t i) {
        return compare(x[i], x[i + 1], Direction::LT,
                       is_float(x[i].dtype()) ? Comparison::TOTALORDER : Comparison::NOTYPE);
      };
      return std::vector{or_(less(0), and_(not_(compare(x[1], x[0], Direction::LT)), less(2)))};
    });
    for (const Dims& shape : {Dims{17}, Dims{3, 5}, Dims{0, 2}, Dims{1, 1}}) {
      const std::vector types{type_of(first, shape), type_of(DType::f64, shape), type_of(DType::i64, shape)};
      auto& sample = list.add(types, [&](Graph&, std::span<const Value> x) { return sort(x, 0, true, comparator); });
      sample.inputs[0] = {.low = 0, .high = 1};
      if (is_float(first)) sample.inputs[0].edges = false;
      sample.name += " by two keys";
    }
  }
  // A comparator by magnitude, and one with a branch, which is not elementwise.
  const auto by_magnitude = make_graph(scalars({DType::i32}), [](Graph&, std::span<const Value> x) {
    return std::vector{compare(abs(x[0]), abs(x[1]), Direction::LT)};
  });
  const auto by_branch = make_graph(scalars({DType::i32}), [](Graph&, std::span<const Value> x) {
    const std::array types{x[0].type(), x[1].type()};
    const auto branch = [&](Direction direction) {
      return make_graph(types,
                        [=](Graph&, std::span<const Value> y) { return std::vector{compare(y[0], y[1], direction)}; });
    };
    const Value both_odd =
        compare(and_(and_(x[0], x[1]), constant_like(x[0], 1)), constant_like(x[0], 1), Direction::EQ);
    return if_(both_odd, x, branch(Direction::LT), branch(Direction::GT));
  });
  list.add({Type(DType::i32, {2, 19})}, [&](Graph&, auto x) { return sort(x, 1, true, by_magnitude); }).name +=
      " by magnitude";
  list.add({Type(DType::i32, {2})}, [&](Graph&, auto x) { return sort(x, 0, true, by_branch); }).name += " by a branch";
}

void sort_samples(SampleList& list) {
  for (const DType dtype : members(list.op().domain))
    for (const auto& [from, dimension] : std::initializer_list<std::pair<Dims, int>>{
             {{9}, 0}, {{3, 5}, 1}, {{3, 5}, -2}, {{2, 4, 3}, 1}, {{0, 3}, 0}, {{1}, 0}})
      for (const bool stable : {true, false}) {
        const std::int64_t d = dimension;
        const auto add = [&](Comparison how) -> OpSample& {
          return list.add({type_of(dtype, from)}, [&](Graph&, std::span<const Value> x) {
            return sort(x, d, stable, comparison_body(Direction::LT, dtype, how));
          });
        };
        // Comparisons with NaN are not an order; the result is unspecified.
        add(Comparison::NOTYPE).inputs[0].edges = !is_float(dtype);
        if (is_float(dtype)) add(Comparison::TOTALORDER).name += " in total order";
      }
  sort_by_several_keys(list);
  // Sorts by a key, descending, and permutes an operand of another dtype along.
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Type key(dtype, {}), passenger(DType::f64, {});
    const std::array scalars{key, key, passenger, passenger};
    const auto comparator = make_graph(scalars, [](Graph&, std::span<const Value> x) {
      return std::vector{compare(x[0], x[1], Direction::GT, Comparison::TOTALORDER)};
    });
    list.add({Type(dtype, {3, 6}), Type(DType::f64, {3, 6})},
             [&](Graph&, std::span<const Value> x) { return sort(x, 1, true, comparator); });
  }
}

constexpr SampleEntry indexing_table[] = {
    {&ops::gather, gather_samples},
    {&ops::scatter, scatter_samples},
    {&ops::dynamic_slice, dynamic_slice_samples},
    {&ops::dynamic_update_slice, dynamic_update_slice_samples},
    {&ops::sort, sort_samples, needs_a_dimension},
};

}  // namespace

constinit const std::span<const SampleEntry> indexing_samples = indexing_table;

}  // namespace weft::ir
