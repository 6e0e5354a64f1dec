#include <weft/jit/difference.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace weft::jit {

namespace {

std::string characters_of(const Leaf& leaf) {
  const auto characters = std::bit_cast<std::array<char, sizeof leaf.bits>>(leaf.bits);
  return {characters.begin(), std::ranges::find(characters, '\0')};
}

std::string describe_value(const Leaf& leaf) {
  switch (leaf.value_kind) {
    case ValueKind::boolean: return leaf.bits != 0 ? "true" : "false";
    case ValueKind::signed_integer: return concat(static_cast<std::int64_t>(leaf.bits));
    case ValueKind::unsigned_integer: return concat(leaf.bits);
    case ValueKind::f32: return concat(std::bit_cast<float>(static_cast<std::uint32_t>(leaf.bits)));
    case ValueKind::f64: return concat(std::bit_cast<double>(leaf.bits));
    case ValueKind::enumerator: return concat("enumerator ", leaf.bits);
    case ValueKind::text: return concat('"', characters_of(leaf), '"');
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

std::string name_of(const ValueGuard& guard) {
  return guard.name ? guard.name : guard.bytes == 1 ? "a Flag" : "a Scalar";
}

// The parameter whose flag it is, or the module that reads it, by its path; empty: it is not known.
std::string owner_of(const ValueGuard& guard, const Specialization& s) {
  if (!s.is_alive()) return guard.module;
  for (const ParameterGuard& of : s.parameters)
    if (&of.parameter->requires_grad == guard.value) return std::string(of.parameter->name());
  return guard.module;
}

// The line where an argument is used first.
std::string use_of(const Specialization& s, std::size_t leaf) {
  for (std::size_t i = 0; i < s.inputs.size() && i < s.first_uses.size(); ++i) {
    if (s.inputs[i].kind == Place::Kind::argument && s.inputs[i].index == leaf && s.first_uses[i].line != 0)
      return concat(", first used at ", place_text(s.first_uses[i]));
  }
  return {};
}

bool is_value(const Leaf& leaf) { return leaf.kind == Leaf::Kind::value; }
bool is_text(const Leaf& leaf) { return is_value(leaf) && leaf.value_kind == ValueKind::text; }
bool is_number(const Leaf& leaf) {
  return is_value(leaf) && !is_text(leaf) && leaf.value_kind != ValueKind::boolean &&
         leaf.value_kind != ValueKind::enumerator;
}

std::string text_of(Finding finding, const Specialization& s) {
  switch (finding.kind) {
    case Finding::Kind::argument: return concat("argument ", s.paths[finding.index]);
    case Finding::Kind::parameter: {
      const std::string_view name = s.parameters[finding.index].parameter->name();
      return name.empty() ? "what a parameter holds" : concat("what parameter ", name, " holds");
    }
    case Finding::Kind::captured: return "a captured tensor";
  }
  return {};
}
std::string text_of(const Alias& alias, const Specialization& s) {
  return concat(text_of(alias.first, s), " and ", text_of(alias.again, s));
}

// Leaves by their paths. One path has several: of a string, its size and its characters; of an optional, whether it is there and
// what it holds.
using Leaves = std::vector<const Leaf*>;
class ByPath {
 public:
  ByPath(std::span<const Leaf> leaves, std::span<const std::string> paths) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i].is_structure) continue;
      const auto [at, is_new] = by_path_.try_emplace(paths[i]);
      if (is_new) order_.push_back(paths[i]);
      at->second.push_back(&leaves[i]);
    }
  }
  const std::vector<std::string>& paths() const { return order_; }
  const Leaves* at(const std::string& path) const {
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, Leaves> by_path_;
  std::vector<std::string> order_;
};

bool same(const Leaves& a, const Leaves& b) {
  return std::ranges::equal(a, b, [](const Leaf* x, const Leaf* y) { return x->same_signature(*y); });
}

bool holds_text(const Leaves& leaves) {
  return std::ranges::any_of(leaves, [](const Leaf* leaf) { return is_text(*leaf); });
}

// `other`: what is there in the other call.
std::string describe(const Leaves& leaves, const Leaves& other) {
  if (holds_text(leaves) || holds_text(other)) {
    std::string text;
    for (const Leaf* leaf : leaves)
      if (is_text(*leaf)) text += characters_of(*leaf);
    return concat('"', text, '"');
  }
  if (leaves.size() == 1 && other.size() > 1) return "nothing";  // of an optional or a pointer
  return describe(*leaves.back());
}

class Comparison {
 public:
  Comparison(const Specialization& known, std::span<const Leaf> leaves, std::span<const std::string> paths)
      : known_(known), leaves_(leaves), before_(known.arguments, known.paths), now_(leaves, paths) {}

  Difference made(const Context& now) {
    compare_arguments();
    compare_state(now);
    return std::move(made_);
  }

 private:
  void compare_arguments() {
    std::set<std::string> differing;
    const auto is_told_above = [&](const std::string& path) {
      for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
        if (differing.contains(path.substr(0, dot))) return true;
      return false;
    };
    for (const std::string& path : now_.paths()) {
      const Leaves& now = *now_.at(path);
      const Leaves* const before = before_.at(path);
      if (before && same(*before, now)) continue;
      if (before) {
        differing.insert(path);
        compare(path, *before, now);
      } else if (!is_told_above(path)) {
        made_.types.push_back(concat("argument ", path, " is new: ", describe(now, {})));
      }
    }
    for (const std::string& path : before_.paths())
      if (!now_.at(path) && !is_told_above(path)) made_.types.push_back(concat("argument ", path, " is left out"));
    if (!instances_.empty())
      made_.values.push_back(
          concat("argument ", instances_.front(),
                 instances_.size() == 1 ? " is" : concat(" and ", instances_.size() - 1, " more are"),
                 " of another instance of the same type, which the same program serves"));
  }

  void compare(const std::string& path, const Leaves& before, const Leaves& now) {
    const Leaf &was = *before.back(), &is = *now.back();
    if (is.kind == Leaf::Kind::object && was.kind == is.kind && was.type == is.type) {
      instances_.push_back(path);
      return;
    }
    std::string text = concat("argument ", path, " is ", describe(now, before), " instead of ", describe(before, now));
    const auto is_all_value = [](const Leaves& all) { return is_value(*all.back()); };
    const bool is_string = holds_text(before) || holds_text(now);
    if (is_string || (is_all_value(before) && is_all_value(now))) {
      if (is_number(was) && is_number(is)) text += ": as a weft::Scalar or a Tensor it is an input, and replayed";
      made_.values.push_back(std::move(text));
      return;
    }
    text += use_of(known_, static_cast<std::size_t>(&was - known_.arguments.data()));
    if (was.type && is.type) {
      if (was.type.dtype() != is.type.dtype()) text += "; convert it before the call";
      if (was.type.dtype() == is.type.dtype() && was.type.rank() == is.type.rank())
        for (int d = 0; d < is.type.rank(); ++d)
          if (was.type.dim(d) != is.type.dim(d)) made_.sizes.push_back(concat("dimension ", d, " of argument ", path));
    }
    made_.types.push_back(std::move(text));
  }

  void compare_state(const Context& now) {
    const auto other = [&](const char* what) { made_.types.push_back(concat(what, " is another one")); };
    const auto differ = [&](const char* what, const auto& before, const auto& after) {
      if (before != after) made_.types.push_back(concat(what, " is ", after, " instead of ", before));
    };
    const Context& before = known_.context;
    if (before.device != now.device) other("the device");
    differ("WEFT_STRICT", before.strict, now.strict);
    differ("WEFT_FUSE", before.fuse, now.fuse);
    if (before.autocast != now.autocast) other("the Autocast around the call");
    if (before.backend != now.backend) other("WEFT_BACKEND");
    if (!known_.is_alive()) return made_.values.push_back(Specialization::is_gone);
    for (const ParameterGuard& guard : known_.parameters) compare(guard);
    if (before_.paths() != now_.paths() || known_.arguments.size() != leaves_.size()) return;  // the rest is by leaf
    for (const ValueGuard& guard : known_.values) compare(guard);
    for (const auto& [a, b] : known_.same)
      if (leaves_[a].at != leaves_[b].at)
        made_.types.push_back(concat("arguments ", known_.paths[a], " and ", known_.paths[b],
                                     " were one object, and are different ones"));
    compare_aliases();
  }

  void compare_aliases() {
    if (known_.same_aliases(leaves_)) return;
    std::vector<Alias> now;
    find_aliases(leaves_, known_.parameters, known_.captured, now);
    const auto tell = [&](const std::vector<Alias>& these, const std::vector<Alias>& those, const char* what) {
      for (const Alias& alias : these)
        if (std::ranges::find(those, alias) == those.end())
          made_.types.push_back(concat(text_of(alias, known_), what, ": a gradient by one is that by both"));
    };
    tell(now, known_.aliases, " are one tensor");
    tell(known_.aliases, now, " are one tensor no more");
  }

  void compare(const ParameterGuard& guard) {
    // Told as an argument; of another call, it may be gone.
    if (std::ranges::find(known_.arguments, guard.parameter, &Leaf::at) != known_.arguments.end()) return;
    const Tensor& value = guard.parameter->unobserved();
    const Type type = value.defined() ? value.type() : Type();
    if (type == guard.type) return;
    std::string use;
    for (std::size_t i = 0; i < known_.inputs.size() && use.empty(); ++i)
      if (known_.inputs[i].parameter == guard.parameter) use = place_text(known_.first_uses[i]);
    made_.types.push_back(concat("a parameter of the function", use.empty() ? "" : ", first used at ", use, ", is ",
                                 type ? concat(type) : "undefined", " instead of ", guard.type,
                                 ": something assigned a value of another type to it"));
  }

  void compare(const ValueGuard& guard) {
    const auto leaf = static_cast<std::size_t>(std::max(guard.leaf, 0));
    if (guard.leaf >= 0 && leaves_[leaf].kind != known_.arguments[leaf].kind) return;  // told as an argument
    const std::uint64_t bits = guard.now(leaves_);
    if (bits == guard.bits) return;
    const bool is_flag = guard.bytes == 1;
    const std::string after = place_text(guard.after), owner = owner_of(guard, known_);
    std::string what = name_of(guard);
    if (!owner.empty()) what += concat(" of ", owner);
    if (guard.name) what += is_flag ? ", a Flag" : ", a Scalar";
    if (guard.leaf >= 0) what = concat("argument ", known_.paths[leaf], ", ", what, ',');
    made_.values.push_back(concat(what, " that the function reads ",
                                  after.empty() ? "before it records anything" : "on the host, after " + after, ", is ",
                                  number_text(guard, bits), " instead of ", number_text(guard, guard.bits),
                                  is_flag ? ": each of its values is recorded once"
                                          : ": given to an operation unread it is an input, and replayed"));
  }

  const Specialization& known_;
  std::span<const Leaf> leaves_;
  ByPath before_, now_;
  std::vector<std::string> instances_;
  Difference made_;
};

std::string joined(std::span<const std::string> all) {
  std::string text;
  for (const std::string& each : all) text += (text.empty() ? "" : "; and ") + each;
  return text;
}

}  // namespace

std::string Difference::text(const std::string& about_sizes) const {
  if (types.empty()) return joined(values);
  std::string text = joined(types);
  if (!sizes.empty() && !about_sizes.empty()) text += "; " + about_sizes;
  if (!values.empty()) text += "; recorded again for, which compiles nothing by itself: " + joined(values);
  return text;
}

Difference nearest_difference(std::span<const std::shared_ptr<const Specialization>> known,
                              std::span<const Leaf> leaves, std::span<const std::string> paths, const Context& now) {
  Difference nearest;
  const auto distance = [](const Difference& d) { return std::pair(d.types.size(), d.values.size()); };
  for (const auto& specialization : known) {
    if (specialization->holds(leaves, now)) return {};  // recorded in every call
    Difference difference = Comparison(*specialization, leaves, paths).made(now);
    if (nearest.none() || distance(difference) < distance(nearest)) nearest = std::move(difference);
  }
  return nearest;
}

namespace {

const char* const hold_what_decides = ": pass what decides it as an argument, or hold it in a weft::Flag or Scalar";

std::string at(const ir::Location& location) {
  const std::string place = place_text(location);
  return place.empty() ? "" : " at " + place;
}

// A tensor that a replay gives: by where it is made, for results of a program have no other name.
std::string name_of(const Specialization& s, const Place& place, const ir::Location& made_at) {
  if (place.kind == Place::Kind::result) return concat("what is made", at(made_at));
  if (place.kind != Place::Kind::parameter) return s.name_of(place);
  for (std::size_t i = 0; i < s.arguments.size(); ++i)
    if (s.arguments[i].at == place.parameter) return concat("argument ", s.paths[i]);
  for (std::size_t i = 0; i < s.inputs.size(); ++i)
    if (s.inputs[i].parameter == place.parameter) return concat("the parameter first used", at(s.first_uses[i]));
  return "a parameter";
}

bool same(const Place& a, const Place& b) {
  return a.kind == b.kind && a.index == b.index && a.parameter == b.parameter && a.is_copy == b.is_copy &&
         (a.kind != Place::Kind::constant || a.constant.buffer() == b.constant.buffer());
}

const Number* made_anew(const Specialization& s, std::size_t immediate) {
  const auto found = std::ranges::find(s.numbers, immediate, &Number::index);
  return found == s.numbers.end() ? nullptr : &*found;
}

bool same(const Number& a, const Number& b) {
  return a.leaf == b.leaf && (a.leaf >= 0 || a.scalar == b.scalar) && a.generator == b.generator && a.draw == b.draw;
}

std::string difference_of_inputs(const Specialization& known, const Specialization& recorded) {
  std::size_t immediate = 0;
  for (std::size_t i = 0; i < known.inputs.size(); ++i) {
    const Place &before = known.inputs[i], &now = recorded.inputs[i];
    const std::string use = at(known.first_uses[i]);
    if (before.kind == Place::Kind::constant && now.kind == before.kind && !same(before, now))
      return concat("the captured tensor used", use,
                    " is another one now: pass it as an argument or hold it in a Parameter");
    if (!same(before, now))
      return concat("an input used", use, " comes from elsewhere now: it is ", name_of(recorded, now, {}),
                    " instead of ", name_of(known, before, {}), hold_what_decides);
    if (before.kind != Place::Kind::number) continue;
    const Number *was = made_anew(known, immediate), *is = made_anew(recorded, immediate);
    if (!was && !is && known.immediates[immediate] != recorded.immediates[immediate])
      return concat("the number used", use, " is another one now: hold it in a weft::Scalar or pass it as one");
    if (bool(was) != bool(is) || (was && !same(*was, *is)))
      return concat("the number used", use, " comes from elsewhere now, as from another Scalar", hold_what_decides);
    ++immediate;
  }
  const auto same_draws = [](const Draws& a, const Draws& b) {
    return a.generator == b.generator && a.count == b.count;
  };
  if (!std::ranges::equal(known.draws, recorded.draws, same_draws))
    return concat("random numbers come from another generator now, or are more or fewer", hold_what_decides);
  return {};
}

std::string difference_of_results(const Specialization& known, const Specialization& recorded) {
  if (known.results.size() != recorded.results.size())
    return concat("the function returns ", recorded.results.size(), " tensors now instead of ", known.results.size(),
                  hold_what_decides);
  for (std::size_t i = 0; i < known.results.size(); ++i)
    if (!same(known.results[i], recorded.results[i]))
      return concat("result ", i, " is ", name_of(recorded, recorded.results[i], recorded.made_at[i]),
                    " now instead of ", name_of(known, known.results[i], known.made_at[i]), hold_what_decides);
  const auto &before = known.prototype.leaves, &now = recorded.prototype.leaves;
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i)
    if (!now[i].same_signature(before[i]))
      return concat("the function returns ", describe(now[i]), " instead of ", describe(before[i]), hold_what_decides);
  return {};
}

std::string difference_of_updates(const Specialization& known, const Specialization& recorded) {
  for (std::size_t i = 0; i < recorded.updates.size(); ++i) {
    const auto& [place, parameter] = recorded.updates[i];
    const auto before = std::ranges::find(known.updates, parameter, &std::pair<Place, Parameter*>::second);
    if (before != known.updates.end() && same(before->first, place)) continue;
    const ir::Location& made_at = recorded.made_at[recorded.results.size() + i];
    const std::string value = name_of(recorded, place, made_at);
    if (before == known.updates.end())
      return concat("another parameter than before is given ", value, " as its new value", hold_what_decides);
    const auto k = static_cast<std::size_t>(before - known.updates.begin()) + known.results.size();
    return concat("the new value of a parameter is ", value, " now instead of ",
                  name_of(known, before->first, known.made_at[k]), hold_what_decides);
  }
  if (known.updates.size() == recorded.updates.size()) return {};
  return concat("of the ", known.updates.size(), " parameters that a replay updates only ", recorded.updates.size(),
                " are updated now", hold_what_decides);
}

}  // namespace

std::string difference_of_replay(const Specialization& known, const Specialization& recorded) {
  if (!recorded.rerecorded_because.empty()) return recorded.rerecorded_because;
  const char* const other_operations = "the function recorded other operations";
  if (known.operations != recorded.operations) return other_operations;
  for (const auto compare : {difference_of_inputs, difference_of_results, difference_of_updates})
    if (std::string difference = compare(known, recorded); !difference.empty()) return difference;
  return known.outputs == recorded.outputs ? "" : other_operations;
}

namespace {

// One line for all that have one name and value: "training is true in encoder.0.drop, encoder.1.drop and 3 more".
std::vector<std::string> value_guards(const Specialization& s) {
  constexpr std::size_t most_owners = 3;
  struct Group {
    std::string is;  // "training is true"
    std::size_t count = 0;
    std::vector<std::string> owners = {};  // the first of them that are known
  };
  std::vector<Group> groups;
  for (const ValueGuard& guard : s.values) {
    const std::string is = concat(name_of(guard), " is ", number_text(guard, guard.bits));
    auto group = std::ranges::find(groups, is, &Group::is);
    if (group == groups.end()) group = groups.insert(group, {is});
    ++group->count;
    std::string owner = owner_of(guard, s);
    if (!owner.empty() && group->owners.size() < most_owners) group->owners.push_back(std::move(owner));
  }
  std::vector<std::string> lines;
  for (const Group& group : groups) {
    std::string line = group.is;
    for (std::size_t i = 0; i < group.owners.size(); ++i) line += (i == 0 ? " in " : ", ") + group.owners[i];
    const std::size_t more = group.count - std::max<std::size_t>(group.owners.size(), 1);
    lines.push_back(more == 0 ? line : concat(line, " and ", more, " more"));
  }
  return lines;
}

// One line for each type, the most frequent first.
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

void describe(const record::Plan& plan, Explanation::Graph& graph) {
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
}

}  // namespace

Explanation::Program describe(const Specialization& s) {
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
    for (const Alias& alias : s.aliases) program.guards.push_back(text_of(alias, s) + " are one tensor");
  if (s.aliases_matter && !s.arguments.empty())
    program.guards.emplace_back("which arguments are one tensor, for a gradient by one is that by all");
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
