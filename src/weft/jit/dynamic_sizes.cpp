#include <weft/jit/dynamic_sizes.h>

#include <algorithm>
#include <map>

namespace weft::jit {

namespace {

std::int64_t size_of(const Leaf& leaf, int dim) { return leaf.type.size(dim); }

Type with_size(Type type, int dim, std::int64_t size) {
  std::vector<Dim> dims(type.dims().begin(), type.dims().end());
  dims[static_cast<std::size_t>(dim)] = Dim(size);
  return Type(type.dtype(), dims);
}

// Steps from one size to another that keep different sizes out of proportion.
std::int64_t other_size(std::int64_t now, std::int64_t step, std::int64_t min, std::int64_t max) {
  if (now <= max - step) return now + step;
  return now - step >= std::max<std::int64_t>(min, 1) ? now - step : now;
}

}  // namespace

std::string DynamicSizes::text(std::span<const std::string> paths) const {
  std::string all;
  for (const Declared& d : declared_)
    all += concat(all.empty() ? "" : ", ", "dimension ", d.mark.dim, " of argument ", paths[d.leaf], " is ",
                  d.mark.text(), " (", d.mark.where, ")");
  return all;
}

bool DynamicSizes::any_dynamic() const {
  return std::ranges::any_of(declared_, [](const Declared& d) { return !d.mark.buckets; });
}

bool DynamicSizes::any_buckets() const {
  return std::ranges::any_of(declared_, [](const Declared& d) { return d.mark.buckets.has_value(); });
}

bool DynamicSizes::is_there(const Declared& d, std::span<const Leaf> leaves) {
  return d.leaf < leaves.size() && leaves[d.leaf].kind == Leaf::Kind::tensor && leaves[d.leaf].type &&
         d.mark.dim < leaves[d.leaf].type.rank();
}

void DynamicSizes::check(std::span<const Leaf> leaves, std::span<const std::string> paths,
                         const std::string& function) {
  const auto place = [&](const Declared& d) {
    return concat("dimension ", d.mark.dim, " of argument ", paths[d.leaf], ", ", leaves[d.leaf].type, ',');
  };
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].kind != Leaf::Kind::tensor || !leaves[i].type) continue;
    for (DynamicMark& mark : marks_of(leaves[i].tensor())) {
      const auto same = [&](const Declared& d) { return d.leaf == i && d.mark.dim == mark.dim; };
      if (std::ranges::none_of(declared_, same)) declared_.push_back({i, std::move(mark)});
    }
  }
  std::map<std::string, const Declared*> by_name;
  for (const Declared& d : declared_) {
    if (!is_there(d, leaves)) continue;
    const std::int64_t size = size_of(leaves[d.leaf], d.mark.dim);
    if (!d.mark.allows(size))
      throw ConstraintViolationError(
          concat(function, ": ", place(d), " is not ", d.mark.text(), ", as was said at ", d.mark.where));
    if (d.mark.range.name.empty()) continue;
    const Declared& first = *by_name.try_emplace(d.mark.range.name, &d).first->second;
    if (size_of(leaves[first.leaf], first.mark.dim) != size)
      throw ConstraintViolationError(concat(function, ": ", place(d), " and ", place(first), " are both ",
                                            d.mark.range.name, ", as was said at ", d.mark.where,
                                            ", and must be equal"));
  }
  require(!any_buckets() || !any_dynamic(), function, ": ", text(paths),
          ": a function has programs for buckets or one for dynamic sizes, not both");
}

std::vector<Type> DynamicSizes::other_types(std::span<const Leaf> leaves, const std::string& function) const {
  std::vector<Type> types;
  if (declared_.empty()) return types;
  for (const Leaf& leaf : leaves) types.push_back(leaf.type);
  // Sizes of one name, or without a name and equal now, stay equal.
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> chosen;
  std::int64_t next = 1;
  for (const Declared& d : declared_) {
    if (!is_there(d, leaves)) return {};
    const std::int64_t now = size_of(leaves[d.leaf], d.mark.dim);
    const auto [at, is_new] = chosen.try_emplace({d.mark.range.name, d.mark.range.name.empty() ? now : 0}, now);
    if (is_new) {
      // Not one that another size has: they would seem to depend on each other. One element is broadcast where others are not.
      const std::int64_t multiple = d.mark.range.multiple_of, step = multiple * next++;
      at->second = other_size(now, step, d.mark.range.min, d.mark.range.max);
      if (at->second == now) at->second = other_size(now, multiple, d.mark.range.min, d.mark.range.max);
      if (at->second == now)
        throw ConstraintViolationError(
            concat(function, ": ", d.mark.text(), " (", d.mark.where, ") leaves no other size than ", now));
    }
    types[d.leaf] = with_size(types[d.leaf], d.mark.dim, at->second);
  }
  return types;
}

std::vector<std::vector<Type>> DynamicSizes::other_buckets(std::span<const Leaf> leaves, std::size_t most) const {
  std::vector<Type> now;
  for (const Leaf& leaf : leaves) now.push_back(leaf.type);
  // Those that take one size in every call: of one name, or without a name and equal now.
  std::map<std::pair<std::string, std::int64_t>, std::vector<const Declared*>> groups;
  for (const Declared& d : declared_) {
    if (!is_there(d, leaves)) return {};
    const std::int64_t size = size_of(leaves[d.leaf], d.mark.dim);
    groups[{d.mark.range.name, d.mark.range.name.empty() ? size : 0}].push_back(&d);
  }
  std::vector<std::vector<Type>> all{now};
  for (const auto& [name, group] : groups) {
    std::vector<std::vector<Type>> chosen;
    for (const std::vector<Type>& types : all)
      for (const std::int64_t size : group.front()->mark.buckets->sizes()) {
        if (chosen.size() > most ||
            !std::ranges::all_of(group, [&](const Declared* d) { return d->mark.allows(size); }))
          continue;
        std::vector<Type>& made = chosen.emplace_back(types);
        for (const Declared* d : group) made[d->leaf] = with_size(made[d->leaf], d->mark.dim, size);
      }
    all = std::move(chosen);
  }
  std::erase(all, now);
  if (all.size() > most) all.resize(most);
  return all;
}

std::vector<std::vector<Type>> DynamicSizes::candidates(std::span<const Leaf> leaves) {
  std::map<std::int64_t, std::vector<Type>> by_size;
  std::vector<Type> now;
  for (const Leaf& leaf : leaves) now.push_back(leaf.type);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].kind != Leaf::Kind::tensor || !leaves[i].type) continue;
    for (int d = 0; d < leaves[i].type.rank(); ++d) {
      const std::int64_t size = size_of(leaves[i], d);
      std::vector<Type>& types = by_size.try_emplace(size, now).first->second;
      types[i] = with_size(types[i], d, size + 1);
    }
  }
  std::vector<std::vector<Type>> all;
  for (auto& [size, types] : by_size) all.push_back(std::move(types));
  return all;
}

}  // namespace weft::jit
