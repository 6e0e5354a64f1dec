// Logs by channel, chosen with WEFT_LOGS=recompiles,perf_hints (all: every channel); none by default but `warnings`, which is
// always on. A message goes to the standard error stream (WEFT_LOG_JSON=1: as one JSON object a line), or to the sink of the
// application. When its channel is off nothing of it is evaluated.
//   WEFT_LOG(recompiles, "train_step: input 0 was ", before, ", now ", after);
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

#include <weft/base/error.h>

namespace weft::logging {

// CHANNEL(name, what it says)
#define WEFT_LOG_CHANNELS(CHANNEL)                                                               \
  CHANNEL(warnings, "what goes on all the same, but should be known; always on")                 \
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

// Chooses the channels anew, in the form of WEFT_LOGS. Throws Error for a channel that does not exist; in WEFT_LOGS itself that is
// a warning.
void set_channels(std::string_view chosen);

// Where messages go from now on; nothing: the standard error stream. Called by one thread at a time, for the messages of others as
// well, and without a lock: a sink may log, which goes to the standard error stream, compute with tensors and set another sink.
// When set_sink returns the sink before is called no more, but for a call that set_sink was made in.
using Sink = std::function<void(Channel channel, std::string_view message)>;
void set_sink(Sink sink);

void write(Channel channel, std::string_view message);

}  // namespace weft::logging

#define WEFT_LOG(channel, ...)                                                                \
  do {                                                                                        \
    if (::weft::logging::enabled(::weft::logging::Channel::channel)) [[unlikely]]             \
      ::weft::logging::write(::weft::logging::Channel::channel, ::weft::concat(__VA_ARGS__)); \
  } while (false)
