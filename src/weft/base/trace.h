// Spans: what this process did, from when to when, on which thread. They go to a buffer of fixed size while a recording is on;
// otherwise a span costs one load. Thread-safe.
//   const trace::Scope scope("host", "record");
#pragma once

#include <any>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft::trace {

// The strings must live as long as the process, or belong to an object passed to keep().
struct Span {
  const char* category = "";  // host, device, thunk, wait...
  const char* name = "";
  std::uint64_t begin_ns = 0, end_ns = 0;  // of the steady clock
  std::uint64_t number = 0;                // of its launch, if it has one
  std::uint32_t thread = 0;                // index into Recording::threads
};

struct Recording {
  std::vector<Span> spans;           // by begin; of two that begin together, the longer first
  std::vector<std::string> threads;  // names
  std::uint64_t dropped = 0;         // spans that came when the buffer was full
  std::vector<std::any> kept;        // the shared pointers passed to keep()
};

// Discards what was recorded and starts a new recording. Throws Error if a recording is on.
void start(std::size_t capacity = std::size_t{1} << 18);
Recording stop();  // ends the recording and returns it; returns an empty one if none is on
// Returns what was recorded since the start or the last drain; the recording goes on. The caller must hold the `kept` objects
// until the recording ends.
Recording drain();

namespace detail {
inline constinit std::atomic<bool> on = false;
}
inline bool enabled() { return detail::on.load(std::memory_order_relaxed); }

std::uint64_t now_ns();
void add(const char* category, const char* name, std::uint64_t begin_ns, std::uint64_t end_ns,
         std::uint64_t number = 0);
namespace detail {
void keep(const void* identity, std::any owner);
}
// Keeps the owner of strings of spans alive for the life of the recording.
template <class T>
void keep(const std::shared_ptr<T>& owner) {
  detail::keep(owner.get(), owner);
}
void name_thread(std::string name);  // the calling thread, which is otherwise "main thread" or "thread N"

class Scope {
 public:
  Scope(const char* category, const char* name, std::uint64_t number = 0)
      : category_(category), name_(name), number_(number), begin_ns_(enabled() ? now_ns() : 0) {}
  ~Scope() {
    if (begin_ns_ != 0) add(category_, name_, begin_ns_, now_ns(), number_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  void set_number(std::uint64_t number) { number_ = number; }  // where it is known only within the scope

 private:
  const char *category_, *name_;
  std::uint64_t number_, begin_ns_;
};

}  // namespace weft::trace
