#include <algorithm>

#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/compiler/codegen/twin/twin.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/runtime/executable.h>

#include "arrays.h"
#include "run.h"
#include "twin_check.h"

namespace weft::test {

using ir::Array;

namespace {

bool same_bits(const std::vector<Array>& a, const std::vector<Array>& b) {
  return std::ranges::equal(a, b,
                            [](const Array& x, const Array& y) { return std::ranges::equal(x.bytes(), y.bytes()); });
}

}  // namespace

void check_on_twin(const ir::Graph& graph, const std::vector<Array>& inputs, compiler::Options options) {
  const auto want = ir::interpret(graph, inputs);
  options.target = &compiler::Target::named("twin");
  std::vector<Array> strictly;
  for (const bool fuse : {true, false})
    for (const bool strict : {false, true}) {
      options.fuse = fuse;
      options.strict = strict;
      SCOPED_TRACE(concat(fuse ? "fused" : "unfused", strict ? ", strict" : ""));
      const auto executable = compiler::compile(graph, options);
      const std::uint64_t launches = compiler::twin::launch_count();
      std::vector<Array> first;
      for (const std::uint64_t seed : {1, 2}) {
        compiler::twin::set_seed(seed);
        const auto got = run(executable, inputs);
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
          SCOPED_TRACE(concat("output ", i));
          expect_near(got[i], want[i]);
          if (testing::Test::HasFatalFailure()) return;
        }
        if (!first.empty()) {
          EXPECT_TRUE(same_bits(got, first)) << "other bits in another order";
        }
        first = got;
      }
      const bool has_work = std::ranges::any_of(want, [](const Array& array) { return array.size() > 0; });
      if (!strict) {
        EXPECT_EQ(compiler::twin::launch_count() > launches, has_work) << "nothing ran on the twin";
      }
      if (strict && !strictly.empty()) {
        EXPECT_TRUE(same_bits(first, strictly)) << "other bits without fusion";
      }
      if (strict) strictly = std::move(first);
    }
}

void check_on_twin(const std::vector<Type>& types, const Body& body, const compiler::Options& options) {
  std::vector<Array> inputs;
  for (const Type t : types) inputs.push_back(random_array(t, inputs.size() + 1));
  check_on_twin(*ir::make_graph(types, body), inputs, options);
}

void expect_all_on_gpu(const ir::Graph& graph, compiler::Options options) {
  try {
    options.target = &compiler::Target::named("sm_90");
  } catch (const Error&) {
    return;  // this LLVM makes no code for GPUs
  }
  const auto executable = compiler::compile(graph, options);
  for (const auto& thunk : executable->thunks) EXPECT_TRUE(thunk->on_device) << thunk->info.name;
}

}  // namespace weft::test
