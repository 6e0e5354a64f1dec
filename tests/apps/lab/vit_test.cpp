#include <apps/lab/vit.h>

#include <gtest/gtest.h>

#include <weft/tensor/creation.h>

namespace weft::lab {
namespace {

TEST(Vit, TheModelIsThatOfTheExperiment) {
  Vit model;
  EXPECT_EQ(nn::parameter_count(model), 10'670'602);
  EXPECT_EQ(VitConfig().tokens(), 65);
  set_training(model, false);
  EXPECT_EQ(model(zeros({2, 3, 32, 32})).shape(), (Shape{2, 10}));
}

}  // namespace
}  // namespace weft::lab
