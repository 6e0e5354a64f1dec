// Batching rules of control ops. Where all examples decide alike, the decision stays one; where they differ, every branch is computed and
// each example takes its own, and a loop goes on until no example needs it.
#include <algorithm>

#include <weft/ir/builder.h>
#include <weft/ir/composites.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/batch_dims.h>

namespace weft::ir {

namespace {

std::vector<bool> are_batched(std::span<const Batched> values) {
  std::vector<bool> flags;
  for (const Batched& value : values) flags.push_back(value.is_batched);
  return flags;
}

// Returns, for each example, the element of `yes` or `no`; both are batched.
Value chosen(Value predicate, Value yes, Value no) {
  if (yes.node == no.node && yes.index == no.index) return yes;
  return select(broadcast_in_dim(predicate, yes.type().with(DType::boolean), Int64s{0}), yes, no);
}

void require_no_effects(const Graph& region, std::string_view what) {
  require(std::ranges::none_of(region.nodes(), [](const Node* node) { return has_side_effect(*node); }), "vmap: ", what,
          " depends on the example and has side effects, which would happen for all examples or for none: let it "
          "depend on values that "
          "are the same for all examples, or take the side effects out of it");
}

// Returns the values of a region in the graph of the call, all batched.
std::vector<Value> batched_outputs(const BatchCall& c, const Graph& region, std::span<const Batched> inputs) {
  std::vector<Value> values;
  for (const Batched& output : batch(c.graph, region, inputs, c.batching)) values.push_back(c.batched(output));
  return values;
}

std::vector<Batched> one_decision(const BatchCall& c) {
  const std::vector<bool> inputs = are_batched(c.operands.subspan(1));
  std::vector<bool> outputs(c.node.types.size());
  for (const Graph* branch : c.node.regions) {
    const std::vector<bool> of_branch = batch_region(*branch, inputs, {}, c.batching).is_batched;
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = outputs[i] || of_branch[i];
  }
  std::vector<std::shared_ptr<const Graph>> branches;
  for (const Graph* branch : c.node.regions)
    branches.push_back(batch_region(*branch, inputs, outputs, c.batching).graph);
  std::vector<Value> operands;
  for (const Batched& operand : c.operands) operands.push_back(operand.value);
  Node& made = c.graph.append(*c.node.op, operands, nullptr, {}, branches);
  std::vector<Batched> results;
  for (std::uint32_t i = 0; i < outputs.size(); ++i) results.emplace_back(made.result(i), outputs[i]);
  return results;
}

}  // namespace

std::vector<Batched> batch_branches(const BatchCall& c) {
  if (!c.is_batched(0)) return one_decision(c);
  const bool is_if = c.node.op == &ops::if_;
  std::vector<std::vector<Value>> results;  // of each branch
  for (const Graph* branch : c.node.regions) {
    require_no_effects(*branch, "a branch");
    results.push_back(batched_outputs(c, *branch, c.operands.subspan(1)));
  }
  if (is_if) std::swap(results[0], results[1]);  // the last branch is that of no other index, or of false
  std::vector<Value> taken = results.back();
  for (std::size_t k = results.size() - 1; k-- > 0;) {
    const Value is_taken =
        is_if ? not_(c.x()) : compare(c.x(), constant_like(c.x(), static_cast<double>(k)), Direction::EQ);
    for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = chosen(is_taken, results[k][i], taken[i]);
  }
  return {taken.begin(), taken.end()};
}

namespace {

class BatchedLoop {
 public:
  explicit BatchedLoop(const BatchCall& call)
      : call_(call),
        condition_(*call.node.regions[0]),
        body_(*call.node.regions[1]),
        is_batched_(are_batched(call.operands)) {
    grow();
    batches_condition_ = batch_region(condition_, is_batched_, {}, call.batching).is_batched[0];
    if (!batches_condition_) return;
    require_no_effects(body_, "a loop");
    for (std::size_t i = 0; i < is_batched_.size(); ++i)
      if (!is_unchanged(i)) is_batched_[i] = true;  // examples end at different values
    grow();
  }

  std::vector<Batched> run() const {
    const std::vector<Value> results = batches_condition_ ? until_all_end() : together();
    std::vector<Batched> values;
    for (std::size_t i = 0; i < is_batched_.size(); ++i) values.emplace_back(results[i], is_batched_[i]);
    return values;
  }

 private:
  bool is_unchanged(std::size_t i) const { return body_.outputs()[i] == body_.inputs()[i]; }

  // Finds which carried values become batched in some step.
  void grow() {
    for (bool grows = true; grows;) {
      grows = false;
      const std::vector<bool> next = batch_region(body_, is_batched_, {}, call_.batching).is_batched;
      for (std::size_t i = 0; i < next.size(); ++i) {
        if (!next[i] || is_batched_[i]) continue;
        is_batched_[i] = true;
        grows = true;
      }
    }
  }

  std::vector<Value> first() const {
    std::vector<Value> values;
    for (std::size_t i = 0; i < is_batched_.size(); ++i)
      values.push_back(is_batched_[i] ? call_.batched(static_cast<int>(i)) : call_.x(static_cast<int>(i)));
    return values;
  }

  std::vector<Value> together() const {
    return while_(first(), batch_region(condition_, is_batched_, {}, call_.batching).graph,
                  batch_region(body_, is_batched_, is_batched_, call_.batching).graph);
  }

  // Carries which examples go on, besides the values.
  std::vector<Value> until_all_end() const {
    const auto condition = batch_region(condition_, is_batched_, {true}, call_.batching).graph;
    const auto step = batch_region(body_, is_batched_, is_batched_, call_.batching).graph;
    std::vector<Value> carried = first();
    carried.push_back(inline_graph(call_.graph, *condition, carried).front());
    const std::vector<Type> types = types_of(carried);
    const std::size_t count = carried.size() - 1;
    const auto some_go_on = make_graph(types, [&](Graph& graph, std::span<const Value> x) {
      const Value none = constant(graph, Type(DType::boolean, {}), 0);
      return ir::reduce(std::vector{x[count]}, std::vector{none}, Int64s{0}, reduction_body(ops::or_, DType::boolean));
    });
    const auto body = make_graph(types, [&](Graph& graph, std::span<const Value> x) {
      const Value goes_on = x[count];
      std::vector<Value> next = inline_graph(graph, *step, x.first(count));
      for (std::size_t i = 0; i < count; ++i)
        if (is_batched_[i]) next[i] = chosen(goes_on, next[i], x[i]);
      next.push_back(and_(goes_on, inline_graph(graph, *condition, next).front()));
      return next;
    });
    return while_(carried, some_go_on, body);
  }

  const BatchCall& call_;
  const Graph &condition_, &body_;
  std::vector<bool> is_batched_;  // one for each carried value
  bool batches_condition_ = false;
};

}  // namespace

std::vector<Batched> batch_while(const BatchCall& c) { return BatchedLoop(c).run(); }

// Most composites work along the last dimension of their first operand, so one that is batched only there stays what it is; others take a
// batch in all operands. Checkpoints keep their name whatever they compute.
std::vector<Batched> batch_composite(const BatchCall& c) {
  const Graph& region = *c.node.regions[0];
  const std::string_view name = c.attributes<CompositeAttributes>().name;
  const Composite* const known = find_composite(name);
  const bool stays = known && (known->all_lead ? std::ranges::all_of(c.operands, &Batched::is_batched)
                                               : !c.any_batched(1, static_cast<int>(c.operands.size())));
  if (name != checkpoint && !stays) return batch(c.graph, region, c.operands, c.batching);
  const BatchedRegion batched = batch_region(region, are_batched(c.operands), {}, c.batching);
  std::vector<Value> operands;
  for (const Batched& operand : c.operands) operands.push_back(operand.value);
  std::vector<Batched> results;
  for (const Value v : composite(name, operands, batched.graph))
    results.emplace_back(v, batched.is_batched[results.size()]);
  return results;
}

}  // namespace weft::ir
