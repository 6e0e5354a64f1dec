// What SIGINT (Ctrl-C), SIGTERM and SIGHUP do to a command. The first one ends the process at once, whatever it does: with one line
// on the error stream, without temporary files and folders of its own, and with the exit code 128 + signal. Work that has something
// to save or to print makes an Interrupt: while it lives the first signal is only noted, and the second one ends the process.
// A signal that was ignored when the process began (nohup) stays ignored.
#pragma once

#include <string>

namespace weft::cli {

// Called first by every command. Calling it again changes nothing.
void heed_signals();

// For a process forked from a command, which ends with its parent: Ctrl-C, which the terminal sends to both, does nothing to it.
void leave_signals_to_parent();

// One at a time in a process.
class Interrupt {
 public:
  // `line` is printed when the first signal comes; if it is empty, "stopped by SIGINT".
  explicit Interrupt(std::string line = {});
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int signal() const;  // the signal that came, 0 if none did
  explicit operator bool() const { return signal() != 0; }

  // There is nothing to save any more: from now on the process ends within a second of the first signal. The line is then the
  // default one.
  void hurry();

 private:
  std::string line_;
};

// Printed behind "stopped by SIGINT" while it lives: where to find what the process has done so far.
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
