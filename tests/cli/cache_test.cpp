// Consecutive processes share the kernels that the first one compiled.
#include <csignal>
#include <fstream>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <weft/base/error.h>
#include <weft/compiler/cache/disk_cache.h>

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class CacheCommand : public testing::Test {
 protected:
  Outcome run(std::vector<std::string> arguments, std::function<void()> in_child = [] {}) {
    return weft(std::move(arguments), [this, in_child] {
      ::setenv("WEFT_CACHE", "1", 1);
      ::setenv("WEFT_CACHE_DIR", place.c_str(), 1);
      ::setenv("WEFT_LOGS", "compile,cache", 1);
      ::setenv("WEFT_KEY_FILE", (folder / "key").c_str(), 1);
      in_child();
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

// A file that is named like an entry but is not one does not stop any command.
TEST_F(CacheCommand, OddFilesAreSaidAndRemoved) {
  train();
  const std::size_t good = compiler::DiskCache(place, 0).files().size();
  std::filesystem::create_directory(place / "folder.kernels");
  ASSERT_EQ(::mkfifo((place / "pipe.kernels").c_str(), 0600), 0);
  std::ofstream(place / "large.kernels") << "x";
  std::filesystem::resize_file(place / "large.kernels", std::uint64_t{4} << 30);
  const Outcome listed = run({"cache", "list"});
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("pipe.kernels  0 bytes  cannot read"));
  EXPECT_THAT(listed.out, HasSubstr(concat(good + 3, " entries")));
  const Outcome verified = run({"cache", "verify"});
  EXPECT_EQ(verified.exit_code, 1);
  EXPECT_THAT(verified.out, HasSubstr("folder.kernels: "));
  EXPECT_THAT(verified.out, HasSubstr(concat(good, " of ", good + 3, " entries are good")));
  EXPECT_EQ(run({"cache", "prune"}).out, "3 entries removed\n");
  EXPECT_EQ(run({"cache", "verify"}).exit_code, 0);
}

TEST_F(CacheCommand, WhatLookUpsRefuseIsNoGoodEntry) {
  train();
  const auto entry = place / compiler::DiskCache(place, 0).files().at(0).name;
  std::filesystem::permissions(entry, std::filesystem::perms(0666));
  EXPECT_THAT(run({"cache", "verify"}).out, HasSubstr(entry.string() + " can be written by others"));
  std::filesystem::permissions(entry, std::filesystem::perms(0600));
  EXPECT_EQ(run({"cache", "verify"}).exit_code, 0);
  std::filesystem::rename(entry, place / "another.kernels");
  EXPECT_THAT(run({"cache", "verify"}).out, HasSubstr("another.kernels: it is the entry of another program"));
}

TEST_F(CacheCommand, PruneSaysWhatItCouldNotRemove) {
  train();
  const auto files = compiler::DiskCache(place, 0).files().size();
  std::filesystem::permissions(place, std::filesystem::perms(0500));
  const Outcome outcome = run({"cache", "prune", "--bytes", "0"}, bound_by_permissions);
  std::filesystem::permissions(place, std::filesystem::perms(0700));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "0 entries removed\n");
  EXPECT_THAT(outcome.last_line(), HasSubstr("not all was removed that should be: cannot remove "));
  EXPECT_THAT(outcome.last_line(), HasSubstr("Permission denied"));
  EXPECT_EQ(compiler::DiskCache(place, 0).files().size(), files);
}

TEST_F(CacheCommand, PruneTakesBytesAsTheKnobDoes) {
  train();
  EXPECT_EQ(run({"cache", "prune", "--bytes", "1G"}).out, "0 entries removed\n");
  const std::size_t files = compiler::DiskCache(place, 0).files().size();
  EXPECT_EQ(run({"cache", "prune", "--bytes", "1K"}).out, concat(files, " entries removed\n"));
  const Outcome refused = run({"cache", "prune", "--bytes", "1T"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.last_line(), "error: --bytes must be a whole number, optionally followed by K, M or G, got '1T'");
}

TEST_F(CacheCommand, ImportSaysWhatItCouldNotKeep) {
  train();
  const std::string file = (folder / "kernels").string();
  ASSERT_EQ(run({"cache", "export", file}).exit_code, 0);
  std::filesystem::remove_all(place);
  const Outcome small = run({"cache", "import", file}, [] { ::setenv("WEFT_CACHE_BYTES", "1K", 1); });
  EXPECT_EQ(small.exit_code, 1);
  EXPECT_THAT(small.out, testing::StartsWith("0 of "));
  EXPECT_THAT(small.last_line(), HasSubstr("more than WEFT_CACHE_BYTES allows"));
  const Outcome full = run({"cache", "import", file}, [] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.out, testing::StartsWith("0 of "));
  EXPECT_THAT(full.last_line(), HasSubstr("File too large"));
}

TEST_F(CacheCommand, ExportReplacesNothingButFiles) {
  train();
  const auto pipe = folder / "pipe", file = folder / "file", link = folder / "link";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::ofstream(file) << "kept";
  std::filesystem::create_symlink(file, link);
  for (const auto& path : {pipe, link, folder.path()}) {
    const Outcome outcome = run({"cache", "export", path});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.last_line(), HasSubstr(path.string() + " exists and is no regular file"));
  }
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::file_size(file), 4u);
  EXPECT_EQ(run({"cache", "export", file}).exit_code, 0);
  EXPECT_GT(std::filesystem::file_size(file), 4u);
}

}  // namespace
}  // namespace weft::cli
