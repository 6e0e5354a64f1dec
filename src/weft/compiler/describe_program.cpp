#include <weft/compiler/describe_program.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <weft/compiler/describe_attributes.h>
#include <weft/compiler/dim_sources.h>
#include <weft/ir/ops.h>
#include <weft/runtime/hlo_text.h>

namespace weft::compiler {

namespace {

namespace ops = ir::ops;
using ir::Graph;
using ir::Node;
using ir::Value;
using runtime::Instruction;

// How a computation takes and returns several values: one by one, or as one tuple, as loops and branches do.
enum class Passing : std::uint8_t { each, tuple };

std::vector<Value> results_of(Node& node) {
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
  return results;
}

class ProgramDescriber {
 public:
  ProgramDescriber(std::int64_t most_elements, const SizeValues& sizes, const DimSources& sources)
      : most_elements_(most_elements), sizes_(sizes), sources_(sources) {}
  runtime::ProgramDescription describe(const Graph& graph, std::span<const Unit> units,
                                       std::span<const std::vector<std::byte>> constants);

  // Adds the computation of a region.
  std::uint32_t computation(const Graph& graph, Passing takes, Passing gives);
  std::uint32_t add(runtime::Computation computation) {
    made_.computations.push_back(std::move(computation));
    return made_.computations.size() - 1;
  }
  std::string name(std::string_view base) {
    std::string name;
    do name = concat(base, '.', next_++);
    while (reserved_.contains(name));
    return name;
  }
  // Returns the unit's name, or a new name if another unit already has it.
  std::string claim(const Unit& unit) {
    std::string wanted = runtime::hlo_name(unit.info.name);
    return claimed_.insert(wanted).second ? wanted : name(wanted.substr(0, wanted.rfind('.')));
  }
  const SizeValues& sizes() const { return sizes_; }
  const std::vector<std::string>& dims(Value value) const { return sources_.of(value); }
  Type type(Value value) const { return sizes_(value.type()); }
  runtime::Shape shape(std::span<const Value> values, Passing passing) const {
    runtime::Shape shape{.is_tuple = values.size() != 1 || passing == Passing::tuple};
    for (const Value v : values) shape.types.push_back(type(v));
    return shape;
  }
  bool keeps(const ir::Literal& literal) const {
    return literal.is_splat() || literal.type.elements() <= most_elements_;
  }

 private:
  std::int64_t most_elements_;
  const SizeValues& sizes_;
  const DimSources& sources_;
  runtime::ProgramDescription made_;
  std::unordered_set<std::string> reserved_, claimed_;  // names that name() must not return
  std::map<std::tuple<const Graph*, Passing, Passing>, std::uint32_t> known_;
  int next_ = 1;
};

// Makes the instructions of one computation.
class ComputationDescriber {
 public:
  ComputationDescriber(ProgramDescriber& program, std::string name) : program_(program) {
    made_.name = std::move(name);
  }

  void parameters(std::span<const Value> values, Passing passing);
  void nodes(const Graph& graph);
  std::uint32_t unit(const Unit& unit);  // returns the unit's instruction
  std::uint32_t node(Node& node, std::string name = "");
  std::uint32_t constant(Value value, const ir::Literal& literal, std::string name = "");
  // Returns the computation with these results.
  runtime::Computation finish(std::span<const Value> results, Passing passing);

 private:
  std::uint32_t use(Value value);  // returns the value's instruction; adds it if there is none yet
  std::vector<std::uint32_t> uses(std::span<const Value> values) {
    std::vector<std::uint32_t> all;
    for (const Value v : values) all.push_back(use(v));
    return all;
  }
  std::uint32_t add(Instruction made);
  std::uint32_t add_parameter(std::uint32_t number, runtime::Shape shape) {
    return add({.opcode = "parameter", .shape = std::move(shape), .parameter = number});
  }
  std::uint32_t tuple(std::span<const Value> values);
  void define(std::span<const Value> results, std::uint32_t made, Passing passing);
  std::uint32_t copy(const Unit& unit);
  std::uint32_t fusion(const Unit& unit, const std::vector<Node*>& nodes, std::span<const Value> inputs);
  std::vector<std::uint32_t> calls(const Node& node);

  ProgramDescriber& program_;
  runtime::Computation made_;
  std::unordered_map<Value, std::uint32_t, ir::ValueHash> instruction_of_;
};

std::uint32_t ComputationDescriber::add(Instruction made) {
  if (made.name.empty()) made.name = program_.name(made.opcode);
  made_.instructions.push_back(std::move(made));
  return static_cast<std::uint32_t>(made_.instructions.size() - 1);
}

void ComputationDescriber::parameters(std::span<const Value> values, Passing passing) {
  if (passing == Passing::tuple) return define(values, add_parameter(0, program_.shape(values, passing)), passing);
  for (std::size_t i = 0; i < values.size(); ++i)
    instruction_of_[values[i]] = add_parameter(i, program_.shape(values.subspan(i, 1), passing));
}

// Makes several results elements of a tuple.
void ComputationDescriber::define(std::span<const Value> results, std::uint32_t made, Passing passing) {
  if (results.size() == 1 && passing == Passing::each) {
    made_.instructions[made].dims = program_.dims(results[0]);
    instruction_of_[results[0]] = made;
    return;
  }
  for (std::size_t i = 0; i < results.size(); ++i)
    instruction_of_[results[i]] = add({.opcode = "get-tuple-element",
                                       .shape = program_.shape(results.subspan(i, 1), Passing::each),
                                       .operands = {made},
                                       .attributes = {{"index", static_cast<std::int64_t>(i)}},
                                       .dims = program_.dims(results[i])});
}

std::uint32_t ComputationDescriber::use(Value value) {
  if (!instruction_of_.contains(value)) node(*value.node);
  return instruction_of_.at(value);
}

std::uint32_t ComputationDescriber::tuple(std::span<const Value> values) {
  std::vector<std::uint32_t> operands = uses(values);
  return add({.opcode = "tuple", .shape = program_.shape(values, Passing::tuple), .operands = std::move(operands)});
}

// Describes a splat as the broadcast of a number.
std::uint32_t ComputationDescriber::constant(Value value, const ir::Literal& literal, std::string name) {
  const auto number = [&](Type type, std::string called) {
    Instruction made{.name = std::move(called), .opcode = "constant", .shape = {.types = {type}}};
    if (program_.keeps(literal)) made.literal.emplace(literal.bytes.begin(), literal.bytes.end());
    return add(std::move(made));
  };
  const Type type = program_.type(value);
  const bool is_broadcast = type.rank() > 0 && literal.is_splat();
  std::uint32_t made = number(is_broadcast ? Type(type.dtype(), {}) : type, is_broadcast ? "" : name);
  if (is_broadcast)
    made = add({.name = std::move(name),
                .opcode = "broadcast",
                .shape = {.types = {type}},
                .operands = {made},
                .attributes = {{"dimensions", runtime::Numbers()}}});
  define(std::span(&value, 1), made, Passing::each);
  return made;
}

std::vector<std::uint32_t> ComputationDescriber::calls(const Node& node) {
  const bool is_loop = node.op->flow == ir::Flow::loop;
  const bool takes_tuple = is_loop || node.op->flow == ir::Flow::branches;
  const Passing takes = takes_tuple ? Passing::tuple : Passing::each;
  std::vector<std::uint32_t> called;
  for (std::size_t i = 0; i < node.regions.size(); ++i)
    called.push_back(program_.computation(*node.regions[i], takes, is_loop && i == 0 ? Passing::each : takes));
  return called;
}

// Cuts scopes to a readable length.
void set_place(const ir::Location& at, Instruction& instruction) {
  constexpr std::size_t longest = 512;
  instruction.scope = at.scope;
  if (instruction.scope.size() > longest) instruction.scope.replace(longest, std::string::npos, "...");
  if (!at.line) return;
  instruction.file = at.file;
  instruction.line = at.line;
}

std::uint32_t ComputationDescriber::node(Node& node, std::string name) {
  if (const ir::Literal* literal = ir::literal_of(node.result()))
    return constant(node.result(), *literal, std::move(name));
  Instruction made{.name = std::move(name), .opcode = hlo_opcode(node)};
  describe_attributes(node, program_.sizes(), made);
  set_place(node.location, made);
  made.calls = calls(node);
  Passing passing = Passing::each;
  if (node.op->flow == ir::Flow::loop || node.op->flow == ir::Flow::barrier) {
    passing = Passing::tuple;
    made.operands = {tuple(node.operands)};
  } else if (node.op->flow == ir::Flow::branches) {
    passing = Passing::tuple;
    const std::uint32_t captured = tuple(node.operands.subspan(1));
    made.operands.assign(1 + node.regions.size(), captured);
    made.operands[0] = use(node.operand(0));
  } else {
    made.operands = uses(node.operands);
  }
  const std::vector<Value> results = results_of(node);
  made.shape = program_.shape(results, passing);
  const std::uint32_t at = add(std::move(made));
  define(results, at, passing);
  return at;
}

void ComputationDescriber::nodes(const Graph& graph) {
  for (Node* n : graph.nodes())
    if (!ir::is_parameter(*n)) node(*n);
}

// Describes the nodes between the values that a unit reads and the values that it writes.
std::uint32_t ComputationDescriber::unit(const Unit& unit) {
  const std::unordered_set<Value, ir::ValueHash> reads(unit.reads.begin(), unit.reads.end());
  std::vector<Node*> nodes;
  std::vector<Value> inputs;
  std::unordered_set<const Node*> seen;
  std::unordered_set<Value, ir::ValueHash> taken;
  std::vector<Node*> next;
  for (const Value v : unit.writes)
    if (seen.insert(v.node).second) next.push_back(v.node);
  while (!next.empty()) {
    Node* node = next.back();
    next.pop_back();
    nodes.push_back(node);
    for (const Value v : node->operands) {
      if (ir::is_parameter(*v.node) || reads.contains(storage_of(v))) {
        if (taken.insert(v).second) inputs.push_back(v);
      } else if (seen.insert(v.node).second) {
        next.push_back(v.node);
      }
    }
  }
  if (nodes.size() == 1) {
    const bool is_given = ir::is_parameter(*nodes[0]) || ir::literal_of(nodes[0]->result());
    const bool is_copy = is_given && instruction_of_.contains(unit.writes[0]);
    return is_copy ? copy(unit) : node(*nodes[0], program_.claim(unit));
  }
  std::ranges::sort(nodes, {}, &Node::id);
  return fusion(unit, nodes, inputs);
}

// Describes a copy of an input or a constant, which an earlier unit may have copied, too.
std::uint32_t ComputationDescriber::copy(const Unit& unit) {
  const Instruction& before = made_.instructions[instruction_of_.at(unit.writes[0])];
  const std::uint32_t from = before.opcode == "copy" ? before.operands[0] : instruction_of_.at(unit.writes[0]);
  const std::uint32_t made = add({.name = program_.claim(unit),
                                  .opcode = "copy",
                                  .shape = program_.shape(unit.writes, Passing::each),
                                  .operands = {from}});
  define(unit.writes, made, Passing::each);
  return made;
}

std::string fusion_kind(const std::string& category) {
  if (category.find("reduction") != category.npos) return "kInput";
  if (category == "loop fusion" || category == "horizontal fusion" || category == "copy") return "kLoop";
  return "kOutput";
}

std::uint32_t ComputationDescriber::fusion(const Unit& unit, const std::vector<Node*>& nodes,
                                           std::span<const Value> inputs) {
  ComputationDescriber fused(program_, program_.name("fused_computation"));
  fused.parameters(inputs, Passing::each);
  for (Node* n : nodes) fused.node(*n);
  Instruction made{.opcode = "fusion",
                   .shape = program_.shape(unit.writes, Passing::each),
                   .attributes = {{"kind", fusion_kind(unit.info.category)}}};
  made.operands = uses(inputs);
  made.calls = {program_.add(fused.finish(unit.writes, Passing::each))};
  made.name = program_.claim(unit);
  set_place(nodes.back()->location, made);
  const std::uint32_t at = add(std::move(made));
  define(unit.writes, at, Passing::each);
  return at;
}

runtime::Computation ComputationDescriber::finish(std::span<const Value> results, Passing passing) {
  const bool is_single = results.size() == 1 && passing == Passing::each;
  made_.root = is_single ? use(results[0]) : tuple(results);
  return std::move(made_);
}

std::uint32_t ProgramDescriber::computation(const Graph& graph, Passing takes, Passing gives) {
  if (const auto known = known_.find({&graph, takes, gives}); known != known_.end()) return known->second;
  ComputationDescriber made(*this, name("region"));
  made.parameters(graph.inputs(), takes);
  made.nodes(graph);
  return known_[{&graph, takes, gives}] = add(made.finish(graph.outputs(), gives));
}

runtime::ProgramDescription ProgramDescriber::describe(const Graph& graph, std::span<const Unit> units,
                                                       std::span<const std::vector<std::byte>> constants) {
  made_.name = graph.name;
  ComputationDescriber entry(*this, graph.name);
  const auto taken = graph.inputs().first(graph.inputs().size() - constants.size());
  entry.parameters(taken, Passing::each);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const Value value = graph.inputs()[taken.size() + i];
    entry.constant(value, {type(value), constants[i]});
  }
  if (units.empty()) entry.nodes(graph);
  for (const Unit& unit : units) reserved_.insert(runtime::hlo_name(unit.info.name));
  for (const Unit& unit : units) made_.thunks.push_back(entry.unit(unit));
  add(entry.finish(graph.outputs(), Passing::each));
  return std::move(made_);
}

}  // namespace

runtime::ProgramDescription describe_program(const Graph& graph, std::span<const Unit> units,
                                             std::int64_t most_elements, const SizeValues& sizes,
                                             std::span<const std::vector<std::byte>> constants) {
  const DimSources sources(graph, sizes, constants);
  return ProgramDescriber(most_elements, sizes, sources).describe(graph, units, constants);
}

}  // namespace weft::compiler
