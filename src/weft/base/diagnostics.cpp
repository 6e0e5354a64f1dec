#include <weft/base/diagnostics.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include <weft/base/error.h>
#include <weft/base/metrics.h>
#include <weft/base/process.h>
#include <weft/base/trace.h>

namespace weft::diagnostics {

namespace {

struct Row {
  std::string_view name, description, remedy;
};
constexpr Row rows[] = {
#define WEFT_DIAGNOSTIC_ROW(name, channel, what, remedy) {#name, what, remedy},
    WEFT_DIAGNOSTIC_KINDS(WEFT_DIAGNOSTIC_ROW)
#undef WEFT_DIAGNOSTIC_ROW
};

struct Sinks {
  std::mutex mutex;
  std::vector<const std::function<void(const Event&)>*> all;

  static Sinks& instance() {
    static auto* sinks = new Sinks;  // never destroyed: threads report until the process ends
    return *sinks;
  }
};

const Row& row(Kind kind) { return rows[static_cast<std::size_t>(kind)]; }

}  // namespace

std::string_view name(Kind kind) { return row(kind).name; }
std::string_view description(Kind kind) { return row(kind).description; }
std::string_view usual_remedy(Kind kind) { return row(kind).remedy; }

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (std::size_t i = 0; i < std::size(rows); ++i) all.push_back(static_cast<Kind>(i));
  return all;
}

std::string to_string(const Event& event) {
  std::string text(name(event.kind));
  if (!event.subject.empty()) text += concat(": ", event.subject);
  // A program without a name of its own is called by its place.
  if (!event.place.empty() && !event.subject.ends_with(event.place.substr(event.place.rfind('/') + 1)))
    text += concat(" at ", event.place);
  text += concat(": ", event.reason.empty() ? description(event.kind) : std::string_view(event.reason));
  std::string cost;
  if (event.count > 1) cost = concat(event.count, " times");
  if (event.cost_ms > 0)
    cost += fmt::format("{}{:.{}f} ms", cost.empty() ? "" : ", ", event.cost_ms, event.cost_ms < 10 ? 2 : 0);
  if (event.bytes > 0) cost += concat(cost.empty() ? "" : ", ", format_bytes(event.bytes));
  if (!cost.empty()) text += concat(" (", cost, ')');
  return text + concat("; remedy: ", event.remedy.empty() ? usual_remedy(event.kind) : std::string_view(event.remedy));
}

Sink::Sink(std::function<void(const Event&)> see) : see_(std::move(see)) {
  auto& sinks = Sinks::instance();
  const std::lock_guard lock(sinks.mutex);
  sinks.all.push_back(&see_);
  ++detail::sinks;
}

Sink::~Sink() {
  auto& sinks = Sinks::instance();
  const std::lock_guard lock(sinks.mutex);
  std::erase(sinks.all, &see_);
  --detail::sinks;
}

bool any_sinks() { return has_sinks(); }

void count(Kind kind) {
  static constinit metrics::Counter counters[] = {
#define WEFT_DIAGNOSTIC_COUNTER(name, channel, what, remedy) metrics::Counter("diagnostic::" #name),
      WEFT_DIAGNOSTIC_KINDS(WEFT_DIAGNOSTIC_COUNTER)
#undef WEFT_DIAGNOSTIC_COUNTER
  };
  counters[static_cast<std::size_t>(kind)].add();
}

void report(Event event) {
  if (event.time_ns == 0) event.time_ns = trace::now_ns();
  if (event.remedy.empty()) event.remedy = usual_remedy(event.kind);
  if (logging::enabled(channel(event.kind))) logging::write(channel(event.kind), to_string(event));
  auto& sinks = Sinks::instance();
  const std::lock_guard lock(sinks.mutex);
  for (const auto* see : sinks.all) (*see)(event);
}

}  // namespace weft::diagnostics
