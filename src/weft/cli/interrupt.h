// How a command handles SIGINT (Ctrl-C), SIGTERM and SIGHUP. By default the first signal ends the process at once: it
// prints one line on the error stream, removes its temporary files and folders, and exits with code 128 + signal. Work
// that has something to save or to print creates an Interrupt: during its lifetime, the first signal is only noted, and
// the second one ends the process. A signal that was ignored when the process started (nohup) stays ignored.
#pragma once

#include <string>

namespace weft::cli {

// Installs the handlers; every command calls it first. Calling it again has no effect.
void heed_signals();

// For a process that was forked from a command and ends with its parent: ignores Ctrl-C, which the terminal sends to
// both.
void leave_signals_to_parent();

// Defers signals during its lifetime. At most one at a time per process.
class Interrupt {
 public:
  // Prints `line` at the first signal; if it is empty, "stopped by SIGINT".
  explicit Interrupt(std::string line = {});
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int signal() const;  // the signal that was noted; 0 if none
  explicit operator bool() const { return signal() != 0; }

  // Declares that there is nothing to save any more: from now on the process ends within a second of the first signal.
  // It then prints the default line.
  void hurry();

 private:
  std::string line_;
};

// Text printed after "stopped by SIGINT" during its lifetime, such as where to find the results so far.
class PartingWords {
 public:
  explicit PartingWords(std::string words);
  ~PartingWords();
  PartingWords(const PartingWords&) = delete;
  PartingWords& operator=(const PartingWords&) = delete;

 private:
  std::string words_;
};

}  // namespace weft::cli
