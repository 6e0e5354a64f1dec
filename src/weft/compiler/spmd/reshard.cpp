#include <weft/compiler/spmd/reshard.h>

#include <algorithm>

#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>

namespace weft::compiler {

namespace {

using Axes = ir::Sharding::Axes;

class Resharding {
 public:
  Resharding(Collectives& collectives, ir::Value x, const ir::Sharding& from, const ir::Sharding& to)
      : collectives_(collectives), x_(x), to_(to), axes_(from.dims()), partial_(from.partial()) {}

  ir::Value run() {
    add_partial_sums();
    remove_axes();
    add_axes();
    make_partial();
    return x_;
  }

 private:
  // Returns whether the axes of a dimension are the first ones that it shall have.
  bool is_prefix(int d) const {
    return axes_[d].size() <= to_.axes(d).size() &&
           std::ranges::equal(axes_[d], std::span(to_.axes(d)).first(axes_[d].size()));
  }

  // Returns the dimension that shall be split along this axis next, or -1.
  int next_dim(int axis) const {
    for (int d = 0; d < to_.rank(); ++d)
      if (is_prefix(d) && axes_[d].size() < to_.axes(d).size() && to_.axes(d)[axes_[d].size()] == axis) return d;
    return -1;
  }

  bool stays_partial(const ir::Sharding::Partial::value_type& part) const {
    return std::ranges::count(to_.partial(), part) != 0;
  }

  void add_partial_sums() {
    for (bool found = true; found;) {  // in the order in which the axes split dimensions
      found = false;
      for (const auto& part : partial_) {
        const int dim = next_dim(part.first);
        if (dim < 0 || stays_partial(part)) continue;
        x_ = collectives_.reduce_scatter(x_, dim, {part.first}, part.second);
        axes_[dim].push_back(part.first);
        std::erase(partial_, part);
        found = true;
        break;
      }
    }
    for (const ir::Reduction reduction : {ir::Reduction::sum, ir::Reduction::max, ir::Reduction::min}) {
      Axes together;
      for (const auto& part : partial_)
        if (part.second == reduction && !stays_partial(part)) together.push_back(part.first);
      if (together.empty()) continue;
      x_ = collectives_.all_reduce(x_, together, reduction);
      std::erase_if(partial_, [&](const auto& part) { return std::ranges::count(together, part.first) != 0; });
    }
  }

  void remove_axes() {
    for (bool found = true; found;) {  // a removal may make another axis the next one of its dimension
      found = false;
      for (int d = 0; d < to_.rank(); ++d) {
        if (is_prefix(d)) continue;
        const int axis = axes_[d].back();
        const int next = next_dim(axis);
        if (next < 0) continue;
        axes_[d].pop_back();
        x_ = collectives_.all_to_all(x_, next, d, {axis});
        axes_[next].push_back(axis);
        found = true;
      }
    }
    for (int d = 0; d < to_.rank(); ++d) {
      Axes removed;
      while (!is_prefix(d)) {
        removed.insert(removed.begin(), axes_[d].back());
        axes_[d].pop_back();
      }
      if (!removed.empty()) x_ = collectives_.all_gather(x_, d, removed);
    }
  }

  void add_axes() {
    for (int d = 0; d < to_.rank(); ++d) {
      const Axes added(to_.axes(d).begin() + std::ssize(axes_[d]), to_.axes(d).end());
      if (!added.empty()) x_ = collectives_.take_part(x_, d, added);
    }
  }

  void make_partial() {
    Axes added;
    for (const auto& part : to_.partial())
      if (part.second == ir::Reduction::sum && std::ranges::count(partial_, part) == 0) added.push_back(part.first);
    if (!added.empty() && !ir::is_zero(x_)) x_ = collectives_.keep_on_first(x_, added);
  }

  Collectives& collectives_;
  ir::Value x_;
  const ir::Sharding& to_;
  std::vector<Axes> axes_;         // of each dimension of x_
  ir::Sharding::Partial partial_;  // of x_
};

// Returns the shard of a tensor without elements, which nobody has to send.
ir::Value without_elements(ir::Value x, const ir::Sharding& from, const ir::Sharding& to) {
  return ir::constant(x.graph(), to.local_type(from.whole_type(x.type())), 0);
}

}  // namespace

ir::Value reshard(Collectives& collectives, ir::Value x, const ir::Sharding& from, const ir::Sharding& to) {
  if (x.type().elements() == 0) return without_elements(x, from, to);
  return Resharding(collectives, x, from, to).run();
}

}  // namespace weft::compiler
