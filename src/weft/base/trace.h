// Spans: what this process did from when to when, on which thread. Recorded into a buffer of fixed size while a recording is on;
// when off, a span costs one load. Thread-safe.
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

// The strings live as long as the process, or as what was handed to keep().
struct Span {
  const char* category = "";  // host, device, thunk, wait...
  const char* name = "";
  std::uint64_t begin_ns = 0, end_ns = 0;  // of the steady clock
  std::uint64_t number = 0;                // of the launch it belongs to, where there is one
  std::uint32_t thread = 0;                // index into Recording::threads
};

struct Recording {
  std::vector<Span> spans;           // in the order of their beginning; of two that begin together, the longer first
  std::vector<std::string> threads;  // names
  std::uint64_t dropped = 0;         // spans that came when the buffer was full
  std::vector<std::any> kept;        // shared pointers, as they were handed to keep()
};

// Forgets what was recorded and begins anew. Throws Error when a recording is on.
void start(std::size_t capacity = std::size_t{1} << 18);
Recording stop();  // ends the recording and returns it; an empty one when none is on
// What was recorded since the start or the last drain; the recording goes on. What it kept is the caller's to keep from now on,
// for as long as the recording lasts.
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
// The owner of strings of spans, for the life of the recording.
template <class T>
void keep(const std::shared_ptr<T>& owner) {
  detail::keep(owner.get(), owner);
}
void name_thread(std::string name);  // the calling one; otherwise it is called "main thread" or "thread N"

class Scope {
 public:
  Scope(const char* category, const char* name, std::uint64_t number = 0)
      : category_(category), name_(name), number_(number), begin_ns_(enabled() ? now_ns() : 0) {}
  ~Scope() {
    if (begin_ns_ != 0) add(category_, name_, begin_ns_, now_ns(), number_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  void set_number(std::uint64_t number) { number_ = number; }  // where it is known only within

 private:
  const char *category_, *name_;
  std::uint64_t number_, begin_ns_;
};

}  // namespace weft::trace
