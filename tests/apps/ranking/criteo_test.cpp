// Lines of Criteo's format, there and back; what is wrong with others is told by field.
#include <apps/ranking/criteo.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/draws.h>

namespace weft::ranking {
namespace {

using testing::HasSubstr;

const std::string line =
    "1\t5\t-1\t\t7\t0\t\t\t\t\t\t\t\t2147483647"
    "\t68fd1e64\t\tffffffff\ta\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t0000000b";

TEST(Criteo, ThereAndBack) {
  CriteoSample sample;
  ASSERT_EQ(parse_sample(line, sample), "");
  EXPECT_TRUE(sample.clicked);
  EXPECT_EQ(sample.numbers[0], 5);
  EXPECT_EQ(sample.numbers[1], -1);
  EXPECT_EQ(sample.numbers[2], std::nullopt);
  EXPECT_EQ(sample.numbers[4], 0);
  EXPECT_EQ(sample.numbers[12], 2147483647);
  EXPECT_EQ(sample.ids[0], 0x68fd1e64u);
  EXPECT_EQ(sample.ids[1], std::nullopt);
  EXPECT_EQ(sample.ids[2], 0xffffffffu);
  EXPECT_EQ(sample.ids[3], 10u);
  EXPECT_EQ(sample.ids[25], 11u);
  std::string text;
  print_sample(sample, text);
  CriteoSample again;
  ASSERT_EQ(text.back(), '\n');
  text.pop_back();
  ASSERT_EQ(parse_sample(text, again), "");
  EXPECT_EQ(again, sample);
}

TEST(Criteo, LinesThatAreNone) {
  CriteoSample sample;
  const auto wrong = [&](std::string text) { return parse_sample(text, sample); };
  EXPECT_EQ(wrong(""), "the label must be 0 or 1, got ''");
  EXPECT_EQ(wrong("1\t2"), "expected 40 fields between tabs, got 2");
  EXPECT_EQ(wrong(line + "\t"), "expected 40 fields between tabs, got 41");
  EXPECT_EQ(wrong("2" + line.substr(1)), "the label must be 0 or 1, got '2'");
  const auto with = [&](std::string_view field, const std::string& other) {
    std::string text = line;
    return text.replace(text.find(field), field.size(), other);
  };
  EXPECT_EQ(wrong(with("-1", "1.5")), "number 2 must be a whole number of 32 bits, got '1.5'");
  EXPECT_EQ(wrong(with("2147483647", "2147483648")), "number 13 must be a whole number of 32 bits, got '2147483648'");
  EXPECT_EQ(wrong(with("68fd1e64", "68fd1e64a")), "id 1 must have up to 8 hexadecimal digits, got '68fd1e64a'");
  EXPECT_EQ(wrong(with("0000000b", "0000000b\r")), "id 26 must have up to 8 hexadecimal digits, got '0000000b?'");
  EXPECT_EQ(wrong(with("ffffffff", "-1")), "id 3 must have up to 8 hexadecimal digits, got '-1'");
  EXPECT_EQ(wrong(with("68fd1e64", "0x12")), "id 1 must have up to 8 hexadecimal digits, got '0x12'");
  EXPECT_THAT(wrong(with("68fd1e64", std::string(1000, 'f'))), HasSubstr("got 'ffffffffffffffffffffffff...'"));
}

// A line is a sample or an error of one line; whatever is read can be printed and read again.
TEST(Criteo, LinesWithAnyBytes) {
  Draws draws(1);
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = line;
    for (std::int64_t edits = draws.between(1, 3); edits > 0; --edits) {
      const std::size_t at = draws.between(0, std::ssize(text) - 1);
      constexpr std::string_view likely = "\t019afAFx-+. \r";
      const char byte = draws.uniform() < 0.5 ? likely[draws.between(0, std::ssize(likely) - 1)]
                                              : static_cast<char>(draws.between(0, 255));
      draws.uniform() < 0.5 ? text[at] = byte : *text.insert(text.begin() + at, byte);
    }
    CriteoSample sample, again;
    const std::string wrong = parse_sample(text, sample);
    EXPECT_EQ(wrong.find_first_of("\n\r"), std::string::npos);
    if (!wrong.empty()) continue;
    ++read;
    std::string printed;
    print_sample(sample, printed);
    printed.pop_back();
    ASSERT_EQ(parse_sample(printed, again), "") << text;
    ASSERT_EQ(again, sample) << text;
  }
  EXPECT_GT(read, 500) << "or few lines are tested";
}

}  // namespace
}  // namespace weft::ranking
