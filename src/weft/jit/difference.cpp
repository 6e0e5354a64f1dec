#include <weft/jit/difference.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <weft/jit/guard_text.h>

namespace weft::jit {

namespace {

// Returns the line where an argument is first used.
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

// The leaves at each path. One path can have several leaves: a string has its size and its characters, an optional has
// its presence and its value.
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

// `other`: the leaves at the same path in the other call.
std::string describe(const Leaves& leaves, const Leaves& other) {
  if (holds_text(leaves) || holds_text(other)) {
    std::string text;
    for (const Leaf* leaf : leaves)
      if (is_text(*leaf)) text += characters_of(*leaf);
    return concat('"', text, '"');
  }
  if (leaves.size() == 1 && other.size() > 1) return "nothing";  // an optional or a pointer
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
                 " from another instance of the same type, which the same program serves"));
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
    text += use_of(known_, &was - known_.arguments.data());
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
    if (before.mesh != now.mesh) other("the mesh");
    differ("WEFT_STRICT", before.strict, now.strict);
    differ("WEFT_FUSE", before.fuse, now.fuse);
    if (before.autocast != now.autocast) other("the Autocast around the call");
    if (before.backend != now.backend) other("WEFT_BACKEND");
    if (!known_.is_alive()) return made_.values.push_back(Specialization::is_gone);
    for (const ParameterGuard& guard : known_.parameters) compare(guard);
    // The remaining comparison is leaf by leaf.
    if (before_.paths() != now_.paths() || known_.arguments.size() != leaves_.size()) return;
    for (const ValueGuard& guard : known_.values) compare(guard);
    for (const auto& [a, b] : known_.same)
      if (leaves_[a].at != leaves_[b].at)
        made_.types.push_back(
            concat("arguments ", known_.paths[a], " and ", known_.paths[b], " were the same object and now differ"));
    compare_aliases();
  }

  void compare_aliases() {
    if (known_.same_aliases(leaves_)) return;
    AliasFinder finder;
    const std::vector<Alias>& now = finder.find(leaves_, known_.parameters, known_.captured);
    const auto tell = [&](const std::vector<Alias>& these, const std::vector<Alias>& those, const char* what) {
      for (const Alias& alias : these)
        if (std::ranges::find(those, alias) == those.end())
          made_.types.push_back(
              concat(alias_text(alias, known_), what, ": a gradient with respect to one includes the other"));
    };
    tell(now, known_.aliases, " are the same tensor");
    tell(known_.aliases, now, " are no longer the same tensor");
  }

  void compare(const ParameterGuard& guard) {
    // Already reported as an argument. The parameter of an earlier call may no longer exist.
    if (std::ranges::find(known_.arguments, guard.parameter, &Leaf::at) != known_.arguments.end()) return;
    const Tensor& value = guard.parameter->unobserved();
    const Type type = value.defined() ? value.type() : Type();
    if (guard.holds()) return;
    std::string use;
    for (std::size_t i = 0; i < known_.inputs.size() && use.empty(); ++i)
      if (known_.inputs[i].parameter == guard.parameter) use = place_text(known_.first_uses[i]);
    made_.types.push_back(
        concat("a parameter of the function", use.empty() ? "" : ", first used at ", use, ", is ",
               type ? concat(type, layout_text(value.impl().layout)) : "undefined", " instead of ", guard.type,
               layout_text(guard.layout), ": something assigned ",
               type == guard.type ? "a value with another sharding to it" : "a value of another type to it"));
  }

  void compare(const ValueGuard& guard) {
    const std::size_t leaf = std::max(guard.leaf, 0);
    // Already reported as an argument.
    if (guard.leaf >= 0 && leaves_[leaf].kind != known_.arguments[leaf].kind) return;
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
    if (specialization->holds(leaves, now)) return {};  // such calls are recorded every time
    Difference difference = Comparison(*specialization, leaves, paths).made(now);
    if (nearest.none() || distance(difference) < distance(nearest)) nearest = std::move(difference);
  }
  return nearest;
}

}  // namespace weft::jit
