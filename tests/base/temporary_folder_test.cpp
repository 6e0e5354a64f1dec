#include <weft/base/temporary_folder.h>

#include <cstdlib>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/base/file.h>

namespace weft {
namespace {

TEST(TemporaryFolder, GoesWithAllItHolds) {
  std::optional<TemporaryFolder> folder(std::in_place);
  const TemporaryFolder other;
  const std::filesystem::path path = folder->path();
  EXPECT_NE(path, other.path());
  EXPECT_TRUE(std::filesystem::is_empty(path));
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
  std::filesystem::create_directory(*folder / "below");
  write_file(*folder / "below/file", "text");
  folder.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryFolder, SaysThatThereIsNoPlaceForIt) {
  const char* const found = std::getenv("TMPDIR");
  const std::optional<std::string> before = found ? std::optional<std::string>(found) : std::nullopt;
  ::setenv("TMPDIR", "/dev/null/none", 1);
  EXPECT_THAT([] { const TemporaryFolder folder; },
              testing::ThrowsMessage<Error>(testing::HasSubstr("the folder of temporary files")));
  before ? ::setenv("TMPDIR", before->c_str(), 1) : ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace weft
