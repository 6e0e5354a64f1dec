#include <weft/cli/interrupt.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <utility>

#include <sys/time.h>
#include <unistd.h>

#include <weft/base/file.h>
#include <weft/base/temporary_folder.h>

namespace weft::cli {

namespace {

constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};

// The signal handler reads these, so they must be lock-free atomics.
std::atomic<bool> is_noted = false;    // an Interrupt exists
std::atomic<bool> is_hurried = false;  // the Interrupt has nothing to save
std::atomic<int> came = 0;             // the signal that was noted
std::atomic<const char*> last_line = nullptr, parting_words = nullptr;
bool is_terminal = false;

const char* name_of(int signal) {
  switch (signal) {
    case SIGINT: return "SIGINT";
    case SIGTERM: return "SIGTERM";
    case SIGHUP: return "SIGHUP";
    default: return "a signal";
  }
}

// The signal handler calls the functions below, so they use only functions that signal-safety(7) allows.

// Prints nothing if the error stream is a full pipe, because a reader that does not read must not keep the process
// alive.
void print(const char* text) {
  pollfd stream{STDERR_FILENO, POLLOUT, 0};
  if (text == nullptr || ::poll(&stream, 1, 0) != 1) return;
  (void)!::write(STDERR_FILENO, text, std::strlen(text));
}

void print_stopped(int signal) {
  print("stopped by ");
  print(name_of(signal));
  print(parting_words);
  print("\n");
}

[[noreturn]] void end_process(int signal) {
  detail::remove_open_temporaries();
  detail::remove_living_temporary_folders();
  ::_exit(128 + signal);
}

void begin_line() {
  if (is_terminal) print("\n");  // start below a progress bar
}

void end_soon() {
  constexpr itimerval less_than_a_second{{}, {0, 700'000}};
  ::setitimer(ITIMER_REAL, &less_than_a_second, nullptr);
}

void handle(int signal) {
  const int error = errno;
  if (signal == SIGALRM) end_process(came);
  begin_line();
  int none = 0;
  if (!is_noted || !came.compare_exchange_strong(none, signal)) {
    print_stopped(signal);
    end_process(signal);
  }
  if (is_hurried || last_line == nullptr) {
    print_stopped(signal);
  } else {
    print(last_line);
    print("\n");
  }
  if (is_hurried) end_soon();
  errno = error;
}

void install(int signal) {
  struct sigaction action{};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action{};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void heed_signals() {
  is_terminal = ::isatty(STDERR_FILENO) != 0;
  for (const int signal : signals)
    if (!is_ignored(signal)) install(signal);
}

void leave_signals_to_parent() {
  for (const int signal : {SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
  for (const int signal : {SIGTERM, SIGALRM}) std::signal(signal, SIG_DFL);
}

Interrupt::Interrupt(std::string text) : line_(std::move(text)) {
  came = 0;
  is_hurried = false;
  last_line = line_.empty() ? nullptr : line_.c_str();
  is_noted = true;
}

Interrupt::~Interrupt() {
  is_noted = false;
  last_line = nullptr;
  ::alarm(0);
}

int Interrupt::signal() const { return came; }

void Interrupt::hurry() {
  install(SIGALRM);
  is_hurried = true;
}

PartingWords::PartingWords(std::string words) : words_(std::move(words)) { parting_words = words_.c_str(); }
PartingWords::~PartingWords() { parting_words = nullptr; }

}  // namespace weft::cli
