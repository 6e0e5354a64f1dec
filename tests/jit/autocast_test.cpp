// Mixed precision by scope.
#include <cmath>

#include <gtest/gtest.h>

#include <weft/weft.h>

namespace weft {
namespace {

TEST(Autocast, ProductsAreNarrowAndNothingElse) {
  const Tensor x = ones({4, 8}), w = ones({8, 8}), image = ones({1, 2, 5, 5}), kernel = ones({3, 2, 3, 3});
  const Tensor wide = ones({2, 2}, DType::f64), heads = ones({1, 2, 4, 8}), integers = ones({2, 2}, DType::i32);
  {
    const Autocast scope;
    EXPECT_EQ(matmul(x, w).dtype(), DType::bf16);
    EXPECT_EQ(linear(x, w).dtype(), DType::bf16);
    EXPECT_EQ(nn::Linear(8, 3)(x).dtype(), DType::bf16);
    EXPECT_EQ(einsum("ij,jk->ik", {x, w}).dtype(), DType::bf16);
    EXPECT_EQ(conv2d(image, kernel).dtype(), DType::bf16);
    EXPECT_EQ(scaled_dot_product_attention(heads, heads, heads).dtype(), DType::bf16);
    EXPECT_EQ(matmul(matmul(x, w), w).dtype(), DType::bf16);
    EXPECT_EQ((x + matmul(x, w)).dtype(), DType::f32) << "promotion as everywhere";
    EXPECT_EQ(exp(x).dtype(), DType::f32);
    EXPECT_EQ(matmul(wide, wide).dtype(), DType::f64);
    EXPECT_EQ(matmul(integers, integers).dtype(), DType::i32);
    {
      const Autocast half(DType::f16), off = Autocast::off();
      EXPECT_EQ(matmul(x, w).dtype(), DType::f32);
    }
    EXPECT_EQ(matmul(x, w).dtype(), DType::bf16);
  }
  EXPECT_EQ(matmul(x, w).dtype(), DType::f32);
  EXPECT_THROW(Autocast(DType::f32), Error);
  EXPECT_FALSE(Autocast::current()) << "as before the failure";
}

TEST(Autocast, TrainsWithMasterWeights) {
  manual_seed(1);
  nn::Linear model(16, 1);
  optim::AdamW optimizer(model, {.lr = 0.03, .weight_decay = 0});
  const Tensor x = randn({128, 16}), y = sum(x, 1, true);
  sync();
  const auto step = compile([&] {
    const Tensor loss = nn::mse_loss(model(x), y);
    optimizer.step(grad(loss, optimizer.parameters()));
    return loss;
  });
  double first = 0, last = 0;
  for (int i = 0; i < 200; ++i) {
    const Autocast scope;
    last = step().item();
    if (i == 0) first = last;
  }
  EXPECT_EQ(model.weight.dtype(), DType::f32);
  EXPECT_LT(last, 0.01 * first);
  step();
  EXPECT_EQ(step.explain().recorded, 2u) << "without the scope it is another program";
}

}  // namespace
}  // namespace weft
