#include <weft/train/checkpoint.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <tests/support/names_in.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/temporary_folder.h>

namespace weft::train {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Saves a state in which every element identifies the step.
void save_step(CheckpointFolder& folder, std::int64_t step, std::size_t elements = 1000) {
  const std::vector<std::int32_t> values(elements, static_cast<std::int32_t>(step));
  const data::TensorBytes weights[] = {
      {"w", Type(int32, {static_cast<std::int64_t>(elements)}), std::as_bytes(std::span(values))}};
  const data::TensorBytes moments[] = {{"w.moment", Type(int32, {1}), std::as_bytes(std::span(values)).first(4)}};
  folder.save(step, {{"width", std::int64_t{64}}, {"lr", 1e-3}}, {{"model", weights}, {"optimizer", moments}});
}

// Returns the step of a checkpoint and checks that it is complete.
std::int64_t whole_step(const std::filesystem::path& folder) {
  const Checkpoint checkpoint = open_checkpoint(folder);
  for (const auto& [part, file] : checkpoint.parts) {
    for (const auto& entry : file.entries()) {
      std::vector<std::int32_t> values(entry.type.elements());
      file.read(entry, std::as_writable_bytes(std::span(values)));
      for (const std::int32_t value : values) EXPECT_EQ(value, checkpoint.step) << part;
    }
  }
  EXPECT_EQ(checkpoint.parts.size(), 2u);
  return checkpoint.step;
}

TEST(Checkpoint, RoundTrip) {
  const TemporaryFolder folder;
  EXPECT_FALSE(has_checkpoint(folder.path()));
  const Settings config = {{"dtype", "bf16"}, {"tied", true}, {"lr", 0.1}, {"width", std::int64_t{-3}}, {"one", 1.0}};
  const std::vector<float> values = {1, 2};
  const data::TensorBytes tensors[] = {{"w", Type(float32, {2}), std::as_bytes(std::span(values))}};
  CheckpointFolder(folder / "a" / "b").save(7, config, {{"model", tensors}});

  const Checkpoint checkpoint = open_checkpoint(folder / "a" / "b");
  EXPECT_EQ(checkpoint.step, 7);
  EXPECT_EQ(checkpoint.config, config);
  std::vector<float> read(2);
  const auto& model = checkpoint.parts.at("model");
  model.read(*model.find("w"), std::as_writable_bytes(std::span(read)));
  EXPECT_EQ(read, values);
}

TEST(Checkpoint, TheNewOneReplacesTheOldOne) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path());
  std::ofstream(folder / "notes.txt") << "the user's";
  save_step(checkpoints, 1);
  save_step(checkpoints, 2);
  save_step(checkpoints, 2);
  EXPECT_EQ(whole_step(folder.path()), 2);
  EXPECT_EQ(names_in(folder.path()).size(), 4u);  // the manifest, two parts, and the user's file
}

TEST(Checkpoint, OneProcessSaves) {
  const TemporaryFolder folder;
  const CheckpointFolder checkpoints(folder.path());
  EXPECT_THAT([&] { CheckpointFolder(folder.path()); }, ThrowsMessage<Error>(HasSubstr("another process is writing")));
}

TEST(Checkpoint, FolderThatHoldsNoneOrCannotBeMade) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { open_checkpoint(folder.path()); }, ThrowsMessage<Error>(HasSubstr("no checkpoint in")));
  EXPECT_THAT([&] { open_checkpoint(folder / "none"); }, ThrowsMessage<Error>(HasSubstr("no checkpoint in")));
  std::ofstream(folder / "file") << "x";
  EXPECT_THAT([&] { CheckpointFolder(folder / "file"); }, ThrowsMessage<Error>(HasSubstr("/file")));
  EXPECT_THAT([&] { CheckpointFolder("/proc/none"); }, ThrowsMessage<Error>(HasSubstr("/proc/none")));
}

std::string message_of_opening(const std::filesystem::path& folder) {
  try {
    whole_step(folder);
    return "whole";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Checkpoint, DamageIsNamed) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path());
  for (const std::string part : {"model", "optimizer", "manifest.json"}) {
    save_step(checkpoints, 1, 8);
    std::filesystem::path path;
    for (const std::string& name : names_in(folder.path()))
      if (name.starts_with(part)) path = folder / name;
    const std::string whole = read_file(path);
    // White space in the manifest has no meaning and may change.
    const auto is_space = [&](char c) { return path.extension() == ".json" && (c == ' ' || c == '\n'); };
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    const auto put = [&](std::size_t at, char byte) { file.seekp(static_cast<std::streamoff>(at)).put(byte).flush(); };
    for (std::size_t at = whole.size(); at-- > 0;) {
      for (const int flip : {1, 0x20, 0x80, 0xff}) {
        put(at, static_cast<char>(whole[at] ^ flip));
        const std::string text = message_of_opening(folder.path());
        EXPECT_TRUE(text.find(path.string()) != text.npos || (is_space(whole[at]) && text == "whole")) << at << text;
      }
      put(at, whole[at]);
    }
    EXPECT_EQ(whole_step(folder.path()), 1);
    for (std::size_t size = whole.size() - is_space(whole.back()); size-- > 0;) {
      std::filesystem::resize_file(path, size);
      EXPECT_THAT(message_of_opening(folder.path()), HasSubstr(path.string())) << size;
    }
    std::filesystem::remove(path);
    EXPECT_NE(message_of_opening(folder.path()), "whole");
  }
}

TEST(Checkpoint, ManifestMayNotNameOtherFiles) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path());
  save_step(checkpoints, 1);
  std::string text = read_file(folder / "manifest.json");
  text.replace(text.find("model-1-"), 8, "../../x-");
  write_file(folder / "manifest.json", text);
  EXPECT_THAT([&] { open_checkpoint(folder.path()); }, ThrowsMessage<Error>(HasSubstr("manifest.json")));
}

// ---- failures of the disk or death of the process at the n-th operation ----

int countdown = 0;
int disk_full(const char*) { return countdown-- == 0 ? ENOSPC : 0; }
int die(const char*) {
  if (countdown-- == 0) ::_exit(9);
  return 0;
}

TEST(Checkpoint, EveryFailureLeavesTheOldOneOrTheNewOne) {
  const TemporaryFolder folder;
  CheckpointFolder checkpoints(folder.path());
  bool failed = true;
  for (int n = 0; failed; ++n) {
    save_step(checkpoints, 1);
    countdown = n;
    detail::file_fault = disk_full;
    try {
      save_step(checkpoints, 2);
      failed = countdown < 0;  // failure to remove an old file is not an error
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("cannot save the checkpoint of step 2: "));
      EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
    }
    detail::file_fault = nullptr;
    const std::int64_t step = whole_step(folder.path());
    EXPECT_TRUE(step == 1 || step == 2) << step;
    save_step(checkpoints, 3);
    EXPECT_EQ(names_in(folder.path()).size(), 3u) << n;
  }
}

TEST(Checkpoint, DeathAtEveryOperationLeavesTheOldOneOrTheNewOne) {
  const TemporaryFolder folder;
  bool died = true;
  for (int n = 0; died; ++n) {
    save_step(*std::make_unique<CheckpointFolder>(folder.path()), 1);
    const pid_t child = ::fork();
    if (child == 0) {
      CheckpointFolder checkpoints(folder.path());
      countdown = n;
      detail::file_fault = die;
      save_step(checkpoints, 2);
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    died = WEXITSTATUS(status) == 9;
    const std::int64_t step = whole_step(folder.path());
    EXPECT_TRUE(step == 2 || (died && step == 1)) << step;
    save_step(*std::make_unique<CheckpointFolder>(folder.path()), 3);
    EXPECT_EQ(names_in(folder.path()).size(), 3u) << n;
    EXPECT_LT(n, 100);
  }
}

TEST(Checkpoint, KilledAtAnyInstant) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  save_step(*std::make_unique<CheckpointFolder>(folder.path()), 1);
  std::int64_t before = 1;
  for (int round = 0; round < 50; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      CheckpointFolder checkpoints(folder.path());
      for (std::int64_t step = before + 1;; ++step) save_step(checkpoints, step, 50'000);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const std::int64_t now = whole_step(folder.path());
    EXPECT_GE(now, before);
    before = now;
  }
  CheckpointFolder(folder.path());
  EXPECT_EQ(names_in(folder.path()).size(), 3u);  // the files of the killed process were removed
}

TEST(Checkpoint, FileSizeLimitIsAnError) {
  const TemporaryFolder folder;
  save_step(*std::make_unique<CheckpointFolder>(folder.path()), 1);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{20'000, 20'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);
    CheckpointFolder checkpoints(folder.path());
    try {
      save_step(checkpoints, 2, 50'000);
    } catch (const Error& error) {
      ::_exit(std::string(error.what()).find("File too large") != std::string::npos ? 3 : 4);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(whole_step(folder.path()), 1);
  EXPECT_EQ(names_in(folder.path()).size(), 3u);
}

}  // namespace
}  // namespace weft::train
