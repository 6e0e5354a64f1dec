// Computes how much of the communication computation hides.
#include <algorithm>
#include <map>
#include <utility>

#include <weft/profile/analyse.h>

namespace weft::profile {

void add_communication(const Recording& recording, Analysis& analysis) {
  constexpr std::uint64_t dispatch_ns = 20'000;  // between two ops of a stream that is not waiting
  std::vector<const Span*> collectives;
  std::vector<Interval> communicating, computing;
  const Span* last = nullptr;                 // that computes; null if its thread has run a collective since
  for (const Span& span : recording.spans) {  // by begin
    if (span.program < 0 || span.op < 0 || recording.category(span) != "thunk") continue;
    if (recording.programs[span.program].ops[span.op].info.category == "collective") {
      collectives.push_back(&span);
      communicating.push_back({span.begin_ns, span.end_ns});
      if (last && last->thread == span.thread) last = nullptr;
      continue;
    }
    const bool follows = last && span.begin_ns < last->end_ns + dispatch_ns;
    computing.push_back({follows ? std::min(span.begin_ns, last->end_ns) : span.begin_ns, span.end_ns});
    last = &span;
  }
  const auto length = [](const Intervals& intervals) {
    std::uint64_t sum = 0;
    for (const Interval& part : intervals.parts()) sum += part.end - part.begin;
    return sum;
  };
  const Intervals all(std::move(communicating)), hidden(std::move(computing)), exposed = all.minus(hidden);
  analysis.communication_ns = length(all);
  analysis.exposed_ns = length(exposed);
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> exposed_of;  // by program and op
  for (const Span* span : collectives)
    exposed_of[{span->program, span->op}] += span->ns() - hidden.within(span->begin_ns, span->end_ns);
  for (OpStats& op : analysis.ops)
    if (const auto found = exposed_of.find({op.program, op.op}); found != exposed_of.end())
      op.exposed_ns = found->second;
  const auto set = [&](Period& period) {
    period.exposed_ns = std::min(exposed.within(period.begin_ns, period.end_ns), period.busy_ns - period.slow());
  };
  std::ranges::for_each(analysis.steps, set);
  set(analysis.startup);
  set(analysis.ending);
}

}  // namespace weft::profile
