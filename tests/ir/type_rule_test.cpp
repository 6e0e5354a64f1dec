// What type rules infer and what they refuse. Each message names the op, says what is wrong and ends with the operand types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

using Dims = std::vector<std::int64_t>;
using Build = std::function<std::vector<Value>(Graph&, std::span<const Value>)>;

const Type predicate(DType::boolean, {}), scalar(DType::f32, {}), index(DType::i32, {});
Type f32(std::initializer_list<Dim> dims) { return Type(DType::f32, dims); }
Type i32(std::initializer_list<Dim> dims) { return Type(DType::i32, dims); }

// The types of the values that `build` returns.
std::vector<Type> inferred(std::vector<Type> inputs, const Build& build) {
  const auto graph = make_graph(inputs, build);
  std::vector<Type> types;
  for (const Value v : graph->outputs()) types.push_back(v.type());
  return types;
}

struct Refusal {
  std::string message;  // a part of it
  std::vector<Type> inputs;
  Build build;
};

void expect_refused(const Op& op, std::initializer_list<Refusal> refusals) {
  for (const Refusal& r : refusals) {
    SCOPED_TRACE(r.message);
    std::string types;
    for (const Type t : r.inputs) types += (types.empty() ? "" : ", ") + concat(t);
    try {
      inferred(r.inputs, r.build);
      ADD_FAILURE() << op.name << " was accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith(std::string(op.name) + ": "));
      EXPECT_THAT(error.what(), ::testing::HasSubstr(r.message));
      EXPECT_THAT(error.what(), ::testing::EndsWith("(operands: " + (types.empty() ? "none" : types) + ")"));
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("\n")));
    }
  }
}

template <class F>
Build returns(F f) {
  return [f](Graph&, std::span<const Value> x) { return std::vector<Value>{f(x)}; };
}

TEST(TypeRule, RefusesWrongNumbersOfOperandsRegionsAndTypes) {
  expect_refused(ops::add, {{"expected 2 operands, got 1", {scalar}, [](Graph& g, auto x) {
                               return std::vector{g.append(ops::add, x).result()};
                             }}});
  expect_refused(ops::reduce, {{"expected 1 regions, got 0", {scalar, scalar}, [](Graph& g, auto x) {
                                  return std::vector{g.append(ops::reduce, x).result()};
                                }}});
  expect_refused(ops::reshape, {{"the result type must be given", {scalar}, [](Graph& g, auto x) {
                                   return std::vector{g.append(ops::reshape, x).result()};
                                 }}});
  expect_refused(ops::add, {{"the result is tensor<f32>, not tensor<i1>", {scalar, scalar}, [](Graph& g, auto x) {
                               return std::vector{g.append(ops::add, x, nullptr, std::span(&predicate, 1)).result()};
                             }}});
}

TEST(TypeRule, OfElementwiseOps) {
  const auto sum = returns([](auto x) { return x[0] + x[1]; });
  EXPECT_EQ(inferred({f32({2, 3}), f32({2, 3})}, sum), std::vector{f32({2, 3})});
  expect_refused(
      ops::add,
      {{"operands must have one type, got tensor<2x3xf32> and tensor<3x2xf32>", {f32({2, 3}), f32({3, 2})}, sum},
       {"operands must have one type", {f32({2}), i32({2})}, sum}});
  expect_refused(ops::tanh, {{"is not defined for i32", {i32({2})}, returns([](auto x) { return tanh(x[0]); })}});
  expect_refused(ops::and_,
                 {{"is not defined for f32", {scalar, scalar}, returns([](auto x) { return and_(x[0], x[1]); })}});
  EXPECT_EQ(inferred({f32({2})}, returns([](auto x) { return is_finite(x[0]); })),
            std::vector{Type(DType::boolean, {2})});
}

TEST(TypeRule, OfCompare) {
  EXPECT_EQ(inferred({i32({2}), i32({2})}, returns([](auto x) { return compare(x[0], x[1], Direction::LT); })),
            std::vector{Type(DType::boolean, {2})});
  const auto with = [](Comparison how) {
    return returns([how](auto x) { return compare(x[0], x[1], Direction::LT, how); });
  };
  expect_refused(ops::compare,
                 {{"compare_type SIGNED does not fit f32", {scalar, scalar}, with(Comparison::SIGNED)},
                  {"compare_type TOTALORDER does not fit i32", {index, index}, with(Comparison::TOTALORDER)},
                  {"compare_type UNSIGNED does not fit i32", {index, index}, with(Comparison::UNSIGNED)},
                  {"one type", {scalar, index}, with(Comparison::NOTYPE)}});
}

TEST(TypeRule, OfConversions) {
  EXPECT_EQ(inferred({f32({2})}, returns([](auto x) { return convert(x[0], DType::i8); })),
            std::vector{Type(DType::i8, {2})});
  expect_refused(
      ops::bitcast_convert,
      {{"the widths differ", {scalar}, returns([](auto x) { return bitcast_convert(x[0], Type(DType::u64, {})); })},
       {"the shapes differ", {scalar}, returns([](auto x) { return bitcast_convert(x[0], i32({1})); })},
       {"is not defined for i1", {Type(DType::u8, {})}, returns([](auto x) {
          return bitcast_convert(x[0], predicate);
        })}});
  expect_refused(ops::reduce_precision, {{"exponent_bits must be at least 1, got 0", {scalar}, returns([](auto x) {
                                            return reduce_precision(x[0], 0, 4);
                                          })},
                                         {"mantissa_bits must not be negative", {scalar}, returns([](auto x) {
                                            return reduce_precision(x[0], 5, -1);
                                          })}});
}

TEST(TypeRule, OfSelectAndClamp) {
  const auto choose = returns([](auto x) { return select(x[0], x[1], x[2]); });
  EXPECT_EQ(inferred({predicate, f32({3}), f32({3})}, choose), std::vector{f32({3})});
  expect_refused(ops::select,
                 {{"the predicate must be i1", {f32({3}), f32({3}), f32({3})}, choose},
                  {"cannot choose between tensor<3xf32> and tensor<2xf32>", {predicate, f32({3}), f32({2})}, choose},
                  {"of the shape of", {Type(DType::boolean, {2}), f32({3}), f32({3})}, choose}});
  const auto clamped = returns([](auto x) { return clamp(x[0], x[1], x[2]); });
  EXPECT_EQ(inferred({scalar, f32({3}), f32({3})}, clamped), std::vector{f32({3})});
  expect_refused(ops::clamp, {{"the bound tensor<i32>", {scalar, f32({3}), index}, clamped},
                              {"the bound tensor<2xf32>", {f32({2}), f32({3}), scalar}, clamped}});
}

TEST(TypeRule, OfSources) {
  expect_refused(ops::iota,
                 {{"iota_dimension 1 is out of range for rank 1",
                   {},
                   [](Graph& g, auto) { return std::vector{iota(g, f32({3}), 1)}; }},
                  {"out of range for rank 0", {}, [](Graph& g, auto) { return std::vector{iota(g, scalar, 0)}; }},
                  {"is not defined for i1", {}, [](Graph& g, auto) {
                     return std::vector{iota(g, Type(DType::boolean, {2}), 0)};
                   }}});
  expect_refused(ops::constant, {{"cannot have 12 bytes", {}, [](Graph& g, auto) {
                                    const std::array<float, 3> data{};
                                    return std::vector{constant(g, Literal{f32({2}), std::as_bytes(std::span(data))})};
                                  }}});
}

TEST(TypeRule, OfBroadcastReshapeAndTranspose) {
  const auto wide = [](Type to, Dims dims) {
    return returns([=](auto x) { return broadcast_in_dim(x[0], to, dims); });
  };
  EXPECT_EQ(inferred({f32({1, 3})}, wide(f32({2, 3}), {0, 1})), std::vector{f32({2, 3})});
  expect_refused(
      ops::broadcast_in_dim,
      {{"dimension 0 of size 2 cannot become dimension 1 of tensor<2x3xf32>", {f32({2})}, wide(f32({2, 3}), {1})},
       {"broadcast_dimensions [0, 0] names dimension 0 twice", {f32({2, 2})}, wide(f32({2, 3}), {0, 0})},
       {"broadcast_dimensions 2 is out of range for rank 2", {f32({2})}, wide(f32({2, 3}), {2})},
       {"broadcast_dimensions [] needs 1 entries", {f32({2})}, wide(f32({2, 3}), {})},
       {"the dtypes differ", {f32({2})}, wide(i32({2, 3}), {0})}});
  expect_refused(ops::reshape, {{"cannot give tensor<5xf32>: the numbers of elements differ",
                                 {f32({2, 3})},
                                 returns([](auto x) { return reshape(x[0], {5}); })}});
  const auto turned = [](Dims p) { return returns([=](auto x) { return transpose(x[0], p); }); };
  EXPECT_EQ(inferred({f32({2, 3, 4})}, turned({2, 0, 1})), std::vector{f32({4, 2, 3})});
  expect_refused(ops::transpose, {{"permutation [0] needs 2 entries", {f32({2, 3})}, turned({0})},
                                  {"permutation [1, 1] names dimension 1 twice", {f32({2, 3})}, turned({1, 1})}});
}

TEST(TypeRule, IdentitiesAppendNothing) {
  Graph graph;
  const Value x = graph.add_input(f32({2, 3}));
  EXPECT_EQ(convert(x, DType::f32), x);
  EXPECT_EQ(reshape(x, {2, 3}), x);
  EXPECT_EQ(transpose(x, Dims{0, 1}), x);
  EXPECT_EQ(broadcast(x, x.type()), x);
  EXPECT_EQ(reduce_sum(x, {}), x);
  EXPECT_EQ(graph.nodes().size(), 1u);
}

TEST(TypeRule, OfSlicePadConcatenateReverse) {
  const auto cut = [](Dims start, Dims limit, Dims strides) {
    return returns([=](auto x) { return slice(x[0], start, limit, strides); });
  };
  EXPECT_EQ(inferred({f32({7, 4})}, cut({1, 0}, {7, 0}, {4, 1})), std::vector{f32({2, 0})});
  expect_refused(ops::slice, {{"[2, 8) is not inside dimension 0 of size 7", {f32({7})}, cut({2}, {8}, {1})},
                              {"[-1, 3) is not inside", {f32({7})}, cut({-1}, {3}, {1})},
                              {"[4, 3) is not inside", {f32({7})}, cut({4}, {3}, {1})},
                              {"the stride of dimension 0 must be at least 1, got 0", {f32({7})}, cut({0}, {3}, {0})},
                              {"limit_indices [3, 3] needs 1 entries", {f32({7})}, cut({0}, {3, 3}, {1})}});
  const auto padded = [](Dims low, Dims high, Dims interior) {
    return returns([=](auto x) { return pad(x[0], x[1], low, high, interior); });
  };
  EXPECT_EQ(inferred({f32({4}), scalar}, padded({-1}, {2}, {3})), std::vector{f32({14})});
  EXPECT_EQ(inferred({f32({0}), scalar}, padded({1}, {0}, {3})), std::vector{f32({1})});
  expect_refused(ops::pad, {{"dimension 0 would have -1 elements", {f32({2}), scalar}, padded({-3}, {0}, {0})},
                            {"must not be negative, got -1", {f32({2}), scalar}, padded({0}, {0}, {-1})},
                            {"the padding value must be of rank 0 and f32", {f32({2}), index}, padded({0}, {0}, {0})}});
  const auto joined = [](std::int64_t d) { return returns([=](auto x) { return concatenate(x, d); }); };
  EXPECT_EQ(inferred({f32({2, 3}), f32({2, 0}), f32({2, 1})}, joined(1)), std::vector{f32({2, 4})});
  expect_refused(ops::concatenate, {{"operand 1 is tensor<3x3xf32>, which differs from tensor<2x3xf32> in dimension 0",
                                     {f32({2, 3}), f32({3, 3})},
                                     joined(1)},
                                    {"which does not fit", {f32({2, 3}), f32({2})}, joined(0)},
                                    {"dimension 2 is out of range", {f32({2, 3})}, joined(2)}});
  expect_refused(ops::reverse, {{"dimensions 1 is out of range for rank 1", {f32({2})}, returns([](auto x) {
                                   return reverse(x[0], Dims{1});
                                 })}});
}

TEST(TypeRule, OfReduce) {
  const auto sum = [](Dims dims, DType dtype) {
    return [=](Graph&, std::span<const Value> x) {
      return ir::reduce(x.first(1), x.subspan(1), dims, reduction_body(ops::add, dtype));
    };
  };
  EXPECT_EQ(inferred({f32({2, 3, 4}), scalar}, sum({2, 0}, DType::f32)), std::vector{f32({3})});
  expect_refused(
      ops::reduce,
      {{"dimensions 3 is out of range", {f32({2, 3, 4}), scalar}, sum({3}, DType::f32)},
       {"initial value 0 must be of rank 0 and f32, got tensor<i32>", {f32({2}), index}, sum({0}, DType::f32)},
       {"as many initial values as operands", {f32({2}), scalar, scalar}, sum({0}, DType::f32)},
       {"region 0 takes [tensor<i32>, tensor<i32>], expected [tensor<f32>, tensor<f32>]",
        {f32({2}), scalar},
        sum({0}, DType::i32)}});
  expect_refused(ops::reduce, {{"operands must have one shape, got tensor<2xf32> and tensor<3xf32>",
                                {f32({2}), f32({3}), scalar, scalar},
                                [](Graph&, auto x) {
                                  return ir::reduce(x.first(2), x.last(2), Dims{0},
                                                    reduction_body(ops::add, DType::f32));
                                }}});
}

TEST(TypeRule, OfReducingManyOperands) {
  const std::vector<Type> scalars(20, scalar);
  std::vector<Type> inputs(20, scalar);
  std::fill_n(inputs.begin(), 10, f32({2, 3}));
  const auto body = make_graph(scalars, [](Graph&, auto x) { return std::vector(x.begin(), x.begin() + 10); });
  EXPECT_EQ(inferred(inputs, [&](Graph&, auto x) { return ir::reduce(x.first(10), x.last(10), Dims{1}, body); }),
            std::vector(10, f32({2})));
}

TEST(TypeRule, OfWindows) {
  const auto windows = [](Dims size, Dims strides, Dims base, Dims dilations, Dims padding) {
    return returns([=](auto x) {
      return reduce_window(x[0], x[1], {size, strides, base, dilations, padding}, reduction_body(ops::add, DType::f32));
    });
  };
  EXPECT_EQ(inferred({f32({7}), scalar}, windows({3}, {2}, {}, {}, {})), std::vector{f32({3})});
  EXPECT_EQ(inferred({f32({4}), scalar}, windows({3}, {}, {2}, {2}, {1, 0})), std::vector{f32({4})});
  EXPECT_EQ(inferred({f32({2}), scalar}, windows({3}, {}, {}, {}, {})), std::vector{f32({0})});
  expect_refused(
      ops::reduce_window,
      {{"window_dimensions [3] needs 2 entries", {f32({2, 2}), scalar}, windows({3}, {}, {}, {}, {})},
       {"padding [1] needs 2 entries", {f32({2}), scalar}, windows({3}, {}, {}, {}, {1})},
       {"at least 1 element in dimension 0, got 0", {f32({2}), scalar}, windows({0}, {}, {}, {}, {})},
       {"strides and dilations of dimension 0 must be at least 1", {f32({2}), scalar}, windows({1}, {0}, {}, {}, {})}});
  const auto spread = returns([](auto x) {
    return select_and_scatter(x[0], x[1], x[2], {Dims{2}, Dims{2}, {}}, comparison_body(Direction::GE, DType::f32),
                              reduction_body(ops::add, DType::f32));
  });
  EXPECT_EQ(inferred({f32({6}), f32({3}), scalar}, spread), std::vector{f32({6})});
  expect_refused(
      ops::select_and_scatter,
      {{"dimension 0 of the source has size 4, the window has 3 positions", {f32({6}), f32({4}), scalar}, spread},
       {"the initial value must be of rank 0", {f32({6}), f32({3}), f32({1})}, spread}});
}

TEST(TypeRule, OfDotGeneral) {
  const auto dot = [](Dims lb, Dims rb, Dims lc, Dims rc) {
    return returns([=](auto x) { return dot_general(x[0], x[1], {lb, rb, lc, rc}); });
  };
  EXPECT_EQ(inferred({f32({2, 3, 4}), f32({5, 4, 2})}, dot({0}, {2}, {2}, {1})), std::vector{f32({2, 3, 5})});
  expect_refused(ops::dot_general,
                 {{"contracting dimension 1 of lhs has size 3, dimension 0 of rhs has size 4",
                   {f32({2, 3}), f32({4, 5})},
                   dot({}, {}, {1}, {0})},
                  {"batching dimension 0 of lhs has size 2", {f32({2, 3}), f32({3, 3})}, dot({0}, {0}, {1}, {1})},
                  {"lhs has 1 contracting dimensions, rhs has 0", {f32({2, 3}), f32({3})}, dot({}, {}, {1}, {})},
                  {"lhs_batching_dimensions and lhs_contracting_dimensions share a dimension",
                   {f32({2, 2}), f32({2, 2})},
                   dot({0}, {0}, {0}, {1})},
                  {"operands must have one dtype", {f32({2}), i32({2})}, dot({}, {}, {0}, {0})},
                  {"is not defined for i1", {predicate, predicate}, dot({}, {}, {}, {})}});
  const auto product = [](DType result) {
    return returns([=](auto x) { return dot_general(x[0], x[1], {{}, {}, Dims{0}, Dims{0}}, result); });
  };
  const Type bf16(DType::bf16, {3});
  EXPECT_EQ(inferred({bf16, bf16}, product(DType::f32)), std::vector{scalar});
  EXPECT_EQ(inferred({bf16, bf16}, product(DType::bf16)), std::vector{Type(DType::bf16, {})});
  expect_refused(ops::dot_general, {{"cannot accumulate f32 in bf16", {f32({3}), f32({3})}, product(DType::bf16)},
                                    {"cannot accumulate f32 in i64", {f32({3}), f32({3})}, product(DType::i64)}});
}

TEST(TypeRule, OfConvolution) {
  const auto convolved = [](auto change) {
    return returns([=](auto x) {
      const Dims spatial{2};
      ConvolutionAttributes a;
      a.input_spatial = a.kernel_spatial = a.output_spatial = spatial;
      change(a);
      return convolution(x[0], x[1], a);
    });
  };
  const auto plain = convolved([](auto&) {});
  static const std::int64_t two[] = {2}, uneven[] = {1, 0}, clash[] = {1};
  EXPECT_EQ(inferred({f32({2, 3, 8}), f32({5, 3, 3})}, plain), std::vector{f32({2, 5, 6})});
  EXPECT_EQ(inferred({f32({2, 3, 8}), f32({5, 3, 3})}, convolved([](auto& a) {
                       a.strides = two;
                       a.padding = uneven;
                     })),
            std::vector{f32({2, 5, 4})});
  EXPECT_EQ(inferred({f32({4, 3, 8}), f32({6, 3, 3})}, convolved([](auto& a) { a.batch_groups = 2; })),
            std::vector{f32({2, 6, 6})});
  expect_refused(
      ops::convolution,
      {{"the input has 4 features, the kernel expects 3 in each of 1 groups", {f32({2, 4, 8}), f32({5, 3, 3})}, plain},
       {"5 output features do not divide into 2 groups", {f32({2, 6, 8}), f32({5, 3, 3})}, convolved([](auto& a) {
          a.feature_groups = 2;
        })},
       {"a batch of 3 does not divide into 2 groups", {f32({3, 3, 8}), f32({6, 3, 3})}, convolved([](auto& a) {
          a.batch_groups = 2;
        })},
       {"cannot both exceed 1", {f32({4, 6, 8}), f32({4, 3, 3})}, convolved([](auto& a) {
          a.batch_groups = a.feature_groups = 2;
        })},
       {"input dimensions [0, 1, 1] names dimension 1 twice", {f32({2, 3, 8}), f32({5, 3, 3})}, convolved([](auto& a) {
          a.input_spatial = clash;
        })},
       {"input and kernel must have one rank", {f32({2, 3, 8}), f32({5, 3})}, plain},
       {"input dimensions has 1 spatial dimensions, but rank 4", {f32({2, 3, 8, 8}), f32({5, 3, 3, 3})}, plain}});
}

TEST(TypeRule, OfGather) {
  const auto taken = [](GatherAttributes a) {  // lists of `a` are static
    return returns([=](auto x) { return gather(x[0], x[1], a); });
  };
  static const std::int64_t zero[] = {0}, one[] = {1}, two[] = {2}, row[] = {1, 3}, rows[] = {2, 3}, none[] = {0, 3},
                            wide[] = {1, 4}, both[] = {0, 1};
  const GatherAttributes rows_of_table{two, zero, {}, {}, zero, 2, row, false};
  EXPECT_EQ(inferred({f32({7, 3}), i32({4, 5})}, taken(rows_of_table)), std::vector{f32({4, 5, 3})});
  const auto changed = [&](auto change) {
    GatherAttributes a = rows_of_table;
    change(a);
    return taken(a);
  };
  expect_refused(
      ops::gather,
      {{"indices must be integers", {f32({7, 3}), f32({4, 5})}, taken(rows_of_table)},
       {"a slice of 4 does not fit dimension 1 of size 3", {f32({7, 3}), i32({4, 5})}, changed([](auto& a) {
          a.slice_sizes = wide;
        })},
       {"must have size 1, got 2", {f32({7, 3}), i32({4, 5})}, changed([](auto& a) { a.slice_sizes = rows; })},
       {"must have size 1, got 0", {f32({0, 3}), i32({4, 5})}, changed([](auto& a) { a.slice_sizes = none; })},
       {"index_vector_dim 3 is out of range", {f32({7, 3}), i32({4, 5})}, changed([](auto& a) {
          a.index_vector_dim = 3;
        })},
       {"start_index_map has 2 entries, an index has 1 components", {f32({7, 3}), i32({4, 5})}, changed([](auto& a) {
          a.start_index_map = both;
        })},
       {"offset_dims has 0 entries, windows have 1 dimensions", {f32({7, 3}), i32({4, 5})}, changed([](auto& a) {
          a.offset_dims = {};
        })},
       {"offset_dims 3 is out of range", {f32({7, 3}), i32({4, 5})}, changed([](auto& a) {
          static const std::int64_t three[] = {3};
          a.offset_dims = three;
        })},
       {"collapsed_slice_dims and operand_batching_dims share a dimension",
        {f32({7, 3}), i32({7, 5})},
        changed([](auto& a) {
          a.operand_batching_dims = zero;
          a.start_indices_batching_dims = zero;
        })},
       {"operand_batching_dims has 1 entries, start_indices_batching_dims has 0",
        {f32({7, 3}), i32({7, 5})},
        changed([](auto& a) { a.operand_batching_dims = one; })}});
}

TEST(TypeRule, OfScatter) {
  const Dims zero{0}, one{1};
  const auto written = [&](DType body) {
    return returns([zero, one, body](std::span<const Value> x) {
      return scatter(x[0], x[1], x[2], {one, zero, {}, {}, zero, 1, false, false}, reduction_body(ops::add, body));
    });
  };
  const auto add = written(DType::f32);
  EXPECT_EQ(inferred({f32({7, 3}), i32({4}), f32({4, 3})}, add), std::vector{f32({7, 3})});
  EXPECT_EQ(inferred({f32({7, 3}), i32({4}), f32({4, 2})}, add), std::vector{f32({7, 3})});
  expect_refused(
      ops::scatter,
      {{"updates must be f32", {f32({7, 3}), i32({4}), i32({4, 3})}, add},
       {"updates must have rank 2, got tensor<4xf32>", {f32({7, 3}), i32({4}), f32({4})}, add},
       {"dimension 0 of the updates has size 5, the indices have 4", {f32({7, 3}), i32({4}), f32({5, 3})}, add},
       {"dimension 1 of the updates has size 4, which does not fit dimension 1 of size 3",
        {f32({7, 3}), i32({4}), f32({4, 4})},
        add},
       {"region 0 takes", {f32({7, 3}), i32({4}), f32({4, 3})}, written(DType::f64)}});
}

TEST(TypeRule, OfDynamicSlices) {
  const auto cut = [](Dims sizes) { return returns([=](auto x) { return dynamic_slice(x[0], x.subspan(1), sizes); }); };
  EXPECT_EQ(inferred({f32({4, 5}), index, index}, cut({2, 5})), std::vector{f32({2, 5})});
  expect_refused(ops::dynamic_slice,
                 {{"expected 2 start indices, got 1", {f32({4, 5}), index}, cut({2, 5})},
                  {"a slice of 6 does not fit dimension 1 of size 5", {f32({4, 5}), index, index}, cut({2, 6})},
                  {"operand 2 must be an integer of rank 0", {f32({4, 5}), index, scalar}, cut({2, 5})},
                  {"start indices must have one dtype", {f32({4, 5}), index, Type(DType::i64, {})}, cut({2, 5})}});
  const auto put = returns([](auto x) { return dynamic_update_slice(x[0], x[1], x.subspan(2)); });
  EXPECT_EQ(inferred({f32({4}), f32({2}), index}, put), std::vector{f32({4})});
  expect_refused(ops::dynamic_update_slice,
                 {{"an update of size 5 does not fit dimension 0 of size 4", {f32({4}), f32({5}), index}, put},
                  {"the update tensor<2xi32> does not fit tensor<4xf32>", {f32({4}), i32({2}), index}, put}});
}

TEST(TypeRule, OfSort) {
  const auto sorted = [](std::int64_t d) {
    return [=](Graph&, std::span<const Value> x) {
      return ir::sort(x, d, true, comparison_body(Direction::LT, DType::f32));
    };
  };
  EXPECT_EQ(inferred({f32({2, 3})}, sorted(-2)), std::vector{f32({2, 3})});
  expect_refused(
      ops::sort,
      {{"dimension 2 is out of range for rank 2", {f32({2, 3})}, sorted(2)},
       {"dimension -3 is out of range", {f32({2, 3})}, sorted(-3)},
       {"operands must have one shape", {f32({2}), f32({3})}, sorted(0)},
       {"region 0 takes [tensor<f32>, tensor<f32>], expected [tensor<i32>, tensor<i32>]", {i32({2})}, sorted(0)}});
}

TEST(TypeRule, OfControl) {
  const auto twice = make_graph(std::span(&scalar, 1), [](Graph&, auto x) { return std::vector{x[0] + x[0]}; });
  const auto positive = make_graph(std::span(&scalar, 1), [](Graph&, auto x) {
    return std::vector{compare(x[0], constant_like(x[0], 0), Direction::GT)};
  });
  EXPECT_EQ(inferred({scalar}, [&](Graph&, auto x) { return while_(x, positive, twice); }), std::vector{scalar});
  expect_refused(
      ops::while_,
      {{"region 0 returns [tensor<f32>], expected [tensor<i1>]",
        {scalar},
        [&](Graph&, auto x) { return while_(x, twice, twice); }},
       {"region 1 returns [tensor<i1>], expected [tensor<f32>]",
        {scalar},
        [&](Graph&, auto x) { return while_(x, positive, positive); }},
       {"region 0 takes [tensor<f32>]", {index}, [&](Graph&, auto x) { return while_(x, positive, twice); }}});
  EXPECT_EQ(inferred({predicate, scalar}, [&](Graph&, auto x) { return if_(x[0], x.subspan(1), twice, twice); }),
            std::vector{scalar});
  expect_refused(ops::if_, {{"region 1 returns [tensor<i1>], expected [tensor<f32>]",
                             {predicate, scalar},
                             [&](Graph&, auto x) { return if_(x[0], x.subspan(1), twice, positive); }},
                            {"expected a predicate tensor<i1>",
                             {index, scalar},
                             [&](Graph&, auto x) { return if_(x[0], x.subspan(1), twice, twice); }},
                            {"region 0 takes [tensor<f32>], expected []", {predicate}, [&](Graph&, auto x) {
                               return if_(x[0], {}, twice, twice);
                             }}});
  expect_refused(ops::case_, {{"expected an index tensor<i32>",
                               {predicate, scalar},
                               [&](Graph&, auto x) { return case_(x[0], x.subspan(1), std::array{twice}); }},
                              {"expected at least one branch", {index, scalar}, [&](Graph&, auto x) {
                                 return case_(x[0], x.subspan(1), {});
                               }}});
  expect_refused(ops::composite,
                 {{"a composite needs a name", {scalar}, [&](Graph&, auto x) { return composite("", x, twice); }},
                  {"region 0 takes", {index}, [&](Graph&, auto x) { return composite("weft.twice", x, twice); }}});
}

TEST(TypeRule, OfRngBitGenerator) {
  const auto bits = [](Type type, RngAlgorithm how) {
    return [=](Graph&, std::span<const Value> x) { return rng_bit_generator(x[0], type, how); };
  };
  const Type two(DType::u64, {2}), three(DType::u64, {3}), wanted(DType::u32, {5});
  EXPECT_EQ(inferred({three}, bits(wanted, RngAlgorithm::PHILOX)), (std::vector{three, wanted}));
  expect_refused(
      ops::rng_bit_generator,
      {{"the state must have 2 elements, got tensor<3xui64>", {three}, bits(wanted, RngAlgorithm::THREE_FRY)},
       {"is not defined for i32", {i32({2})}, bits(wanted, RngAlgorithm::DEFAULT)},
       {"bits must be integers", {two}, bits(scalar, RngAlgorithm::DEFAULT)}});
}

// Sizes that are not known yet are compared by identity.
TEST(TypeRule, OfSymbolicSizes) {
  const Dim batch = Dim::symbol("batch", 1), other = Dim::symbol("other", 1);
  const Dims last{1}, first{0};
  EXPECT_EQ(inferred({f32({batch, 3}), f32({3, 4})},
                     returns([&](auto x) { return dot_general(x[0], x[1], {{}, {}, last, first}); })),
            std::vector{f32({batch, 4})});
  EXPECT_EQ(inferred({f32({batch, 3})}, returns([&](auto x) { return reduce_sum(x[0], first); })),
            std::vector{f32({3})});
  EXPECT_EQ(inferred({f32({batch, 6})}, returns([&](auto x) { return reshape(x[0], {batch * 2, 3}); })),
            std::vector{f32({batch * 2, 3})});
  EXPECT_EQ(inferred({f32({batch}), f32({other})}, returns([&](auto x) { return concatenate(x, 0); })),
            std::vector{f32({batch + other})});
  EXPECT_EQ(
      inferred({f32({batch}), scalar}, returns([&](auto x) { return pad(x[0], x[1], Dims{-1}, Dims{2}, Dims{1}); })),
      std::vector{f32({batch * 2})});
  EXPECT_EQ(inferred({f32({7, 3}), i32({batch})}, returns([&](auto x) {
                       const Dims row{1, 3};
                       return gather(x[0], x[1], {last, first, {}, {}, first, 1, row, false});
                     })),
            std::vector{f32({batch, 3})});
  expect_refused(ops::pad, {{"may be too small for a padding of -2", {f32({batch}), scalar}, returns([](auto x) {
                               return pad(x[0], x[1], Dims{-2}, Dims{0}, Dims{0});
                             })}});
  expect_refused(ops::slice, {{"is not inside dimension 0 of size batch", {f32({batch})}, returns([](auto x) {
                                 return slice(x[0], Dims{0}, Dims{2}, Dims{1});
                               })}});
  expect_refused(ops::add, {{"one type", {f32({batch}), f32({other})}, returns([](auto x) { return x[0] + x[1]; })}});
  expect_refused(ops::reshape, {{"the numbers of elements differ", {f32({batch, 6})}, returns([&](auto x) {
                                   return reshape(x[0], {other, 6});
                                 })}});
}

}  // namespace
}  // namespace weft::ir
