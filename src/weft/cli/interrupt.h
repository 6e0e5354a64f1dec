// Ctrl-C that lets work end cleanly: while an Interrupt lives, SIGINT, SIGTERM and SIGHUP are noted instead of ending the process;
// the second of a kind ends it. A signal that was ignored (nohup) stays ignored. One at a time in a process.
#pragma once

#include <array>
#include <csignal>

namespace weft::cli {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  int signal() const;  // the signal that came, 0 if none
  explicit operator bool() const { return signal() != 0; }

 private:
  static constexpr std::array signals_ = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals_.size()> before_;
};

}  // namespace weft::cli
