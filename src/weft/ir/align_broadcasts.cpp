#include <weft/ir/align_broadcasts.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <weft/ir/general_nodes.h>
#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

class Aligner {
 public:
  Aligner(const Graph& graph, const Graph& like) : graph_(graph), like_(like) {}

  std::shared_ptr<const Graph> run() {
    std::size_t next = 0;
    for (const Node* wanted : like_.nodes()) {
      if (next < graph_.nodes().size() && takes_the_place_of(*graph_.nodes()[next], *wanted)) {
        append(*graph_.nodes()[next++], *wanted);
      } else if (is_same_rank_broadcast(*wanted)) {
        insert(*wanted);
      } else {
        return nullptr;
      }
    }
    if (next < graph_.nodes().size() || !set_outputs()) return nullptr;
    made_->name = graph_.name;
    made_->input_names = graph_.input_names;
    made_->annotations = graph_.annotations;
    return made_;
  }

 private:
  // Returns the value of `like` that corresponds to a value of `graph`.
  Value counterpart(Value v) const { return like_.nodes()[places_[v.node->id]]->result(v.index); }
  // Returns the value of `like` from which its extra broadcasts compute `v`.
  Value without_inserted(Value v) const {
    while (is_inserted_[v.node->id]) v = v.node->operand(0);
    return v;
  }
  bool corresponds(Value of_graph, Value of_like) const { return counterpart(of_graph) == without_inserted(of_like); }

  bool takes_the_place_of(const Node& node, const Node& wanted) const {
    if (node.op != wanted.op || node.types.size() != wanted.types.size()) return false;
    if (node.op == &ops::parameter &&
        node.attributes<ParameterAttributes>().index != wanted.attributes<ParameterAttributes>().index)
      return false;
    return std::ranges::equal(node.operands, wanted.operands, [&](Value a, Value b) { return corresponds(a, b); });
  }

  Value made(Value of_like) const { return made_->nodes()[of_like.node->id]->result(of_like.index); }

  void append(const Node& node, const Node& wanted) {
    made_->set_location(node.location);
    if (node.op == &ops::parameter) {
      made_->add_input(node.type());
    } else {
      std::vector<Value> operands;
      for (const Value v : wanted.operands) operands.push_back(made(v));
      made_->append_copy(node, operands);
    }
    places_.push_back(wanted.id);
    is_inserted_.push_back(false);
  }

  void insert(const Node& wanted) {
    made_->set_location(wanted.location);
    const Value operand = made(wanted.operand(0));
    const Type type = operand.type();
    made_->append(ops::broadcast_in_dim, std::span(&operand, 1), wanted.attribute_data, std::span(&type, 1));
    is_inserted_.push_back(true);
  }

  bool set_outputs() {
    if (!std::ranges::equal(graph_.outputs(), like_.outputs(), [&](Value a, Value b) { return corresponds(a, b); }))
      return false;
    std::vector<Value> outputs;
    for (const Value v : like_.outputs()) outputs.push_back(made(v));
    made_->set_outputs(std::move(outputs));
    return true;
  }

  const Graph &graph_, &like_;
  std::shared_ptr<Graph> made_ = std::make_shared<Graph>();
  std::vector<std::uint32_t> places_;  // by node id of graph_: the corresponding node of like_ and of made_
  std::vector<bool> is_inserted_;      // by node of like_
};

bool have_one_structure(const Graph& a, const Graph& b) {
  return std::ranges::equal(a.nodes(), b.nodes(), [](const Node* x, const Node* y) {
    return x->op == y->op && x->types.size() == y->types.size() &&
           std::ranges::equal(x->operands, y->operands, same_value);
  });
}

}  // namespace

bool is_same_rank_broadcast(const Node& node) {
  if (node.op != &ops::broadcast_in_dim || node.operand(0).rank() != node.type().rank()) return false;
  const Ints dims = node.attributes<BroadcastAttributes>().dimensions;
  return std::ranges::is_sorted(dims);
}

std::shared_ptr<const Graph> align_broadcasts(std::shared_ptr<const Graph> graph, const Graph& like) {
  if (have_one_structure(*graph, like)) return graph;
  return Aligner(*graph, like).run();
}

}  // namespace weft::ir
