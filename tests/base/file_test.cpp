#include <weft/base/file.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <tests/support/names_in.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/temporary_folder.h>

#include "tests/error_of.h"

namespace weft {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Digest, IsXxh128InHex) {
  EXPECT_EQ(Digest().hex(), "99aa06d3014798d86001c324468d497f");  // the published value for no bytes and seed 0
  Digest whole, parts;
  const std::string text = "weft and warp";
  whole.add(std::as_bytes(std::span(text)));
  parts.add(std::as_bytes(std::span(text).first(5)));
  parts.add(std::as_bytes(std::span(text).subspan(5)));
  EXPECT_EQ(whole.hex(), parts.hex());
}

TEST(File, ReadsExactly) {
  const TemporaryFolder folder;
  write_file(folder / "a", "0123456789");
  const File file(folder / "a");
  EXPECT_EQ(file.size(), 10u);
  std::string part(4, ' ');
  file.read(3, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part, "3456");
  EXPECT_THAT([&] { file.read(8, std::as_writable_bytes(std::span(part))); },
              ThrowsMessage<Error>(HasSubstr("/a: it ends at byte 10, 2 more were expected")));
  EXPECT_THAT([&] { read_file(folder / "a", 9); }, ThrowsMessage<Error>(HasSubstr("it has 10 bytes, at most 9")));
  Digest digest;
  digest.add(std::as_bytes(std::span("0123456789", 10)));
  EXPECT_EQ(file.digest(), digest.hex());
}

TEST(File, NamesWhatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { File(folder / "none"); }, ThrowsMessage<Error>(HasSubstr("/none: No such file or directory")));
  EXPECT_THAT([&] { File(folder.path()); }, ThrowsMessage<Error>(HasSubstr("it is a folder")));
  EXPECT_THAT([&] { File("/dev/null"); }, ThrowsMessage<Error>(HasSubstr("it is not a regular file")));
}

TEST(AtomicFile, ReplacesWholeOrNotAtAll) {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  {
    AtomicFile abandoned(folder.path());
    abandoned.write("half of the n");
  }
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a"});
  write_file(folder / "a", "new");
  EXPECT_EQ(read_file(folder / "a"), "new");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a"});
}

TEST(AtomicFile, NeverReplacesWhatIsNoFile) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe", link = folder.path() / "link", file = folder.path() / "file";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of([&] { write_file(pipe, "x"); }), testing::HasSubstr("pipe: it is no regular file"));
  EXPECT_TRUE(is_fifo(std::filesystem::status(pipe)));
  std::filesystem::create_symlink("file", link);
  for (const char* text : {"new", "replaced"}) {  // the link first leads nowhere
    write_file(link, text);
    EXPECT_TRUE(is_symlink(std::filesystem::symlink_status(link)));
    EXPECT_EQ(read_file(file), text);
  }
}

TEST(AtomicFile, LeftoversAreRemovedAndNothingElse) {
  const TemporaryFolder folder;
  write_file(folder / "a", "kept");
  write_file(folder / ".weft-tmp-1-0", "left by a killed process");
  remove_temporaries(folder.path());
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a"});
}

TEST(AtomicFile, OpenOnesAreRemovedBeforeAProcessEnds) {
  const TemporaryFolder folder;
  const auto end_while_a_thread_writes = [&](std::chrono::microseconds delay) {
    AtomicFile complete(folder.path()), half(folder.path());
    complete.commit("complete");
    half.write("half");
    std::thread([&] {
      while (true) AtomicFile(folder.path()).write("more");
    }).detach();
    std::this_thread::sleep_for(delay);
    detail::remove_open_temporaries();
    ::_exit(0);
  };
  for (int round = 0; round < 50; ++round) {
    EXPECT_EXIT(end_while_a_thread_writes(std::chrono::microseconds(20 * round)), testing::ExitedWithCode(0), "");
    ASSERT_EQ(names_in(folder.path()), std::vector<std::string>{"complete"}) << round;
  }
}

TEST(FolderLock, IsExclusive) {
  const TemporaryFolder folder;
  {
    const FolderLock lock(folder.path());
    EXPECT_THAT([&] { FolderLock(folder.path()); }, ThrowsMessage<Error>(HasSubstr("another process is writing to")));
  }
  EXPECT_NO_THROW(FolderLock(folder.path()));
  EXPECT_THAT([&] { FolderLock(folder / "none"); }, ThrowsMessage<Error>(HasSubstr("No such file")));
}

int fail_at = 0, operations = 0;
int fail_once(const char*) { return operations++ == fail_at ? ENOSPC : 0; }

TEST(AtomicFile, EveryFailureIsAnErrorAndLeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string old = "old";
  bool failed = true;
  for (fail_at = 0; failed; ++fail_at) {
    write_file(folder / "a", old);
    operations = 0;
    failed = false;
    detail::file_fault = fail_once;
    try {
      write_file(folder / "a", "new");
    } catch (const Error& error) {
      failed = true;
      EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
      EXPECT_THAT(error.what(), HasSubstr(folder.path().string()));
    }
    detail::file_fault = nullptr;
    EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a"});
    const std::string found = read_file(folder / "a");
    EXPECT_TRUE(found == old || found == "new") << found;
    EXPECT_TRUE(failed || found == "new");
  }
  EXPECT_EQ(fail_at, 6);  // open, write, fsync, rename, fsync of the folder, and the round without a failure
}

}  // namespace
}  // namespace weft
