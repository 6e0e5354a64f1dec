#include <weft/profile/perfetto.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <weft/profile/measured_schedule.h>
#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

// The groups of lanes, in display order.
enum Group : int { host = 1, compile, queue, device, copy, loader };
constexpr const char* group_names[] = {"", "host", "compile", "queue", "device", "copy", "loader"};

Group lane_group_of(const std::string& category) {
  if (category == "compile") return compile;
  if (category == "queue") return queue;
  if (category == "device" || category == "thunk") return device;
  if (category == "copy") return copy;
  if (category == "loader") return loader;
  return host;
}

class Writer {
 public:
  explicit Writer(const Recording& recording)
      : recording_(recording), origin_(recording.spans.empty() ? 0 : recording.spans.front().begin_ns) {}

  std::string write() {
    out_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":" + dump(recording_.about) + ",\"traceEvents\":[\n";
    for (int group = host; group <= loader; ++group) {
      add(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})", group, group_names[group]);
      add(R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})", group, group);
    }
    for (const Span& span : recording_.spans) this->span(span);
    critical_path();
    for (const auto& [lane, group] : lanes_)
      add(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})", lane.first, lane.second,
          text(recording_.threads[lane.second]));
    for (const diagnostics::Event& event : recording_.events)
      add(R"({{"ph":"i","s":"g","name":{},"cat":"diagnostic","pid":{},"tid":0,"ts":{},"args":{}}})",
          text(std::string(diagnostics::name(event.kind))), int{host}, time(event.time_ns), dump(to_json(event)));
    return std::move(out_) + "\n]}\n";
  }

 private:
  template <class... Parts>
  void add(fmt::format_string<Parts...> format, Parts&&... parts) {
    if (!first_) out_ += ",\n";
    first_ = false;
    fmt::format_to(std::back_inserter(out_), format, std::forward<Parts>(parts)...);
  }

  // Names are repeated in many spans, so long ones are truncated.
  static std::string text(const std::string& raw) { return dump(shortened(raw, 256)); }
  std::string time(std::uint64_t ns) const { return fmt::format("{:.3f}", 1e-3 * (ns - std::min(ns, origin_))); }

  // Returns one of the recording's strings, in quotes.
  const std::string& string(std::uint32_t index) {
    std::string& known = strings_[index];
    if (known.empty()) known = text(recording_.strings[index]);
    return known;
  }

  const std::string& arguments(const Span& span) {
    std::string& known = arguments_[{span.program, span.op}];
    if (!known.empty()) return known;
    const runtime::ThunkInfo& info = recording_.programs[span.program].ops[span.op].info;
    const auto& order = recording_.programs[span.program].order;
    known = fmt::format(R"({{"category":{},"module":{},"source":{},"flops":{},"bytes":{}{}}})", text(info.category),
                        text(info.scope), text(info.source), dump(info.flops), dump(info.bytes),
                        order && order->is_ahead[span.op] ? R"(,"works on":"the next batch")" : "");
    return known;
  }

  void span(const Span& span) {
    const std::string& category = recording_.category(span);
    const Group group = lane_group_of(category);
    if (category == "memory") {
      add(R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{{"bytes":{}}}}})", string(span.name), int{device},
          time(span.end_ns), span.number);
      return;
    }
    if (group == queue) {  // several launches may wait at the same time
      for (const auto& [phase, at] : {std::pair("b", span.begin_ns), std::pair("e", span.end_ns)})
        add(R"({{"ph":"{}","name":{},"cat":"queue","id":{},"pid":{},"tid":0,"ts":{}}})", phase, string(span.name),
            span.number, int{queue}, time(at));
      return;
    }
    lanes_[{group, span.thread}] = group;
    const std::string shown = span.op >= 0 ? arguments(span) : fmt::format(R"({{"number":{}}})", span.number);
    add(R"({{"ph":"X","name":{},"cat":{},"pid":{},"tid":{},"ts":{},"dur":{:.3f},"args":{}}})", string(span.name),
        string(span.category), int{group}, span.thread, time(span.begin_ns), 1e-3 * span.ns(), shown);
    const bool is_launch = category == "host" && recording_.name(span) == "launch";
    if (is_launch || category == "device")
      add(R"({{"ph":"{}","name":"launch","cat":"launch","id":{},"pid":{},"tid":{},"ts":{}{}}})", is_launch ? "s" : "f",
          span.number, int{group}, span.thread, time(span.begin_ns), is_launch ? "" : R"(,"bp":"e")");
  }

  // Arrows from each operation of the critical path to the one that waits for it.
  void critical_path() {
    const auto schedule = measured_schedule(recording_);
    if (!schedule) return;
    const GanttChart& chart = schedule->chart;
    const std::vector<std::size_t> path = profile::critical_path(chart);
    for (std::size_t i = 1; i < path.size(); ++i) {
      const GanttBar &from = chart.bars[path[i - 1]], &to = chart.bars[path[i]];
      if (from.thread == to.thread) continue;
      // Perfetto binds an arrow to the slice around its time.
      const auto arrow = [&](char phase, const GanttBar& bar, double us, const char* end) {
        add(R"({{"ph":"{}","name":"critical path","cat":"critical path","id":"critical {}","pid":{},"tid":{},"ts":{:.3f}{}}})",
            phase, i, int{device}, bar.thread, us, end);
      };
      arrow('s', from, std::max(from.begin_us, from.end_us - 0.001), "");
      arrow('f', to, to.begin_us, R"(,"bp":"e")");
    }
  }

  const Recording& recording_;
  std::uint64_t origin_;
  std::string out_;
  bool first_ = true;
  std::map<std::pair<int, std::uint32_t>, int> lanes_;
  std::unordered_map<std::uint32_t, std::string> strings_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::string> arguments_;
};

}  // namespace

std::string perfetto_json(const Recording& recording) { return Writer(recording).write(); }

}  // namespace weft::profile
