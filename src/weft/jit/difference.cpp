#include <weft/jit/difference.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>

namespace weft::jit {

namespace {

std::string describe_value(const Leaf& leaf) {
  switch (leaf.value_kind) {
    case ValueKind::boolean: return leaf.bits != 0 ? "true" : "false";
    case ValueKind::signed_integer: return concat(static_cast<std::int64_t>(leaf.bits));
    case ValueKind::unsigned_integer: return concat(leaf.bits);
    case ValueKind::f32: return concat(std::bit_cast<float>(static_cast<std::uint32_t>(leaf.bits)));
    case ValueKind::f64: return concat(std::bit_cast<double>(leaf.bits));
    case ValueKind::enumerator: return concat("enumerator ", leaf.bits);
    case ValueKind::text: {
      const auto characters = std::bit_cast<std::array<char, sizeof leaf.bits>>(leaf.bits);
      const auto end = std::ranges::find(characters, '\0');
      return concat('"', std::string(characters.begin(), end), '"');
    }
  }
  return {};
}

}  // namespace

std::string describe(const Leaf& leaf) {
  switch (leaf.kind) {
    case Leaf::Kind::tensor: return leaf.type ? concat(leaf.type) : "undefined";
    case Leaf::Kind::object: return leaf.type ? concat("a parameter, ", leaf.type) : "a Scalar of a struct";
    case Leaf::Kind::scalar: return "a Scalar";
    case Leaf::Kind::size: return concat(leaf.bits, " elements");
    case Leaf::Kind::value: return describe_value(leaf);
  }
  return {};
}

namespace {

std::string number_text(const ValueGuard& guard, std::uint64_t bits) {
  if (guard.bytes == 1) return bits != 0 ? "true" : "false";
  double number = 0;
  std::memcpy(&number, &bits, sizeof number);
  return concat(number);
}

// The line where an argument is used first.
std::string use_of(const Specialization& s, std::size_t leaf) {
  for (std::size_t i = 0; i < s.inputs.size() && i < s.first_uses.size(); ++i) {
    if (s.inputs[i].kind == Place::Kind::argument && s.inputs[i].index == leaf && s.first_uses[i].line != 0)
      return concat(", first used at ", place_text(s.first_uses[i]));
  }
  return {};
}

std::string remedy(const Leaf& before, const Leaf& now) {
  if (before.kind == Leaf::Kind::value && now.kind == Leaf::Kind::value)
    return "; take it as a weft::Scalar or a Tensor to make it an input of one program";
  if (before.type && now.type && before.type.dtype() != now.type.dtype()) return "; convert it before the call";
  if (before.type && now.type && before.type.rank() == now.type.rank())
    return "; sizes that change become symbols of one program (CompileOptions.dynamic)";
  return {};
}

std::vector<std::string> argument_differences(const Specialization& s, std::span<const Leaf> leaves,
                                              std::span<const std::string> paths) {
  std::vector<std::string> differences;
  if (s.arguments.size() != leaves.size())
    differences.push_back(concat("the arguments hold ", leaves.size(), " leaves instead of ", s.arguments.size()));
  for (std::size_t i = 0; i < std::min(leaves.size(), s.arguments.size()); ++i) {
    if (leaves[i].same_signature(s.arguments[i])) continue;
    differences.push_back(concat("argument ", i < paths.size() ? paths[i] : concat(i), " is ", describe(leaves[i]),
                                 " instead of ", describe(s.arguments[i]), use_of(s, i),
                                 remedy(s.arguments[i], leaves[i])));
  }
  return differences;
}

void add_state_differences(const Specialization& s, std::span<const Leaf> leaves, const Context& now,
                           std::vector<std::string>& differences) {
  const auto differ = [&](const char* what, const auto& before, const auto& after) {
    if (before != after) differences.push_back(concat(what, " is ", after, " instead of ", before));
  };
  if (s.context.device != now.device) differences.emplace_back("the device is another one");
  differ("WEFT_STRICT", s.context.strict, now.strict);
  differ("WEFT_FUSE", s.context.fuse, now.fuse);
  if (s.context.autocast != now.autocast) differences.emplace_back("the Autocast around the call is another one");
  if (s.context.backend != now.backend) differences.emplace_back("WEFT_BACKEND is another one");
  if (s.arguments.size() != leaves.size()) return;  // guards of arguments say nothing then
  for (const ValueGuard& guard : s.values) {
    if (const std::uint64_t bits = guard.now(leaves); bits != guard.bits)
      differences.push_back(concat(guard.bytes == 1 ? "a Flag" : "a Scalar", " that the function reads is ",
                                   number_text(guard, bits), " instead of ", number_text(guard, guard.bits)));
  }
  for (const ParameterGuard& guard : s.parameters) {
    const Tensor& value = guard.parameter->unobserved();
    const Type type = value.defined() ? value.type() : Type();
    if (type != guard.type)
      differences.push_back(concat("a parameter is ", type ? concat(type) : "undefined", " instead of ", guard.type));
  }
  if (differences.empty()) differences.emplace_back("arguments that were one object are different ones now");
}

}  // namespace

std::string nearest_difference(std::span<const std::shared_ptr<Specialization>> known, std::span<const Leaf> leaves,
                               std::span<const std::string> paths, const Context& now) {
  std::vector<std::string> nearest;
  for (const auto& specialization : known) {
    if (specialization->holds(leaves, now)) return {};  // recorded in every call
    std::vector<std::string> differences = argument_differences(*specialization, leaves, paths);
    add_state_differences(*specialization, leaves, now, differences);
    if (nearest.empty() || differences.size() < nearest.size()) nearest = std::move(differences);
  }
  std::string text;
  for (const std::string& difference : nearest) text += (text.empty() ? "" : "; and ") + difference;
  return text;
}

std::string difference_of_replay(const Specialization& known, const Specialization& recorded) {
  if (!recorded.rerecorded_because.empty()) return recorded.rerecorded_because;
  if (known.plan != recorded.plan) return "the function recorded other operations";
  const auto is_made_anew = [&](std::size_t i) {
    for (const Number& number : known.numbers)
      if (number.index == i) return true;
    return false;
  };
  std::size_t number = 0;
  for (std::size_t i = 0; i < known.inputs.size(); ++i) {
    const Place &before = known.inputs[i], &now = recorded.inputs[i];
    const std::string use = known.first_uses[i].line == 0 ? "" : concat(" at ", place_text(known.first_uses[i]));
    if (before.kind != now.kind || before.index != now.index || before.parameter != now.parameter)
      return concat("an input used", use, " comes from elsewhere now");
    if (before.kind == Place::Kind::constant && before.constant.buffer() != now.constant.buffer())
      return concat("the captured tensor used", use,
                    " is another one now: pass it as an argument or hold it in a Parameter");
    if (before.kind != Place::Kind::number) continue;
    if (!is_made_anew(number) && known.immediates[number] != recorded.immediates[number])
      return concat("the number used", use, " is another one now: hold it in a weft::Scalar or pass it as one");
    ++number;
  }
  if (known.updates.size() != recorded.updates.size()) return "other parameters are changed";
  return {};
}

namespace {

std::string describe(const Frozen& frozen, const Specialization& s) {
  switch (frozen.kind) {
    case Frozen::Kind::tensor:
      return concat("a captured tensor, ", s.inputs[frozen.input].constant.type(), ", is a constant");
    case Frozen::Kind::key: return "a random key is fixed";
    case Frozen::Kind::number: return concat("the number ", frozen.value, " is fixed");
  }
  WEFT_ASSERT(false, "something frozen of no kind");
}

void describe(const detail::Plan& plan, Explanation::Graph& graph) {
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
  graph.distinct_kernels = report.distinct_kernels;
  graph.compiled_kernels = report.compiled_kernels;
  graph.loaded_kernels = report.loaded_kernels;
  graph.cache_miss = report.cache_miss;
}

}  // namespace

Explanation::Program describe(const Specialization& s) {
  Explanation::Program program;
  program.nodes = s.nodes;
  program.rerecorded_because = s.rerecorded_because;
  program.inputs = s.inputs.size();
  program.updates = s.updates.size();
  program.replays = s.replays;
  program.compile_ms = s.compile_ms;
  for (const Frozen& frozen : s.frozen)
    program.frozen.push_back(concat(describe(frozen, s), "; used at ", place_text(s.first_uses[frozen.input])));
  for (std::size_t i = 0; i < s.arguments.size(); ++i)
    program.arguments.push_back(concat(s.paths[i], ": ", describe(s.arguments[i])));
  for (const ValueGuard& guard : s.values)
    program.guards.push_back(concat(guard.bytes == 1 ? "a Flag is " : "a Scalar is ", number_text(guard, guard.bits)));
  std::map<std::string, int> parameters;
  for (const ParameterGuard& guard : s.parameters) ++parameters[concat(guard.type)];
  for (const auto& [type, count] : parameters)
    program.guards.push_back(concat(count, count == 1 ? " parameter is " : " parameters are ", type));
  for (std::size_t i = 0; i < s.same.size(); ++i) program.guards.emplace_back("two arguments are one object");
  if (s.plan) describe(*s.plan, program);
  for (const Specialization::Part& part : s.before) {
    Explanation::Graph& graph = program.before.emplace_back();
    graph.nodes = part.nodes;
    graph.ended_by = part.ended_by;
    if (part.plan) describe(*part.plan, graph);
  }
  return program;
}

}  // namespace weft::jit
