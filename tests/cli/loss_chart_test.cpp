// The chart of losses: the positions of its parts, and its maximum width.
#include <weft/cli/loss_chart.h>

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::cli {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Returns losses that fall linearly from 4 to 1.
std::vector<double> falling(std::size_t count) {
  std::vector<double> losses;
  for (std::size_t i = 0; i < count; ++i)
    losses.push_back(4 - 3 * static_cast<double>(i) / static_cast<double>(count - 1));
  return losses;
}

TEST(LossChart, DrawsBothCurves) {
  const std::vector<ValidationLoss> validation = {{6, 3}, {11, 1}};
  EXPECT_EQ(loss_chart(falling(11), 0, validation, 72),
            R"(     4 |.
       | .
       |  .
       |   . o
       |    .
   2.5 |     .
       |      .
       |       .
       |        .
       |         .
     1 |          o
       +-----------
        0        11 steps
        . training loss   o validation loss
)");
}

TEST(LossChart, IsNeverWiderThanAskedFor) {
  for (const std::size_t count : {8u, 63u, 64u, 65u, 100u, 12345u})
    for (const int columns : {20, 40, 72}) {
      const auto drawn = lines(loss_chart(falling(count), 1000, std::vector<ValidationLoss>{{1000, 9}}, columns));
      ASSERT_EQ(drawn.size(), 14u);
      for (std::size_t i = 0; i < 12; ++i) EXPECT_LE(drawn[i].size(), static_cast<std::size_t>(columns));
      EXPECT_THAT(drawn.front(), testing::StartsWith("     9 |o"));
      EXPECT_EQ(drawn[10].back(), '.') << "the last column is the lowest";
      EXPECT_THAT(drawn[12], testing::HasSubstr("1000 "));
    }
}

TEST(LossChart, FlatAndShortRuns) {
  EXPECT_THAT(loss_chart(std::vector<double>(20, 0.0), 0, {}, 72), testing::HasSubstr("|....................\n"));
  EXPECT_EQ(loss_chart(falling(7), 0, {}, 72), "");
  EXPECT_EQ(loss_chart(falling(100), 0, {}, 12), "") << "no room";
  EXPECT_EQ(loss_chart({}, 0, std::vector<ValidationLoss>{{3, 1}}, 72), "");
}

}  // namespace
}  // namespace weft::cli
