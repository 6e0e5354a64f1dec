// How programs for a GPU are planned: what is stored, how sums are split, and what the host does. Nothing runs.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/compiler/compiler.h>
#include <weft/compiler/passes/all.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/devices.h>
#include <weft/runtime/executable.h>

namespace weft::compiler {
namespace {

using ir::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Target& gpu() { return Target::named("sm_90"); }

// Returns the bytes of the largest temporary.
std::uint64_t largest_temporary(const runtime::Executable& executable) {
  std::uint64_t most = 0;
  for (const runtime::Allocation& a : executable.allocations)
    if (a.kind == runtime::Allocation::Kind::temporary) most = std::max(most, a.bytes);
  return most;
}

// The loss and the gradient of logits, as cross entropy computes them.
std::vector<Value> loss_and_gradient(std::span<const Value> x) {
  const std::int64_t one[] = {1}, rows[] = {0};
  const Value wide = ir::convert(x[0], DType::f32), logs = ir::log_softmax(wide);
  const Value is_label = ir::compare(ir::broadcast_in_dim(x[1], wide.type().with(DType::i32), rows),
                                     ir::iota(x[0].graph(), wide.type().with(DType::i32), 1), ir::Direction::EQ);
  const Value loss = ir::reduce_sum(ir::select(is_label, logs, ir::constant_like(logs, 0)), one);
  const Value gradient = ir::exponential(logs) - ir::convert(is_label, DType::f32);
  return {loss, ir::convert(gradient, DType::bf16)};
}

TEST(GpuPlan, LargeValuesThatAreCheapAreComputedAgain) {
  const auto graph = ir::make_graph(std::vector{Type(DType::bf16, {1024, 2048}), Type(DType::i32, {1024})},
                                    [](ir::Graph&, auto x) { return loss_and_gradient(x); });
  const std::uint64_t row_values = 1024 * sizeof(float);
  EXPECT_LE(largest_temporary(*compile(*graph, {.target = &gpu()})), row_values);
}

TEST(GpuPlan, SumsOverDimensionsThatFollowEachOtherAreSplitAnywhere) {
  const std::int64_t both[] = {0, 1};
  const auto graph = ir::make_graph(std::vector{Type(DType::f32, {32, 1024, 768})},
                                    [&](ir::Graph&, auto x) { return std::vector{ir::reduce_sum(x[0], both)}; });
  const auto split = split_reductions(*graph, gpu());
  std::vector<Type> summed;
  for (const ir::Node* node : split->nodes())
    if (node->op == &ir::ops::reduce) summed.push_back(node->operand(0).type());
  EXPECT_EQ(summed, (std::vector{Type(DType::f32, {128, 256, 768}), Type(DType::f32, {128, 768})}));
}

TEST(GpuPlan, ThunksOfTheHostAreReported) {
  const auto graph = ir::parse(R"(
    func.func @main(%x: tensor<32x32xf32>) -> tensor<32x32xf32> {
      %root = stablehlo.cholesky %x, lower = true : tensor<32x32xf32>
      return %root : tensor<32x32xf32>
    })");
  Report report;
  compile(*graph, {.target = &gpu()}, &report);
  EXPECT_THAT(report.fallbacks, ElementsAre(HasSubstr("runs on the host, which waits for the GPU and copies 8.0 KiB")));
  compile(*graph, {}, &report);
  EXPECT_THAT(report.fallbacks, IsEmpty());
}

TEST(DeviceNamed, RefusesWhatIsNoDevice) {
  EXPECT_EQ(&runtime::device_named("cpu"), &runtime::cpu());
  for (const std::string name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1 "}) {
    try {
      runtime::device_named(name);
      ADD_FAILURE() << "'" << name << "' is a device";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr(concat("device: '", name, "' is not a device: use cpu, cuda, or cuda:N for GPU number N")));
    }
  }
}

}  // namespace
}  // namespace weft::compiler
