// Event files are read back byte by byte. By hand, TensorBoard's own reader was given such a file:
//   from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
//   events = EventAccumulator(folder); events.Reload(); events.Scalars("loss")
#include <weft/train/summary_writer.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/crc32c.h>
#include <weft/base/temporary_folder.h>
#include <weft/weft.h>

namespace weft::train {
namespace {

TEST(Crc32c, OfTheStandardsVectors) {  // RFC 3720, B.4
  EXPECT_EQ(crc32c(""), 0u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
}

std::uint64_t number(std::string_view bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Returns the messages of a file of TFRecords, whose checksums must be right.
std::vector<std::string> records(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string bytes = text.str();
  std::string_view rest = bytes;
  const auto masked = [](std::string_view of) {
    const std::uint32_t crc = crc32c(of);
    return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
  };
  std::vector<std::string> found;
  while (!rest.empty()) {
    EXPECT_GE(rest.size(), 16u);
    const std::uint64_t length = number(rest, 8);
    EXPECT_EQ(number(rest.substr(8), 4), masked(rest.substr(0, 8)));
    found.emplace_back(rest.substr(12, length));
    EXPECT_EQ(number(rest.substr(12 + length), 4), masked(found.back()));
    rest.remove_prefix(16 + length);
  }
  return found;
}

// A scalar's message: field 1 (double), field 2 (varint), field 5 with field 1 with fields 1 (text) and 2 (float).
std::string scalar_after_the_time(const std::string& tag, float value, char step) {
  std::string bits(4, '\0');
  std::memcpy(bits.data(), &value, 4);
  const std::string inner = std::string("\x0a") + static_cast<char>(tag.size()) + tag + "\x15" + bits;
  const std::string summary = std::string("\x0a") + static_cast<char>(inner.size()) + inner;
  return std::string("\x10") + step + "\x2a" + static_cast<char>(summary.size()) + summary;
}

TEST(SummaryWriter, WritesWhatTensorBoardReads) {
  const TemporaryFolder folder;
  SummaryWriter writer(folder / "runs" / "first");
  EXPECT_EQ(writer.path().parent_path(), folder / "runs" / "first");
  EXPECT_THAT(writer.path().filename().string(), testing::StartsWith("events.out.tfevents."));
  writer.add_scalar("loss", 0.5, 1);
  const Tensor computed = ones({3}) * 2;
  writer.add_scalar("accuracy", sum(computed), 2);
  writer.add_text("note", "*first*", 3);
  writer.add_scalar("loss", 0, 4);  // must not be left out, as protobuf leaves out zeros
  writer.flush();
  const std::vector<std::string> messages = records(writer.path());
  ASSERT_EQ(messages.size(), 5u);
  EXPECT_THAT(messages[0], testing::EndsWith("\x1a\x0d"
                                             "brain.Event:2"));
  std::vector<std::string> rest;
  for (const std::string& message : messages) {
    EXPECT_EQ(message[0], '\x09');
    double time = 0;
    std::memcpy(&time, message.data() + 1, 8);
    EXPECT_GT(time, 1.7e9);
    rest.push_back(message.substr(9));
  }
  EXPECT_THAT(rest, testing::Contains(scalar_after_the_time("loss", 0.5, 1)));
  EXPECT_THAT(rest, testing::Contains(scalar_after_the_time("accuracy", 6, 2)));
  EXPECT_THAT(rest, testing::Contains(scalar_after_the_time("loss", 0, 4)));
  EXPECT_THAT(rest, testing::Contains(testing::HasSubstr("*first*")));
}

TEST(SummaryWriter, WritesWhatIsPendingAtItsEnd) {
  const TemporaryFolder folder;
  std::filesystem::path path;
  {
    SummaryWriter first(folder / "a"), second(folder / "a");
    EXPECT_NE(first.path(), second.path());
    path = first.path();
    first.add_scalar("x", ones({}) + 1, 7);
  }
  EXPECT_EQ(records(path).at(1).substr(9), scalar_after_the_time("x", 2, 7));
}

TEST(SummaryWriter, Mistakes) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "text";
  EXPECT_THAT(error_of([&] { SummaryWriter(folder / "file" / "runs"); }), testing::HasSubstr(": cannot be made: "));
  SummaryWriter writer(folder / "runs");
  EXPECT_THAT(error_of([&] { writer.add_scalar("loss", ones({2}), 1); }),
              testing::HasSubstr("add_scalar: expected one number for loss, got tensor<2xf32>"));
}

}  // namespace
}  // namespace weft::train
