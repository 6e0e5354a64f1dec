#include <weft/jit/dynamic_sizes.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <weft/base/hash.h>

namespace weft::jit {

namespace {

std::int64_t size_of(const Leaf& leaf, int dim) { return leaf.type.size(dim); }

}  // namespace

std::string DynamicSizes::Declared::text() const {
  return concat("dimension ", mark.dim, " of argument ", path, " is ", mark.text_and_place());
}

std::string DynamicSizes::text() const {
  std::string all;
  for (const Declared& d : declared_) all += (all.empty() ? "" : ", ") + d.text();
  return all;
}

bool DynamicSizes::any_dynamic() const {
  return std::ranges::any_of(declared_, [](const Declared& d) { return !d.mark.buckets; });
}

bool DynamicSizes::any_buckets() const {
  return std::ranges::any_of(declared_, [](const Declared& d) { return d.mark.buckets.has_value(); });
}

// Arguments are matched by path, because some exist only in some calls.
std::vector<DynamicSizes::Present> DynamicSizes::present(std::span<const Declared> declared,
                                                         std::span<const Leaf> leaves,
                                                         std::span<const std::string> paths) {
  std::vector<Present> all;
  for (const Declared& d : declared)
    for (std::size_t i = 0; i < leaves.size(); ++i)
      if (leaves[i].kind == Leaf::Kind::tensor && leaves[i].type && d.mark.dim < leaves[i].type.rank() &&
          paths[i] == d.path)
        all.push_back({i, &d});
  return all;
}

bool DynamicSizes::is_of_buckets(const DynamicMark& mark) const {
  return mark.buckets || std::ranges::any_of(declared_, [&](const Declared& d) {
           return d.mark.buckets && !mark.range.name.empty() && d.mark.range.name == mark.range.name;
         });
}

std::uint64_t DynamicSizes::buckets_of(std::span<const Type> types, std::span<const Leaf> leaves,
                                       std::span<const std::string> paths) const {
  std::set<std::pair<std::string, std::int64_t>> sizes;  // a set, because several places may have the same name
  for (const Present& p : present(declared_, leaves, paths))
    if (p.mark().buckets) sizes.emplace(p.mark().range.name, types[p.leaf].size(p.mark().dim));
  std::uint64_t hash = 0;
  for (const auto& [name, size] : sizes) hash = mix(mix(hash, std::hash<std::string>()(name)), size);
  return hash;
}

void DynamicSizes::require_options_allow(const CompileOptions& options) const {
  const auto exclude = [&](bool one, bool other, const char* option, const char* why) {
    if (one && other) fail(options.name, ": ", text(), ", which contradicts ", option, " of compile(): ", why);
  };
  exclude(any_dynamic(), options.dynamic == Dynamic::off, "dynamic off",
          "every size has its own program; use Dynamic::automatic, or omit mark_dynamic");
  exclude(any_dynamic(), options.activation_memory_bytes != 0, "activation_memory_bytes",
          "with a memory budget, each size needs its own program; omit one of them, or use mark_buckets");
  exclude(any_buckets(), options.dynamic == Dynamic::on, "dynamic on",
          "every bucket has its own program; use Dynamic::automatic, or omit mark_buckets");
  exclude(any_buckets(), options.limit_policy == LimitPolicy::generalise, "limit_policy generalise",
          "every bucket has its own program; use limit_policy evict or error");
}

void DynamicSizes::check(std::span<const Leaf> leaves, std::span<const std::string> paths,
                         const CompileOptions& options) {
  const auto violated = [&](const auto&... parts) {
    throw ConstraintViolationError(concat(options.name, ": ", parts...));
  };
  DynamicSizes next = *this;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].kind != Leaf::Kind::tensor || !leaves[i].type) continue;
    for (DynamicMark& mark : marks_of(leaves[i].tensor())) {
      Declared said{paths[i], std::move(mark)};
      const auto known = std::ranges::find_if(
          next.declared_, [&](const Declared& d) { return d.path == said.path && d.mark.dim == said.mark.dim; });
      if (known == next.declared_.end()) {
        next.declared_.push_back(std::move(said));
      } else if (!known->mark.says_as(said.mark)) {
        violated(said.text(), ", but was declared to be ", known->mark.text_and_place(), ": declare only one of them");
      }
    }
  }
  next.require_options_allow(options);
  std::map<std::string, Present> by_name;
  for (const Present& p : present(next.declared_, leaves, paths)) {
    const auto place = [&](const Present& at) {
      return concat("dimension ", at.mark().dim, " of argument ", paths[at.leaf], ", ", leaves[at.leaf].type, ',');
    };
    const std::int64_t size = size_of(leaves[p.leaf], p.mark().dim);
    if (!p.mark().allows(size)) violated(place(p), " is not ", p.mark().text(), ", as declared at ", p.mark().where);
    if (p.mark().range.name.empty()) continue;
    const Present& first = by_name.try_emplace(p.mark().range.name, p).first->second;
    if (size_of(leaves[first.leaf], first.mark().dim) == size) continue;
    if (!both(first.mark(), p.mark()))
      violated(first.declared->text(), " and ", p.declared->text(),
               ": sizes with the same name must be equal, but no size satisfies both");
    violated(place(p), " and ", place(first), " are both ", p.mark().range.name, ", as declared at ", p.mark().where,
             ", and must be equal");
  }
  *this = std::move(next);
}

namespace {

// A group of sizes that are equal in every call: sizes with the same name, or unnamed sizes that are equal now.
using Group = std::pair<std::string, std::int64_t>;
Group group_of(const DynamicMark& mark, std::int64_t now) {
  return {mark.range.name, mark.range.name.empty() ? now : 0};
}

}  // namespace

std::vector<ChangingSize> DynamicSizes::changing(std::span<const Leaf> leaves, std::span<const std::string> paths,
                                                 const std::string& function) const {
  std::vector<Present> all = present(declared_, leaves, paths);
  if (all.size() != declared_.size()) return {};
  std::erase_if(all, [&](const Present& p) { return is_of_buckets(p.mark()); });
  std::vector<std::pair<Group, DynamicMark>> said;
  std::vector<ChangingSize> sizes;
  for (const Present& p : all) {
    const std::int64_t now = size_of(leaves[p.leaf], p.mark().dim);
    const Group group = group_of(p.mark(), now);
    auto known = std::ranges::find(said, group, &std::pair<Group, DynamicMark>::first);
    if (known == said.end()) {
      known = said.insert(known, {group, p.mark()});
      sizes.push_back({.now = now, .range = {}, .places = {}});
    } else {
      known->second = both(known->second, p.mark()).value();  // has a value, because the current size satisfies both
    }
    ChangingSize& size = sizes[known - said.begin()];
    size.range = known->second.range;
    size.places.emplace_back(p.leaf, p.mark().dim);
  }
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (const LinkedSizes alone{{i, 1}}; other_types(types_of(leaves), sizes, {&alone, 1}).empty()) {
      const auto& [leaf, dim] = sizes[i].places.front();
      const auto first = std::ranges::find_if(
          all, [&, at = leaf, d = dim](const Present& p) { return p.leaf == at && p.mark().dim == d; });
      throw ConstraintViolationError(
          concat(function, ": ", first->declared->text(), ", which leaves no other size than ", sizes[i].now));
    }
  return sizes;
}

std::vector<std::vector<Type>> DynamicSizes::other_buckets(std::span<const Leaf> leaves,
                                                           std::span<const std::string> paths, std::size_t most) const {
  std::vector<Present> present_now = present(declared_, leaves, paths);
  if (present_now.size() != declared_.size()) return {};
  std::erase_if(present_now, [&](const Present& p) { return !is_of_buckets(p.mark()); });
  const std::vector<Type> now = types_of(leaves);
  std::map<Group, std::vector<Present>> groups;
  for (const Present& p : present_now) groups[group_of(p.mark(), size_of(leaves[p.leaf], p.mark().dim))].push_back(p);
  std::vector<std::vector<Type>> all{now};
  for (const auto& [name, group] : groups) {
    const auto first = std::ranges::find_if(group, [](const Present& p) { return p.mark().buckets.has_value(); });
    std::vector<std::vector<Type>> chosen;
    for (const std::vector<Type>& types : all)
      for (const std::int64_t size : first->mark().buckets->sizes()) {
        if (chosen.size() > most ||
            !std::ranges::all_of(group, [&](const Present& p) { return p.mark().allows(size); }))
          continue;
        std::vector<Type>& made = chosen.emplace_back(types);
        for (const Present& p : group) made[p.leaf] = with_size(made[p.leaf], p.mark().dim, size);
      }
    all = std::move(chosen);
  }
  std::erase(all, now);
  if (all.size() > most) all.resize(most);
  return all;
}

}  // namespace weft::jit
