#include <weft/compiler/plan/epilogue.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include <weft/compiler/passes/all.h>
#include <weft/ir/composites.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
namespace ops = ir::ops;

namespace {

// ---- activations, recognised by their structure

// Computes how values depend on x: equal fingerprints mean the same function of x. Constants are compared by value; shapes are ignored.
class FunctionOf {
 public:
  explicit FunctionOf(Value x) { known_[x.node] = Fingerprint{}; }

  // Returns nullopt if the value depends on anything but x and constants, or does not depend on x element by element.
  std::optional<Fingerprint> operator()(Value v) {
    if (const auto found = known_.find(v.node); found != known_.end()) return found->second;
    return known_[v.node] = compute(*v.node);
  }

 private:
  std::optional<Fingerprint> compute(const Node& n) {
    Fingerprint f;
    f.add(hash_bytes(n.op->name));
    f.add(static_cast<std::uint64_t>(n.type().dtype()));
    if (const auto* constant = n.attributes_if<ir::ConstantAttributes>()) {
      const ir::Literal& literal = constant->value;
      if (!literal.is_splat()) return std::nullopt;
      f.add(hash_bytes(literal.bytes.data(), literal.bytes.size()));
      return f;
    }
    if (n.op->kind != ir::Kind::elementwise) return std::nullopt;
    if (n.op->attributes) f.add(n.op->attributes->hash(n.attribute_data));
    std::vector<std::uint64_t> operands;
    for (const Value v : n.operands) {
      const auto of = (*this)(v);
      if (!of) return std::nullopt;
      operands.push_back(mix(of->low, of->high));
    }
    if (n.op->commutative) std::ranges::sort(operands);
    for (const std::uint64_t operand : operands) f.add(operand);
    return f;
  }

  std::unordered_map<const Node*, std::optional<Fingerprint>> known_;
};

using Activations = std::unordered_map<Fingerprint, Activation, FingerprintHash>;

// Returns the fingerprint of each activation as the passes leave it.
Activations make_activations(DType dtype) {
  const std::pair<Activation, Value (*)(Value)> definitions[] = {
      {Activation::tanh, ir::tanh},
      {Activation::silu, ir::silu},
      {Activation::gelu, ir::gelu},
      {Activation::gelu_tanh, ir::gelu_tanh},
  };
  Activations known;
  for (const auto& [activation, define] : definitions) {
    std::shared_ptr<const ir::Graph> graph = ir::make_graph(
        std::vector{Type(dtype, {2})}, [&](ir::Graph&, std::span<const Value> x) { return std::vector{define(x[0])}; });
    for (const auto pass : {inline_composites, simplify, fold_constants, eliminate_common_subexpressions})
      if (auto changed = pass(*graph)) graph = std::move(changed);
    known.emplace(*FunctionOf(graph->inputs()[0])(graph->outputs()[0]), activation);
  }
  return known;
}

const Activations& activations(DType dtype) {
  static const std::map<DType, Activations> known = [] {
    std::map<DType, Activations> all;
    for (const DType t : {DType::f32, DType::bf16}) all.emplace(t, make_activations(t));
    return all;
  }();
  static const Activations none;
  const auto found = known.find(dtype);
  return found == known.end() ? none : found->second;
}

constexpr std::size_t most_activation_nodes = 32;

// ---- the chain

bool is_dense(const View& view, Type type) {
  Size stride = 1;
  for (int d = type.rank(); d-- > 0;) {
    if (type.dim(d) != Dim(1) && view.strides[d] != stride) return false;
    stride *= type.dim(d);
  }
  return true;
}

// Returns whether the view has one element for each of the last dimensions, which have `columns` elements together, and repeats it along
// all others.
bool is_row(const View& view, Type type, Size columns) {
  Size stride = 1;
  for (int d = type.rank(); d-- > 0;) {
    const Size size = type.dim(d);
    const bool inside = stride != columns;
    if (!size.is(1) && view.strides[d] != (inside ? stride : Size(0))) return false;
    if (inside) stride *= size;
  }
  return stride == columns;
}

class Chain {
 public:
  Chain(Node& dot, Size columns, const Surroundings& surroundings)
      : columns_(columns), around_(surroundings), at_(dot.result()), epilogue_{{}, dot.result()} {}

  Epilogue find() {
    while (advance()) {
    }
    return std::move(epilogue_);
  }

 private:
  // Takes the next node or nodes into the epilogue; returns whether it could.
  bool advance() {
    if (around_.is_output(at_)) return false;
    const auto& users = around_.users(*at_.node);
    if (users.size() == 1) {
      Node& user = *users[0];
      if (user.op == &ops::reshape) {
        at_ = user.result();
        return true;
      }
      if (user.op == &ops::convert) return take_convert(user);
      if (user.op == &ops::add && user.operand(0) != user.operand(1)) return take_add(user);
    }
    return take_activation();
  }

  bool take(std::optional<EpilogueStep> step, Value result) {
    Epilogue longer = epilogue_;
    if (step) longer.steps.push_back(std::move(*step));
    longer.result = result;
    if (!around_.can_be_computed(longer)) return false;
    epilogue_ = std::move(longer);
    at_ = result;
    return true;
  }

  bool take_convert(Node& convert) {
    const bool wider = byte_size(convert.type().dtype()) > byte_size(at_.dtype());
    if (!wider) return take({}, convert.result());
    at_ = convert.result();  // does not end here: storing more bytes must be worth a further step
    return true;
  }

  bool take_add(Node& add) {
    const Value other = add.operand(add.operand(0) == at_ ? 1 : 0);
    const View view = view_of(other, [](Value) { return false; });
    if (around_.from_nothing(*view.base.node) || !view.offset.is(0)) return false;
    if (is_row(view, other.type(), columns_)) return take(EpilogueStep{EpilogueStep::Kind::bias, view}, add.result());
    // A tensor that would otherwise never be stored is better added by the kernel that computes it.
    if (is_dense(view, other.type()) && around_.is_stored(*view.base.node))
      return take(EpilogueStep{EpilogueStep::Kind::residual, view}, add.result());
    return false;
  }

  bool take_activation() {
    const Activations& known = activations(at_.dtype());
    if (known.empty()) return false;
    FunctionOf function(at_);
    std::vector<Node*> inside, reached;
    const auto reach = [&](const Node& n) {
      for (Node* user : around_.users(n))
        if (std::ranges::find(reached, user) == reached.end()) reached.push_back(user);
    };
    reach(*at_.node);
    while (!reached.empty() && inside.size() < most_activation_nodes) {
      const auto first = std::ranges::min_element(reached, {}, &Node::id);
      Node& n = **first;
      reached.erase(first);
      const auto f = function(n.result());
      if (!f) return false;
      const auto found = known.find(*f);
      // All paths from the nodes reached so far must end here.
      if (found != known.end() && reached.empty())
        return take(EpilogueStep{EpilogueStep::Kind::activation, {}, found->second}, n.result());
      if (around_.is_output(n.result())) return false;
      inside.push_back(&n);
      reach(n);
    }
    return false;
  }

  Size columns_;
  const Surroundings& around_;
  Value at_;
  Epilogue epilogue_;
};

}  // namespace

Epilogue find_epilogue(Node& dot, Size columns, const Surroundings& surroundings) {
  return Chain(dot, columns, surroundings).find();
}

}  // namespace weft::compiler
