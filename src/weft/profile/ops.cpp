// Computes the statistics of ops.
#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include <weft/base/error.h>
#include <weft/profile/analyse.h>

namespace weft::profile {

namespace {

// Removes the number from a name: fusion.12 and fusion.7 both become fusion.
std::string without_number(const std::string& name) {
  const auto dot = name.rfind('.');
  const bool is_number =
      dot != name.npos && dot + 1 < name.size() &&
      std::all_of(name.begin() + dot + 1, name.end(), [](unsigned char c) { return std::isdigit(c); });
  return is_number ? name.substr(0, dot) : name;
}

// Returns a text that is the same for an op in each compile of its program. Equal ops of a program are told apart by their order.
std::string likeness(const runtime::ThunkInfo& info) {
  return concat(info.scope, '/', without_number(info.name), '{', info.category, "}[", info.flops, ' ', info.bytes, ']');
}

void add_identities(const Recording& recording, std::vector<OpStats>& ops) {
  std::map<std::int32_t, std::vector<std::string>> identities;  // for the ops of each program that ran
  for (OpStats& op : ops) {
    if (op.op < 0) {
      op.identity = likeness({op.name, op.category, op.source, op.scope, op.flops, op.bytes});
      continue;
    }
    const auto [at, is_new] = identities.try_emplace(op.program);
    if (is_new) {
      std::map<std::string, int> twins;
      for (const Op& each : recording.programs[op.program].ops) {
        const std::string alike = likeness(each.info);
        const int twin = twins[alike]++;
        at->second.push_back(twin == 0 ? alike : concat(alike, '#', twin));
      }
    }
    op.identity = at->second[op.op];
  }
}

// Predicts the time at the roofs: the slower of computing and moving bytes. An op that takes far longer than both is bound by
// neither. For a collective, the compiler has predicted what the link takes.
void predict(const Roofs& roofs, const runtime::ThunkInfo& info, OpStats& op) {
  if (info.link_seconds > 0) {
    op.predicted_ns = 1e9 * info.link_seconds;
    op.bound = Bound::link;
    return;
  }
  if (roofs.flops <= 0 || roofs.memory_bytes <= 0 || op.flops + op.bytes <= 0) return;
  const double compute = op.flops * 1e9 / roofs.flops, memory = op.bytes * 1e9 / roofs.memory_bytes;
  constexpr double far = 10;
  op.predicted_ns = std::max(compute, memory);
  op.bound = op.spread.median > far * op.predicted_ns && op.spread.median < 20'000 ? Bound::overhead
             : compute > memory                                                    ? Bound::compute
                                                                                   : Bound::memory;
}

}  // namespace

std::vector<OpStats> op_stats(const Recording& recording) {
  struct Executions {
    OpStats stats;
    std::vector<std::uint64_t> later_ns;  // without the first execution
  };
  std::map<std::pair<std::int32_t, std::int32_t>, Executions> by_place;
  const auto add = [&](const Span& span, std::int32_t op_index, std::uint64_t own_ns) {
    auto& [op, later_ns] = by_place[{span.program, op_index}];
    if (op.occurrences++ == 0)
      op.first_ns = own_ns;
    else
      later_ns.push_back(own_ns);
    op.program = span.program;
    op.op = op_index;
    op.total_ns += span.ns();
  };
  // Ops whose launch was dropped are left out, because the device's busy time, to which shares refer, does not include them.
  const auto is_launch = [&](const Span& span) {
    return span.program >= 0 && span.op < 0 && recording.category(span) == "device";
  };
  std::map<std::uint64_t, std::uint64_t> ops_of_launch;  // total time of the ops of each launch
  for (const Span& span : recording.spans)
    if (is_launch(span)) ops_of_launch[span.number] = 0;
  for (const Span& span : recording.spans) {
    if (span.program < 0 || span.op < 0 || recording.category(span) != "thunk") continue;
    const auto launch = ops_of_launch.find(span.number);
    if (launch == ops_of_launch.end()) continue;
    launch->second += span.ns();
    add(span, span.op, span.ns());
  }
  for (const Span& span : recording.spans)
    if (is_launch(span)) add(span, -1, span.ns() - std::min(span.ns(), ops_of_launch[span.number]));
  std::vector<OpStats> ops;
  for (auto& [place, executions] : by_place) {
    auto& [op, later_ns] = executions;
    op.spread = spread_of(later_ns.empty() ? std::vector{op.first_ns} : std::move(later_ns));
    const Program& program = recording.programs[op.program];
    op.program_name = program.name;
    op.self_ns = op.total_ns;
    if (op.op < 0) {
      op.name = concat(program.name, " (launch)");
      op.category = "launch";
      for (auto it = by_place.upper_bound({op.program, -1}); it != by_place.end() && it->first.first == op.program;
           ++it)
        op.self_ns -= std::min(op.self_ns, it->second.stats.total_ns);
    } else {
      const runtime::ThunkInfo& info = program.ops[op.op].info;
      op.name = info.name;
      op.category = info.category;
      op.source = info.source;
      op.scope = info.scope;
      op.flops = info.flops;
      op.bytes = info.bytes;
      predict(recording.roofs, info, op);
    }
    ops.push_back(op);
  }
  add_identities(recording, ops);
  std::ranges::sort(ops, [](const OpStats& a, const OpStats& b) {
    return std::tuple(b.self_ns, a.program, a.op) < std::tuple(a.self_ns, b.program, b.op);
  });
  for (std::size_t i = 0; i < ops.size(); ++i) ops[i].rank = static_cast<int>(i) + 1;
  return ops;
}

}  // namespace weft::profile
