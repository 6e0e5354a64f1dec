#include <weft/base/metrics.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>

#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/process.h>

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

  static MetricValue read(Metric& metric) {
    const std::lock_guard lock(metric.mutex_);
    MetricValue result{metric.name_, metric.unit_, metric.count_, metric.total_, {}};
    std::vector<std::uint64_t> sorted(
        metric.recent_.begin(),
        metric.recent_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(metric.count_, Metric::window)));
    std::ranges::sort(sorted);
    if (sorted.empty()) return result;
    for (const double percent : percents) {
      const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(sorted.size())));
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

void Metric::add(std::uint64_t value) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = count_ == 0;
    recent_[count_++ % window] = value;
    total_ += value;
  }
  if (first) [[unlikely]] {
    auto& registry = Registry::instance();
    const std::lock_guard lock(registry.mutex);
    registry.metrics.emplace(name_, this);
  }
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

// 02m05s012ms345.678us, as PyTorch/XLA writes times.
std::string time_text(std::uint64_t ns) {
  char text[64];
  const auto us = static_cast<double>(ns % 1'000'000) / 1e3;
  const auto ms = static_cast<unsigned long long>(ns / 1'000'000);
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
        << "\n  Accumulator: " << text_of(metric.unit, metric.total) << "\n  Percentiles: ";
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
    metrics[metric.name] = {
        {"unit", name(metric.unit)}, {"count", metric.count}, {"total", metric.total}, {"percentiles", percentiles}};
  }
  for (const auto& counter : now.counters) counters[counter.name] = counter.value;
  return nlohmann::json{{"metrics", metrics}, {"counters", counters}}.dump();
}

}  // namespace weft::metrics
