// Samples of reduce, reduce_window and select_and_scatter.
#include <limits>
#include <tests/ir/op_samples.h>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

using Dims = std::vector<std::int64_t>;

Type type_of(DType dtype, const Dims& sizes) {
  const std::vector<Dim> dims(sizes.begin(), sizes.end());
  return Type(dtype, dims);
}

// Selects the larger of two numbers together with its position.
std::shared_ptr<const Graph> argmax_body(DType dtype) {
  const std::array types{Type(dtype, {}), Type(DType::i32, {}), Type(dtype, {}), Type(DType::i32, {})};
  return make_graph(types, [](Graph&, std::span<const Value> x) {
    const Value left = compare(x[0], x[2], Direction::GE);
    return std::vector{select(left, x[0], x[2]), select(left, x[1], x[3])};
  });
}

// Consists of two ops: (a, b) -> a + b * b.
std::shared_ptr<const Graph> sum_of_squares_body(DType dtype) {
  const std::array types{Type(dtype, {}), Type(dtype, {})};
  return make_graph(types, [](Graph&, std::span<const Value> x) { return std::vector{x[0] + x[1] * x[1]}; });
}

// Contains control flow: the sum if the accumulator is even, the difference if it is odd.
std::shared_ptr<const Graph> branching_body() {
  const std::array types{Type(DType::i32, {}), Type(DType::i32, {})};
  return make_graph(types, [&](Graph&, std::span<const Value> x) {
    const auto branch = [&](Value (*op)(Value, Value)) {
      return make_graph(types, [=](Graph&, std::span<const Value> y) { return std::vector{op(y[0], y[1])}; });
    };
    const Value odd = compare(and_(x[0], constant_like(x[0], 1)), constant_like(x[0], 1), Direction::EQ);
    return if_(odd, x, branch(subtract), branch(ir::add));
  });
}

// Returns an initial value that leaves each body's result to the elements; gradients treat it as a constant.
double identity(const Op& op) {
  if (&op == &ops::multiply || &op == &ops::and_) return 1;
  if (&op == &ops::maximum) return -100;
  if (&op == &ops::minimum) return 100;
  return 0;
}

void fix_initial_value(OpSample& sample, const Op& op, DType dtype) {
  const double value = is_unsigned_integer(dtype) && &op == &ops::maximum ? 0 : identity(op);
  sample.inputs[1] = {value, value};
  if (&op != &ops::add && !sample.wrt.empty()) sample.wrt = {0};
  sample.name += concat(" ", op.name);
}

void reduce_samples(SampleList& list) {
  const std::pair<Dims, Dims> cases[] = {{{5}, {0}}, {{2, 3}, {1}}, {{2, 3}, {0}}, {{2, 3, 4}, {0, 2}}, {{2, 3}, {}},
                                         {{}, {}},   {{0, 3}, {0}}, {{2, 0}, {0}}, {{1, 4}, {0}}};
  const auto add = [&](DType dtype, const Op& op, const Dims& from, const Dims& dimensions) {
    auto& sample = list.add({type_of(dtype, from), Type(dtype, {})}, [&](Graph&, std::span<const Value> x) {
      return ir::reduce(x.first(1), x.last(1), dimensions, reduction_body(op, dtype));
    });
    fix_initial_value(sample, op, dtype);
    if (dtype == DType::boolean) sample.inputs[1] = {0, 0};
  };
  for (const auto& [from, dimensions] : cases)
    for (const Op* op : {&ops::add, &ops::maximum, &ops::minimum, &ops::multiply})
      for (const DType dtype : {DType::f32, DType::f64}) add(dtype, *op, from, dimensions);
  for (const DType dtype : members(list.op().domain))
    for (const Op* op : {&ops::add, &ops::maximum, &ops::multiply}) add(dtype, *op, {3, 7}, {1});
  for (const DType dtype : {DType::u32, DType::boolean})
    for (const Op* op : {&ops::and_, &ops::or_, &ops::xor_}) add(dtype, *op, {3, 7}, {0});
  add(DType::f32, ops::add, {33, 65}, {1});
  add(DType::f32, ops::add, {33, 65}, {0});
  add(DType::f32, ops::maximum, {33, 65}, {0, 1});

  for (const auto& [from, dimensions] : cases) {
    const Type x = type_of(DType::f32, from), places = type_of(DType::i32, from);
    list.add({x, places, Type(DType::f32, {}), Type(DType::i32, {})}, [&](Graph&, std::span<const Value> v) {
      return ir::reduce(v.first(2), v.last(2), dimensions, argmax_body(DType::f32));
    });
    list.add({x, Type(DType::f32, {})}, [&](Graph&, std::span<const Value> v) {
      return ir::reduce(v.first(1), v.last(1), dimensions, sum_of_squares_body(DType::f32));
    });
  }
  list.add({Type(DType::f32, {3, 70, 33}), Type(DType::f32, {})}, [&](Graph&, std::span<const Value> v) {
    return ir::reduce(v.first(1), v.last(1), Dims{1}, sum_of_squares_body(DType::f32));
  });
  list.add({Type(DType::i32, {4, 5}), Type(DType::i32, {})}, [&](Graph&, std::span<const Value> v) {
    return ir::reduce(v.first(1), v.last(1), Dims{1}, branching_body());
  });
}

void reduce_window_samples(SampleList& list) {
  struct Case {
    Dims from, window, strides, base_dilations, window_dilations, padding;
  };
  const Case plain[] = {
      {{7}, {3}, {1}, {1}, {1}, {0, 0}},
      {{7}, {2}, {2}, {}, {}, {}},
      {{7}, {3}, {2}, {1}, {1}, {1, 2}},
      {{4, 5}, {2, 3}, {2, 1}, {1, 1}, {1, 1}, {0, 1, 1, 0}},
      {{5}, {3}, {1}, {1}, {1}, {-1, 0}},
      {{2}, {3}, {1}, {1}, {1}, {0, 0}},
      {{0}, {2}, {1}, {1}, {1}, {1, 1}},
      {{}, {}, {}, {}, {}, {}},
      {{2, 1, 4}, {1, 1, 2}, {1, 1, 2}, {}, {}, {}},
      {{2, 5, 6, 19}, {1, 3, 3, 1}, {1, 2, 2, 1}, {}, {}, {0, 0, 1, 1, 0, 1, 0, 0}},  // pooling, channels last
  };
  const Case dilated[] = {{{6}, {2}, {1}, {1}, {3}, {0, 0}},
                          {{4}, {3}, {2}, {2}, {1}, {1, 1}},
                          {{4, 5}, {2, 2}, {1, 2}, {2, 1}, {1, 2}, {1, 0, 0, 2}}};
  const auto add = [&](DType dtype, const Op& op, const Case& c) {
    auto& sample = list.add({type_of(dtype, c.from), Type(dtype, {})}, [&](Graph&, std::span<const Value> x) {
      return std::vector{reduce_window(x[0], x[1],
                                       {c.window, c.strides, c.base_dilations, c.window_dilations, c.padding},
                                       reduction_body(op, dtype))};
    });
    fix_initial_value(sample, op, dtype);
    if (!sample.wrt.empty()) sample.wrt = {0};
  };
  for (const DType dtype : {DType::f32, DType::f64, DType::i32})
    for (const Op* op : {&ops::add, &ops::maximum, &ops::minimum})
      for (const Case& c : plain) add(dtype, *op, c);
  for (const Case& c : dilated) {
    add(DType::f32, ops::add, c);
    add(DType::f64, ops::add, c);
    add(DType::f32, ops::maximum, c);
  }
  for (const DType dtype : members(list.op().domain)) add(dtype, ops::add, plain[3]);
  const auto add_general = [&](const Case& c) {
    const ReduceWindowAttributes window{c.window, c.strides, c.base_dilations, c.window_dilations, c.padding};
    const Type x = type_of(DType::f32, c.from), places = type_of(DType::i32, c.from);
    list.add({x, places, Type(DType::f32, {}), Type(DType::i32, {})}, [&](Graph&, std::span<const Value> v) {
      return reduce_window(v.first(2), v.last(2), window, argmax_body(DType::f32));
    });
    list.add({x, Type(DType::f32, {})}, [&](Graph&, std::span<const Value> v) {
      return std::vector{reduce_window(v[0], v[1], window, sum_of_squares_body(DType::f32))};
    });
  };
  for (const Case& c : plain) add_general(c);
  for (const Case& c : dilated) add_general(c);
}

void select_and_scatter_samples(SampleList& list) {
  struct Case {
    Dims from, source, window, strides, padding;
  };
  const Case cases[] = {
      {{7}, {3}, {3}, {2}, {0, 0}},
      {{6}, {3}, {2}, {2}, {}},
      {{4, 5}, {2, 2}, {2, 3}, {2, 2}, {0, 1, 0, 0}},
      {{2}, {3}, {2}, {1}, {1, 1}},
      {{}, {}, {}, {}, {}},
      {{0}, {0}, {2}, {1}, {}},
      {{2, 5, 6, 19}, {2, 3, 3, 19}, {1, 3, 3, 1}, {1, 2, 2, 1}, {0, 0, 1, 1, 0, 1, 0, 0}},  // channels last
      {{2, 3, 5, 6}, {2, 3, 3, 3}, {1, 1, 3, 3}, {1, 1, 2, 2}, {0, 0, 0, 0, 1, 1, 0, 1}},
      {{3, 4, 2}, {3, 2, 2}, {2, 2, 1}, {1, 2, 1}, {0, 1, 0, 0, 0, 0}},
      {{12, 18}, {6, 6}, {2, 2}, {2, 3}, {}}};  // windows that do not overlap
  for (const DType dtype : members(list.op().domain))
    for (const Direction direction : {Direction::GE, Direction::LE})
      for (const Case& c : cases) {
        const bool main = dtype == DType::f32 || dtype == DType::f64 || dtype == DType::i32;
        if (!main && &c != cases) continue;
        auto& sample = list.add(
            {type_of(dtype, c.from), type_of(dtype, c.source), Type(dtype, {})}, [&](Graph&, std::span<const Value> x) {
              return std::vector{select_and_scatter(x[0], x[1], x[2], {c.window, c.strides, c.padding},
                                                    comparison_body(direction, dtype),
                                                    reduction_body(ops::add, dtype))};
            });
        sample.order = 1;  // its gradient is a reduce_window of three operands
      }
  // Other bodies.
  const auto smaller_magnitude = make_graph(
      std::array{Type(DType::f32, {}), Type(DType::f32, {})},
      [](Graph&, std::span<const Value> x) { return std::vector{compare(abs(x[0]), abs(x[1]), Direction::LE)}; });
  for (const Case& c : cases)
    for (const auto& [select, scatter] :
         {std::pair{smaller_magnitude, reduction_body(ops::add, DType::f32)},
          std::pair{comparison_body(Direction::GE, DType::f32, Comparison::TOTALORDER),
                    reduction_body(ops::maximum, DType::f32)},
          std::pair{comparison_body(Direction::GT, DType::f32), sum_of_squares_body(DType::f32)}})
      list.add(
          {type_of(DType::f32, c.from), type_of(DType::f32, c.source), Type(DType::f32, {})},
          [&](Graph&, std::span<const Value> x) {
            return std::vector{select_and_scatter(x[0], x[1], x[2], {c.window, c.strides, c.padding}, select, scatter)};
          });
}

constexpr SampleEntry reduction_table[] = {
    {&ops::reduce, reduce_samples},
    {&ops::reduce_window, reduce_window_samples},
    {&ops::select_and_scatter, select_and_scatter_samples},
};

}  // namespace

constinit const std::span<const SampleEntry> reduction_samples = reduction_table;

}  // namespace weft::ir
