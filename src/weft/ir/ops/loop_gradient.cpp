// The gradient of a loop with a known number of steps: a loop over the steps in reverse order. It reads the values that it needs
// of each step from stacked arrays, which a second copy of the loop fills; the compiler merges this copy with the original loop
// (merge-loops). The stacked arrays keep the carried values and values that are costly to compute (products, reductions, nested
// loops); the rest is computed again. The cotangent of a value that no step changes is the sum over all steps. If that is a sum
// of small products, as for the weight of a recurrent layer, a single product over all steps follows the loop. (Griewank &
// Walther 2008; jax.lax.scan)
#include <algorithm>
#include <utility>

#include <weft/ir/autodiff.h>
#include <weft/ir/builder.h>
#include <weft/ir/counted_loop.h>
#include <weft/ir/inline.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/region_gradient.h>

namespace weft::ir {

namespace {

Type stacked(Type type, std::int64_t steps) {
  std::vector<Dim> dims{Dim(steps)};
  for (int d = 0; d < type.rank(); ++d) dims.push_back(type.dim(d));
  return Type(type.dtype(), dims);
}

// Returns the start of step `at` in a stacked array.
std::vector<Value> starts(Value at, int rank) {
  std::vector<Value> all{at};
  for (int d = 0; d < rank; ++d) all.push_back(constant_like(at, 0));
  return all;
}

std::vector<std::int64_t> sizes_of(Type type) {
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < type.rank(); ++d) sizes.push_back(type.size(d));
  return sizes;
}

// Returns, for each output of the region, whether it depends on the input along a path on which a derivative passes.
std::vector<bool> dependents(const Graph& region, std::size_t input) {
  std::vector<bool> depends(region.nodes().size());
  depends[region.inputs()[input].node->id] = true;
  for (const Node* n : region.nodes())
    if (n->op->gradient != zero_gradient)
      for (const Value v : n->operands)
        if (is_float(v.dtype()) && depends[v.node->id]) depends[n->id] = true;
  std::vector<bool> outputs;
  for (const Value v : region.outputs()) outputs.push_back(is_float(v.dtype()) && depends[v.node->id]);
  return outputs;
}

// Returns whether a value is computed again instead of kept for each step: it only moves elements, or each element needs few others.
bool is_cheap(const Node& n) {
  if (!n.op->duplicable) return false;
  switch (n.op->kind) {
    case Kind::elementwise:
    case Kind::shape:
    case Kind::indexing:
    case Kind::source: return true;
    default:
      return n.op == &ops::composite && std::ranges::all_of(n.regions[0]->nodes(), [](const Node* inner) {
               return inner->op == &ops::parameter || is_cheap(*inner);
             });
  }
}

// Returns sum + term. If the term is zero outside of a window, only the window is added. If each step reads a window of one
// array, all steps together then take no more than one pass over the array.
Value accumulated(Value sum, Value term) {
  const Node& n = *term.node;
  if (n.op == &ops::add) return accumulated(accumulated(sum, n.operand(0)), n.operand(1));
  const auto is_zero = [](Value v) {
    if (v.node->op != &ops::constant) return false;
    const Literal& literal = v.node->attributes<ConstantAttributes>().value;
    return literal.is_splat() && std::ranges::all_of(literal.bytes, [](std::byte b) { return b == std::byte{0}; });
  };
  if (n.op != &ops::dynamic_update_slice || !is_zero(n.operand(0))) return add(sum, term);
  const Value window = n.operand(1);
  const auto at = n.operands.subspan(2);
  return dynamic_update_slice(sum, add(dynamic_slice(sum, at, sizes_of(window.type())), window), at);
}

// Returns the product of stacked arrays, which equals the sum of the products of their rows.
Value product_of_stacks(const Node& product, Value lhs, Value rhs) {
  const auto& of_rows = product.attributes<DotAttributes>();
  const auto behind_first = [](Ints dims) {
    std::vector<std::int64_t> moved;
    for (const std::int64_t d : dims) moved.push_back(d + 1);
    return moved;
  };
  const auto lhs_batching = behind_first(of_rows.lhs_batching), rhs_batching = behind_first(of_rows.rhs_batching);
  auto lhs_contracting = behind_first(of_rows.lhs_contracting), rhs_contracting = behind_first(of_rows.rhs_contracting);
  lhs_contracting.insert(lhs_contracting.begin(), 0);
  rhs_contracting.insert(rhs_contracting.begin(), 0);
  return dot_general(lhs, rhs, {lhs_batching, rhs_batching, lhs_contracting, rhs_contracting}, product.type().dtype());
}

class LoopGradient {
 public:
  LoopGradient(const GradientCall& call, const CountedLoop& loop)
      : call_(call),
        loop_(loop),
        body_(*call.node.regions[1]),
        count_(call.node.operands.size()),
        counter_type_(call.x(loop.counter).type()) {
    find_active();
  }

  void run() {
    pass_through();
    if (loop_.steps == 0 || active_.empty()) return;
    std::vector<int> wanted(active_);
    wanted.insert(wanted.end(), fixed_.begin(), fixed_.end());
    step_ = region_gradient(body_, active_, wanted);
    find_kept();
    find_products();
    const std::vector<Value> cotangents = reversed(kept_of_all_steps());
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (call_.needs(wanted[k])) call_.add(wanted[k], cotangents[k]);
  }

 private:
  Graph& graph() const { return *call_.node.graph; }
  bool is_unchanged(std::size_t i) const { return i != loop_.counter && body_.outputs()[i] == body_.inputs()[i]; }

  // Finds active_ and fixed_. Active values are carried values whose cotangents change from step to step: they depend on a value
  // whose cotangent is needed, and a value with a cotangent depends on them. Fixed values are unchanged by the steps, but each
  // step adds to their cotangents.
  void find_active() {
    std::vector<std::vector<bool>> reach(count_);
    std::vector<bool> varied(count_), useful(count_), carried(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_float(body_.inputs()[i].dtype())) continue;
      reach[i] = dependents(body_, i);
      carried[i] = !is_unchanged(i);
      varied[i] = call_.needs(i);
      useful[i] = carried[i] && call_.dy(i);
    }
    const auto reaches = [&](std::size_t from, std::size_t to) { return !reach[from].empty() && reach[from][to]; };
    for (bool grown = true; std::exchange(grown, false);)
      for (std::size_t i = 0; i < count_; ++i)
        for (std::size_t j = 0; j < count_; ++j) {
          if (!carried[j] || !reaches(i, j)) continue;
          if (varied[i] && !varied[j]) varied[j] = grown = true;
          if (useful[j] && carried[i] && !useful[i]) useful[i] = grown = true;
        }
    for (std::size_t j = 0; j < count_; ++j)
      if (carried[j] && varied[j] && useful[j]) active_.push_back(j);
    for (std::size_t i = 0; i < count_; ++i) {
      const auto adds = [&](int j) { return reaches(i, j); };
      if (!carried[i] && varied[i] && std::ranges::any_of(active_, adds)) fixed_.push_back(i);
    }
  }

  // Passes on the cotangents of values that the loop returns unchanged and that no step contributes to.
  void pass_through() const {
    for (std::size_t k = 0; k < count_; ++k) {
      const int i = k;
      const bool is_same = loop_.steps == 0 || (is_unchanged(k) && std::ranges::find(fixed_, i) == fixed_.end());
      if (is_same && call_.needs(i) && call_.dy(i)) call_.add(i, call_.dy(i));
    }
  }

  // Finds the forward values that must be kept, from which the step's gradient is computed. The walk back from the gradient ends at them.
  void find_kept() {
    const Graph& gradient = *step_.graph;
    std::vector<bool> seen(gradient.nodes().size());
    std::vector<Value> stack(gradient.outputs().begin(), gradient.outputs().end());
    while (!stack.empty()) {
      const Value v = stack.back();
      stack.pop_back();
      if (v.node->op == &ops::parameter) {
        const std::size_t index = v.node->attributes<ParameterAttributes>().index;
        if (index < count_ && index != loop_.counter && !is_unchanged(index)) keep(v);
      } else if (v.node->id < step_.forward && !is_cheap(*v.node)) {
        keep(v);
      } else if (!seen[v.node->id]) {
        seen[v.node->id] = true;
        stack.insert(stack.end(), v.node->operands.begin(), v.node->operands.end());
      }
    }
    std::ranges::sort(kept_, {}, [](Value v) { return std::pair(v.node->id, v.index); });
  }
  void keep(Value v) {
    if (std::ranges::find(kept_, v) == kept_.end()) kept_.push_back(v);
  }

  // Appends the loop again, extended by stacked arrays of the kept values of each step; returns these arrays.
  std::vector<Value> kept_of_all_steps() const {
    if (kept_.empty()) return {};
    std::vector<Value> initial(call_.node.operands.begin(), call_.node.operands.end());
    for (const Value v : kept_) initial.push_back(constant(graph(), stacked(v.type(), loop_.steps), 0));
    const std::vector<Type> types = types_of(initial);
    const auto condition = make_graph(types, [&](Graph& into, std::span<const Value> in) {
      return inline_graph(into, *call_.node.regions[0], in.first(count_));
    });
    const auto body = make_graph(types, [&](Graph& into, std::span<const Value> in) {
      Inliner inliner(into, *step_.graph);
      for (std::size_t i = 0; i < count_; ++i) inliner.substitute(step_.graph->inputs()[i], in[i]);
      std::vector<Value> next = inliner.copy(step_.outputs);
      const std::vector<Value> kept = inliner.copy(kept_);
      const Value step = subtract(in[loop_.counter], constant(into, counter_type_, loop_.first));
      for (std::size_t k = 0; k < kept.size(); ++k) {
        const Value row = reshape(kept[k], stacked(kept[k].type(), 1).dims());
        next.push_back(dynamic_update_slice(in[count_ + k], row, starts(step, kept[k].rank())));
      }
      return next;
    });
    std::vector<Value> results = while_(initial, condition, body);
    results.erase(results.begin(), results.begin() + count_);
    return results;
  }

  Value cotangent_of_fixed(std::size_t k) const { return step_.graph->outputs()[active_.size() + k]; }

  // Returns the product of two values of a step that equals the cotangent, if it has this form.
  std::optional<Value> product_in(Value cotangent) const {
    Value v = cotangent;
    while (v.node->op == &ops::transpose || v.node->op == &ops::reshape) v = v.node->operand(0);
    if (v.node->op != &ops::dot_general) return std::nullopt;
    const auto is_of_step = [&](Value factor) { return is_kept(factor) || factor.node->op != &ops::parameter; };
    return std::ranges::all_of(v.node->operands, is_of_step) ? std::optional(v) : std::nullopt;
  }
  bool is_kept(Value v) const { return std::ranges::find(kept_, v) != kept_.end(); }

  // A single product over all steps reads and writes its result once instead of in every step, but its factors must be kept. It
  // is used while the factors take no more memory than the values that the steps keep anyway; this holds for all sizes.
  void find_products() {
    std::int64_t left = 0;
    for (const Value v : kept_) left += v.type().bytes();
    for (std::size_t k = 0; k < fixed_.size(); ++k) {
      products_.emplace_back();
      const std::optional<Value> product = product_in(cotangent_of_fixed(k));
      if (!product) continue;
      std::vector<Value> more;
      std::int64_t bytes = 0;
      for (const Value factor : product->node->operands) {
        if (is_kept(factor) || std::ranges::find(factors_, factor) != factors_.end()) continue;
        more.push_back(factor);
        bytes += factor.type().bytes();
      }
      if (bytes > left) continue;
      left -= bytes;
      factors_.insert(factors_.end(), more.begin(), more.end());
      products_.back() = product;
    }
  }

  // Returns the cotangents of the active and the fixed values before the first step. The loop carries a counter, these cotangents
  // (or the factors of the products whose sum they are) and, unchanged, the values that the steps read: the stacked arrays and
  // the values that the first loop left unchanged.
  std::vector<Value> reversed(std::span<const Value> stacks) const {
    std::vector<Value> initial{constant(graph(), counter_type_, 0)}, of_step;
    const auto carry = [&](int i, Value cotangent) {
      initial.push_back(call_.dy(i) ? call_.dy(i) : constant_like(call_.y(i), 0));
      of_step.push_back(cotangent);
    };
    for (std::size_t k = 0; k < active_.size(); ++k) carry(active_[k], step_.graph->outputs()[k]);
    for (std::size_t k = 0; k < fixed_.size(); ++k)
      if (!products_[k]) carry(fixed_[k], cotangent_of_fixed(k));
    const std::size_t carried = of_step.size();
    for (const Value factor : factors_) {
      initial.push_back(constant(graph(), stacked(factor.type(), loop_.steps), 0));
      of_step.push_back(factor);
    }
    const std::size_t own = initial.size();
    initial.insert(initial.end(), stacks.begin(), stacks.end());
    for (std::size_t i = 0; i < count_; ++i)
      if (is_unchanged(i)) initial.push_back(call_.x(i));
    const std::vector<Type> types = types_of(initial);
    const auto condition = make_graph(types, [&](Graph& into, std::span<const Value> in) {
      return std::vector{compare(in[0], constant(into, counter_type_, loop_.steps), Direction::LT)};
    });
    const auto body = make_graph(types, [&](Graph& into, std::span<const Value> in) {
      const Value step = subtract(constant(into, counter_type_, loop_.steps - 1), in[0]);
      const std::vector<Value> made = values_at(step, into, in, own, of_step);
      std::vector<Value> next{add(in[0], constant_like(in[0], 1))};
      for (std::size_t k = 0; k < made.size(); ++k) {
        const Value before = in[1 + k], now = made[k];
        next.push_back(k < active_.size() ? now
                       : k < carried      ? accumulated(before, now)
                                          : dynamic_update_slice(before, reshape(now, stacked(now.type(), 1).dims()),
                                                                 starts(step, now.rank())));
      }
      next.insert(next.end(), in.begin() + own, in.end());
      return next;
    });
    const std::vector<Value> results = while_(initial, condition, body);
    const auto made = std::span(results).subspan(1);
    std::vector<Value> cotangents(made.begin(), made.begin() + active_.size());
    auto sum = made.begin() + active_.size();
    for (std::size_t k = 0; k < fixed_.size(); ++k)
      cotangents.push_back(products_[k] ? of_all_steps(k, stacks, made.subspan(carried)) : *sum++);
    return cotangents;
  }

  // Returns the cotangent of a fixed value, from the stacked factors of its product.
  Value of_all_steps(std::size_t k, std::span<const Value> stacks, std::span<const Value> factors) const {
    const auto stack_of = [&](Value factor) {
      const auto kept = std::ranges::find(kept_, factor);
      return kept != kept_.end() ? stacks[kept - kept_.begin()]
                                 : factors[std::ranges::find(factors_, factor) - factors_.begin()];
    };
    const Node& product = *products_[k]->node;
    Inliner inliner(graph(), *step_.graph);
    inliner.substitute(*products_[k],
                       product_of_stacks(product, stack_of(product.operand(0)), stack_of(product.operand(1))));
    const Value cotangent = cotangent_of_fixed(k);
    const Value all = inliner.copy({&cotangent, 1}).front(), before = call_.dy(fixed_[k]);
    return before ? add(before, all) : all;
  }

  // Returns values of step_.graph at this step. `in` are the values that the reversed loop carries; the first `own` of them come
  // before the stacked arrays.
  std::vector<Value> values_at(Value step, Graph& into, std::span<const Value> in, std::size_t own,
                               std::span<const Value> wanted) const {
    Inliner inliner(into, *step_.graph);
    const std::span<const Value> inputs = step_.graph->inputs();
    inliner.substitute(inputs[loop_.counter], add(step, constant(into, counter_type_, loop_.first)));
    std::size_t next = own;
    for (const Value v : kept_) {
      const Value row = dynamic_slice(in[next++], starts(step, v.rank()), sizes_of(stacked(v.type(), 1)));
      inliner.substitute(v, reshape(row, v.type().dims()));
    }
    for (std::size_t i = 0; i < count_; ++i)
      if (is_unchanged(i)) inliner.substitute(inputs[i], in[next++]);
    for (std::size_t k = 0; k < active_.size(); ++k) inliner.substitute(inputs[count_ + k], in[1 + k]);
    return inliner.copy(wanted);
  }

  const GradientCall& call_;
  const CountedLoop loop_;
  const Graph& body_;
  const std::size_t count_;  // number of carried values
  const Type counter_type_;
  std::vector<int> active_, fixed_;  // see find_active
  RegionGradient step_;
  std::vector<Value> kept_;                     // values of step_.graph
  std::vector<std::optional<Value>> products_;  // one for each of fixed_; see product_in
  std::vector<Value> factors_;                  // the factors of these products that are not kept anyway
};

}  // namespace

void while_gradient(const GradientCall& c) {
  const auto loop = counted_loop(c.node);
  const Location& at = c.node.location;
  if (!loop)
    fail(
        "grad: while has no gradient unless its number of steps is known",
        at.line == 0 ? "" : concat(" (", at.file, ':', at.line, ')'),
        ": its condition must be counter < end, with a carried integer counter that each step increments by 1, and the "
        "start, the end and the 1 must be constant(value, DType::i32), not tensors or plain numbers. for_loop and scan "
        "do that");
  require(!has_side_effect(c.node),
          "grad: while has no gradient if its steps have side effects, because the gradient would repeat them");
  LoopGradient(c, *loop).run();
}

}  // namespace weft::ir
