// Logs by channel, chosen with WEFT_LOGS=recompiles,perf_hints (all: every channel). By default only `warnings` is on; it
// cannot be turned off. A message goes to the standard error stream (with WEFT_LOG_JSON=1 as one JSON object per line), or to
// the sink of the application. If the channel is off, the parts of the message are not evaluated.
//   WEFT_LOG(recompiles, "train_step: input 0 was ", before, ", now ", after);
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include <weft/base/error.h>

namespace weft::logging {

// CHANNEL(name, description)
#define WEFT_LOG_CHANNELS(CHANNEL)                                                               \
  CHANNEL(warnings, "problems that do not stop the program; always on")                          \
  CHANNEL(graph_breaks, "where a compiled function left its graph, and why")                     \
  CHANNEL(recompiles, "why a function was compiled again: what differed from the nearest graph") \
  CHANNEL(perf_hints, "time or memory lost, with the remedy")                                    \
  CHANNEL(guards, "what a compiled function's replay depends on")                                \
  CHANNEL(fusion, "which operations became one kernel, and which did not, and why")              \
  CHANNEL(output_code, "the code of generated kernels")                                          \
  CHANNEL(autotuning, "candidates that were measured, and the one that was chosen")              \
  CHANNEL(compile, "what was compiled, how long it took and what it became")                     \
  CHANNEL(cache, "kernels found on disk, and why others were not")                               \
  CHANNEL(passes, "the compiler's passes: time and effect")                                      \
  CHANNEL(memory, "blocks of memory taken from and given back to the system")                    \
  CHANNEL(launches, "every launch on a device: start, end, waits of the host")

enum class Channel : std::uint8_t {
#define WEFT_LOG_CHANNEL(name, help) name,
  WEFT_LOG_CHANNELS(WEFT_LOG_CHANNEL)
#undef WEFT_LOG_CHANNEL
};

std::string_view name(Channel channel);

namespace detail {
inline constexpr std::uint64_t unread = std::uint64_t{1} << 63;
inline constinit std::atomic<std::uint64_t> channels = unread;  // bit i: channel i is on
std::uint64_t read_channels();                                  // from the knob
}  // namespace detail

inline bool enabled(Channel channel) {
  auto channels = detail::channels.load(std::memory_order_relaxed);
  if (channels & detail::unread) [[unlikely]]
    channels = detail::read_channels();
  return channels >> static_cast<unsigned>(channel) & 1;
}

// Replaces the set of channels; `chosen` has the form of WEFT_LOGS. Throws Error for a channel that does not exist; in
// WEFT_LOGS itself, such a channel causes a warning.
void set_channels(std::string_view chosen);

// Sets the receiver of all messages from now on; an empty function selects the standard error stream. One thread at a time
// calls the sink, also with the messages of other threads, and no lock is held: a sink may log (to the standard error stream),
// compute with tensors and set another sink. After set_sink returns, the previous sink is not called again, unless set_sink was
// called from within it.
using Sink = std::function<void(Channel channel, std::string_view message)>;
void set_sink(Sink sink);

void write(Channel channel, std::string_view message);

}  // namespace weft::logging

#define WEFT_LOG(channel, ...)                                                                \
  do {                                                                                        \
    if (::weft::logging::enabled(::weft::logging::Channel::channel)) [[unlikely]]             \
      ::weft::logging::write(::weft::logging::Channel::channel, ::weft::concat(__VA_ARGS__)); \
  } while (false)
