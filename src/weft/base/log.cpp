#include <weft/base/log.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <weft/base/knobs.h>

namespace weft::logging {

namespace {

constexpr auto names = std::to_array<std::string_view>({
#define WEFT_LOG_CHANNEL_NAME(name, help) #name,
    WEFT_LOG_CHANNELS(WEFT_LOG_CHANNEL_NAME)
#undef WEFT_LOG_CHANNEL_NAME
});

struct Output {
  std::mutex mutex;
  Sink sink;
  spdlog::logger logger{"weft", std::make_shared<spdlog::sinks::stderr_sink_st>()};

  Output() {
    logger.set_pattern(knobs::log_json() ? "%v" : "%H:%M:%S.%e %v");
    logger.flush_on(spdlog::level::info);
  }
};

std::string line_of(Channel channel, std::string_view message) {
  if (!knobs::log_json()) return concat('[', name(channel), "] ", message);
  const std::chrono::duration<double> time = std::chrono::system_clock::now().time_since_epoch();
  const nlohmann::ordered_json line{{"time", time.count()}, {"channel", name(channel)}, {"message", message}};
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Output& output() {
  static auto* instance = new Output;  // never destroyed: threads log until the process ends
  return *instance;
}

std::uint64_t bit(Channel channel) { return std::uint64_t{1} << static_cast<unsigned>(channel); }

std::uint64_t parse_channels(std::string_view text) {
  std::uint64_t channels = bit(Channel::warnings);
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const auto word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (word.empty()) continue;
    const auto at = static_cast<std::size_t>(std::ranges::find(names, word) - names.begin());
    if (word == "all") {
      channels = (std::uint64_t{1} << names.size()) - 1;
    } else if (at < names.size()) {
      channels |= bit(static_cast<Channel>(at));
    } else {
      std::string known = "all";
      for (const auto name : names) known += concat(", ", name);
      fail("WEFT_LOGS: there is no channel '", word, "'; the channels are ", known);
    }
  }
  return channels;
}

}  // namespace

std::string_view name(Channel channel) { return names[static_cast<std::size_t>(channel)]; }

std::uint64_t detail::read_channels() {
  // A misspelled channel must not fail the launch that happens to log first.
  std::uint64_t read = bit(Channel::warnings);
  try {
    read = parse_channels(knobs::logs());
  } catch (const Error& error) {
    const std::lock_guard lock(output().mutex);
    output().logger.warn(error.what());
  }
  auto expected = unread;
  return channels.compare_exchange_strong(expected, read) ? read : expected;
}

void set_channels(std::string_view chosen) { detail::channels = parse_channels(chosen); }

void set_sink(Sink sink) {
  const std::lock_guard lock(output().mutex);
  output().sink = std::move(sink);
}

void write(Channel channel, std::string_view message) {
  const std::lock_guard lock(output().mutex);
  if (output().sink) {
    output().sink(channel, message);
  } else {
    output().logger.info("{}", line_of(channel, message));
  }
}

}  // namespace weft::logging
