// Computes how much of the communication computation hides.
#include <weft/profile/analyse.h>

namespace weft::profile {

void add_communication(const Recording& recording, Analysis& analysis) {
  constexpr std::uint64_t dispatch_ns = 20'000;  // between two ops of a stream that is not waiting
  std::vector<Interval> communicating, computing;
  const Span* last = nullptr;                 // that computes; null if its thread has run a collective since
  for (const Span& span : recording.spans) {  // by begin
    if (span.program < 0 || span.op < 0 || recording.category(span) != "thunk") continue;
    if (recording.programs[span.program].ops[span.op].info.category == "collective") {
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
  const Intervals all(std::move(communicating));
  analysis.communication_ns = length(all);
  analysis.exposed_ns = length(all.minus(Intervals(std::move(computing))));
}

}  // namespace weft::profile
