#include <weft/base/log.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <weft/base/knobs.h>
#include <weft/base/spelling.h>

namespace weft::logging {

namespace {

constexpr auto names = std::to_array<std::string_view>({
#define WEFT_LOG_CHANNEL_NAME(name, help) #name,
    WEFT_LOG_CHANNELS(WEFT_LOG_CHANNEL_NAME)
#undef WEFT_LOG_CHANNEL_NAME
});

struct Output {
  std::mutex mutex;  // guards the members below; never held while the sink is called
  std::shared_ptr<const Sink> sink;
  struct Message {
    Channel channel;
    std::string text;
  };
  std::deque<Message> waiting;            // for the thread that is inside the sink
  std::optional<std::thread::id> inside;  // the thread that is inside the sink
  std::condition_variable left;
};

std::string line_of(Channel channel, std::string_view message) {
  const auto now = std::chrono::system_clock::now();
  if (!knobs::log_json()) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()) % 1000;
    return fmt::format("{:%H:%M:%S}.{:03} [{}] {}", fmt::localtime(std::chrono::system_clock::to_time_t(now)),
                       ms.count(), name(channel), message);
  }
  const std::chrono::duration<double> time = now.time_since_epoch();
  const nlohmann::ordered_json line{{"time", time.count()}, {"channel", name(channel)}, {"message", message}};
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Prints the line with one call, so that the lines of several processes do not mix.
void print(Channel channel, std::string_view message) {
  const std::string line = line_of(channel, message) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

Output& output() {
  static auto* instance = new Output;  // never destroyed: threads log until the process ends
  return *instance;
}

std::uint64_t bit(Channel channel) { return std::uint64_t{1} << static_cast<unsigned>(channel); }

std::string no_channel(std::string_view word) {
  const auto nearest = std::ranges::min_element(names, {}, [&](auto name) { return letters_between(word, name); });
  std::string known = "all";
  for (const auto name : names) known += concat(", ", name);
  return concat("WEFT_LOGS: there is no channel '", word, "'; did you mean '", *nearest, "'? The channels are ", known);
}

struct Chosen {
  std::uint64_t channels = bit(Channel::warnings);
  std::vector<std::string> mistakes;
};

Chosen parse_channels(std::string_view text) {
  constexpr std::string_view space = " \t\n";
  Chosen chosen;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    auto word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    word.remove_prefix(std::min(word.find_first_not_of(space), word.size()));
    word = word.substr(0, word.find_last_not_of(space) + 1);
    if (word.empty()) continue;
    const std::size_t at = std::ranges::find(names, word) - names.begin();
    if (word == "all") {
      chosen.channels = (std::uint64_t{1} << names.size()) - 1;
    } else if (at < names.size()) {
      chosen.channels |= bit(static_cast<Channel>(at));
    } else {
      chosen.mistakes.push_back(no_channel(word));
    }
  }
  return chosen;
}

}  // namespace

std::string_view name(Channel channel) { return names[static_cast<std::size_t>(channel)]; }

// A misspelled channel must not make the launch that happens to log first fail, nor silence the other channels.
std::uint64_t detail::read_channels() {
  const Chosen chosen = parse_channels(knobs::logs());
  auto expected = unread;
  if (!channels.compare_exchange_strong(expected, chosen.channels)) return expected;
  for (const std::string& mistake : chosen.mistakes) write(Channel::warnings, mistake);
  for (const std::string& warning : knobs::unknown_variable_warnings()) write(Channel::warnings, warning);
  return chosen.channels;
}

void set_channels(std::string_view chosen) {
  const Chosen parsed = parse_channels(chosen);
  if (!parsed.mistakes.empty()) throw Error(parsed.mistakes.front());
  detail::channels = parsed.channels;
}

void set_sink(Sink sink) {
  Output& out = output();
  auto next = sink ? std::make_shared<const Sink>(std::move(sink)) : nullptr;
  std::unique_lock lock(out.mutex);
  out.sink.swap(next);
  out.left.wait(lock, [&] { return !out.inside || out.inside == std::this_thread::get_id(); });
}

// If another thread is in the sink, this thread leaves its message to that one and does not wait: that thread may be waiting
// for this one.
void write(Channel channel, std::string_view message) {
  Output& out = output();
  std::unique_lock lock(out.mutex);
  if (!out.sink || out.inside == std::this_thread::get_id()) {
    print(channel, message);
    return;
  }
  out.waiting.push_back({channel, std::string(message)});
  if (out.inside) return;
  out.inside = std::this_thread::get_id();
  struct Leave {
    Output& out;
    std::unique_lock<std::mutex>& lock;
    ~Leave() {
      if (!lock.owns_lock()) lock.lock();
      out.inside.reset();
      out.left.notify_all();
    }
  } const leave{out, lock};
  while (!out.waiting.empty()) {
    const Output::Message next = std::move(out.waiting.front());
    out.waiting.pop_front();
    if (const auto sink = out.sink) {
      lock.unlock();
      (*sink)(next.channel, next.text);
      lock.lock();
    } else {
      print(next.channel, next.text);
    }
  }
}

}  // namespace weft::logging
