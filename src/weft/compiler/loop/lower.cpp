#include <weft/compiler/loop/lower.h>

#include <algorithm>
#include <limits>
#include <map>

#include <weft/compiler/loop/draft.h>
#include <weft/compiler/loop/records.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
namespace ops = ir::ops;

namespace {

std::uint64_t bits_of(double value, DType dtype) {
  return visit(dtype, [&](auto tag) {
    const auto typed = static_cast<decltype(tag)>(value);
    std::uint64_t bits = 0;
    std::memcpy(&bits, &typed, sizeof(typed));
    return bits;
  });
}

bool reduces(const Node& reduction, int d) {
  const auto reduced = reduction.attributes<ir::DimensionsAttributes>().dimensions;
  return std::ranges::find(reduced, d) != reduced.end();
}

// Returns the dimensions of the operand that become axes.
std::vector<int> walked_dims(const Node& reduction) {
  const Type type = reduction.operand(0).type();
  std::vector<int> dims;
  for (int d = 0; d < type.rank(); ++d)
    if (type.dim(d) != Dim(1) || reduces(reduction, d)) dims.push_back(d);
  return dims;
}

// Returns whether the reduction alone would walk columns: it walks along its rows unless a kept dimension comes after a reduced one.
bool walks_columns(const Node& reduction, const std::vector<int>& walked) {
  const auto is_reduced = [&](int d) { return reduces(reduction, d); };
  return std::ranges::find_if(walked, is_reduced) <
         std::ranges::find_if_not(walked.rbegin(), walked.rend(), is_reduced).base();
}

class Lowering {
 public:
  explicit Lowering(const KernelRequest& request) : request_(request) {}

  LoweringResult run() {
    choose_domain();
    while (true) {
      reset();
      if (build()) break;
      if (!split_) return {Status::failed(refusal_.empty() ? "the positions are not affine" : refusal_), blocker_};
      if (loop_.is_reduced(loop_.roles[split_->axis])) cut_by_ = blocker_;
      cut_axis(*split_);
    }
    arrange_axes(loop_, request_.contract);
    if (auto records = walk_records(loop_, request_)) loop_ = *std::move(records);
    if (Status stages = assign_stages(loop_); !stages) return {std::move(stages)};
    return {finalize(std::move(loop_), request_)};
  }

 private:
  // ---- domain

  // Dimensions of size 1 are no axes, so that a position has a unique form, whatever the shape of the value.
  void choose_domain() {
    if (!request_.reduction) {
      for (const Dim d : pointwise_domain().dims())
        if (d != Dim(1)) add_axis(d, Role::lane);
      return;
    }
    loop_.reduces = true;
    const Type type = request_.reduction->operand(0).type();
    const auto dims = walked_dims(*request_.reduction);
    const auto is_reduced = [&](int d) { return reduces(*request_.reduction, d); };
    loop_.columns = walks_columns(*request_.reduction, dims);
    const auto last_reduced = std::ranges::find_if(dims.rbegin(), dims.rend(), is_reduced).base();
    for (auto d = dims.begin(); d != dims.end(); ++d) {
      if (loop_.columns) {
        add_axis(type.dim(*d), is_reduced(*d) ? Role::serial : d < last_reduced ? Role::row : Role::lane);
      } else {
        add_axis(type.dim(*d), is_reduced(*d) ? Role::lane : Role::row);
      }
    }
  }

  Type pointwise_domain() const {
    const auto [concatenation, operand] = request_.part;
    return concatenation ? concatenation->operand(operand).type() : request_.outputs[0].type();
  }

  void add_axis(Size size, Role role) {
    loop_.axes.push_back(size);
    loop_.roles.push_back(role);
  }

  void cut_axis(const Split& split) {
    loop_.axes.insert(loop_.axes.begin() + split.axis + 1, split.inner);
    loop_.axes[split.axis] = *exact_quotient(loop_.axes[split.axis], split.inner);
    loop_.roles.insert(loop_.roles.begin() + split.axis + 1, loop_.roles[split.axis]);
  }

  void reset() {
    loop_.exprs.clear();
    loop_.stores.clear();
    loop_.inputs.clear();
    memo_.clear();
    computed_at_.clear();
    split_.reset();
    refusal_.clear();
    blocker_ = nullptr;
  }

  bool refuse(std::string why) {
    if (refusal_.empty()) refusal_ = std::move(why);
    return false;
  }

  // ---- expressions

  // Finds where the part of a concatenation lies in the whole.
  bool find_part() {
    const auto [concatenation, operand] = request_.part;
    const Type part = concatenation->operand(operand).type();
    const auto index = delinearise(loop_.linear([](Role) { return true; }), part.dims(), loop_.axes, split_);
    if (!index) return false;
    in_part_ = in_whole_ = *index;
    const int d = concatenation->attributes<ir::ConcatenateAttributes>().dimension;
    for (int k = 0; k < operand; ++k) in_whole_[d].offset += Size(concatenation->operand(k).type().dim(d));
    return true;
  }

  bool build_part() {
    if (!find_part()) return false;
    const Type whole = request_.part.concatenation->type();
    for (std::size_t i = 0; i < request_.outputs.size(); ++i) {
      const Value output = request_.outputs[i];
      if (!std::ranges::equal(output.type().dims(), whole.dims()))
        return refuse("an output has another shape than the concatenation of which the kernel computes a part");
      const ExprId value = evaluate(output, in_whole_, {});
      if (value < 0) return false;
      loop_.stores.push_back({value, i, linearise(in_whole_, whole.dims()), {}});
    }
    return true;
  }

  bool build() {
    if (request_.part.concatenation) return build_part();
    const auto all = [](Role) { return true; };
    const auto kept = [this](Role r) { return !loop_.is_reduced(r); };
    for (std::size_t i = 0; i < request_.outputs.size(); ++i) {
      const Value output = request_.outputs[i];
      const Size elements = product_of(output.type().dims());
      Affine position;
      if (!loop_.columns && elements == loop_.count(all) &&
          !(request_.reduction && output.node == request_.reduction)) {
        position = loop_.linear(all);
      } else if (request_.reduction && elements == loop_.count(kept)) {
        position = loop_.linear(kept);
      } else {
        return refuse("an output has another number of elements than the kernel's domain");
      }
      auto index = delinearise(position, output.type().dims(), loop_.axes, split_);
      if (!index) return false;
      const ExprId value = evaluate(output, *index, {});
      if (value < 0) return false;
      loop_.stores.push_back({value, i, position, {}});
    }
    return true;
  }

  struct Key {
    Value value;
    Index index;
    std::vector<Bound> bounds;
    ExprId id;
  };

  // Returns the expression for element `index` of `value`; -1 on failure.
  ExprId evaluate(Value value, const Index& index, const std::vector<Bound>& bounds) {
    auto& known = memo_[value.node->id * 8 + value.index];
    for (const Key& key : known)
      if (key.value == value && key.index == index && key.bounds == bounds) return key.id;
    const ExprId id = compute(value, index, bounds);
    if (id >= 0) memo_[value.node->id * 8 + value.index].push_back({value, index, bounds, id});
    return id;
  }

  ExprId push(Draft draft) { return loop_.push(std::move(draft)); }

  ExprId constant(std::uint64_t bits, DType dtype) {
    Draft draft;
    draft.expr.kind = Expr::Kind::constant;
    draft.expr.dtype = dtype;
    draft.expr.bits = bits;
    return push(std::move(draft));
  }

  ExprId compute(Value value, const Index& index, const std::vector<Bound>& bounds) {
    const Node& node = *value.node;
    if (const ir::Literal* splat = ir::splat_of(value)) return constant(splat_bits(*splat), value.dtype());
    // A reshape of a value in memory is in memory too.
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
        draft.position = index[node.attributes<ir::IotaAttributes>().dimension];
        return push(std::move(draft));
      }
      case ir::Kind::elementwise: return apply(node, index, bounds);
      case ir::Kind::shape: return move(node, index, bounds);
      case ir::Kind::reduction: return reduce(node, index, bounds);
      case ir::Kind::indexing:
        if (request_.computes(*storage_of(node.operand(0)).node))
          return fail("an indexing op reads a value that the kernel computes");
        return node.attributes_if<ir::GatherAttributes>() ? gather(node, index, bounds)
                                                          : dynamic_slice(node, index, bounds);
      default: return fail(concat(node.op->name, " cannot be part of a kernel"));
    }
  }

  ExprId fail(std::string why) {
    refuse(std::move(why));
    return -1;
  }

  ExprId load(Value value, const Index& index, const std::vector<Bound>& bounds, std::vector<DraftGathered> gathered) {
    // No iteration uses an element of an empty tensor, but a load whose strides are all 0 would run before the loop.
    if (std::ranges::find(value.type().dims(), Dim(0)) != value.type().dims().end()) return constant(0, value.dtype());
    return loop_.load(value, linearise(index, value.type().dims()), bounds, std::move(gathered));
  }

  ExprId apply(const Node& node, const Index& index, const std::vector<Bound>& bounds) {
    Draft draft;
    draft.expr.kind = Expr::Kind::apply;
    draft.expr.dtype = node.type().dtype();
    draft.expr.op = node.op;
    draft.expr.attributes = node.attribute_data;
    for (const Value operand : node.operands) {
      // select and clamp take rank-0 operands beside operands of full shape.
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
    draft.expr.dtype = loop_.expr(on_true).dtype;
    draft.expr.operands = {predicate, on_true, on_false};
    return push(std::move(draft));
  }

  ExprId move(const Node& node, const Index& index, const std::vector<Bound>& bounds) {
    if (node.attributes_if<ir::PadAttributes>()) {
      std::vector<Bound> inside;
      auto at = operand_index(node, 0, index, loop_.axes, inside, split_);
      if (!at) return -1;
      std::vector<Bound> both = bounds;
      both.insert(both.end(), inside.begin(), inside.end());
      const ExprId value = evaluate(node.operand(0), *at, both);
      if (value < 0 || inside.empty()) return value;
      const ExprId padding = evaluate(node.operand(1), {}, {});
      return padding < 0 ? -1 : select(inside, value, padding);
    }
    if (&node == request_.part.concatenation) {
      if (index != in_whole_) return fail("a concatenation is needed at another position than its own");
      return evaluate(node.operand(request_.part.operand), in_part_, bounds);
    }
    if (node.attributes_if<ir::ConcatenateAttributes>()) {
      ExprId result = -1;
      for (int k = std::ssize(node.operands) - 1; k >= 0; --k) {
        if (product_of(node.operand(k).type().dims()).is(0)) continue;
        std::vector<Bound> inside;
        auto at = operand_index(node, k, index, loop_.axes, inside, split_);
        if (!at) return -1;
        if (is_never(inside)) continue;
        std::erase_if(inside, is_always);
        std::vector<Bound> both = bounds;
        both.insert(both.end(), inside.begin(), inside.end());
        const ExprId part = evaluate(node.operand(k), *at, both);
        if (part < 0) return -1;
        result = result < 0 || inside.empty() ? part : select(inside, part, result);
      }
      return result < 0 ? constant(0, node.type().dtype()) : result;  // with no elements, nothing is read
    }
    std::vector<Bound> inside;
    auto at = operand_index(node, 0, index, loop_.axes, inside, split_);
    if (!at) blocker_ = &node;
    return at ? evaluate(node.operand(0), *at, bounds) : -1;
  }

  // Returns the position that a bound is about if it is the same everywhere, as that of a component of an index vector.
  static std::optional<std::int64_t> known_place(const Bound& bound) {
    const auto is_zero = [](Size coefficient) { return coefficient.is(0); };
    if (!bound.size.is_constant() || !bound.index.offset.is_constant() ||
        !std::ranges::all_of(bound.index.coefficients, is_zero))
      return std::nullopt;
    return bound.index.offset.value();
  }
  static bool is_always(const Bound& bound) {
    const auto place = known_place(bound);
    return place && *place >= 0 && *place < bound.size.value();
  }
  static bool is_never(const std::vector<Bound>& bounds) {
    return std::ranges::any_of(bounds, [](const Bound& bound) { return known_place(bound) && !is_always(bound); });
  }

  ExprId reduce(const Node& node, const Index& index, const std::vector<Bound>& bounds) {
    if (!request_.reduction) return fail("a reduction in a pointwise kernel");
    if (!bounds.empty()) return fail("a reduction behind a pad or concatenation");
    for (const Affine& a : index)
      for (std::size_t i = 0; i < loop_.axes.size(); ++i)
        if (!a.coefficient(i).is(0) && loop_.is_reduced(loop_.roles[i]))
          return fail("a reduction is needed at positions along its own axes");
    const Type type = node.operand(0).type();
    std::vector<Dim> reduced_dims;
    for (int d = 0; d < type.rank(); ++d)
      if (reduces(node, d)) reduced_dims.push_back(type.dim(d));
    const auto role = [this](Role r) { return loop_.is_reduced(r); };
    if (!request_.contract &&
        (walks_columns(node, walked_dims(node)) != loop_.columns || !walks_in_order(reduced_dims))) {
      blocker_ = cut_by_;
      return fail("fusion would change the order of summation");
    }
    if (product_of(reduced_dims) != loop_.count(role)) return fail("reductions over different numbers of elements");
    const auto inner = delinearise(loop_.linear(role), reduced_dims, loop_.axes, split_);
    if (!inner) return -1;
    Index at;
    std::size_t kept = 0, next = 0;
    for (int d = 0; d < type.rank(); ++d) at.push_back(reduces(node, d) ? (*inner)[next++] : index[kept++]);
    const ExprId operand = evaluate(node.operand(0), at, bounds);
    const ExprId init = operand < 0 ? -1 : evaluate(node.operand(1), {}, bounds);
    if (init < 0) return -1;
    Draft draft;
    draft.expr.kind = Expr::Kind::reduce;
    draft.expr.dtype = node.type().dtype();
    draft.expr.op = ir::reduction_op(*node.regions[0]);
    draft.expr.contracts = request_.contract && draft.expr.op == &ir::ops::add && is_inner_product(node.operand(0));
    draft.expr.operands = {operand, init};
    return push(std::move(draft));
  }

  // Returns whether terms are the products of two smaller factors, each of which is repeated. They are computed where they are added up. Others
  // may be stored by another kernel, depending on what else the program computes, and the sum of stored products is rounded otherwise.
  static bool is_inner_product(ir::Value terms) {
    return is_float(terms.dtype()) && terms.node->op == &ir::ops::multiply &&
           std::ranges::all_of(terms.node->operands, [&](ir::Value factor) {
             return factor.node->op == &ir::ops::broadcast_in_dim &&
                    product_of(factor.node->operand(0).type().dims()) != product_of(terms.type().dims());
           });
  }

  // In strict mode, fused or not, a reduction runs over its own dimensions in their order.
  bool walks_in_order(std::span<const Dim> dims) const {
    std::vector<Size> mine, kernels;
    for (const Dim d : dims)
      if (d != Dim(1)) mine.push_back(d);
    for (std::size_t a = 0; a < loop_.axes.size(); ++a)
      if (loop_.is_reduced(loop_.roles[a]) && !loop_.axes[a].is(1)) kernels.push_back(loop_.axes[a]);
    return mine == kernels;
  }

  ExprId gather(const Node& node, const Index& index, const std::vector<Bound>& bounds) {
    const auto& a = node.attributes<ir::GatherAttributes>();
    const Value operand = node.operand(0), indices = node.operand(1);
    const auto has = [](ir::Ints list, std::int64_t d) { return std::ranges::find(list, d) != list.end(); };
    std::vector<Affine> batch;
    for (int d = 0; d < node.type().rank(); ++d)
      if (!has(a.offset_dims, d)) batch.push_back(index[d]);
    // The window's start has one component of the index vector for each entry of start_index_map.
    Index at(operand.rank());
    std::size_t offset = 0;
    for (int d = 0; d < operand.rank(); ++d) {
      const std::size_t du = d;
      if (const auto b = std::ranges::find(a.operand_batching_dims, d); b != a.operand_batching_dims.end()) {
        std::int64_t where = a.start_indices_batching_dims[b - a.operand_batching_dims.begin()];
        if (where > a.index_vector_dim) --where;
        at[du] = batch[where];
      } else if (!has(a.collapsed_slice_dims, d)) {
        at[du] = index[a.offset_dims[offset++]];
      }
    }
    std::vector<DraftGathered> gathered;
    const std::vector<Size> strides = strides_of(operand.type().dims());
    for (std::size_t k = 0; k < a.start_index_map.size(); ++k) {
      Index where(batch.begin(), batch.end());
      if (a.index_vector_dim < indices.rank()) where.insert(where.begin() + a.index_vector_dim, Affine{k, {}});
      const ExprId start = evaluate(indices, where, bounds);
      if (start < 0) return -1;
      const std::size_t d = a.start_index_map[k];
      gathered.push_back({start, Size(operand.type().dims()[d]) - a.slice_sizes[d], strides[d]});
    }
    return load(operand, at, bounds, std::move(gathered));
  }

  ExprId dynamic_slice(const Node& node, const Index& index, const std::vector<Bound>& bounds) {
    const Value operand = node.operand(0);
    const std::vector<Size> strides = strides_of(operand.type().dims());
    std::vector<DraftGathered> gathered;
    for (int d = 0; d < operand.rank(); ++d) {
      const ExprId start = evaluate(node.operand(d + 1), {}, bounds);
      if (start < 0) return -1;
      gathered.push_back({start, Size(operand.type().dim(d)) - Size(node.type().dim(d)), strides[d]});
    }
    return load(operand, index, bounds, std::move(gathered));
  }

  const KernelRequest& request_;
  DraftLoop loop_;
  std::map<std::uint64_t, std::vector<Key>> memo_;
  std::map<std::uint32_t, Index> computed_at_;
  Index in_part_,
      in_whole_;  // of a part of a concatenation: the position of an element in the operand and in the concatenation
  std::optional<Split> split_;
  std::string refusal_;
  const Node* blocker_ = nullptr;
  const Node* cut_by_ = nullptr;  // the last node that required splitting a reduced axis
};

}  // namespace

ExprId DraftLoop::load(Value value, Affine position, std::vector<Bound> bounds, std::vector<DraftGathered> gathered) {
  Draft draft;
  draft.expr.kind = Expr::Kind::load;
  draft.expr.dtype = value.dtype();
  draft.source = value;
  draft.position = std::move(position);
  draft.bounds = std::move(bounds);
  draft.gathered = std::move(gathered);
  for (const DraftGathered& g : draft.gathered) draft.expr.operands.push_back(g.index);
  auto at = std::ranges::find(inputs, value);
  draft.expr.buffer = at - inputs.begin();
  if (at == inputs.end()) inputs.push_back(value);
  return push(std::move(draft));
}

std::uint64_t splat_bits(const ir::Literal& splat) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, splat.bytes.data(), byte_size(splat.type.dtype()));
  return bits;
}

namespace {

// Returns the least or the greatest element of a dtype.
std::uint64_t extremum_of(DType dtype, bool greatest) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (is_float(dtype)) return bits_of(greatest ? infinite : -infinite, dtype);
  return visit(dtype, [&](auto tag) -> std::uint64_t {
    using T = decltype(tag);
    std::uint64_t bits = 0;
    if constexpr (std::is_integral_v<T>) {
      const T extremum = greatest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
      std::memcpy(&bits, &extremum, sizeof(extremum));
    }
    return bits;
  });
}

}  // namespace

std::optional<std::uint64_t> identity_of(const ir::Op& op, DType dtype) {
  switch (op.identity) {
    case ir::Identity::none: return std::nullopt;
    case ir::Identity::zero: return 0;
    case ir::Identity::one: return bits_of(1, dtype);
    case ir::Identity::all_bits: return dtype == DType::boolean ? 1 : ~std::uint64_t{0};
    case ir::Identity::lowest: return extremum_of(dtype, false);
    case ir::Identity::highest: return extremum_of(dtype, true);
  }
  __builtin_unreachable();
}

DType accumulator_type(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype; }

bool can_lower(const Node& node) {
  switch (node.op->kind) {
    case ir::Kind::elementwise: return true;
    case ir::Kind::source:
      if (const auto* constant = node.attributes_if<ir::ConstantAttributes>()) return constant->value.is_splat();
      return !ir::is_parameter(node);
    case ir::Kind::shape: return moves_elements(node);
    case ir::Kind::reduction: {
      if (!node.attributes_if<ir::DimensionsAttributes>() || node.operands.size() != 2) return false;
      const ir::Op* op = ir::reduction_op(*node.regions[0]);
      return op && op->commutative && identity_of(*op, node.type().dtype()) &&
             node.operand(0).dtype() == node.type().dtype();
    }
    case ir::Kind::indexing:
      return node.attributes_if<ir::GatherAttributes>() || node.attributes_if<ir::DynamicSliceAttributes>();
    default: return false;
  }
}

LoweringResult lower(const KernelRequest& request) { return Lowering(request).run(); }

}  // namespace weft::compiler
