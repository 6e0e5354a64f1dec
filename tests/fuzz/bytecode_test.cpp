// Checks that random graphs compute the same once they have been written as bytecode and read.
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
    EXPECT_TRUE(structurally_equal(*ir::read_bytecode(write_bytecode(*read, as_it_is)).main(), *read));
    const auto inputs = random_inputs(*graph, seed);
    EXPECT_EQ(interpret(*read, inputs), interpret(*graph, inputs));
  }
  EXPECT_GT(written, static_cast<int>(graphs) / 2);
}

}  // namespace
}  // namespace weft::fuzz
