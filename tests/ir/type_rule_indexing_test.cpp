// Type rules of gathers, scatters and dynamic slices.
#include "type_rule.h"

namespace weft::ir {
namespace {

TEST(TypeRule, OfGather) {
  const auto taken = [](GatherAttributes a) {  // the lists of `a` are static
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

}  // namespace
}  // namespace weft::ir
