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
  ::sigaction(SIGINT, &action, &before_interrupt_);
  ::sigaction(SIGTERM, &action, &before_terminate_);
}

Interrupt::~Interrupt() {
  ::sigaction(SIGINT, &before_interrupt_, nullptr);
  ::sigaction(SIGTERM, &before_terminate_, nullptr);
}

int Interrupt::signal() const { return came; }

}  // namespace weft::cli
