#include <weft/compiler/hlo.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include <weft/compiler/hlo_attributes.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

namespace ops = ir::ops;
using ir::Graph;
using ir::Node;
using ir::Value;

// How a computation takes and gives several values: one by one, or as one tuple, which loops and branches do.
enum class Passing : std::uint8_t { each, tuple };

template <class Range, class Text>
std::string joined_texts(const Range& range, Text&& text) {
  std::string result;
  for (const auto& item : range) result += concat(result.empty() ? "" : ", ", text(item));
  return result;
}

std::vector<Value> results_of(Node& node) {
  std::vector<Value> results;
  for (std::uint32_t i = 0; i < node.types.size(); ++i) results.push_back(node.result(i));
  return results;
}

// In the letters that HLO's names have.
std::string unit_name(const Unit& unit) {
  std::string name = concat('%', unit.info.name);
  for (char& c : std::span(name).subspan(1))
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  return name;
}

class Module {
 public:
  Module(std::int64_t elide, const SizeValues& sizes) : elide_(elide), sizes_(sizes) {}
  std::string print(const Graph& graph, std::span<const Unit> units, std::span<const std::vector<std::byte>> constants);

  // The name of the computation that a region became.
  std::string computation(const Graph& graph, Passing takes, Passing gives);
  void add(std::string text) { computations_ += text + "\n\n"; }
  std::string name(std::string_view base) {
    std::string name;
    do name = concat('%', base, '.', next_++);
    while (reserved_.contains(name));
    return name;
  }
  void reserve(const Unit& unit) { reserved_.insert(unit_name(unit)); }  // name() gives it to nobody
  // The unit's name, or another where two have the same.
  std::string claim(const Unit& unit) {
    std::string wanted = unit_name(unit);
    return claimed_.insert(wanted).second ? wanted : name("fusion");
  }
  const SizeValues& sizes() const { return sizes_; }
  std::string shape(Value value) const { return hlo_shape(sizes_(value.type())); }
  std::string shape(std::span<const Value> values, Passing passing) const {
    if (values.size() == 1 && passing == Passing::each) return shape(values[0]);
    return concat('(', joined_texts(values, [this](Value v) { return shape(v); }), ')');
  }
  bool elides(const ir::Literal& literal) const { return !literal.is_splat() && literal.type.elements() > elide_; }

 private:
  std::int64_t elide_;
  const SizeValues& sizes_;
  std::unordered_set<std::string> reserved_, claimed_;

  std::map<std::tuple<const Graph*, Passing, Passing>, std::string> known_;
  std::string computations_;
  int next_ = 1;
};

// The instructions of one computation.
class Computation {
 public:
  Computation(Module& module, std::string name) : module_(module), name_(std::move(name)) {}

  void parameters(std::span<const Value> values, Passing passing);
  void nodes(const Graph& graph);  // all of them
  void unit(const Unit& unit);
  void node(Node& node, const std::string& name = "");
  void constant(Value value, const ir::Literal& literal, const std::string& name = "");
  // The computation with these results.
  std::string finish(std::span<const Value> results, Passing passing, bool is_entry = false);

 private:
  std::string use(Value value);  // its name; made where nobody made it before
  std::string uses(std::span<const Value> values) {
    return joined_texts(values, [&](Value v) { return use(v); });
  }
  std::string line(const std::string& name, const std::string& shape, const std::string& rest);
  std::string instruction(std::string_view opcode, const std::string& shape, const std::string& operands,
                          const std::string& rest = "", const std::string& name = "");
  std::string tuple(std::span<const Value> values);
  void define(std::span<const Value> results, const std::string& name, Passing passing);
  void fusion(const Unit& unit, const std::vector<Node*>& nodes, std::span<const Value> inputs);
  std::string calls(const Node& node);

  Module& module_;
  std::string name_;
  std::vector<std::string> lines_;
  std::unordered_map<std::string, std::size_t> line_of_;
  std::unordered_map<Value, std::string, ir::ValueHash> names_;
  std::vector<std::string> parameter_texts_;
};

std::string Computation::line(const std::string& name, const std::string& shape, const std::string& rest) {
  line_of_[name] = lines_.size();
  lines_.push_back(concat(name, " = ", shape, ' ', rest));
  return name;
}

std::string Computation::instruction(std::string_view opcode, const std::string& shape, const std::string& operands,
                                     const std::string& rest, const std::string& name) {
  return line(name.empty() ? module_.name(opcode) : name, shape, concat(opcode, '(', operands, ')', rest));
}

void Computation::parameters(std::span<const Value> values, Passing passing) {
  const auto add = [&](std::size_t number, const std::string& shape) {
    const std::string name = instruction("parameter", shape, std::to_string(number));
    parameter_texts_.push_back(concat(name.substr(1), ": ", shape));
    return name;
  };
  if (passing == Passing::tuple) return define(values, add(0, module_.shape(values, passing)), passing);
  for (std::size_t i = 0; i < values.size(); ++i) names_[values[i]] = add(i, module_.shape(values[i]));
}

// Several results are elements of a tuple.
void Computation::define(std::span<const Value> results, const std::string& name, Passing passing) {
  if (results.size() == 1 && passing == Passing::each) {
    names_[results[0]] = name;
    return;
  }
  for (std::size_t i = 0; i < results.size(); ++i)
    names_[results[i]] = instruction("get-tuple-element", module_.shape(results[i]), name, concat(", index=", i));
}

std::string Computation::use(Value value) {
  if (!names_.contains(value)) node(*value.node);
  return names_.at(value);
}

std::string Computation::tuple(std::span<const Value> values) {
  return instruction("tuple", module_.shape(values, Passing::tuple), uses(values));
}

// A splat is the broadcast of a number.
void Computation::constant(Value value, const ir::Literal& literal, const std::string& name) {
  const Type type = value.type();
  if (type.rank() == 0 || !literal.is_splat()) {
    const std::string text = module_.elides(literal) ? "{...}" : hlo_literal(literal);
    names_[value] = instruction("constant", module_.shape(value), text, "", name);
    return;
  }
  const Type element(type.dtype(), {});
  const std::string number = instruction("constant", hlo_shape(element), hlo_literal({element, literal.bytes}));
  names_[value] = instruction("broadcast", module_.shape(value), number, ", dimensions={}", name);
}

std::string Computation::calls(const Node& node) {
  const bool is_loop = node.op == &ops::while_, is_case = node.op == &ops::case_;
  const Passing takes = is_loop || is_case || node.op == &ops::if_ ? Passing::tuple : Passing::each;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < node.regions.size(); ++i)
    names.push_back(module_.computation(*node.regions[i], takes, is_loop && i == 0 ? Passing::each : takes));
  if (is_case)
    return concat(", branch_computations={", joined_texts(names, [](const std::string& n) { return n; }), '}');
  std::string text;
  const auto words = hlo_region_words(node);
  for (std::size_t i = 0; i < names.size(); ++i) text += concat(", ", words[i], '=', names[i]);
  return text;
}

// In quotes, as XLA writes strings: what could end the string or the line, and what is no ASCII, as three octal digits. Cut where
// nobody would read on.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 512;
  std::string out = "\"";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += concat('\\', c);
    } else if (byte >= ' ' && byte < 0x7f) {
      out += c;
    } else {
      out += concat('\\', byte >> 6, byte >> 3 & 7, byte & 7);
    }
  }
  return out + (text.size() > longest ? "...\"" : "\"");
}

std::string metadata(const Node& node) {
  const ir::Location& at = node.location;
  if (!at.line && !*at.scope) return "";
  std::string text = concat(", metadata={op_name=", quoted(at.scope));
  if (at.line) text += concat(" source_file=", quoted(at.file), " source_line=", at.line);
  return text + '}';
}

void Computation::node(Node& node, const std::string& name) {
  if (node.op == &ops::constant) return constant(node.result(), node.attributes<ir::ConstantAttributes>().value, name);
  const std::string called = calls(node), rest = hlo_attributes(node, module_.sizes()) + called + metadata(node);
  const std::vector<Value> results = results_of(node);
  Passing passing = Passing::each;
  std::string operands;
  if (node.op == &ops::while_ || node.op == &ops::optimization_barrier) {
    passing = Passing::tuple;
    operands = tuple(node.operands);
  } else if (node.op == &ops::if_ || node.op == &ops::case_) {
    passing = Passing::tuple;
    const std::string captured = tuple(node.operands.subspan(1));
    operands = use(node.operand(0));
    for (std::size_t i = 0; i < node.regions.size(); ++i) operands += ", " + captured;
  } else {
    operands = uses(node.operands);
  }
  const std::string shape = module_.shape(results, passing);
  define(results, instruction(hlo_opcode(node), shape, operands, rest, name), passing);
}

void Computation::nodes(const Graph& graph) {
  for (Node* n : graph.nodes())
    if (n->op != &ops::parameter) node(*n);
}

// What lies between the values that a unit reads and those that it writes.
void Computation::unit(const Unit& unit) {
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
      if (v.node->op == &ops::parameter || reads.contains(storage_of(v))) {
        if (taken.insert(v).second) inputs.push_back(v);
      } else if (seen.insert(v.node).second) {
        next.push_back(v.node);
      }
    }
  }
  if (nodes.size() == 1) return node(*nodes[0], module_.claim(unit));
  std::ranges::sort(nodes, {}, &Node::id);
  fusion(unit, nodes, inputs);
}

std::string_view fusion_kind(const std::string& category) {
  if (category.find("reduction") != category.npos) return "kInput";
  if (category == "loop fusion" || category == "horizontal fusion" || category == "copy") return "kLoop";
  return "kOutput";
}

void Computation::fusion(const Unit& unit, const std::vector<Node*>& nodes, std::span<const Value> inputs) {
  Computation fused(module_, module_.name("fused_computation"));
  fused.parameters(inputs, Passing::each);
  for (Node* n : nodes) fused.node(*n);
  const std::string shape = module_.shape(unit.writes, Passing::each), operands = uses(inputs);
  module_.add(fused.finish(unit.writes, Passing::each));
  const std::string rest =
      concat(", kind=", fusion_kind(unit.info.category), ", calls=", fused.name_, metadata(*nodes.back()));
  define(unit.writes, instruction("fusion", shape, operands, rest, module_.claim(unit)), Passing::each);
}

std::string Computation::finish(std::span<const Value> results, Passing passing, bool is_entry) {
  const bool is_single = results.size() == 1 && passing == Passing::each;
  const std::string root = is_single ? use(results[0]) : tuple(results);
  lines_[line_of_.at(root)].insert(0, "ROOT ");
  std::string text = concat(is_entry ? "ENTRY " : "", name_, " (",
                            joined_texts(parameter_texts_, [](const std::string& p) { return p; }), ") -> ",
                            module_.shape(results, passing), " {\n");
  for (const std::string& l : lines_) text += concat("  ", l, '\n');
  return text + '}';
}

std::string Module::computation(const Graph& graph, Passing takes, Passing gives) {
  std::string& known = known_[{&graph, takes, gives}];
  if (!known.empty()) return known;
  known = name("region");
  Computation made(*this, known);
  made.parameters(graph.inputs(), takes);
  made.nodes(graph);
  add(made.finish(graph.outputs(), gives));
  return known;
}

std::string Module::print(const Graph& graph, std::span<const Unit> units,
                          std::span<const std::vector<std::byte>> constants) {
  Computation entry(*this, concat('%', graph.name));
  const auto taken = graph.inputs().first(graph.inputs().size() - constants.size());
  entry.parameters(taken, Passing::each);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    const Value value = graph.inputs()[taken.size() + i];
    entry.constant(value, {sizes_(value.type()), constants[i]});
  }
  if (units.empty()) entry.nodes(graph);
  for (const Unit& unit : units) reserve(unit);
  for (const Unit& unit : units) entry.unit(unit);
  const std::string text = entry.finish(graph.outputs(), Passing::each, true);
  const std::string inputs = joined_texts(taken, [this](Value v) { return shape(v); });
  return concat("HloModule ", graph.name, ", entry_computation_layout={(", inputs, ")->",
                shape(graph.outputs(), Passing::each), "}\n\n", computations_, text, '\n');
}

}  // namespace

std::string print_hlo(const Graph& graph, std::span<const Unit> units, std::int64_t elide, const SizeValues& sizes,
                      std::span<const std::vector<std::byte>> constants) {
  return Module(elide, sizes).print(graph, units, constants);
}

}  // namespace weft::compiler
