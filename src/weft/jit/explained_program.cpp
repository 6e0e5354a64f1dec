// Describes a specialisation for explanations.
#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <weft/jit/difference.h>
#include <weft/jit/guard_text.h>

namespace weft::jit {

namespace {

// Returns one line for all guards with the same name and value: "training is true in encoder.0.drop, encoder.1.drop and
// 3 more".
std::vector<std::string> value_guards(const Specialization& s) {
  constexpr std::size_t most_owners = 3;
  struct GuardLine {
    std::string is;  // "training is true"
    std::size_t count = 0;
    std::vector<std::string> owners = {};  // the first known owners
  };
  std::vector<GuardLine> groups;
  for (const ValueGuard& guard : s.values) {
    const std::string is = concat(name_of(guard), " is ", number_text(guard, guard.bits));
    auto group = std::ranges::find(groups, is, &GuardLine::is);
    if (group == groups.end()) group = groups.insert(group, {is});
    ++group->count;
    std::string owner = owner_of(guard, s);
    if (!owner.empty() && group->owners.size() < most_owners) group->owners.push_back(std::move(owner));
  }
  std::vector<std::string> lines;
  for (const GuardLine& group : groups) {
    std::string line = group.is;
    for (std::size_t i = 0; i < group.owners.size(); ++i) line += (i == 0 ? " in " : ", ") + group.owners[i];
    const std::size_t more = group.count - std::max<std::size_t>(group.owners.size(), 1);
    lines.push_back(more == 0 ? line : concat(line, " and ", more, " more"));
  }
  return lines;
}

// Returns one line for each type, the most frequent first.
std::vector<std::string> parameter_guards(const Specialization& s) {
  std::map<std::string, std::size_t> by_type;
  for (const ParameterGuard& guard : s.parameters) ++by_type[concat(guard.type)];
  std::vector<std::pair<std::string, std::size_t>> types(by_type.begin(), by_type.end());
  std::ranges::stable_sort(types, std::greater(), [](const auto& each) { return each.second; });
  std::vector<std::string> lines;
  for (const auto& [type, count] : types)
    lines.push_back(concat(count, count == 1 ? " parameter is " : " parameters are ", type));
  return lines;
}

std::string describe(const Frozen& frozen, const Specialization& s) {
  switch (frozen.kind) {
    case Frozen::Kind::tensor:
      return concat("a captured tensor, ", s.inputs[frozen.input].constant.type(), ", is a constant");
    case Frozen::Kind::key: return "a random key is fixed";
    case Frozen::Kind::number: return concat("the number ", frozen.value, " is fixed");
  }
  WEFT_ASSERT(false, "something frozen of no kind");
}

void describe(const record::Plan& plan, const ExplainOptions& options, const compiler::NameOfInput& name_of_input,
              Explanation::Graph& graph) {
  graph.kernels = plan.executable->thunks.size();
  graph.peak_bytes = plan.executable->peak_bytes;
  for (const auto& thunk : plan.executable->thunks) {
    const runtime::ThunkInfo& info = thunk->info;
    graph.launches.push_back({info.name, info.category, info.source, info.flops, info.bytes});
    graph.flops += info.flops;
    graph.moved_bytes += info.bytes;
  }
  if (!plan.report) return;
  const compiler::Report& report = *plan.report;
  graph.fusions = report.fusions;
  graph.choices = report.choices;
  graph.phases = report.passes;
  graph.shared = report.shared;
  graph.distinct_kernels = report.distinct_kernels;
  graph.compiled_kernels = report.compiled_kernels;
  graph.loaded_kernels = report.loaded_kernels;
  graph.cache_miss = report.cache_miss;
  if (!report.division) return;
  compiler::Division division = *report.division;
  if (options.remedies && report.add_remedies) report.add_remedies(name_of_input, division);
  graph.devices = division.summary();
  graph.communications = division.operations();
  graph.sent_bytes = division.sent_bytes();
  graph.joined = division.joined;
  for (const compiler::Division::Collective& c : division.collectives) {
    std::string& text =
        graph.collectives.emplace_back(concat(compiler::cost_text(c), "; ", compiler::reason_text(c, name_of_input)));
    for (const std::string& remedy : c.remedies) text += concat("; ", remedy);
  }
}

}  // namespace

Explanation::Program describe(const Specialization& s, const ExplainOptions& options) {
  Explanation::Program program;
  program.nodes = s.nodes;
  program.rerecorded_because = s.rerecorded_because;
  program.inputs = s.inputs.size();
  program.updates = s.updates.size();
  program.replays = s.replays;
  program.inlined = s.inlined;
  if (s.differentiable) program.differentiated_at = s.differentiable->differentiated_at();
  program.compile_ms = s.compile_ms;
  if (s.rerecorded_because.empty()) {
    for (const Frozen& frozen : s.frozen)
      program.frozen.push_back(concat(describe(frozen, s), "; used at ", place_text(s.first_uses[frozen.input])));
    for (const std::string& result : s.frozen_results()) program.frozen.push_back(concat(result, ", is fixed"));
  }
  for (std::size_t i = 0; i < s.arguments.size(); ++i)
    if (!s.arguments[i].is_structure) program.arguments.push_back(concat(s.paths[i], ": ", describe(s.arguments[i])));
  for (std::string& guard : value_guards(s)) program.guards.push_back(std::move(guard));
  for (std::string& guard : parameter_guards(s)) program.guards.push_back(std::move(guard));
  for (std::size_t i = 0; i < s.same.size(); ++i) program.guards.emplace_back("two arguments are one object");
  if (s.is_alive())
    for (const Alias& alias : s.aliases) program.guards.push_back(alias_text(alias, s) + " are the same tensor");
  if (s.aliases_matter && !s.arguments.empty())
    program.guards.emplace_back(
        "which arguments are the same tensor, because a gradient with respect to one includes the others");
  if (s.plan) describe(*s.plan, options, [&](std::int32_t input) { return s.name_of(s.inputs[input]); }, program);
  for (const Specialization::Part& part : s.before) {
    Explanation::Graph& graph = program.before.emplace_back();
    graph.nodes = part.nodes;
    graph.ended_by = part.ended_by;
    if (part.plan) describe(*part.plan, options, [](std::int32_t input) { return concat("input ", input); }, graph);
  }
  return program;
}

}  // namespace weft::jit
