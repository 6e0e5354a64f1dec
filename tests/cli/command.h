// Runs the weft command as a separate process, as users do. The process does not outlive the test; it is killed after
// five minutes, so that a hang is a failure.
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
  int exit_code = 0;  // 128 + signal if a signal ended the process
  std::string out, err;

  std::string last_line() const;  // of the error stream
};

class Command {
 public:
  // `in_child` runs in the new process before the program starts: to set limits, close streams, switch the user.
  explicit Command(std::vector<std::string> arguments, std::function<void()> in_child = [] {});
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  ~Command();  // kills the process if it still runs

  // Waits until the error stream contains `text`; false if the process ended without it, or was killed because it took
  // too long.
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

// For `in_child`: makes file permissions apply to root too.
void bound_by_permissions();

Outcome weft(std::vector<std::string> arguments, std::function<void()> in_child = [] {});

// Returns arguments that train the tiny model on a text, followed by `more`.
std::vector<std::string> train_tiny(const std::filesystem::path& text, std::vector<std::string> more = {});
// Writes a text of this many bytes, which is different for every seed.
std::filesystem::path write_text(const std::filesystem::path& path, std::size_t bytes = 4000, unsigned seed = 1);

}  // namespace weft::cli
