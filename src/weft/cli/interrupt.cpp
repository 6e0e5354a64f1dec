#include <weft/cli/interrupt.h>

namespace weft::cli {

namespace {
volatile std::sig_atomic_t came = 0;
void note(int signal) { came = signal; }
}  // namespace

Interrupt::Interrupt() {
  came = 0;
  struct sigaction action{};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    ::sigaction(signals_[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals_[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < signals_.size(); ++i) ::sigaction(signals_[i], &before_[i], nullptr);
}

int Interrupt::signal() const { return came; }

}  // namespace weft::cli
