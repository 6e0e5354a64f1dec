// Shows the progress of long work on the error stream: on a terminal, a bar that is redrawn in place; otherwise plain
// lines, one per `line_every` units and after ten seconds without a line. Not thread-safe.
//
//   train::Progress progress("train", 0, steps, train::Progress::standard_error(100));
//   progress.update(step, [&] { return concat("loss ", loss.item()); });
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

namespace weft::train {

int terminal_columns();  // width of the terminal of a standard stream; 80 if there is none

class Progress {
 public:
  struct Options {
    std::ostream* out;
    bool terminal = false;
    int columns = 80;             // of the terminal
    std::int64_t line_every = 1;  // without a terminal: print a line after this many units, and at the end
  };
  static constexpr std::int64_t rarely = 0;  // for line_every: a line only after ten seconds without one
  static Options standard_error(std::int64_t line_every);

  // `total` units of work, of which `done` are already done; the remaining time is estimated from the units done since
  // then. 0: the total is not known.
  Progress(std::string what, std::int64_t done, std::int64_t total, Options options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // ends the bar's line

  // `status` returns the text after the count, such as "loss 1.23"; it is called only when a line is shown.
  void update(std::int64_t done, const std::function<std::string()>& status = [] { return std::string(); });
  // Prints a separate line above the bar.
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
  Clock::time_point start_, drawn_;  // drawn_: time of the last line or bar
  std::string shown_;                // the bar that is currently on the terminal
};

}  // namespace weft::train
