// Graphs on which the engine was once wrong, each reduced by `weft reduce`; they are files under inputs/.
#include <weft/fuzz/check.h>

#include <filesystem>

#include <gtest/gtest.h>

#include <weft/base/file.h>
#include <weft/fuzz/inputs.h>
#include <weft/ir/builder.h>
#include <weft/ir/text/text.h>

namespace weft::fuzz {
namespace {

TEST(Check, WhatWasFoundStaysRight) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/fuzz/inputs")) {
    const auto graph = ir::parse(read_file(entry.path()));
    ++files;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Verdict verdict = check(*graph, random_inputs(*graph, seed));
      EXPECT_FALSE(verdict.fault) << entry.path() << ", inputs of seed " << seed << ": " << name(*verdict.fault) << ": "
                                  << verdict.reason;
    }
  }
  EXPECT_GT(files, 0);
}

TEST(Check, CountsWhatItCouldNotJudge) {
  const Type x(DType::f32, {4});
  const auto graph = ir::make_graph(std::array{x}, [](ir::Graph&, auto in) {
    const ir::Value third = in[0] * 3.0, zero = third - in[0] - in[0] - in[0];
    return std::vector{in[0], ir::compare(zero, ir::constant_like(zero, 0), ir::Direction::GT)};
  });
  const Verdict verdict = check(*graph, std::array{ir::Array::splat(x, 0.1)});
  EXPECT_FALSE(verdict.fault);
  EXPECT_EQ(verdict.elements, 8);
  EXPECT_EQ(verdict.unknown, 4);
}

}  // namespace
}  // namespace weft::fuzz
