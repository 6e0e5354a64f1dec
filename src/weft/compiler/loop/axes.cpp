#include <algorithm>
#include <numeric>

#include <weft/compiler/loop/draft.h>

namespace weft::compiler {

namespace {

template <class F>
void each_affine(DraftLoop& loop, F&& f) {
  for (Draft& d : loop.exprs) {
    f(d.position);
    for (Bound& b : d.bounds) f(b.index);
  }
  for (DraftStore& s : loop.stores) f(s.position);
}

void remove_axis(DraftLoop& loop, std::size_t axis) {
  each_affine(loop, [&](Affine& a) {
    if (axis < a.coefficients.size()) a.coefficients.erase(a.coefficients.begin() + axis);
  });
  loop.axes.erase(loop.axes.begin() + axis);
  loop.roles.erase(loop.roles.begin() + axis);
}

void sort_axes(DraftLoop& loop) {
  std::vector<std::size_t> order(loop.axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t a) { return loop.roles[a]; });
  std::vector<Size> axes;
  std::vector<Role> roles;
  for (const std::size_t a : order) {
    axes.push_back(loop.axes[a]);
    roles.push_back(loop.roles[a]);
  }
  each_affine(loop, [&](Affine& f) {
    std::vector<Size> coefficients;
    for (const std::size_t a : order) coefficients.push_back(f.coefficient(a));
    f.coefficients = std::move(coefficients);
  });
  loop.axes = std::move(axes);
  loop.roles = std::move(roles);
}

}  // namespace

void arrange_axes(DraftLoop& loop, bool contract) {
  for (std::size_t a = loop.axes.size(); a-- > 0;)
    if (loop.axes[a].is(1)) remove_axis(loop, a);
  sort_axes(loop);
  for (std::size_t a = loop.axes.size(); a-- > 1;) {
    bool mergeable = loop.roles[a - 1] == loop.roles[a] &&
                     (contract || loop.columns || loop.roles[a] != Role::lane || !loop.reduces);
    each_affine(loop, [&](const Affine& f) {
      mergeable = mergeable && f.coefficient(a - 1) == f.coefficient(a) * loop.axes[a];
    });
    if (!mergeable) continue;
    loop.axes[a] *= loop.axes[a - 1];
    remove_axis(loop, a - 1);
  }
  const bool reduces_lanes = loop.reduces && !loop.columns;
  if (!reduces_lanes)
    for (std::size_t a = 0; a + 1 < loop.axes.size(); ++a)
      if (loop.roles[a] == Role::lane) loop.roles[a] = Role::row;
  sort_axes(loop);
  if (std::ranges::find(loop.roles, Role::lane) == loop.roles.end()) {  // always at least one lane axis
    loop.axes.push_back(1);
    loop.roles.push_back(Role::lane);
  }
}

}  // namespace weft::compiler
