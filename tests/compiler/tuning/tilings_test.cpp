// Every tiling of a kernel gives the same result as its own tiling, and is offered where it can matter.
#include <weft/compiler/tuning/tilings.h>

#include <array>
#include <cmath>
#include <memory>
#include <tests/compiler/run.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/compiler/cache/kernel_cache.h>
#include <weft/compiler/nested_compiler.h>
#include <weft/compiler/options/target.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/plan/fuse.h>
#include <weft/compiler/thunks/thunk_maker.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>

namespace weft::compiler {
namespace {

using testing::Contains;
using testing::Each;
using testing::Field;
using testing::SizeIs;

using Graph = std::shared_ptr<const ir::Graph>;

Graph sum_of_squares(std::vector<Dim> dims, std::int64_t summed) {
  return ir::make_graph(std::vector{Type(DType::f32, dims)}, [&](ir::Graph&, std::span<const ir::Value> in) {
    return std::vector{ir::reduce_sum(ir::multiply(in[0], in[0]), std::span(&summed, 1))};
  });
}

// Returns a product that becomes a generated kernel.
Graph product_graph(std::int64_t m, std::int64_t k, std::int64_t n) {
  static constexpr std::array<std::int64_t, 1> left = {1}, right = {0};
  return ir::make_graph(
      std::vector{Type(DType::f32, {m, k}), Type(DType::f32, {k, n})}, [&](ir::Graph&, std::span<const ir::Value> in) {
        return std::vector{
            multiply_and_reduce(in[0], in[1], {{}, {}, left, right}, DType::f32, SumsOfDot::down_columns)};
      });
}

std::vector<Unit> units_of(const ir::Graph& graph) {
  Report ignored;
  const Options options;
  return fuse(graph, options, ThunkMaker(options, nested_compiler()), ignored);
}

std::vector<Tiling> tilings(const ir::Graph& graph) {
  const std::vector<Unit> units = units_of(graph);
  EXPECT_THAT(units, SizeIs(1));
  std::vector<std::int64_t> parameters;
  for (const Size size : units[0].kernels()->loops[0]->parameters) parameters.push_back(size.value());
  return tilings_of(*units[0].kernels()->loops[0], parameters, Target::host());
}

TEST(Tilings, AllComputeTheSame) {
  for (const Graph& graph : {sum_of_squares({67, 1030}, 1), sum_of_squares({1030, 67}, 0),
                             sum_of_squares({300, 300}, 0), product_graph(61, 70, 150), product_graph(64, 32, 33)}) {
    const std::vector<ir::Array> inputs = test::normal_inputs(*graph);
    const ir::Array want = ir::interpret(*graph, inputs)[0];
    const std::vector<Tiling> all = tilings(*graph);
    EXPECT_GE(all.size(), 2u);
    for (const Tiling& tiling : all) {
      Loop loop = *units_of(*graph)[0].kernels()->loops[0];
      loop.tiling = tiling;
      const KernelSource source = &loop;
      const std::string key = loop.key();
      const auto code = KernelCache::instance().get(std::span(&source, 1), std::span(&key, 1), Target::host());
      std::vector<std::int64_t> parameters;
      for (const Size size : loop.parameters) parameters.push_back(size.value());
      ir::Array got(want.type());
      std::vector<std::byte*> buffers;
      for (const ir::Array& input : inputs) buffers.push_back(const_cast<std::byte*>(input.bytes().data()));
      buffers.push_back(reinterpret_cast<std::byte*>(got.data<float>().data()));
      const LoopExtent extent = extent_of(loop, parameters);
      reinterpret_cast<Kernel>(code.kernels[0])(buffers.data(), parameters.data(), 0, extent.tasks, nullptr);
      for (std::size_t i = 0; i < got.data<float>().size(); ++i)
        ASSERT_NEAR(got.data<float>()[i], want.data<float>()[i], 1e-5 * std::abs(want.data<float>()[i]) + 1e-4)
            << tiling.block << ' ' << tiling.rows_together << ' ' << tiling.sums_together << " at " << i;
    }
  }
}

TEST(Tilings, AreOfferedWhereTheyCanMatter) {
  const auto of = [](int Tiling::* field, auto value) { return Field(field, value); };
  const bool wide = Target::host().lanes == 16;  // such machines also have twice as many registers
  if (wide) {
    EXPECT_THAT(tilings(*product_graph(64, 64, 200)), Contains(of(&Tiling::rows_together, 8)));
  }
  EXPECT_THAT(tilings(*product_graph(64, 64, 200)), Contains(of(&Tiling::block, 128)));
  EXPECT_THAT(tilings(*product_graph(64, 512, 40)), Each(of(&Tiling::block, testing::AnyOf(32, 64))))
      << "no row has as many lanes as a larger block";
  EXPECT_THAT(tilings(*sum_of_squares({300, 300}, 0)), Each(of(&Tiling::rows_together, 1))) << "rows share nothing";
  EXPECT_THAT(tilings(*sum_of_squares({300, 300}, 1)), Contains(of(&Tiling::sums_together, 8)));
  EXPECT_THAT(tilings(*sum_of_squares({3000, 20}, 1)),
              Each(of(&Tiling::sums_together, testing::AnyOf(1, wide ? 1 : 2, 4))))
      << "no row has more than two vectors, or three narrow ones";
  EXPECT_THAT(tilings(*sum_of_squares({30, 30}, 1)), SizeIs(1)) << "too small to be worth it";
}

}  // namespace
}  // namespace weft::compiler
