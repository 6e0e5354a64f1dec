#include <weft/train/progress.h>

#include <algorithm>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::train {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Progress, PlainLinesNowAndThenAndAtTheEnd) {
  std::ostringstream out;
  {
    Progress progress("train", 0, 10, {&out, false, 80, 4});
    for (int i = 1; i <= 10; ++i) progress.update(i, [] { return "loss 1.5"; });
  }
  const std::string text = out.str();
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_THAT(text, StartsWith("train 4/10  loss 1.5  ETA "));
  EXPECT_THAT(text, HasSubstr("\ntrain 8/10"));
  EXPECT_THAT(text, HasSubstr("\ntrain 10/10  loss 1.5  done\n"));
  EXPECT_EQ(text.find('\r'), text.npos);
}

TEST(Progress, BarIsRedrawnInPlaceAndNeverWiderThanTheTerminal) {
  for (const int columns : {200, 60, 20, 1}) {
    std::ostringstream out;
    {
      Progress progress("train", 0, 2, {&out, true, columns, 1});
      progress.update(1, [] { return "loss 2"; });
      progress.note("saved");
      progress.update(2, [] { return "loss 1"; });
    }
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);) {
      if (line == "saved") continue;
      std::istringstream parts(line);
      for (std::string part; std::getline(parts, part, '\r');)
        EXPECT_TRUE(part == "saved" || part.size() < static_cast<std::size_t>(std::max(2, columns))) << part;
    }
    if (columns == 200) {
      EXPECT_THAT(out.str(), HasSubstr("train [###############---------------] 1/2  loss 2"));
      EXPECT_THAT(out.str(), HasSubstr("train [##############################] 2/2  loss 1  done"));
    }
  }
}

TEST(Progress, OfAnUnknownTotal) {
  std::ostringstream bar, lines;
  {
    Progress on_terminal("count", 0, 0, {&bar, true, 80, 1}), plain("count", 0, 0, {&lines, false, 80, 5});
    for (int i = 1; i <= 12; ++i)
      for (Progress* progress : {&on_terminal, &plain}) progress->update(i, [] { return "samples"; });
  }
  EXPECT_THAT(bar.str(), testing::StartsWith("\rcount 1 samples"));
  EXPECT_EQ(bar.str().find_first_of("[#/"), std::string::npos);
  EXPECT_EQ(lines.str(), "count 5 samples\ncount 10 samples\n");
}

}  // namespace
}  // namespace weft::train
