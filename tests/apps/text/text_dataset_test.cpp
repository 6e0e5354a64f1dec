#include <apps/text/text_dataset.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/base/temporary_folder.h>

namespace weft::text {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string counting_bytes(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i);
  return text;
}

std::vector<std::int32_t> train_batch(const TextDataset& dataset, std::uint64_t seed, std::int64_t step, int batch) {
  std::vector<std::int32_t> tokens(batch * dataset.window());
  dataset.train_batch(seed, step, tokens);
  return tokens;
}

TEST(TextDataset, BatchesAreWindowsOfTheTrainingPart) {
  const TemporaryFolder folder;
  write_file(folder / "text", counting_bytes(200));  // every byte identifies its position
  const TextDataset dataset(folder / "text", 7);
  EXPECT_EQ(dataset.train_bytes(), 180);
  EXPECT_EQ(dataset.validation_bytes(), 20);
  std::set<std::int32_t> starts;
  for (std::int64_t step = 0; step < 1000; ++step) {
    const auto tokens = train_batch(dataset, 1, step, 4);
    for (std::size_t row = 0; row < 4; ++row) {
      const std::int32_t start = tokens[row * 8];
      starts.insert(start);
      for (std::size_t i = 0; i < 8; ++i) ASSERT_EQ(tokens[row * 8 + i], start + static_cast<std::int32_t>(i));
    }
  }
  EXPECT_EQ(starts.size(), 173u);  // all windows of the training part, and none beyond it
  EXPECT_EQ(*starts.rbegin(), 172);
}

TEST(TextDataset, BatchesDependOnSeedAndStepAlone) {
  const TemporaryFolder folder;
  write_file(folder / "text", counting_bytes(200));
  const TextDataset dataset(folder / "text", 7);
  const auto third = train_batch(dataset, 5, 3, 4);
  EXPECT_EQ(train_batch(TextDataset(folder / "text", 7), 5, 3, 4), third);
  EXPECT_NE(train_batch(dataset, 5, 4, 4), third);
  EXPECT_NE(train_batch(dataset, 6, 3, 4), third);
}

TEST(TextDataset, ValidationWindowsCoverTheRest) {
  const TemporaryFolder folder;
  write_file(folder / "text", counting_bytes(200));
  const TextDataset dataset(folder / "text", 6);
  ASSERT_EQ(dataset.validation_windows(), 3);  // the part has 20 bytes, a window 6 targets
  std::vector<std::int32_t> tokens(14);
  dataset.validation_batch(1, tokens);
  EXPECT_THAT(tokens, testing::ElementsAre(186, 187, 188, 189, 190, 191, 192, 192, 193, 194, 195, 196, 197, 198));
  EXPECT_THROW(dataset.validation_batch(2, tokens), Error);
}

TEST(TextDataset, FilesThatCannotBeUsed) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& name, const std::string& text) {
    EXPECT_THAT([&] { TextDataset(folder / name, 8); },
                ThrowsMessage<Error>(HasSubstr((folder / name).string() + text)));
  };
  message("none", ": No such file or directory");
  message("", ": it is a folder");
  write_file(folder / "empty", "");
  message("empty", ": it is empty");
  write_file(folder / "short", counting_bytes(89));
  message("short", ": it has 89 bytes, a context of 8 needs at least 90");
  write_file(folder / "long enough", counting_bytes(90));
  const TextDataset dataset(folder / "long enough", 8);
  EXPECT_GE(dataset.validation_windows(), 1);
  EXPECT_GE(dataset.train_bytes(), dataset.window());
}

TEST(TextDataset, FileThatShrinksIsAnError) {
  const TemporaryFolder folder;
  write_file(folder / "text", counting_bytes(2000));
  const TextDataset dataset(folder / "text", 8);
  std::filesystem::resize_file(folder / "text", 5);
  EXPECT_THAT([&] { train_batch(dataset, 1, 1, 8); }, ThrowsMessage<Error>(HasSubstr("more were expected")));
}

}  // namespace
}  // namespace weft::text
