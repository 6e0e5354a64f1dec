// Processes one after the other share the kernels that the first compiled.
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/compiler/cache/disk_cache.h>

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class CacheCommand : public testing::Test {
 protected:
  Outcome run(std::vector<std::string> arguments) {
    return weft(std::move(arguments), [this] {
      ::setenv("WEFT_CACHE", "1", 1);
      ::setenv("WEFT_CACHE_DIR", place.c_str(), 1);
      ::setenv("WEFT_LOGS", "compile,cache", 1);
      ::setenv("WEFT_KEY_FILE", (folder / "key").c_str(), 1);
    });
  }
  Outcome train() {
    const Outcome outcome = run(train_tiny(text, {"--steps", "3", "--prompt", "the"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome;
  }

  const TemporaryFolder folder;
  const std::filesystem::path place = folder / "cache", text = write_text(folder / "text");
};

TEST_F(CacheCommand, TheSecondRunCompilesNothing) {
  const Outcome first = train(), second = train();
  EXPECT_THAT(first.err, HasSubstr("[cache] kept "));
  EXPECT_THAT(second.err, HasSubstr("[cache] found "));
  EXPECT_THAT(second.err, Not(HasSubstr("[cache] missed ")));
  EXPECT_THAT(second.err, HasSubstr(" distinct, 0 compiled, "));
  EXPECT_EQ(first.out, second.out) << "the sample";
}

TEST_F(CacheCommand, ExportAndImport) {
  train();
  const std::string file = (folder / "kernels").string();
  const Outcome exported = run({"cache", "export", file});
  EXPECT_EQ(exported.exit_code, 0) << exported.err;
  EXPECT_THAT(run({"cache", "info"}).out, HasSubstr("public key "));
  std::filesystem::remove_all(place);
  EXPECT_THAT(run({"cache", "import", file}).out, HasSubstr(" kernels imported"));
  EXPECT_THAT(train().err, Not(HasSubstr("[cache] missed ")));
  std::filesystem::remove(folder / "key");
  const Outcome foreign = run({"cache", "import", file});
  EXPECT_EQ(foreign.exit_code, 1);
  EXPECT_THAT(foreign.last_line(), HasSubstr("who is not known"));
  std::filesystem::resize_file(file, 200);
  EXPECT_THAT(run({"cache", "import", file}).last_line(), HasSubstr("it is damaged"));
}

TEST_F(CacheCommand, ListVerifyPrune) {
  train();
  EXPECT_THAT(run({"cache", "list"}).out, HasSubstr("ok, "));
  EXPECT_THAT(run({"cache", "list", "--json"}).out, HasSubstr("\"usable\":true"));
  EXPECT_EQ(run({"cache", "verify"}).exit_code, 0);
  const compiler::DiskCache cache(place, 0);
  const auto entry = place / cache.files().at(0).name;
  std::filesystem::resize_file(entry, 100);
  const Outcome damaged = run({"cache", "verify"});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.out, HasSubstr(entry.filename().string() + ": it is damaged"));
  EXPECT_THAT(damaged.last_line(), HasSubstr("error: cache: 1 entries cannot be used"));
  EXPECT_EQ(run({"cache", "prune"}).out, "1 entries removed\n");
  EXPECT_EQ(run({"cache", "verify"}).exit_code, 0);
  run({"cache", "prune", "--bytes", "0"});
  EXPECT_TRUE(cache.files().empty());
  EXPECT_EQ(run({"cache"}).exit_code, 2);
  std::filesystem::permissions(place, std::filesystem::perms(0777));
  EXPECT_THAT(run({"cache", "list"}).last_line(), HasSubstr("can be written by others"));
}

}  // namespace
}  // namespace weft::cli
