#include <weft/compiler/spmd/partition.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include <weft/base/error.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/compiler/spmd/precedence.h>
#include <weft/compiler/spmd/reshard.h>
#include <weft/compiler/spmd/typing.h>
#include <weft/ir/builder.h>
#include <weft/ir/localize.h>
#include <weft/ir/ops.h>
#include <weft/ir/place_text.h>
#include <weft/ir/resize.h>
#include <weft/ir/several_devices.h>
#include <weft/ir/text/shardy.h>

namespace weft::compiler {

namespace {

void check(const ir::Graph& graph) {
  for (const ir::Node* node : graph.nodes()) {
    // A process id is that of the device.
    const bool may_stay =
        node->attributes_if<ir::ManualComputationAttributes>() || node->op->collective == ir::Collective::process_id;
    if (node->op->kind == ir::Kind::collective && !may_stay) ir::refuse_several_devices(*node);
    if (!ir::is_static(*node)) {
      std::string sizes;
      for (const Type type : node->types) sizes += concat(sizes.empty() ? ": " : ", ", type);
      fail("partition: '", node->op->name, "' has sizes that are not known", sizes);
    }
    if (!node->attributes_if<ir::ManualComputationAttributes>())
      for (const ir::Graph* region : node->regions) check(*region);
  }
}

// Throws UnsupportedError if a loop or branch that is written for every device contains a manual computation.
void refuse_manual_computations(const ir::Graph& graph) {
  for (const ir::Node* node : graph.nodes()) {
    if (node->attributes_if<ir::ManualComputationAttributes>())
      throw UnsupportedError(concat("sdy.manual_computation at ", ir::place_text(node->location),
                                    ": within a loop or branch of another one, it is not supported"),
                             "sdy.manual_computation");
    for (const ir::Graph* region : node->regions) refuse_manual_computations(*region);
  }
}

// Returns the sharding on a mesh with the same axes.
ir::Sharding on_mesh(const ir::Sharding& sharding, const ir::Mesh& mesh) {
  require(sharding.mesh().has_axes_of(mesh), "partition: a sharding is on the mesh (", sharding.mesh(),
          "), the program on (", mesh, ")");
  return {mesh, sharding.dims(), sharding.partial()};
}

// Returns where the sizes of a device's part of an input come from: "input 0 dim 0 (4096) / data 8".
std::vector<std::string> dims_of_part(const ir::Graph& graph, std::size_t input, const ir::Sharding& sharding) {
  const Type whole = graph.inputs()[input].type();
  std::vector<std::string> dims;
  for (int d = 0; d < whole.rank(); ++d) {
    std::string& text = dims.emplace_back(ir::dim_name(graph, input, d));
    if (!sharding.axes(d).empty()) text += concat(" (", whole.dim(d), ')');
    for (const int axis : sharding.axes(d))
      text += concat(" / ", sharding.mesh().axes()[axis].name, ' ', sharding.mesh().size(axis));
  }
  return dims;
}

class Partitioner {
 public:
  Partitioner(const ir::Graph& from, const ir::Mesh& mesh, std::vector<NodeTyping> typing)
      : from_(from),
        mesh_(mesh),
        typing_(std::move(typing)),
        to_(std::make_shared<ir::Graph>()),
        collectives_(*to_, mesh),
        held_(from.nodes().size()) {
    to_->name = from.name;
    to_->input_names = from.input_names;
  }

  Partitioned run(std::span<const ir::Sharding> inputs, std::span<const std::optional<ir::Sharding>> wanted,
                  PartialOutputs partial_outputs) {
    std::vector<ir::Value> shards;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Type whole = from_.inputs()[i].type();
      shards.push_back(to_->add_input(inputs[i].local_type(whole)));
      to_->input_dims.push_back(dims_of_part(from_, i, inputs[i]));
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const ir::Value input = from_.inputs()[i];
      collectives_.set_reason(input.node);
      hold(input, permuted(shards[i], inputs[i], inputs[i].mesh(), mesh_),
           typing_[input.node->id].division->results.front());
    }
    for (ir::Node* node : from_.nodes())
      if (!ir::is_parameter(*node)) append(*node);
    Partitioned result;
    std::vector<ir::Value> outputs;
    for (std::size_t i = 0; i < from_.outputs().size(); ++i) {
      const ir::Value v = from_.outputs()[i];
      const ir::Sharding& given = typing_[v.node->id].passed_on[v.index];
      result.outputs.push_back(wanted[i]                                 ? *wanted[i]
                               : partial_outputs == PartialOutputs::keep ? given
                                                                         : without_partial(given));
      collectives_.set_reason(v.node);
      const ir::Sharding& output = result.outputs.back();
      outputs.push_back(permuted(as(v, on_mesh(output, mesh_)), output, mesh_, output.mesh()));
    }
    to_->set_outputs(std::move(outputs));
    result.graph = to_;
    result.communications = collectives_.take_communications();
    return result;
  }

 private:
  struct Held {
    ir::Sharding sharding;
    ir::Value value;
  };

  void hold(ir::Value v, ir::Value shard, const ir::Sharding& sharding) {
    auto& results = held_[v.node->id];
    if (results.size() <= v.index) results.resize(v.index + 1);
    results[v.index].push_back({sharding, shard});
  }

  ir::Value permuted(ir::Value shard, const ir::Sharding& sharding, const ir::Mesh& from, const ir::Mesh& to) {
    return from == to || sharding.is_replicated() ? shard : collectives_.permute(shard, from, to);
  }

  // Returns the shards of a value under this sharding; each is made once.
  ir::Value as(ir::Value v, const ir::Sharding& sharding) {
    auto& all = held_[v.node->id][v.index];
    const auto found = std::ranges::find(all, sharding, &Held::sharding);
    if (found != all.end()) return found->value;
    const Held from = all.back();  // partial sums were added once, if they were
    ir::Value made = needs_gathering(from.sharding, sharding) ? moved_again(v, sharding) : ir::Value{};
    if (!made) made = reshard(collectives_, from.value, from.sharding, sharding);
    if (from.sharding.partial().empty() || !sharding.partial().empty()) {
      all.insert(all.begin(), {sharding, made});
    } else {
      all.push_back({sharding, made});
    }
    return made;
  }

  static bool needs_gathering(const ir::Sharding& from, const ir::Sharding& to) {
    for (int d = 0; d < to.rank(); ++d)
      if (std::ranges::mismatch(from.axes(d), to.axes(d)).in1 != from.axes(d).end()) return true;
    return false;
  }

  // Returns the result of a shape op under another sharding, computed from its operand if that is held as needed, perhaps because another
  // op had it gathered. Moving elements again costs less than gathering them again.
  ir::Value moved_again(ir::Value v, const ir::Sharding& sharding) {
    const ir::Node& node = *v.node;
    if (node.op->kind != ir::Kind::shape || node.operands.size() != 1) return {};
    const ir::Factors& factors = *typing_[node.id].factors;
    const auto axes = factors.axes_of_result(0, sharding);
    const auto needed = axes ? factors.operand_sharding(0, node, mesh_, *axes) : std::nullopt;
    if (!needed) return {};
    const ir::Value operand = node.operand(0);
    auto& all = held_[operand.node->id][operand.index];
    const auto found = std::ranges::find(all, *needed, &Held::sharding);
    const ir::Value shard = found != all.end() ? found->value : moved_again(operand, *needed);
    return shard ? local(node, {{shard}}, *axes).front() : ir::Value{};
  }

  std::vector<ir::Value> local(const ir::Node& node, std::span<const ir::Value> operands, const ir::FactorAxes& axes) {
    const ir::Factors& factors = *typing_[node.id].factors;
    std::vector<ir::Value> parts(operands.begin(), operands.end());
    for (const ir::Halo& halo : factors.halos)
      if (!axes[halo.factor].empty())
        parts[halo.operand] =
            collectives_.with_neighbours(parts[halo.operand], halo.dim, axes[halo.factor], halo.before, halo.after,
                                         halo.beyond < 0 ? ir::Value{} : operands[halo.beyond]);
    return ir::append_local(*to_, node, parts, factors, mesh_, axes,
                            [&](int axis) { return collectives_.coordinate(axis); });
  }

  // Appends the program of every device that a manual computation holds. Another one within it is along other axes, along which all devices
  // compute the same here.
  std::vector<ir::Value> written(const ir::Graph& region, std::span<const ir::Value> inputs) {
    // Collectives that are written twice are there once.
    const auto once = without_dead_nodes(*eliminate_common_subexpressions(region));
    std::unordered_map<const ir::Node*, std::vector<ir::Value>> values;
    const auto value_of = [&](ir::Value v) { return values.at(v.node)[v.index]; };
    for (const ir::Node* node : once->nodes()) {
      std::vector<ir::Value> operands, &results = values[node];
      for (const ir::Value v : node->operands) operands.push_back(value_of(v));
      to_->set_location({});  // copies keep their own
      if (ir::is_parameter(*node)) {
        results = {inputs[node->attributes<ir::ParameterAttributes>().index]};
      } else if (node->attributes_if<ir::ManualComputationAttributes>()) {
        const ir::ManualShardings manual = ir::manual_shardings(*node, mesh_);
        const auto whole = [&](ir::Value v) { return ir::Sharding(mesh_, v.rank()); };
        for (std::size_t i = 0; i < operands.size(); ++i)
          operands[i] = reshard(collectives_, operands[i], whole(operands[i]), manual.operands[i]);
        results = written(*node->regions[0], operands);
        for (std::size_t i = 0; i < results.size(); ++i)
          results[i] = reshard(collectives_, results[i], manual.results[i], whole(results[i]));
      } else {
        for (const ir::Graph* inner : node->regions) refuse_manual_computations(*inner);
        ir::Node& copy = to_->append_copy(*node, operands);
        collectives_.add_written(copy);
        for (std::uint32_t i = 0; i < copy.types.size(); ++i) results.push_back(copy.result(i));
      }
    }
    std::vector<ir::Value> outputs;
    for (const ir::Value v : once->outputs()) outputs.push_back(value_of(v));
    return outputs;
  }

  static bool calls_for_effect(const ir::Node& node) {
    const auto* const call = node.attributes_if<ir::CustomCallAttributes>();
    return call && call->has_side_effect;
  }

  // Calls a function of the host on one device only, because its effect must come once, and passes its results on to the others.
  std::vector<ir::Value> called_once(const ir::Node& node, std::span<const ir::Value> operands) {
    const auto is_token = [](ir::Value v) { return v.dtype() == DType::token; };
    const auto called = [&](ir::Graph& graph, std::span<const ir::Value> inputs) {
      ir::Node& copy = graph.append_copy(node, inputs);
      std::vector<ir::Value> results;
      for (std::uint32_t i = 0; i < copy.types.size(); ++i) results.push_back(copy.result(i));
      return results;
    };
    const auto not_called = [&](ir::Graph& graph, std::span<const ir::Value> inputs) {
      const auto token = std::ranges::find_if(inputs, is_token);
      std::vector<ir::Value> results;
      for (const Type type : node.types) {
        const bool passes_token = type.dtype() == DType::token;
        require(!passes_token || token != inputs.end(), "custom_call: a call that returns a token takes none");
        results.push_back(passes_token ? *token : ir::constant(graph, type, 0));
      }
      return results;
    };
    std::vector<Type> types;
    for (const ir::Value v : operands) types.push_back(v.type());
    const std::vector<int> axes = all_axes();
    const ir::Value position = collectives_.position(axes), first = ir::constant_like(position, 0);
    auto results = ir::if_(ir::compare(position, first, ir::Direction::EQ), operands, ir::make_graph(types, called),
                           ir::make_graph(types, not_called));
    for (ir::Value& result : results)
      if (!is_token(result)) result = collectives_.broadcast(result, first_device());
    return results;
  }

  std::vector<int> all_axes() const {
    std::vector<int> axes(mesh_.axes().size());
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
  }

  // Returns the device whose place along every axis is the first one.
  std::int64_t first_device() const {
    std::int64_t device = 0;
    while (ir::position_along(mesh_, all_axes(), device) != 0) ++device;
    return device;
  }

  void append(ir::Node& node) {
    const NodeTyping& t = typing_[node.id];
    to_->set_location(node.location);
    collectives_.set_reason(&node);
    std::vector<ir::Value> operands;
    for (int i = 0; i < std::ssize(node.operands); ++i)
      operands.push_back(as(node.operand(i), t.division->operands[i]));
    const bool is_local = node.op->factors || node.op->kind == ir::Kind::elementwise;
    std::vector<ir::Value> results;
    if (const auto* constraint = node.attributes_if<ir::ShardingAttributes>()) {
      results = operands;  // the operand has become what the constraint asks for
      if (const auto device = ir::single_device(constraint->sharding))
        results = {collectives_.broadcast(operands.front(), *device)};
    } else if (node.attributes_if<ir::ManualComputationAttributes>()) {
      results = written(*node.regions[0], operands);
    } else if (calls_for_effect(node)) {
      results = called_once(node, operands);
    } else if (is_local) {
      results = local(node, operands, t.division->axes);
    } else {
      std::vector<Type> types;
      for (int i = 0; i < std::ssize(node.types); ++i) types.push_back(t.division->results[i].local_type(node.type(i)));
      ir::Node& copy = t.regions ? to_->append(*node.op, operands, node.attribute_data, types, t.regions->regions)
                                 : ir::append_resized(*to_, node, operands, types);
      if (t.regions) collectives_.add(node, t.regions->communications);
      for (std::uint32_t i = 0; i < types.size(); ++i) results.push_back(copy.result(i));
    }
    for (std::uint32_t i = 0; i < results.size(); ++i) {
      const ir::Value v = node.result(i);
      hold(v, results[i], t.division->results[i]);
      if (t.passed_on[i] != t.division->results[i]) as(v, t.passed_on[i]);
    }
  }

  const ir::Graph& from_;
  const ir::Mesh& mesh_;
  const std::vector<NodeTyping> typing_;
  const std::shared_ptr<ir::Graph> to_;
  Collectives collectives_;
  std::vector<std::vector<std::vector<Held>>> held_;  // by node and result; the last is what others are made from
};

double sent_in(const Partitioned& program) {
  double bytes = 0;
  for (const Communication& c : program.communications) bytes += c.sent_bytes * static_cast<double>(c.times);
  return bytes;
}

}  // namespace

Partitioned divide(const ir::Graph& graph, const ir::Mesh& mesh, std::span<const ir::Sharding> inputs,
                   std::span<const std::optional<ir::Sharding>> outputs, PartialOutputs partial_outputs,
                   const Precedence& precedence) {
  std::shared_ptr<const ir::Graph> flat = inline_composites(graph);
  if (!flat) flat = copy_of(graph);
  if (const auto absorbed = absorb_transposes(*flat)) flat = absorbed;
  std::vector<ir::Sharding> typed_inputs;
  for (const ir::Sharding& input : inputs) typed_inputs.push_back(on_mesh(input, mesh));
  std::vector<std::optional<ir::Sharding>> typed_outputs(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i]) typed_outputs[i] = on_mesh(*outputs[i], mesh);
  std::vector<NodeTyping> typing = type_nodes(*flat, mesh, typed_inputs, typed_outputs, partial_outputs, precedence);
  Partitioned result = Partitioner(*flat, mesh, std::move(typing)).run(inputs, outputs, partial_outputs);
  result.mesh = mesh;
  result.inputs.assign(inputs.begin(), inputs.end());
  result.whole = std::move(flat);
  result.wanted.assign(outputs.begin(), outputs.end());
  result.precedence = precedence;
  return result;
}

Partitioned partition(const ir::Graph& graph, const ir::Mesh& mesh, std::span<const ir::Sharding> inputs,
                      std::span<const std::optional<ir::Sharding>> outputs, PartialOutputs partial_outputs) {
  require(inputs.size() == graph.inputs().size(), "partition: ", inputs.size(), " shardings for ",
          graph.inputs().size(), " inputs");
  std::vector<std::optional<ir::Sharding>> wanted(outputs.begin(), outputs.end());
  if (outputs.empty()) wanted.resize(graph.outputs().size());
  require(wanted.size() == graph.outputs().size(), "partition: ", wanted.size(), " shardings for ",
          graph.outputs().size(), " outputs");
  check(graph);
  Partitioned result = divide(graph, mesh, inputs, wanted, partial_outputs, {});
  const Precedence precedence = precedence_of_data(graph, inputs, wanted);
  if (precedence.is_data.empty()) return result;
  Partitioned other = divide(graph, mesh, inputs, wanted, partial_outputs, precedence);
  return sent_in(other) < sent_in(result) ? other : result;
}

}  // namespace weft::compiler
