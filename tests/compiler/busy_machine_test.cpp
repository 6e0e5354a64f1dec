// While other programs keep the CPUs busy, kernels run on fewer threads and give the same bits.
#include <array>

#include <gtest/gtest.h>

#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

#include "run.h"

namespace weft {
namespace {

using ir::Value;

// The shape of lhs is [m, k], or [k, m] if transposed.
std::shared_ptr<const ir::Graph> product_of_size(std::int64_t m, std::int64_t n, std::int64_t k, bool transposed,
                                                 DType dtype) {
  const std::int64_t rows = transposed ? k : m, columns = transposed ? m : k;
  const Type x(DType::f32, {rows, columns}), w(DType::f32, {k, n}), bias(DType::f32, {n});
  return ir::make_graph(std::vector{x, w, bias}, [&](ir::Graph&, std::span<const Value> in) {
    const std::int64_t first[] = {0}, second[] = {1};
    const Value y = ir::dot_general(ir::convert(in[0], dtype), ir::convert(in[1], dtype),
                                    {{}, {}, transposed ? first : second, first});
    const Value shifted = y + ir::broadcast_in_dim(ir::convert(in[2], dtype), y.type(), second);
    return std::vector{y, ir::tanh(shifted)};
  });
}

TEST(BusyMachine, ProductsGiveTheSameBits) {
  const test::Threads scope(2);
  for (const DType dtype : {DType::f32, DType::bf16})
    for (const auto& [m, n, k] :
         {std::array<std::int64_t, 3>{256, 256, 64}, {64, 64, 8192}, {200, 72, 300}, {128, 512, 128}, {300, 5, 1024}})
      for (const bool transposed : {false, true}) {
        const auto graph = product_of_size(m, n, k, transposed, dtype);
        const auto inputs = test::normal_inputs(*graph);
        const auto want = test::run_compiled(*graph, inputs);
        const runtime::CpusLeft cpus(1);
        const auto got = test::run_compiled(*graph, inputs);
        for (std::size_t i = 0; i < got.size(); ++i)
          EXPECT_EQ(got[i], want[i]) << m << " by " << n << " by " << k << (transposed ? ", transposed" : "");
      }
}

}  // namespace
}  // namespace weft
