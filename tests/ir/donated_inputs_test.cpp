#include <gtest/gtest.h>

#include <weft/ir/annotations.h>
#include <weft/ir/text/text.h>

namespace weft {
namespace {

// An input that is offered for any output takes one of its size; one that names its output has that one.
TEST(DonatedInputs, HaveAnOutputOfTheirSize) {
  const auto graph = ir::parse(R"(
    func.func @main(%a: tensor<8x2xf32> {jax.buffer_donor = true}, %b: tensor<4xf32> {jax.buffer_donor = true},
                    %c: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %d: tensor<2x2xf32> {jax.buffer_donor = true},
                    %e: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      return %b, %c : tensor<4xf32>, tensor<4xf32>
    })");
  EXPECT_EQ(ir::donated_inputs(*graph), (std::vector{false, true, true, false, false}));
}

}  // namespace
}  // namespace weft
