// Checks that random graphs compute the same once they have been written as bytecode and read, and that what was read is written with the same
// bytes.
#include <weft/ir/bytecode/bytecode.h>

#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/fuzz/generator.h>
#include <weft/fuzz/inputs.h>
#include <weft/ir/bytecode/write_bytecode.h>
#include <weft/ir/interpreter.h>

namespace weft::fuzz {
namespace {

TEST(RandomGraphs, ComputeTheSameAsBytecode) {
  constexpr std::uint64_t graphs = 300;
  int written = 0;
  for (std::uint64_t seed = 0; seed < graphs; ++seed) {
    SCOPED_TRACE(seed);
    const auto graph = random_graph(seed);
    std::string bytes;
    const ir::BytecodeOptions as_it_is{.print = {.locations = true}};
    const std::string wrong = error_of([&] { bytes = write_bytecode(*graph, as_it_is); });
    if (!wrong.empty()) {  // weft's own operations
      EXPECT_THAT(wrong, testing::HasSubstr("weft."));
      continue;
    }
    ++written;
    const auto read = ir::read_bytecode(bytes).main();
    const std::string again = write_bytecode(*read, as_it_is);
    const auto read_again = ir::read_bytecode(again).main();
    EXPECT_TRUE(structurally_equal(*read_again, *read));
    EXPECT_EQ(write_bytecode(*read_again, as_it_is), again);
    const auto inputs = random_inputs(*graph, seed);
    EXPECT_EQ(interpret(*read, inputs), interpret(*graph, inputs));
  }
  EXPECT_GT(written, static_cast<int>(graphs) / 2);
}

// An old version of StableHLO may lack what a graph has, and without composites, erf is computed in another way.
TEST(RandomGraphs, ComputeTheSameAsOldBytecode) {
  constexpr std::uint64_t graphs = 100;
  for (const ir::StablehloVersion target : {ir::StablehloVersion{0, 9}, {0, 18}, {1, 0}}) {
    int written = 0;
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
      SCOPED_TRACE(testing::Message() << target << ' ' << seed);
      const auto graph = random_graph(seed);
      std::string bytes;
      const std::string wrong = error_of([&] { bytes = write_bytecode(*graph, {.target = target}); });
      if (!wrong.empty()) {
        EXPECT_THAT(wrong, testing::AnyOf(testing::HasSubstr("weft."), testing::HasSubstr("only since StableHLO")));
        continue;
      }
      ++written;
      const auto read = ir::read_bytecode(bytes).main();
      const std::string again = write_bytecode(*read, {.target = target});
      EXPECT_EQ(write_bytecode(*ir::read_bytecode(again).main(), {.target = target}), again);
      if (target < ir::StablehloVersion{0, 19} && print(*graph).find("chlo.erf") != std::string::npos) continue;
      const auto inputs = random_inputs(*graph, seed);
      EXPECT_EQ(interpret(*read, inputs), interpret(*graph, inputs));
    }
    EXPECT_GT(written, static_cast<int>(graphs) / 3);
  }
}

}  // namespace
}  // namespace weft::fuzz
