#include <weft/compiler/fusion/lower.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <weft/compiler/fusion/cost.h>
#include <weft/compiler/unit.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
namespace ops = ir::ops;

namespace {

enum class Role : std::uint8_t { row, serial, lane };

std::uint64_t bits_of(double value, DType dtype) {
  return visit(dtype, [&](auto tag) {
    const auto typed = static_cast<decltype(tag)>(value);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &typed, sizeof(typed));
    return bits;
  });
}

// An expression whose positions are still functions with numbers in them.
struct Draft {
  Expr expr;
  Value source;  // load
  Affine position;
  std::vector<Bound> bounds;
  struct Gathered {
    ExprId index;
    std::int64_t limit, stride;
  };
  std::vector<Gathered> gathered;
};

struct DraftStore {
  ExprId value;
  std::size_t output;
  Affine position;
};

class Lowering {
 public:
  explicit Lowering(const KernelRequest& request) : request_(request) {}

  LoweringResult run() {
    choose_domain();
    while (true) {
      reset();
      if (build()) break;
      if (!split_) return {std::nullopt, refusal_.empty() ? "the positions are not affine" : refusal_, blocker_};
      cut_axis(*split_);
    }
    assign_stages();
    if (!refusal_.empty()) return {std::nullopt, refusal_, nullptr};
    settle_axes();
    if (!refusal_.empty()) return {std::nullopt, refusal_, nullptr};
    return {finish(), "", nullptr};
  }

 private:
  // ---- domain

  void choose_domain() {
    if (!request_.reduction) {
      const Type type = request_.outputs[0].type();
      for (const Dim d : type.dims()) {
        axes_.push_back(d.value());
        roles_.push_back(Role::lane);
      }
      return;
    }
    const Type type = request_.reduction->operand(0).type();
    const auto reduced = request_.reduction->attributes<ir::DimensionsAttributes>().dimensions;
    const auto is_reduced = [&](int d) { return std::ranges::find(reduced, d) != reduced.end(); };
    int last_kept = type.rank() - 1;
    while (last_kept >= 0 && is_reduced(last_kept)) --last_kept;
    bool kept_inside = false;  // a kept dimension after a reduced one
    for (int d = 0; d < last_kept; ++d) kept_inside = kept_inside || is_reduced(d);
    columns_ = kept_inside;
    for (int d = 0; d < type.rank(); ++d) {
      axes_.push_back(type.size(d));
      if (columns_) {
        int next_reduced = d;
        while (next_reduced < type.rank() && !is_reduced(next_reduced)) ++next_reduced;
        roles_.push_back(is_reduced(d) ? Role::serial : next_reduced == type.rank() ? Role::lane : Role::row);
      } else {
        roles_.push_back(is_reduced(d) ? Role::lane : Role::row);
      }
    }
  }

  void cut_axis(const Split& split) {
    axes_.insert(axes_.begin() + static_cast<std::ptrdiff_t>(split.axis) + 1, split.inner);
    axes_[split.axis] /= split.inner;
    roles_.insert(roles_.begin() + static_cast<std::ptrdiff_t>(split.axis) + 1, roles_[split.axis]);
  }

  void reset() {
    drafts_.clear();
    stores_.clear();
    inputs_.clear();
    memo_.clear();
    computed_at_.clear();
    split_.reset();
    refusal_.clear();
    blocker_ = nullptr;
  }

  // Position in the row-major order of the axes for which `wanted` holds.
  template <class Wanted>
  Affine linear(Wanted&& wanted) const {
    Affine position;
    std::int64_t stride = 1;
    for (std::size_t a = axes_.size(); a-- > 0;) {
      if (!wanted(roles_[a])) continue;
      position.add(axis_index(a), stride);
      stride *= axes_[a];
    }
    return position;
  }
  template <class Wanted>
  std::int64_t count(Wanted&& wanted) const {
    std::int64_t n = 1;
    for (std::size_t a = 0; a < axes_.size(); ++a)
      if (wanted(roles_[a])) n *= axes_[a];
    return n;
  }
  bool reduced_role(Role r) const { return r == (columns_ ? Role::serial : Role::lane); }

  bool refuse(std::string why) {
    if (refusal_.empty()) refusal_ = std::move(why);
    return false;
  }

  // ---- expressions

  bool build() {
    const auto all = [](Role) { return true; };
    const auto kept = [this](Role r) { return !reduced_role(r); };
    for (std::size_t i = 0; i < request_.outputs.size(); ++i) {
      const Value output = request_.outputs[i];
      const std::int64_t elements = output.type().elements();
      Affine position;
      if (!columns_ && elements == count(all) && !(request_.reduction && output.node == request_.reduction)) {
        position = linear(all);
      } else if (request_.reduction && elements == count(kept)) {
        position = linear(kept);
      } else {
        return refuse("an output has another number of elements than the kernel's domain");
      }
      auto index = delinearise(position, output.type().dims(), axes_, split_);
      if (!index) return false;
      const ExprId value = evaluate(output, *index, {});
      if (value < 0) return false;
      stores_.push_back({value, i, position});
    }
    return true;
  }

  struct Key {
    Value value;
    Index index;
    std::vector<Bound> bounds;
    ExprId id;
  };

  // The expression for element `index` of `value`; -1 on failure.
  ExprId evaluate(Value value, const Index& index, const std::vector<Bound>& bounds) {
    auto& known = memo_[value.node->id * 8 + value.index];
    for (const Key& key : known)
      if (key.value == value && key.index == index && key.bounds == bounds) return key.id;
    const ExprId id = compute(value, index, bounds);
    if (id >= 0) memo_[value.node->id * 8 + value.index].push_back({value, index, bounds, id});
    return id;
  }

  ExprId push(Draft draft) {
    drafts_.push_back(std::move(draft));
    return static_cast<ExprId>(drafts_.size()) - 1;
  }

  ExprId constant(std::uint64_t bits, DType dtype) {
    Draft draft;
    draft.expr.kind = Expr::Kind::constant;
    draft.expr.dtype = dtype;
    draft.expr.bits = bits;
    return push(std::move(draft));
  }

  ExprId compute(Value value, const Index& index, const std::vector<Bound>& bounds) {
    const Node& node = *value.node;
    if (node.op == &ops::constant && node.attributes<ir::ConstantAttributes>().value.is_splat()) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, node.attributes<ir::ConstantAttributes>().value.bytes.data(),
                  static_cast<std::size_t>(byte_size(value.dtype())));
      return constant(bits, value.dtype());
    }
    // A reshape of what is in memory is in memory too.
    if (!request_.computes(*storage_of(value).node)) return load(value, index, bounds, {});
    if (!request_.free(node)) {
      const auto [at, first] = computed_at_.try_emplace(node.id, index);
      if (!first && at->second != index) return fail("a value is needed at two different positions");
    }
    switch (node.op->kind) {
      case ir::Kind::source: {
        Draft draft;
        draft.expr.kind = Expr::Kind::index;
        draft.expr.dtype = value.dtype();
        draft.position = index[static_cast<std::size_t>(node.attributes<ir::IotaAttributes>().dimension)];
        return push(std::move(draft));
      }
      case ir::Kind::elementwise: return apply(node, index, bounds);
      case ir::Kind::shape: return move(node, index, bounds);
      case ir::Kind::reduction: return reduce(node, index, bounds);
      case ir::Kind::indexing:
        return node.op == &ops::gather ? gather(node, index, bounds) : dynamic_slice(node, index, bounds);
      default: return fail(concat(node.op->name, " cannot be part of a kernel"));
    }
  }

  ExprId fail(std::string why) {
    refuse(std::move(why));
    return -1;
  }

  ExprId load(Value value, const Index& index, const std::vector<Bound>& bounds,
              std::vector<Draft::Gathered> gathered) {
    Draft draft;
    draft.expr.kind = Expr::Kind::load;
    draft.expr.dtype = value.dtype();
    draft.source = value;
    draft.position = linearise(index, value.type().dims());
    draft.bounds = bounds;
    draft.gathered = std::move(gathered);
    for (const auto& g : draft.gathered) draft.expr.operands.push_back(g.index);
    auto at = std::ranges::find(inputs_, value);
    draft.expr.buffer = static_cast<std::int32_t>(at - inputs_.begin());
    if (at == inputs_.end()) inputs_.push_back(value);
    return push(std::move(draft));
  }

  ExprId apply(const Node& node, const Index& index, const std::vector<Bound>& bounds) {
    Draft draft;
    draft.expr.kind = Expr::Kind::apply;
    draft.expr.dtype = node.type().dtype();
    draft.expr.op = node.op;
    draft.expr.attributes = node.attribute_data;
    for (const Value operand : node.operands) {
      // select and clamp take rank-0 operands beside full ones.
      const ExprId id = operand.rank() == 0 ? evaluate(operand, {}, bounds) : evaluate(operand, index, bounds);
      if (id < 0) return -1;
      draft.expr.operands.push_back(id);
    }
    return push(std::move(draft));
  }

  ExprId select(const std::vector<Bound>& bounds, ExprId on_true, ExprId on_false) {
    Draft within;
    within.expr.kind = Expr::Kind::within;
    within.expr.dtype = DType::boolean;
    within.bounds = bounds;
    const ExprId predicate = push(std::move(within));
    Draft draft;
    draft.expr.kind = Expr::Kind::select;
    draft.expr.dtype = drafts_[static_cast<std::size_t>(on_true)].expr.dtype;
    draft.expr.operands = {predicate, on_true, on_false};
    return push(std::move(draft));
  }

  ExprId move(const Node& node, const Index& index, const std::vector<Bound>& bounds) {
    if (node.op == &ops::pad) {
      std::vector<Bound> inside;
      auto at = operand_index(node, 0, index, axes_, inside, split_);
      if (!at) return -1;
      std::vector<Bound> both = bounds;
      both.insert(both.end(), inside.begin(), inside.end());
      const ExprId value = evaluate(node.operand(0), *at, both);
      if (value < 0 || inside.empty()) return value;
      const ExprId padding = evaluate(node.operand(1), {}, {});
      return padding < 0 ? -1 : select(inside, value, padding);
    }
    if (node.op == &ops::concatenate) {
      ExprId result = -1;
      for (int k = static_cast<int>(node.operands.size()) - 1; k >= 0; --k) {
        if (node.operand(k).type().elements() == 0) continue;
        std::vector<Bound> inside;
        auto at = operand_index(node, k, index, axes_, inside, split_);
        if (!at) return -1;
        std::vector<Bound> both = bounds;
        both.insert(both.end(), inside.begin(), inside.end());
        const ExprId part = evaluate(node.operand(k), *at, both);
        if (part < 0) return -1;
        result = result < 0 || inside.empty() ? part : select(inside, part, result);
      }
      return result < 0 ? fail("nothing to concatenate") : result;
    }
    std::vector<Bound> inside;
    auto at = operand_index(node, 0, index, axes_, inside, split_);
    if (!at) blocker_ = &node;
    return at ? evaluate(node.operand(0), *at, bounds) : -1;
  }

  ExprId reduce(const Node& node, const Index& index, const std::vector<Bound>& bounds) {
    if (!request_.reduction) return fail("a reduction in a pointwise kernel");
    if (!bounds.empty()) return fail("a reduction behind a pad or concatenation");
    for (const Affine& a : index)
      for (std::size_t i = 0; i < axes_.size(); ++i)
        if (a.coefficient(i) != 0 && reduced_role(roles_[i]))
          return fail("a reduction is needed at positions along its own axes");
    const Type type = node.operand(0).type();
    const auto reduced = node.attributes<ir::DimensionsAttributes>().dimensions;
    std::vector<Dim> reduced_dims;
    std::int64_t elements = 1;
    for (int d = 0; d < type.rank(); ++d)
      if (std::ranges::find(reduced, d) != reduced.end()) {
        reduced_dims.push_back(type.dim(d));
        elements *= type.size(d);
      }
    const auto role = [this](Role r) { return reduced_role(r); };
    if (!request_.contract && !walks_in_order(reduced_dims))
      return fail("another order of summation than the reduction has alone");
    if (elements != count(role)) return fail("reductions over different numbers of elements");
    const auto inner = delinearise(linear(role), reduced_dims, axes_, split_);
    if (!inner) return -1;
    Index at;
    std::size_t kept = 0, next = 0;
    for (int d = 0; d < type.rank(); ++d)
      at.push_back(std::ranges::find(reduced, d) != reduced.end() ? (*inner)[next++] : index[kept++]);
    const ExprId operand = evaluate(node.operand(0), at, bounds);
    const ExprId init = operand < 0 ? -1 : evaluate(node.operand(1), {}, bounds);
    if (init < 0) return -1;
    Draft draft;
    draft.expr.kind = Expr::Kind::reduce;
    draft.expr.dtype = node.type().dtype();
    draft.expr.op = ir::reduction_op(*node.regions[0]);
    draft.expr.operands = {operand, init};
    return push(std::move(draft));
  }

  // Strict mode: fused or not, a reduction runs over its own dimensions in their order.
  bool walks_in_order(std::span<const Dim> dims) const {
    std::vector<std::int64_t> mine, kernels;
    for (const Dim d : dims)
      if (d != Dim(1)) mine.push_back(d.value());
    for (std::size_t a = 0; a < axes_.size(); ++a)
      if (reduced_role(roles_[a]) && axes_[a] != 1) kernels.push_back(axes_[a]);
    return mine == kernels;
  }

  ExprId gather(const Node& node, const Index& index, const std::vector<Bound>& bounds) {
    const auto& a = node.attributes<ir::GatherAttributes>();
    const Value operand = node.operand(0), indices = node.operand(1);
    const auto has = [](ir::Ints list, std::int64_t d) { return std::ranges::find(list, d) != list.end(); };
    std::vector<Affine> batch;
    for (int d = 0; d < node.type().rank(); ++d)
      if (!has(a.offset_dims, d)) batch.push_back(index[static_cast<std::size_t>(d)]);
    // Where the window starts: one component of the index vector for each entry of start_index_map.
    Index at(static_cast<std::size_t>(operand.rank()));
    std::size_t offset = 0;
    for (int d = 0; d < operand.rank(); ++d) {
      const auto du = static_cast<std::size_t>(d);
      if (const auto b = std::ranges::find(a.operand_batching_dims, d); b != a.operand_batching_dims.end()) {
        std::int64_t where =
            a.start_indices_batching_dims[static_cast<std::size_t>(b - a.operand_batching_dims.begin())];
        if (where > a.index_vector_dim) --where;
        at[du] = batch[static_cast<std::size_t>(where)];
      } else if (!has(a.collapsed_slice_dims, d)) {
        at[du] = index[static_cast<std::size_t>(a.offset_dims[offset++])];
      }
    }
    std::vector<Draft::Gathered> gathered;
    std::vector<std::int64_t> strides(static_cast<std::size_t>(operand.rank()));
    row_major_strides(operand.type().dims(), strides);
    for (std::size_t k = 0; k < a.start_index_map.size(); ++k) {
      Index where(batch.begin(), batch.end());
      if (a.index_vector_dim < indices.rank())
        where.insert(where.begin() + static_cast<std::ptrdiff_t>(a.index_vector_dim),
                     Affine{static_cast<std::int64_t>(k), {}});
      const ExprId start = evaluate(indices, where, bounds);
      if (start < 0) return -1;
      const auto d = static_cast<std::size_t>(a.start_index_map[k]);
      gathered.push_back({start, operand.size(static_cast<int>(d)) - a.slice_sizes[d], strides[d]});
    }
    return load(operand, at, bounds, std::move(gathered));
  }

  ExprId dynamic_slice(const Node& node, const Index& index, const std::vector<Bound>& bounds) {
    const Value operand = node.operand(0);
    std::vector<std::int64_t> strides(static_cast<std::size_t>(operand.rank()));
    row_major_strides(operand.type().dims(), strides);
    std::vector<Draft::Gathered> gathered;
    for (int d = 0; d < operand.rank(); ++d) {
      const ExprId start = evaluate(node.operand(d + 1), {}, bounds);
      if (start < 0) return -1;
      gathered.push_back({start, operand.size(d) - node.type().size(d), strides[static_cast<std::size_t>(d)]});
    }
    return load(operand, index, bounds, std::move(gathered));
  }

  // ---- stages

  bool depends_on_lanes(const Affine& a) const {
    for (std::size_t i = 0; i < axes_.size(); ++i)
      if (a.coefficient(i) != 0 && axes_[i] > 1 && roles_[i] != Role::row) return true;
    return false;
  }

  void assign_stages() {
    for (Draft& d : drafts_) {
      Expr& e = d.expr;
      e.stage = 0;
      e.per_lane = depends_on_lanes(d.position) ||
                   std::ranges::any_of(d.bounds, [&](const Bound& b) { return depends_on_lanes(b.index); });
      for (const ExprId o : e.operands) {
        const Expr& operand = drafts_[static_cast<std::size_t>(o)].expr;
        e.stage = std::max(e.stage, operand.stage);
        e.per_lane = e.per_lane || operand.per_lane;
      }
      if (e.kind == Expr::Kind::reduce) {
        ++e.stage;
        e.per_lane = columns_;
      }
      stages_ = std::max<int>(stages_, e.stage + 1);
    }
    if (columns_) {
      if (stages_ > 2) refuse("a reduction of a column reduction");
      for (const DraftStore& s : stores_)
        if (drafts_[static_cast<std::size_t>(s.value)].expr.stage == 0)
          refuse("an output that does not depend on the column reduction");
      check_epilogue();
      return;
    }
    choose_cached();
  }

  // In a column kernel what is computed after the reduction must not reach expressions along the serial axes but through it.
  void check_epilogue() {
    std::vector<char> serial(drafts_.size());
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      const Draft& d = drafts_[i];
      const auto along = [&](const Affine& a) {
        for (std::size_t k = 0; k < axes_.size(); ++k)
          if (a.coefficient(k) != 0 && roles_[k] == Role::serial) return true;
        return false;
      };
      serial[i] = along(d.position) || std::ranges::any_of(d.bounds, [&](const Bound& b) { return along(b.index); });
      if (d.expr.kind == Expr::Kind::reduce) continue;
      for (const ExprId o : d.expr.operands)
        serial[i] = static_cast<char>(serial[i] || serial[static_cast<std::size_t>(o)]);
      if (d.expr.stage > 0 && serial[i]) refuse("an output of a column reduction runs along the reduced axes");
    }
    for (const DraftStore& s : stores_)
      if (serial[static_cast<std::size_t>(s.value)])
        refuse("an output of a column reduction runs along the reduced axes");
  }

  // Marks what is expensive and needed in the loops of several stages.
  void choose_cached() {
    if (stages_ == 1) return;
    std::vector<int> cost(drafts_.size());
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      const Expr& e = drafts_[i].expr;
      if (!e.per_lane) continue;
      cost[i] = e.kind == Expr::Kind::apply
                    ? cost_of(*e.op, e.attributes, drafts_[static_cast<std::size_t>(e.operands[0])].expr.dtype, e.dtype)
                    : 1;
      for (const ExprId o : e.operands) cost[i] += cost[static_cast<std::size_t>(o)];
    }
    for (std::size_t i = drafts_.size(); i-- > 0;) {
      Expr& e = drafts_[i].expr;
      if (!e.per_lane || cost[i] < 12 || e.kind != Expr::Kind::apply) continue;
      if (loops_that_need(static_cast<ExprId>(i)) > 1) e.cached = true;
    }
  }

  int loops_that_need(ExprId wanted) const {
    int loops = 0;
    for (int stage = 0; stage < stages_; ++stage) {
      std::vector<char> seen(drafts_.size());
      const auto visit_expr = [&](auto&& self, ExprId id) -> void {
        const Expr& e = drafts_[static_cast<std::size_t>(id)].expr;
        if (seen[static_cast<std::size_t>(id)] || !e.per_lane) return;
        seen[static_cast<std::size_t>(id)] = 1;
        if (id != wanted && e.cached && e.stage < stage) return;
        for (const ExprId o : e.operands) self(self, o);
      };
      for (const Draft& d : drafts_)
        if (d.expr.kind == Expr::Kind::reduce && d.expr.stage == stage + 1) visit_expr(visit_expr, d.expr.operands[0]);
      for (const DraftStore& s : stores_)
        if (drafts_[static_cast<std::size_t>(s.value)].expr.stage == stage) visit_expr(visit_expr, s.value);
      loops += seen[static_cast<std::size_t>(wanted)];
    }
    return loops;
  }

  // ---- axes

  template <class F>
  void each_affine(F&& f) {
    for (Draft& d : drafts_) {
      f(d.position);
      for (Bound& b : d.bounds) f(b.index);
    }
    for (DraftStore& s : stores_) f(s.position);
  }

  void remove_axis(std::size_t axis) {
    each_affine([&](Affine& a) {
      if (axis < a.coefficients.size())
        a.coefficients.erase(a.coefficients.begin() + static_cast<std::ptrdiff_t>(axis));
    });
    axes_.erase(axes_.begin() + static_cast<std::ptrdiff_t>(axis));
    roles_.erase(roles_.begin() + static_cast<std::ptrdiff_t>(axis));
  }

  // Drops axes of one iteration, merges axes that are walked as one, orders them rows, serial, lanes, and leaves the lanes their
  // innermost axis where more would not help.
  void settle_axes() {
    for (std::size_t a = axes_.size(); a-- > 0;)
      if (axes_[a] == 1) remove_axis(a);
    sort_axes();
    for (std::size_t a = axes_.size(); a-- > 1;) {
      bool mergeable = roles_[a - 1] == roles_[a] &&
                       (request_.contract || columns_ || roles_[a] != Role::lane || !request_.reduction);
      each_affine(
          [&](const Affine& f) { mergeable = mergeable && f.coefficient(a - 1) == f.coefficient(a) * axes_[a]; });
      if (!mergeable) continue;
      axes_[a] *= axes_[a - 1];
      remove_axis(a - 1);
    }
    const bool reduces_lanes = request_.reduction && !columns_;
    if (!reduces_lanes)
      for (std::size_t a = 0; a + 1 < axes_.size(); ++a)
        if (roles_[a] == Role::lane) roles_[a] = Role::row;
    sort_axes();
    if (std::ranges::find(roles_, Role::lane) == roles_.end()) {  // always at least one lane axis
      axes_.push_back(1);
      roles_.push_back(Role::lane);
    }
  }

  void sort_axes() {
    std::vector<std::size_t> order(axes_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t a) { return roles_[a]; });
    std::vector<std::int64_t> axes;
    std::vector<Role> roles;
    for (const std::size_t a : order) {
      axes.push_back(axes_[a]);
      roles.push_back(roles_[a]);
    }
    each_affine([&](Affine& f) {
      std::vector<std::int64_t> coefficients;
      for (const std::size_t a : order) coefficients.push_back(f.coefficient(a));
      f.coefficients = std::move(coefficients);
    });
    axes_ = std::move(axes);
    roles_ = std::move(roles);
  }

  // ---- the loop

  Number number(std::int64_t value) {
    if (value == 0 || value == 1) return {-1, static_cast<std::int32_t>(value)};
    loop_.parameters.push_back(value);
    return {static_cast<std::int32_t>(loop_.parameters.size()) - 1, 0};
  }

  Position settle(const Affine& affine) {
    Position position{number(affine.offset), {}};
    for (std::size_t a = 0; a < axes_.size(); ++a) position.coefficients.push_back(number(affine.coefficient(a)));
    return position;
  }

  // Without the axes that cannot decide: where all else moves in steps of g, what stays below g changes nothing.
  Bound simplified(Bound bound) const {
    bound.index.coefficients.resize(axes_.size());
    for (std::size_t a = axes_.size(); a-- > 0;) {
      std::int64_t step = std::gcd(bound.index.offset - bound.low, bound.high - bound.low);
      for (std::size_t other = 0; other < axes_.size(); ++other)
        if (other != a) step = std::gcd(step, bound.index.coefficient(other));
      const std::int64_t coefficient = bound.index.coefficient(a);
      if (coefficient > 0 && coefficient * (axes_[a] - 1) < step) bound.index.coefficients[a] = 0;
    }
    return bound;
  }

  Lowered finish() {
    const auto of = [](Role wanted) { return [wanted](Role r) { return r == wanted; }; };
    loop_.rows = static_cast<int>(std::ranges::count(roles_, Role::row));
    loop_.serial = static_cast<int>(std::ranges::count(roles_, Role::serial));
    loop_.lanes = static_cast<int>(std::ranges::count(roles_, Role::lane));
    loop_.walk = columns_ ? Walk::columns : loop_.rows == 0 && !request_.reduction ? Walk::lanes : Walk::rows;
    for (const std::int64_t size : axes_) loop_.sizes.push_back(number(size));
    // A size is not a constant of the code even where it is 0 or 1.
    for (std::size_t a = 0; a < axes_.size(); ++a)
      if (loop_.sizes[a].parameter < 0) {
        loop_.parameters.push_back(axes_[a]);
        loop_.sizes[a] = {static_cast<std::int32_t>(loop_.parameters.size()) - 1, 0};
      }
    loop_.stages = stages_;
    loop_.contract = request_.contract;
    loop_.lane_count = count(of(Role::lane));
    const std::int64_t rows = count(of(Role::row));
    loop_.tasks = loop_.walk == Walk::lanes ? loop_.lane_count
                  : columns_                ? rows * ((loop_.lane_count + column_block - 1) / column_block)
                                            : rows;
    std::int64_t cached = 0;
    for (Draft& d : drafts_) {
      Expr e = std::move(d.expr);
      if (e.kind == Expr::Kind::load || e.kind == Expr::Kind::index) e.position = settle(d.position);
      for (const Bound& bound : d.bounds) {
        const Bound b = simplified(bound);
        e.bounds.push_back({settle(b.index), number(b.low), number(b.high)});
      }
      for (const auto& g : d.gathered) e.gathered.push_back({g.index, number(g.limit), number(g.stride)});
      cached += e.cached;
      loop_.exprs.push_back(std::move(e));
    }
    loop_.scratch_elements = cached * loop_.lane_count;
    loop_.inputs = static_cast<int>(inputs_.size());
    for (const Value v : inputs_) loop_.buffers.push_back(v.dtype());
    for (const Value v : request_.outputs) loop_.buffers.push_back(v.dtype());
    for (const DraftStore& s : stores_)
      loop_.stores.push_back({s.value, static_cast<std::int32_t>(inputs_.size() + s.output), settle(s.position)});
    return {std::move(loop_), std::move(inputs_)};
  }

  const KernelRequest& request_;
  std::vector<std::int64_t> axes_;
  std::vector<Role> roles_;
  bool columns_ = false;
  int stages_ = 1;
  std::vector<Draft> drafts_;
  std::vector<DraftStore> stores_;
  std::vector<Value> inputs_;
  std::map<std::uint64_t, std::vector<Key>> memo_;
  std::map<std::uint32_t, Index> computed_at_;
  std::optional<Split> split_;
  std::string refusal_;
  const Node* blocker_ = nullptr;
  Loop loop_;
};

}  // namespace

std::optional<std::uint64_t> identity_of(const ir::Op& op, DType dtype) {
  const bool logical = dtype == DType::boolean;
  if (&op == &ops::add || &op == &ops::or_ || &op == &ops::xor_) return 0;
  if (&op == &ops::multiply) return bits_of(1, dtype);
  if (&op == &ops::and_) return logical ? 1 : ~std::uint64_t{0};
  const bool maximum = &op == &ops::maximum;
  if (!maximum && &op != &ops::minimum) return std::nullopt;
  if (is_float(dtype))
    return bits_of(maximum ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity(), dtype);
  return visit(dtype, [&](auto tag) -> std::uint64_t {
    using T = decltype(tag);
    if constexpr (std::is_integral_v<T>) {
      const T least = maximum ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
      std::uint64_t bits = 0;
      std::memcpy(&bits, &least, sizeof(least));
      return bits;
    }
    return 0;
  });
}

bool can_lower(const Node& node) {
  if (!node.type().is_static()) return false;
  switch (node.op->kind) {
    case ir::Kind::elementwise: return true;
    case ir::Kind::source:
      return node.op == &ops::iota ||
             (node.op == &ops::constant && node.attributes<ir::ConstantAttributes>().value.is_splat());
    case ir::Kind::shape: return moves_elements(node);
    case ir::Kind::reduction: {
      if (node.op != &ops::reduce || node.operands.size() != 2) return false;
      const ir::Op* op = ir::reduction_op(*node.regions[0]);
      return op && identity_of(*op, node.type().dtype()) && node.operand(0).dtype() == node.type().dtype();
    }
    case ir::Kind::indexing: return node.op == &ops::gather || node.op == &ops::dynamic_slice;
    default: return false;
  }
}

LoweringResult lower(const KernelRequest& request) { return Lowering(request).run(); }

namespace {

void put(std::string& key, std::int64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
void put(std::string& key, const Number& n) { put(key, n.parameter < 0 ? n.known : 2); }
void put(std::string& key, const Position& p) {
  put(key, p.offset);
  for (const Number& n : p.coefficients) put(key, n);
}

}  // namespace

std::string Loop::key() const {
  std::string key;
  put(key, static_cast<std::int64_t>(walk));
  for (const int n : {rows, serial, lanes, stages, static_cast<int>(contract), inputs}) put(key, n);
  for (const DType t : buffers) put(key, static_cast<int>(t));
  for (const Expr& e : exprs) {
    put(key, (static_cast<int>(e.kind) << 16) | (static_cast<int>(e.dtype) << 8) | (e.per_lane ? 2 : 0) |
                 (e.cached ? 1 : 0));
    put(key, e.stage);
    for (const ExprId o : e.operands) put(key, o);
    if (e.op) key += e.op->name;
    if (e.op && e.attributes && e.op->attributes)
      put(key, static_cast<std::int64_t>(e.op->attributes->hash(e.attributes)));
    put(key, static_cast<std::int64_t>(e.bits));
    put(key, e.buffer);
    put(key, e.position);
    for (const PositionBound& b : e.bounds) {
      put(key, b.index);
      put(key, b.low);
      put(key, b.high);
    }
    for (const auto& g : e.gathered) {
      put(key, g.limit);
      put(key, g.stride);
    }
    key += ';';
  }
  for (const Store& s : stores) {
    put(key, s.value);
    put(key, s.buffer);
    put(key, s.position);
  }
  return key;
}

}  // namespace weft::compiler
