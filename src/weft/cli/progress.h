// How far long work has come, on the error stream: on a terminal a bar that is redrawn in place, elsewhere plain lines now and
// then: whenever so much more is done, and after ten seconds without one. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

namespace weft::cli {

int terminal_columns();  // of the terminal that a standard stream goes to; 80 if none does

class Progress {
 public:
  struct Options {
    std::ostream* out;
    bool terminal = false;
    int columns = 80;             // of the terminal
    std::int64_t line_every = 1;  // without a terminal: a line whenever so many more are done, and at the end
  };
  static constexpr std::int64_t rarely = 0;  // as line_every: only after ten seconds without a line
  static Options standard_error(std::int64_t line_every);

  // Work of `total` units, `done` of them before now; time left is judged by the units done since.
  Progress(std::string what, std::int64_t done, std::int64_t total, Options options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // ends the bar's line

  // `status` is shown behind the count: "loss 1.23"; it is asked for only then.
  void update(std::int64_t done, const std::function<std::string()>& status);
  // A line of its own, above the bar.
  void note(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  std::string bar(const std::string& rest) const;
  std::string time_left() const;
  bool line_is_due(Clock::time_point now) const;
  void draw(const std::string& line);

  std::string what_;
  std::int64_t first_, done_, total_, said_;
  Options options_;
  Clock::time_point start_, drawn_;  // drawn_: of the last line or bar
  std::string shown_;                // the bar that stands on the terminal
};

}  // namespace weft::cli
