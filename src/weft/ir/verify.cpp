#include <weft/ir/verify.h>

#include <algorithm>

#include <weft/ir/op.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph) {}

  void run() {
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) check_node(i);
    check_inputs();
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const std::string problem = problem_of(graph_.outputs()[i], graph_.nodes().size());
      require(problem.empty(), "verify: ", graph_.name, ": output ", i, " ", problem);
    }
  }

 private:
  template <class... Parts>
  void check(bool condition, std::size_t at, const Parts&... parts) const {
    if (condition) return;
    const Node& node = *graph_.nodes()[at];
    const Location& place = node.location;
    fail("verify: ", graph_.name, ": node ", at, ", ", node.op->name, " (",
         *place.file ? concat(place.file, ':', place.line) : "unknown place", *place.scope ? ", " : "", place.scope,
         "): ", parts...);
  }

  void check_node(std::size_t at) {
    const Node& node = *graph_.nodes()[at];
    check(node.id == at, at, "its id is ", node.id);
    check(node.graph == &graph_, at, "it belongs to another graph");
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const std::string problem = problem_of(node.operands[i], at);
      check(problem.empty(), at, "operand ", i, " ", problem);
    }
    check(node.op->arity == variadic || node.op->arity == std::ssize(node.operands), at, "it has ",
          node.operands.size(), " operands, not ", node.op->arity);
    check(node.op->regions == variadic || node.op->regions == std::ssize(node.regions), at, "it has ",
          node.regions.size(), " regions, not ", node.op->regions);
    check(!node.op->attributes || node.attribute_data, at, "it has no attributes");
    for (const Graph* region : node.regions) check_region(at, region);
    check_types(at);
  }

  // Returns what is wrong with a value that the node at position `before` uses; empty if nothing is wrong.
  std::string problem_of(Value v, std::size_t before) const {
    if (!v) return "is not a value";
    const auto nodes = graph_.nodes();
    if (v.node->id >= nodes.size() || nodes[v.node->id] != v.node) return "is not a value of this graph";
    if (v.node->id >= before) return "comes later";
    if (v.index >= v.node->types.size())
      return concat("is result ", v.index, " of ", v.node->op->name, ", which has ", v.node->types.size());
    return {};
  }

  void check_region(std::size_t at, const Graph* region) {
    check(region != nullptr, at, "a region is missing");
    if (std::ranges::find(verified_regions_, region) != verified_regions_.end()) return;
    verified_regions_.push_back(region);
    try {
      verify(*region);
    } catch (const Error& error) {
      check(false, at, error.what());
    }
  }

  void check_types(std::size_t at) {
    const Node& node = *graph_.nodes()[at];
    // The rule takes owning pointers; these do not own anything, because the graph owns the regions.
    std::vector<std::shared_ptr<const Graph>> regions;
    for (const Graph* region : node.regions) regions.emplace_back(std::shared_ptr<const Graph>(), region);
    inferred_.clear();
    try {
      infer_types({*node.op, node.operands, node.attribute_data, node.types, regions}, inferred_);
    } catch (const Error& error) {
      check(false, at, error.what());
    }
    check(inferred_.size() == node.types.size(), at, "it has ", node.types.size(), " results, not ", inferred_.size());
    for (std::size_t i = 0; i < inferred_.size(); ++i)
      check(inferred_[i] == node.types[i], at, "result ", i, " is ", node.types[i], ", not ", inferred_[i]);
  }

  void check_inputs() const {
    const auto inputs = graph_.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::string problem = problem_of(inputs[i], graph_.nodes().size());
      require(problem.empty(), "verify: ", graph_.name, ": input ", i, " ", problem);
      const Node& node = *inputs[i].node;
      check(node.op == &ops::parameter, node.id, "it is input ", i, " of the graph but not a parameter");
    }
    for (const Node* node : graph_.nodes()) {
      if (node->op != &ops::parameter) continue;
      const std::int64_t index = node->attributes<ParameterAttributes>().index;
      check(index >= 0 && index < std::ssize(inputs) && inputs[index].node == node, node->id, "it is parameter ", index,
            ", but the graph has another input there");
    }
  }

  const Graph& graph_;
  std::vector<const Graph*> verified_regions_;  // avoids repeated work: many nodes share the body of a reduction
  std::vector<Type> inferred_;
};

}  // namespace

void verify(const Graph& graph) { Verifier(graph).run(); }

}  // namespace weft::ir
