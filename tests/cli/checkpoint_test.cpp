// weft train text and its checkpoints when folders, disks and processes fail: one line reports the failure, and the
// saved checkpoint stays intact.
#include <weft/train/checkpoint.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <tests/cli/command.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <weft/base/error.h>
#include <weft/base/file.h>

namespace weft::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CheckpointCommand : public testing::Test {
 protected:
  // Trains up to `steps` and saves to `folder / "ck"`.
  void save(const char* steps, const char* width = "16") {
    const Outcome outcome = weft(train_tiny(text, {"--steps", steps, "--width", width, "--save", ck}));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  std::int64_t saved_step() const { return train::open_checkpoint(ck).step; }

  void expect_refused(
      std::vector<std::string> arguments, const testing::Matcher<const std::string&>& message,
      std::function<void()> in_child = [] {}) {
    const Outcome outcome = weft(arguments, in_child);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_THAT(outcome.err, testing::MatchesRegex("(note: [^\n]+\n)?error: [^\n]+\n"));
    EXPECT_THAT(outcome.err, message);
  }

  TemporaryFolder folder;
  std::filesystem::path ck = folder / "ck", text = write_text(folder / "text");
};

TEST_F(CheckpointCommand, ResumeFromWhatIsNoCheckpoint) {
  const auto check = [&](const std::filesystem::path& place, const char* reason) {
    expect_refused(train_tiny(text, {"--resume", place}), AllOf(HasSubstr(place.string()), HasSubstr(reason)));
  };
  check(folder / "missing", "there is no such folder");
  check(text, "is not a folder");
  std::filesystem::create_directory(ck);
  check(ck, "it has no manifest.json");
  for (const char* manifest : {"", "hello", "[1, 2]", "{\"format\": \"other\"}"}) {
    write_file(ck / "manifest.json", manifest);
    check(ck, "manifest.json");
  }
  std::filesystem::remove(ck / "manifest.json");
  std::filesystem::create_directory(ck / "manifest.json");
  check(ck, "manifest.json");
  expect_refused(train_tiny(text, {"--save", ck}), HasSubstr("manifest.json is a folder"));
}

TEST_F(CheckpointCommand, ResumeOfAnotherRun) {
  save("4");
  const auto check = [&](std::vector<std::string> more, const char* reason) {
    more.insert(more.end(), {"--resume", ck});
    expect_refused(train_tiny(text, more), AllOf(HasSubstr("cannot resume: "), HasSubstr(reason)));
    EXPECT_EQ(saved_step(), 4);
  };
  check({"--width", "32"}, "width is 16 in the checkpoint ");
  check({"--lr", "4", "--seed", "3"}, "lr is 0.001 in the checkpoint ");
  check({"--tied"}, "tied is false in the checkpoint ");
  check({"--dtype", "bf16"}, "dtype is f32 in the checkpoint ");
  check({"--steps", "3"}, "has done 4 steps, more than --steps 3");
  const auto other = write_text(folder / "other", 4000, 2);
  expect_refused(train_tiny(other, {"--resume", ck}), HasSubstr("was trained on another text than " + other.string()));
  expect_refused({"train", "text", "--file", text, "--config", "small", "--resume", ck}, HasSubstr("layers is 1 in "));
}

TEST_F(CheckpointCommand, ResumeFromDamage) {
  save("4");
  std::mt19937 random(1);
  for (const auto& entry : std::filesystem::directory_iterator(ck)) {
    const std::filesystem::path path = entry.path();
    const std::string whole = read_file(path);
    const auto check = [&](const std::string& bytes, const char* kind) {
      std::ofstream(path, std::ios::binary) << bytes;
      const auto before = read_file(ck / "manifest.json");
      expect_refused(train_tiny(text, {"--resume", ck, "--steps", "5"}), HasSubstr(path.string()));
      EXPECT_EQ(read_file(ck / "manifest.json"), before) << kind << " " << path;
    };
    check("", "emptied");
    check(whole.substr(0, whole.size() / 2), "cut");
    for (const std::size_t region : {std::size_t{0}, std::size_t{8}, whole.size() / 2, whole.size() - 3}) {
      std::string flipped = whole;
      flipped[region] = static_cast<char>(flipped[region] ^ 1 << random() % 7);
      check(flipped, "flipped");
    }
    std::filesystem::remove(path);
    EXPECT_EQ(weft(train_tiny(text, {"--resume", ck})).exit_code, 1) << path;
    std::ofstream(path, std::ios::binary) << whole;
  }
  EXPECT_EQ(weft(train_tiny(text, {"--resume", ck, "--steps", "5"})).exit_code, 0);
  EXPECT_EQ(saved_step(), 5);
}

TEST_F(CheckpointCommand, PlaceThatCannotBeWrittenIsSaidBeforeTraining) {
  expect_refused(train_tiny(text, {"--save", "/proc/weft"}), HasSubstr("/proc/weft"));
  expect_refused(train_tiny(text, {"--save", text}), HasSubstr(text.string()));
  expect_refused(train_tiny(text, {"--save", text / "below"}), HasSubstr(text.string()));
  save("4");
  std::filesystem::permissions(ck, std::filesystem::perms(0555));
  for (const char* flag : {"--save", "--resume"})
    expect_refused(train_tiny(text, {"--steps", "8", flag, ck}), HasSubstr("write to the folder " + ck.string()),
                   bound_by_permissions);
  std::filesystem::permissions(ck, std::filesystem::perms(0755));
  EXPECT_EQ(saved_step(), 4);
}

TEST_F(CheckpointCommand, FullDiskLeavesTheCheckpointBefore) {
  save("4", "112");
  rlim_t room = 0;  // enough for the weights, but not for the optimizer's state
  for (const auto& file : std::filesystem::directory_iterator(ck))
    if (file.path().filename().string().starts_with("model-")) room = file.file_size() + 1000;
  ASSERT_GT(room, 600'000) << "ThreadSanitizer itself writes a file of half a megabyte";
  const auto full = [room] {
    const rlimit limit{room, room};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Outcome outcome = weft(train_tiny(text, {"--resume", ck, "--steps", "9", "--width", "112"}), full);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.last_line(),
              AllOf(HasSubstr("error: cannot save the checkpoint of step 9: cannot write to the folder " + ck.string() +
                              ": File too large"),
                    HasSubstr("the checkpoint of step 4 still stands")));
  EXPECT_EQ(saved_step(), 4);
  EXPECT_EQ(weft(train_tiny(text, {"--resume", ck, "--steps", "9", "--width", "112"})).exit_code, 0);
  EXPECT_EQ(saved_step(), 9);
}

// Files are limited to what the error stream needs, like on a full disk; the limit is then raised, or not.
TEST_F(CheckpointCommand, FullDiskAtAPeriodicSaveIsAWarningAndTheNextSaveIsTried) {
  constexpr rlim_t too_little = 700'000;
  const auto full = [] {
    const rlimit limit{too_little, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  };
  const auto warning = [](int step) {
    return concat("warning: cannot save the checkpoint of step ", step, ": cannot write to the folder ");
  };
  const std::vector<std::string> more = {"--width", "224", "--save-every",  "2", "--log-every", "1",
                                         "--save",  ck,    "--decay-steps", "6"};
  const auto train = [&](const char* steps) {
    std::vector<std::string> arguments = train_tiny(text, {"--steps", steps});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  const Outcome failed = weft(train("6"), full);
  EXPECT_EQ(failed.exit_code, 1);
  for (const int step : {2, 4}) EXPECT_THAT(failed.err, HasSubstr(warning(step)));
  EXPECT_THAT(failed.err, HasSubstr("training goes on, the next save is tried at step 4"));
  EXPECT_THAT(failed.out, HasSubstr("trained to step 6, loss "));
  EXPECT_THAT(failed.out, testing::Not(HasSubstr("checkpoint")));
  EXPECT_THAT(failed.last_line(), HasSubstr("error: cannot save the checkpoint of step 6: "));

  Command cleared(train("2000"), full);
  ASSERT_TRUE(cleared.said(warning(2)));
  cleared.limit_file_size(RLIM_INFINITY);
  const Outcome saved = cleared.wait();
  EXPECT_EQ(saved.exit_code, 0) << saved.err;
  EXPECT_EQ(saved_step(), 2000);
}

TEST_F(CheckpointCommand, ResumingIntoAnotherFolderSavesThere) {
  save("4");
  const Outcome outcome = weft(train_tiny(text, {"--steps", "4", "--resume", ck, "--save", folder / "other"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(train::open_checkpoint(folder / "other").step, 4);
}

TEST_F(CheckpointCommand, OnlyOneProcessSavesIntoAFolder) {
  Command first(train_tiny(text, {"--steps", "1000000", "--save", ck, "--log-every", "1"}));
  ASSERT_TRUE(first.said("train 1/"));
  expect_refused(train_tiny(text, {"--save", ck}), HasSubstr("another process is writing to " + ck.string()));
  first.signal(SIGINT);
  EXPECT_EQ(first.wait().exit_code, 130);
  EXPECT_EQ(weft(train_tiny(text, {"--resume", ck, "--steps", std::to_string(saved_step() + 1)})).exit_code, 0);
}

TEST_F(CheckpointCommand, ReplacingTheCheckpointOfAnotherRunIsNoted) {
  save("4");
  EXPECT_THAT(weft(train_tiny(text, {"--save", ck})).err, HasSubstr("note: " + ck.string() + " holds a checkpoint"));
  EXPECT_THAT(weft(train_tiny(text, {"--save", ck / ".", "--resume", ck})).err, testing::Not(HasSubstr("note: ")));
}

TEST_F(CheckpointCommand, KilledAtAnyInstantLeavesACheckpoint) {
  std::mt19937 random(1);
  std::int64_t before = 0;
  for (int round = 0; round < 25; ++round) {
    std::vector<std::string> more = {"--steps", "1000000", "--save-every", "1", "--log-every", "1"};
    more.insert(more.end(), {before == 0 ? "--save" : "--resume", ck});
    Command command(train_tiny(text, more));
    ASSERT_TRUE(command.said(concat("train ", before + 2, "/"))) << command.wait().err;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    command.signal(SIGKILL);
    EXPECT_EQ(command.wait().exit_code, 128 + SIGKILL);
    EXPECT_GT(saved_step(), before);
    before = saved_step();
  }
}

}  // namespace
}  // namespace weft::cli
