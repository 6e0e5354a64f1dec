// Ctrl-C that lets work end cleanly: while an Interrupt lives, SIGINT and SIGTERM are noted instead of ending the process; the
// second one ends it. One at a time in a process.
#pragma once

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
  struct sigaction before_interrupt_, before_terminate_;
};

}  // namespace weft::cli
