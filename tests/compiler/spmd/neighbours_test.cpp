// Ops that need a part of a dimension that another device has: windows, and positions in a table.
#include <tests/compiler/spmd/divided.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/autodiff.h>

namespace weft::compiler {
namespace {

using testing::ElementsAre;

Value windowed(Value x, double init, ir::Ints sizes, ir::Ints padding, const std::shared_ptr<const ir::Graph>& body) {
  ir::ReduceWindowAttributes window{};
  window.window_dimensions = sizes;
  window.padding = padding;
  return ir::reduce_window(x, ir::constant(x.graph(), Type(x.dtype(), {}), init), window, body);
}

TEST(PartitionOfParts, AWindowReachesIntoTheNeighboursOfAShard) {
  for (const std::int64_t size : {3, 5}) {
    ShardedProgram p;
    const Value x = p.input(f32({32, 4}), Sharding(eight, {{0}, {}}));
    const std::int64_t window[] = {size, 1}, padding[] = {size / 2, size / 2, 0, 0};
    const auto maximum = ir::reduction_body(ir::ops::maximum, DType::f32);
    p.graph.set_outputs({windowed(x, -9, window, padding, maximum)});
    const std::string row = concat("collective_permute data ", size / 2 * 16);
    EXPECT_THAT(expect_same(p, eight), ElementsAre(row, row));
  }
}

TEST(PartitionOfParts, AWindowMayReachFurtherThanTheNextShard) {
  ShardedProgram p;
  const Value x = p.input(f32({16, 4}), Sharding(eight, {{0}, {}}));  // 2 rows for each device, of which 3 are needed
  const std::int64_t window[] = {7, 1}, padding[] = {3, 3, 0, 0};
  const auto add = ir::reduction_body(ir::ops::add, DType::f32);
  p.graph.set_outputs({windowed(x, 1, window, padding, add)});
  EXPECT_THAT(expect_same(p, eight), ElementsAre("collective_permute data 32", "collective_permute data 16",
                                                 "collective_permute data 32", "collective_permute data 16"));
}

// A convolution of images whose rows are split, and its gradients.
TEST(PartitionOfParts, ConvolutionsExchangeRowsWithNeighbours) {
  const std::int64_t spatial[] = {1, 2}, of_kernel[] = {0, 1}, padding[] = {1, 1, 1, 1}, twos[] = {2, 2};
  for (const bool halves : {false, true}) {
    ShardedProgram p;
    const Value x = p.input(f32({2, 16, 8, 3}), Sharding(eight, {{}, {0}, {}, {}}));
    const std::int64_t size = halves ? 2 : 3;
    const Value kernel = p.input(f32({size, size, 3, 4}), Sharding(eight, 4));
    ir::ConvolutionAttributes a{};
    a.input_spatial = a.output_spatial = spatial;
    a.kernel_spatial = of_kernel;
    a.input_feature = a.output_feature = a.kernel_output_feature = 3;
    a.kernel_input_feature = 2;
    if (halves) a.strides = twos;
    if (!halves) a.padding = padding;
    const Value y = ir::convolution(x, kernel, a);
    const std::int64_t all[] = {0, 1, 2, 3};
    const Value loss = ir::reduce_sum(ir::multiply(y, y), all);
    const auto gradients = ir::gradient(p.graph, {{loss}}, {{ir::constant_like(loss, 1)}}, {{x, kernel}});
    p.graph.set_outputs({y, gradients[0], gradients[1]});
    EXPECT_THAT(expect_same(p, eight), testing::Each(testing::AnyOf(testing::StartsWith("collective_permute"),
                                                                    testing::StartsWith("all_reduce"))));
  }
}

TEST(PartitionOfParts, SlicesAndPaddingExchangeWhatIsCutOffOrAdded) {
  ShardedProgram p;
  const Value x = p.input(f32({64, 4}), Sharding(eight, {{0}, {}}));
  const std::int64_t start[] = {3, 0}, limit[] = {59, 4}, ones[] = {1, 1}, low[] = {3, 0}, high[] = {5, 0},
                     none[] = {0, 0};
  const Value cut = ir::slice(x, start, limit, ones);
  p.graph.set_outputs({cut, ir::pad(cut, ir::constant(p.graph, Type(DType::f32, {}), 7), low, high, none)});
  p.outputs = {Sharding(eight, {{0}, {}}), Sharding(eight, {{0}, {}})};
  EXPECT_THAT(expect_same(p, eight), testing::Each(testing::StartsWith("collective_permute")));
}

// The gradient of pooling: each device has whole windows.
TEST(PartitionOfParts, TheGradientOfPoolingStaysSplitIfWindowsDoNotOverlap) {
  ShardedProgram p;
  const Value x = p.input(f32({32, 4}), Sharding(eight, {{0}, {}})),
              source = p.input(f32({16, 2}), Sharding(eight, {{0}, {}}));
  const std::int64_t window[] = {2, 2};
  const ir::SelectAndScatterAttributes a{window, window, {}};
  p.graph.set_outputs({ir::select_and_scatter(x, source, ir::constant(p.graph, Type(DType::f32, {}), 0), a,
                                              ir::comparison_body(ir::Direction::GE, DType::f32),
                                              ir::reduction_body(ir::ops::add, DType::f32))});
  EXPECT_THAT(expect_same(p, eight), testing::IsEmpty());
}

// Positions are outside the table, too: gather moves them inside, scatter skips them.
TEST(PartitionOfParts, RowsOfASplitTableAreReadAndWrittenWhereTheyAre) {
  ShardedProgram p;
  const Value table = p.input(f32({16, 4}), Sharding(eight, {{0}, {}}));
  const Value positions = p.input(Type(DType::i32, {6, 1}), Sharding(eight, 2)),
              rows = p.input(f32({6, 4}), Sharding(eight, 2));
  const std::int64_t zero = 0, one = 1, sizes[] = {1, 4};
  const Value scaled = ir::multiply(positions, ir::constant_like(positions, 9));
  ir::GatherAttributes reads{};
  reads.offset_dims = {&one, 1};
  reads.collapsed_slice_dims = reads.start_index_map = {&zero, 1};
  reads.index_vector_dim = 1;
  reads.slice_sizes = sizes;
  const Value read = ir::gather(table, scaled, reads);
  ir::ScatterAttributes writes{};
  writes.update_window_dims = {&one, 1};
  writes.inserted_window_dims = writes.scatter_dims_to_operand_dims = {&zero, 1};
  writes.index_vector_dim = 1;
  const Value written = ir::scatter(table, scaled, rows, writes, ir::reduction_body(ir::ops::add, DType::f32));
  p.graph.set_outputs({ir::abs(read), written});
  p.outputs = {Sharding(eight, 2), Sharding(eight, {{0}, {}})};
  EXPECT_THAT(expect_same(p, eight), ElementsAre("all_reduce data 168"));  // 2 x 7/8 of 96 bytes
}

}  // namespace
}  // namespace weft::compiler
