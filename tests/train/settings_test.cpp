#include <weft/train/settings.h>

#include <gtest/gtest.h>

namespace weft::train {
namespace {

TEST(Settings, DifferencesNameEveryField) {
  const Settings a = {{"width", std::int64_t{384}}, {"lr", 0.001}, {"tied", true}};
  const Settings b = {{"width", std::int64_t{128}}, {"lr", 0.001}, {"seed", std::int64_t{1}}};
  EXPECT_EQ(differences(a, a, "A", "B"), "");
  EXPECT_EQ(differences(a, b, "A", "B"),
            "seed is not set in A and 1 in B, tied is true in A and not set in B, "
            "width is 384 in A and 128 in B");
}

}  // namespace
}  // namespace weft::train
