// Programs for many sizes: what they compute at given sizes, and which thunks they make again.
#include <weft/compiler/plan/sized_program.h>

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include <weft/ir/builder.h>
#include <weft/ir/general.h>
#include <weft/ir/ops.h>

#include "run.h"

namespace weft {
namespace {

using ir::Value;

// A layer on the rows of a batch, and an update of its weights that does not depend on the batch.
std::shared_ptr<const ir::Graph> layer(std::int64_t rows) {
  const Type x(DType::f32, {rows, 96}), w(DType::f32, {96, 64});
  return ir::make_graph(std::vector{x, w, w}, [](ir::Graph&, std::span<const Value> in) {
    const std::int64_t last[] = {1}, first[] = {0};
    const Value y = ir::dot_general(in[0], in[1], {{}, {}, last, first});
    const Value square = ir::dot_general(in[2], in[2], {{}, {}, last, last});
    return std::vector{ir::tanh(y) * 2.0, ir::dot_general(square, in[2], {{}, {}, last, first}) + in[1]};
  });
}

struct Sized {
  std::vector<std::shared_ptr<const ir::Graph>> samples{layer(8), layer(11)};
  ir::General general = ir::generalise(samples);
  std::shared_ptr<const compiler::SizedProgram> program =
      compiler::compile_for_sizes(*general.graph, {.sizes = SizeValues({11})});

  std::shared_ptr<const runtime::Executable> at(std::int64_t rows) const {
    auto executable = program->at({rows}, {});
    EXPECT_TRUE(executable) << executable.reason();
    return executable ? *executable : nullptr;
  }
};

TEST(SizedProgram, ComputesWhatAProgramOfItsOwnDoes) {
  const Sized sized;
  for (const std::int64_t rows : {3, 1, 64, 8, 0, 3}) {
    const auto graph = layer(rows);
    const auto inputs = test::normal_inputs(*graph);
    const auto got = test::run(sized.at(rows), inputs), want = test::run_compiled(*graph, inputs);
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_TRUE(std::ranges::equal(got[i].data<float>(), want[i].data<float>())) << rows << " rows, result " << i;
  }
}

TEST(SizedProgram, KeepsTheThunksThatDoNotDependOnWhatChanged) {
  const Sized sized;
  const auto a = sized.at(5), b = sized.at(6), again = sized.at(6);
  ASSERT_EQ(a->thunks.size(), b->thunks.size());
  int kept = 0, made = 0;
  for (std::size_t i = 0; i < a->thunks.size(); ++i) {
    // A row of the batch has 96 elements as input and 64 as output; a result of the weights has 6144.
    const bool same_bytes = std::ranges::equal(a->thunks[i]->reads, b->thunks[i]->reads) &&
                            std::ranges::equal(a->thunks[i]->writes, b->thunks[i]->writes);
    EXPECT_EQ(a->thunks[i] == b->thunks[i], same_bytes) << a->thunks[i]->info.name;
    kept += same_bytes;
    made += !same_bytes;
  }
  EXPECT_GE(kept, 2);
  EXPECT_GE(made, 1);
  EXPECT_EQ(again->thunks, b->thunks);
}

TEST(SizedProgram, TellsTheWorkOfItsSizes) {
  const Sized sized;
  for (const std::int64_t rows : {5, 500}) {
    double product = 0, elementwise = 0, all = 0, all_bytes = 0;
    const auto executable = sized.at(rows);
    for (const auto& thunk : executable->thunks) {
      const bool reads_rows = std::ranges::any_of(
          thunk->reads, [&](const auto& slice) { return slice.bytes == static_cast<std::uint64_t>(rows * 64 * 4); });
      if (thunk->info.category == "dot" && thunk->info.flops == static_cast<double>(2 * rows * 96 * 64))
        product = thunk->info.bytes;
      if (thunk->info.category == "loop fusion" && reads_rows) {
        elementwise = thunk->info.bytes;
        EXPECT_EQ(thunk->info.flops, rows * 64) << "the product should have absorbed tanh";
      }
      all += thunk->info.flops;
      all_bytes += thunk->info.bytes;
    }
    EXPECT_EQ(product, 4 * (rows * 96 + 96 * 64 + rows * 64)) << rows;
    EXPECT_EQ(elementwise, 4 * 2 * rows * 64) << rows;
    compiler::Report fixed, told;
    compiler::compile(*layer(rows), {}, &fixed);
    compiler::describe_launch(*executable, told);
    EXPECT_EQ(all, fixed.flops);
    EXPECT_EQ(all_bytes, fixed.moved_bytes);
    EXPECT_EQ(told.flops, fixed.flops);
    EXPECT_EQ(told.moved_bytes, fixed.moved_bytes);
    EXPECT_EQ(told.thunks, fixed.thunks);
  }
}

TEST(SizedProgram, LiesAnewForEverySize) {
  const Sized sized;
  const auto small = sized.at(5), large = sized.at(500), again = sized.at(5);
  EXPECT_GT(large->peak_bytes, small->peak_bytes + 495 * (96 + 64) * 4 - 1);
  EXPECT_EQ(again->peak_bytes, small->peak_bytes);
  EXPECT_EQ(again->temporary_bytes, small->temporary_bytes);
}

}  // namespace
}  // namespace weft
