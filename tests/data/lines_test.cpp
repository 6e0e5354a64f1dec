// Lines of plain and of compressed files: the same, from any position; files that are cut or damaged are named.
#include <weft/data/lines.h>

#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/base/temporary_folder.h>

namespace weft::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Lines of many lengths, so that some of them cross the parts in which files are read.
std::string many_lines() {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += concat("line ", i, std::string(i * 37 % 150, 'x'), '\n');
  return text;
}

class Lines : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, std::string_view bytes) {
    write_file(folder / name, bytes);
    return folder / name;
  }
  TemporaryFolder folder;
  std::string text = many_lines();
};

TEST_F(Lines, PlainAndCompressedFilesHaveTheSame) {
  const std::size_t middle = text.find('\n', text.size() / 2) + 1;
  for (const std::string& bytes : {text, gzip(text), gzip(text.substr(0, middle)) + gzip(text.substr(middle))}) {
    LineReader reader(file("lines", bytes));
    std::string read;
    std::int64_t count = 0;
    while (const std::int64_t taken = reader.take(777, read)) {
      count += taken;
      EXPECT_EQ(reader.position(), read.size());
    }
    EXPECT_EQ(count, 40'000);
    EXPECT_TRUE(read == text);
    LineReader rest(file("lines", bytes), middle);
    std::string second_half;
    EXPECT_EQ(rest.skip(10), 10);
    rest.take(40'000, second_half);
    EXPECT_TRUE(text.ends_with(second_half) && second_half.size() < text.size() - middle);
    EXPECT_EQ(rest.position(), text.size());
  }
}

TEST_F(Lines, ALastLineWithoutItsEnd) {
  for (const std::string& bytes : {std::string("a\nb"), gzip("a\nb")}) {
    LineReader reader(file("lines", bytes));
    std::string read;
    EXPECT_EQ(reader.take(5, read), 2);
    EXPECT_EQ(read, "a\nb\n");
    EXPECT_EQ(reader.position(), 3);
    EXPECT_EQ(reader.take(5, read), 0);
  }
  std::string read;
  EXPECT_EQ(LineReader(file("empty", "")).take(1, read), 0);
  EXPECT_EQ(LineReader(file("empty", gzip(""))).take(1, read), 0);
}

TEST_F(Lines, FilesThatAreCutOrDamaged) {
  const auto reading = [&](const std::string& bytes, std::uint64_t position = 0) {
    const auto path = file("lines", bytes);
    return error_of([&] {
      std::string read;
      LineReader(path, position).take(1'000'000, read);
    });
  };
  std::string compressed = gzip(text);
  EXPECT_THAT(reading(compressed.substr(0, compressed.size() / 2)),
              AllOf(HasSubstr((folder / "lines").string()), HasSubstr("is truncated"), HasSubstr("bytes of text")));
  EXPECT_THAT(reading(compressed.substr(0, compressed.size() - 1)), HasSubstr("is truncated"));
  compressed[compressed.size() / 2] ^= 0x55;
  EXPECT_THAT(reading(compressed), AllOf(HasSubstr((folder / "lines").string()), HasSubstr("is damaged")));
  EXPECT_THAT(reading(gzip("a\n") + "garbage"), HasSubstr("is damaged after 2 bytes of text"));
  EXPECT_THAT(reading("a\n", 3), HasSubstr("from byte 3: it has 2"));
  EXPECT_THAT(reading(gzip("a\n"), 3), HasSubstr("from byte 3 of its text: it has 2"));
  EXPECT_THAT(reading("a\n" + std::string(1 << 17, 'x')), HasSubstr("the line at byte 2 is longer than 65536 bytes"));
}

}  // namespace
}  // namespace weft::data
