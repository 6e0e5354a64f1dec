#include <weft/cli/isolated.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iostream>
#include <list>
#include <poll.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/file.h>

namespace weft::cli {

namespace {

using Clock = std::chrono::steady_clock;

// Exit codes of a child process.
constexpr int returned = 0, threw = 1;

struct Child {
  std::size_t piece;
  pid_t process;
  Descriptor pipe;
  Clock::time_point deadline;
  std::string said = {};
  bool late = false;
};

// The sanitizers map more memory than any sensible limit allows.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_can_be_limited = false;
#else
constexpr bool memory_can_be_limited = true;
#endif

void limit(__rlimit_resource resource, std::uint64_t most) {
  const rlimit both{most, most};
  (void)::setrlimit(resource, &both);
}

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;
    if (n > 0) text.remove_prefix(n);
  }
}

// Exits without running destructors and exit handlers, because they belong to the parent.
[[noreturn]] void run_child(std::size_t i, int pipe, const IsolationLimits& limits,
                            const std::function<std::string(std::size_t)>& piece) {
  leave_signals_to_parent();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0);
  if (memory_can_be_limited) limit(RLIMIT_DATA, limits.bytes);
  int code = returned;
  try {
    write_all(pipe, piece(i));
  } catch (const std::exception& wrong) {
    write_all(pipe, wrong.what());
    code = threw;
  } catch (...) {
    code = threw;
  }
  ::_exit(code);
}

[[noreturn]] void fail_with(const char* call) {
  fail("cannot start child processes: ", call, ": ", std::strerror(errno));
}

Child start(std::size_t i, const IsolationLimits& limits, const std::function<std::string(std::size_t)>& piece) {
  int ends[2];
  if (::pipe(ends) != 0) fail_with("pipe");
  Descriptor from(ends[0]), to(ends[1]);
  const pid_t process = ::fork();
  if (process < 0) fail_with("fork");
  if (process == 0) run_child(i, to.number(), limits, piece);
  return {i, process, std::move(from), Clock::now() + limits.time};
}

IsolatedOutcome outcome_of(Child& child, const IsolationLimits& limits) {
  int status = 0;
  while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) continue;
  if (child.late)
    return Status::failed(concat("took more than ", std::chrono::duration<double>(limits.time).count(), " s"));
  if (WIFSIGNALED(status)) return Status::failed(::strsignal(WTERMSIG(status)));
  const int code = WEXITSTATUS(status);
  if (code == returned) return std::move(child.said);
  return Status::failed(code == threw ? concat("exception: ", child.said) : concat("exit code ", code));
}

// Reads what the child wrote. Returns whether the child closed its end of the pipe, so that it is about to exit.
bool read_from(Child& child) {
  char bytes[4096];
  const ssize_t n = ::read(child.pipe.number(), bytes, sizeof(bytes));
  if (n > 0) child.said.append(bytes, n);
  return n == 0 || (n < 0 && errno != EINTR);
}

// Waits until a child exits or reaches a limit; returns the children that ended.
std::list<Child> wait_for(std::list<Child>& children) {
  std::vector<pollfd> ends;
  Clock::time_point deadline = Clock::time_point::max();
  for (const Child& child : children) {
    ends.push_back({child.pipe.number(), POLLIN, 0});
    if (!child.late) deadline = std::min(deadline, child.deadline);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  constexpr std::int64_t longest_ms = 200;  // poll() misses a signal that arrives just before the call
  (void)::poll(ends.data(), ends.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, longest_ms)));
  std::list<Child> ended;
  std::size_t i = 0;
  for (auto child = children.begin(); child != children.end(); ++i) {
    const auto next = std::next(child);
    if (!child->late && Clock::now() >= child->deadline) {
      child->late = true;
      ::kill(child->process, SIGKILL);
    }
    if (ends[i].revents != 0 && read_from(*child)) ended.splice(ended.end(), children, child);
    child = next;
  }
  return ended;
}

void end_all(const std::list<Child>& children) {
  for (const Child& child : children) ::kill(child.process, SIGKILL);
  for (const Child& child : children)
    while (::waitpid(child.process, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace

void run_isolated(std::size_t pieces, const IsolationLimits& limits,
                  const std::function<std::string(std::size_t)>& piece,
                  const std::function<void(std::size_t, const IsolatedOutcome&)>& done, const Interrupt* interrupt) {
  std::cout.flush();
  std::list<Child> children;
  for (std::size_t next = 0; next < pieces || !children.empty();) {
    if (interrupt && *interrupt) return end_all(children);
    while (next < pieces && std::ssize(children) < limits.processes) children.push_back(start(next++, limits, piece));
    for (Child& child : wait_for(children)) done(child.piece, outcome_of(child, limits));
  }
}

}  // namespace weft::cli
