// The ways in which kernels of attention divide their work, which give the same results. Those that a program uses are compared with sums in
// f64 by tests/tensor/attention_twin_test.cpp.
#include <weft/compiler/loop/attention_kernel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/base/half.h>
#include <weft/compiler/codegen/llvm/jit.h>
#include <weft/compiler/codegen/twin/twin_kernel.h>
#include <weft/runtime/thunk.h>

namespace weft::compiler {
namespace {

using Part = AttentionKernel::Part;
using Bits = std::vector<std::uint16_t>;

constexpr std::int64_t attention_heads = 2, attention_queries = 130, attention_keys = 200, attention_width = 64;

Bits attention_bits(std::int64_t rows, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Bits bits(static_cast<std::size_t>(attention_heads * rows * attention_width));
  for (std::uint16_t& b : bits) b = bfloat16(normal(random)).bits;
  return bits;
}

void run_attention(const AttentionKernel& kernel, const std::vector<void*>& buffers,
                   const std::vector<std::int64_t>& rows) {
  const Target& target = Target::named(kernel.warpgroups ? "twin_90a" : "twin");
  const KernelSource source = &kernel;
  const std::string name = "attention";
  const auto object = std::make_shared<const std::string>(make_objects({&source, 1}, {&name, 1}, target)[0]);
  const KernelCode code = gpu_kernels({&object, 1}, {&name, 1}, target);
  const AttentionTiles tiles = attention_tiles(kernel);
  const std::int64_t blocks =
      ((kernel.part == Part::key_gradient ? attention_keys : attention_queries) + tiles.rows - 1) / tiles.rows;
  std::vector<std::int64_t> parameters{attention_heads, attention_queries, attention_keys, blocks};
  for (const std::int64_t n : rows)
    parameters.insert(parameters.end(), {attention_heads * n * attention_width, n * attention_width, attention_width});
  std::vector<void*> arguments;
  for (void* const& buffer : buffers) arguments.push_back(const_cast<void**>(&buffer));
  for (std::int64_t& parameter : parameters) arguments.push_back(&parameter);
  GpuGrid grid;
  grid.blocks_x = static_cast<std::uint32_t>(blocks * attention_heads);
  grid.threads_x = static_cast<std::uint32_t>(tiles.threads);
  grid.shared_bytes = static_cast<std::uint32_t>(tiles.shared_bytes);
  const auto* const loaded = static_cast<const TwinKernel*>(static_cast<const GpuKernel*>(code.kernels[0]));
  loaded->launch(grid, arguments.data(), runtime::Launch{});
}

// Returns the result and the gradients of queries, keys and values.
std::vector<Bits> attention_results(AttentionKernel kernel) {
  Bits q = attention_bits(attention_queries, 1), k = attention_bits(attention_keys, 2),
       v = attention_bits(attention_keys, 3), dy = attention_bits(attention_queries, 4);
  Bits y(q.size()), dq(q.size()), dk(k.size()), dv(k.size());
  std::vector<float> log_sums(static_cast<std::size_t>(attention_heads * attention_queries)), sums(log_sums.size());
  kernel.part = Part::forward;
  run_attention(kernel, {q.data(), k.data(), v.data(), y.data(), log_sums.data()},
                {attention_queries, attention_keys, attention_keys, attention_queries});
  kernel.part = Part::query_gradient;
  run_attention(
      kernel, {q.data(), k.data(), v.data(), dy.data(), y.data(), log_sums.data(), dq.data(), sums.data()},
      {attention_queries, attention_keys, attention_keys, attention_queries, attention_queries, attention_queries});
  kernel.part = Part::key_gradient;
  run_attention(kernel, {q.data(), k.data(), v.data(), dy.data(), log_sums.data(), sums.data(), dk.data(), dv.data()},
                {attention_queries, attention_keys, attention_keys, attention_queries, attention_keys, attention_keys});
  return {y, dq, dk, dv};
}

TEST(AttentionKernel, GivesTheSameResultsHoweverItsWorkIsDivided) {
  const AttentionKernel by_warps{.dtype = DType::bf16, .width = attention_width, .is_causal = true};
  const std::vector<Bits> expected = attention_results(by_warps);
  struct Division {
    int warpgroups, columns, at_once;
    bool overlaps;
  };
  for (const auto& [warpgroups, columns, at_once, overlaps] :
       {Division{1, 64, 16, false}, {1, 64, 64, true}, {1, 128, 32, true}, {2, 64, 32, false}, {2, 128, 64, true}}) {
    SCOPED_TRACE(concat(warpgroups, " warpgroups, ", columns, " columns, ", at_once, " at once"));
    AttentionKernel kernel = by_warps;
    kernel.warpgroups = warpgroups;
    kernel.columns = columns;
    kernel.columns_at_once = at_once;
    kernel.overlaps = overlaps;
    for (const std::uint64_t seed : {1, 2}) {
      twin::set_seed(seed);
      const std::vector<Bits> found = attention_results(kernel);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto value = [](std::uint16_t bits) { return double(bfloat16::from_bits(bits)); };
        double largest = 0, worst = 0;
        for (std::size_t e = 0; e < found[i].size(); ++e) {
          const double difference = std::abs(value(found[i][e]) - value(expected[i][e]));
          largest = std::max(largest, std::abs(value(expected[i][e])));
          if (!(difference <= worst)) worst = difference;  // also for NaN
        }
        EXPECT_LE(worst, 0.016 * largest) << "result " << i;  // weights and results are rounded to 8 bits
      }
    }
  }
}

TEST(AttentionKernel, OfWarpgroupsUsesTheirInstructions) {
  for (const auto& [name, is_used] : {std::pair("sm_80", false), {"sm_90", false}, {"sm_90a", true}}) {
    SCOPED_TRACE(name);
    const Target& target = Target::named(name);
    for (const Part part : {Part::forward, Part::query_gradient, Part::key_gradient}) {
      const AttentionKernel kernel = AttentionKernel::best(part, DType::bf16, attention_width, true, target);
      const std::string assembly = show_kernel(&kernel, CodeForm::assembly, target);
      EXPECT_EQ((assembly.find("wgmma.mma_async") != std::string::npos), is_used);
      EXPECT_EQ((assembly.find("mma.sync") != std::string::npos), !is_used);
    }
  }
}

}  // namespace
}  // namespace weft::compiler
