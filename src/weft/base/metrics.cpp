#include <weft/base/metrics.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/process.h>
#include <weft/base/trace.h>

namespace weft::metrics {

namespace {
constexpr double percents[] = {1, 5, 10, 20, 50, 80, 90, 95, 99};
}

struct Registry {
  std::mutex mutex;
  std::map<std::string_view, Counter*> counters;
  std::map<std::string_view, Metric*> metrics;

  static Registry& instance() {
    static auto* registry = new Registry;  // never destroyed: threads count until the process ends
    return *registry;
  }

  static CounterValue read(const Counter& counter) { return {counter.name_, counter.value()}; }

  // Sets the rates per second between the oldest and the newest sample. The oldest sample's own value lies before that time.
  static void set_rates(const Metric& metric, std::size_t filled, MetricValue& result) {
    const auto at = [&](std::uint64_t i) { return metric.recent_[i % Metric::window]; };
    const Metric::Sample oldest = at(metric.count_ - filled), newest = at(metric.count_ - 1);
    if (newest.time_ns <= oldest.time_ns) return;
    std::uint64_t sum = 0;
    for (std::uint64_t i = metric.count_ - filled + 1; i < metric.count_; ++i) sum += at(i).value;
    const double seconds = 1e-9 * (newest.time_ns - oldest.time_ns);
    result.rate = (filled - 1) / seconds;
    result.value_rate = sum / seconds;
  }

  static MetricValue read(Metric& metric) {
    const std::lock_guard lock(metric.mutex_);
    MetricValue result{metric.name_, metric.unit_, metric.count_, metric.total_, {}};
    const std::size_t filled = std::min<std::uint64_t>(metric.count_, Metric::window);
    std::vector<std::uint64_t> sorted;
    for (std::size_t i = 0; i < filled; ++i) sorted.push_back(metric.recent_[i].value);
    std::ranges::sort(sorted);
    if (sorted.empty()) return result;
    result.greatest = sorted.back();
    set_rates(metric, filled, result);
    for (const double percent : percents) {
      const std::size_t rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
      result.percentiles.emplace_back(percent, sorted[std::max<std::size_t>(rank, 1) - 1]);
    }
    return result;
  }

  static void clear(Counter& counter) { counter.value_ = 0; }

  static void clear(Metric& metric) {
    const std::lock_guard lock(metric.mutex_);
    metric.count_ = metric.total_ = 0;
  }
};

void Counter::list() {
  auto& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  registry.counters.emplace(name_, this);
  listed_ = true;
}

Timer::Timer(Metric& metric) : metric_(metric), start_ns_(trace::now_ns()) {}
Timer::~Timer() { metric_.add(trace::now_ns() - start_ns_); }

void Metric::add(std::uint64_t value) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = count_ == 0;
    recent_[count_++ % window] = {value, trace::now_ns()};
    total_ += value;
  }
  if (first) [[unlikely]] {
    auto& registry = Registry::instance();
    const std::lock_guard lock(registry.mutex);
    registry.metrics.emplace(name_, this);
  }
}

Counter& named_counter(std::string_view name) {
  // Never destroyed, like the registry that points to them.
  static auto* mutex = new std::mutex;
  static auto* counters = new std::map<std::string, Counter, std::less<>>;
  const std::lock_guard lock(*mutex);
  const auto known = counters->find(name);
  if (known != counters->end()) return known->second;
  static auto* names = new std::deque<std::string>;
  const std::string& kept = names->emplace_back(name);
  return counters->try_emplace(kept, kept.c_str()).first->second;
}

std::optional<MetricValue> metric(std::string_view name) {
  auto& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.metrics.find(name);
  if (found == registry.metrics.end()) return std::nullopt;
  MetricValue value = Registry::read(*found->second);
  return value.count == 0 ? std::nullopt : std::optional(std::move(value));
}

std::uint64_t counter(std::string_view name) {
  auto& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.counters.find(name);
  return found == registry.counters.end() ? 0 : found->second->value();
}

Snapshot snapshot() {
  auto& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  Snapshot result;
  for (const auto& [name, metric] : registry.metrics) result.metrics.push_back(Registry::read(*metric));
  for (const auto& [name, counter] : registry.counters) result.counters.push_back(Registry::read(*counter));
  return result;
}

void clear() {
  auto& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  for (const auto& [name, metric] : registry.metrics) Registry::clear(*metric);
  for (const auto& [name, counter] : registry.counters) Registry::clear(*counter);
}

namespace {

// Returns a time as PyTorch/XLA writes it, such as 02m05s012ms345.678us.
std::string time_text(std::uint64_t ns) {
  char text[64];
  const double us = (ns % 1'000'000) / 1e3;
  const unsigned long long ms = ns / 1'000'000;
  if (ms >= 60'000) {
    std::snprintf(text, sizeof text, "%02llum%02llus%03llums%07.3fus", ms / 60'000, ms / 1000 % 60, ms % 1000, us);
  } else if (ms >= 1000) {
    std::snprintf(text, sizeof text, "%02llus%03llums%07.3fus", ms / 1000, ms % 1000, us);
  } else {
    std::snprintf(text, sizeof text, "%03llums%07.3fus", ms, us);
  }
  return text;
}

std::string text_of(Unit unit, std::uint64_t value) {
  switch (unit) {
    case Unit::nanoseconds: return time_text(value);
    case Unit::bytes: return format_bytes(value);
    case Unit::count: return std::to_string(value);
  }
  return {};
}

const char* name(Unit unit) {
  switch (unit) {
    case Unit::nanoseconds: return "ns";
    case Unit::bytes: return "bytes";
    case Unit::count: return "count";
  }
  return "";
}

}  // namespace

std::string report() {
  const Snapshot now = snapshot();
  std::ostringstream out;
  for (const auto& metric : now.metrics) {
    out << "Metric: " << metric.name << "\n  TotalSamples: " << metric.count
        << "\n  Accumulator: " << text_of(metric.unit, metric.total);
    if (metric.rate > 0) {
      out << "\n  ValueRate: " << text_of(metric.unit, static_cast<std::uint64_t>(metric.value_rate))
          << " / second\n  Rate: " << metric.rate << " / second";
    }
    out << "\n  Percentiles: ";
    const char* separator = "";
    for (const auto& [percent, value] : metric.percentiles) {
      out << separator << percent << "%=" << text_of(metric.unit, value);
      separator = "; ";
    }
    out << '\n';
  }
  for (const auto& counter : now.counters) out << "Counter: " << counter.name << "\n  Value: " << counter.value << '\n';
  return std::move(out).str();
}

std::string json() {
  const Snapshot now = snapshot();
  nlohmann::json metrics = nlohmann::json::object(), counters = nlohmann::json::object();
  for (const auto& metric : now.metrics) {
    nlohmann::json percentiles = nlohmann::json::object();
    for (const auto& [percent, value] : metric.percentiles) percentiles[concat(percent)] = value;
    metrics[metric.name] = {{"unit", name(metric.unit)}, {"count", metric.count}, {"total", metric.total},
                            {"max", metric.greatest},    {"rate", metric.rate},   {"value_rate", metric.value_rate},
                            {"percentiles", percentiles}};
  }
  for (const auto& counter : now.counters) counters[counter.name] = counter.value;
  return nlohmann::json{{"metrics", metrics}, {"counters", counters}}.dump(-1, ' ', false,
                                                                           nlohmann::json::error_handler_t::replace);
}

namespace {

// Turns CompileTime into compile_time. Characters that Prometheus does not accept in a name become underscores.
std::string snake_case(std::string_view name) {
  std::string snake;
  for (const char c : name) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper && !snake.empty() && snake.back() != '_') snake += '_';
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    snake += is_upper ? static_cast<char>(c - 'A' + 'a') : is_plain ? c : '_';
  }
  return snake;
}

}  // namespace

std::string prometheus() {
  const Snapshot now = snapshot();
  std::ostringstream out;
  for (const auto& metric : now.metrics) {
    const std::string label = concat("weft_", snake_case(metric.name), '_', name(metric.unit));
    out << "# TYPE " << label << " summary\n";
    for (const auto& [percent, value] : metric.percentiles)
      out << label << "{quantile=\"" << percent / 100 << "\"} " << value << '\n';
    out << label << "_sum " << metric.total << '\n' << label << "_count " << metric.count << '\n';
  }
  for (const auto& counter : now.counters) {
    const std::string label = concat("weft_", snake_case(counter.name), "_total");
    out << "# TYPE " << label << " counter\n" << label << ' ' << counter.value << '\n';
  }
  return std::move(out).str();
}

}  // namespace weft::metrics
