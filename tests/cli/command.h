// The weft command as a process of its own, the way its users run it. It does not outlive the test, and is killed after five
// minutes, so that a hang fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/types.h>

#include <weft/base/temporary_folder.h>

namespace weft::cli {

struct Outcome {
  int exit_code = 0;  // 128 and the signal for a process that a signal ended
  std::string out, err;

  std::string last_line() const;  // of the error stream
};

class Command {
 public:
  // `in_child` runs in the new process before the program does: limits, closed streams, another user.
  explicit Command(std::vector<std::string> arguments, std::function<void()> in_child = [] {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();  // kills what still runs

  // Waits until the error stream holds `text`; false if the process ended without it, or was killed because it took too long.
  bool said(const std::string& text);
  void signal(int number);
  void limit_file_size(rlim_t bytes);  // from now on
  Outcome wait();

 private:
  bool has_ended();
  void kill_late_process();

  TemporaryFolder streams_;
  pid_t process_ = -1;
  std::chrono::steady_clock::time_point latest_end_;
  int status_ = 0;
};

// For `in_child`: root, too, is bound by the permissions of files.
void bound_by_permissions();

Outcome weft(std::vector<std::string> arguments, std::function<void()> in_child = [] {});

// Arguments that train the tiny model on a text, and more.
std::vector<std::string> train_tiny(const std::filesystem::path& text, std::vector<std::string> more = {});
// A text of so many bytes that is different for every seed.
std::filesystem::path write_text(const std::filesystem::path& path, std::size_t bytes = 4000, unsigned seed = 1);

}  // namespace weft::cli
