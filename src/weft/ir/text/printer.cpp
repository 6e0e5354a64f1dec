#include <deque>
#include <unordered_map>

#include <weft/ir/ops.h>
#include <weft/ir/text/fields.h>
#include <weft/ir/text/lexer.h>
#include <weft/ir/text/location.h>
#include <weft/ir/text/text.h>
#include <weft/ir/text/verbatim.h>

namespace weft::ir {

namespace text {

namespace {

// The names of a graph's values, by node id.
using Names = std::vector<std::string>;

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  void module(std::span<const Graph* const> functions);
  std::string take() { return std::move(out_); }

 private:
  void module_header(std::span<const Graph* const> functions);
  void function(const Graph& graph, const std::string& name, bool is_private);
  void annotations(const std::vector<Annotations>& of, std::size_t i);
  void body(const Graph& graph, Names& names, std::string_view terminator);
  void node(const Node& node, Names& names);
  void attributes(const Node& node);
  void regions(const Node& node, const Names& names);
  void region(const Graph& graph, const Node& owner, const Names& outer);
  void block_label(const Graph& graph, const Names& names);
  void signature(const Node& node, std::span<const Value> operands);
  void uses(std::span<const Value> values, const Names& names);
  void types(std::span<const Value> values);
  void location(const Location& location);
  void line() { (out_ += '\n').append(indent_, ' '); }

  std::string value(Value v, const Names& names) const;
  // Returns the symbol of the function as which a region is printed; it is derived from `name`.
  const std::string& symbol_of(const Graph& region, std::string name);
  void programs(const Node& run_parallel);

  const PrintOptions& options_;
  std::string out_;
  std::size_t indent_ = 0;
  int next_argument_ = 0, next_value_ = 0;

  std::unordered_map<const Graph*, std::string> symbols_;
  std::unordered_map<std::string, int> taken_;                            // how often a symbol was requested
  std::deque<const Graph*> pending_;                                      // decompositions still to be printed
  std::unordered_map<std::string, std::vector<const Graph*>> same_name_;  // by the requested name
};

// The regions of if and case use values from outside; the regions of other ops have their inputs as block arguments.
bool captures(const Node& node) { return node.op == &ops::if_ || node.op == &ops::case_; }

// Returns whether the regions are functions of the module.
bool has_functions(const Node& node) { return node.op == &ops::composite || node.op == &ops::run_parallel; }

std::span<const Value> written_operands(const Node& node) {
  return captures(node) ? node.operands.first(1) : node.operands;
}

std::string symbol(const std::string& name) {
  std::string result = "@";
  if (is_identifier(name))
    result += name;
  else
    print_string(result, name);
  return result;
}

const Annotations* find_annotations(const Node& node) {
  if (!node.graph->annotations) return nullptr;
  const auto& nodes = node.graph->annotations->nodes;
  const auto found = nodes.find(node.id);
  return found == nodes.end() ? nullptr : &found->second;
}

std::string Printer::value(Value v, const Names& names) const {
  const std::string& name = names[v.node->id];
  return v.node->types.size() > 1 ? concat(name, '#', v.index) : name;
}

void Printer::uses(std::span<const Value> values, const Names& names) {
  for (std::size_t i = 0; i < values.size(); ++i) out_ += (i > 0 ? ", " : "") + value(values[i], names);
}

void Printer::types(std::span<const Value> values) {
  for (std::size_t i = 0; i < values.size(); ++i) out_ += concat(i > 0 ? ", " : "", values[i].type());
}

void Printer::location(const Location& location) {
  if (!options_.locations) return;
  out_ += ' ';
  print_location(out_, location);
}

void Printer::signature(const Node& node, std::span<const Value> operands) {
  out_ += " : (";
  types(operands);
  out_ += ") -> ";
  if (node.types.size() != 1) out_ += '(';
  for (std::size_t i = 0; i < node.types.size(); ++i) out_ += concat(i > 0 ? ", " : "", node.types[i]);
  if (node.types.size() != 1) out_ += ')';
}

void Printer::attributes(const Node& node) {
  const Op& op = *node.op;
  if (!op.attributes && op.call_target.empty()) return;
  const std::size_t before = out_.size();
  out_ += " <{";
  const std::size_t empty = out_.size();
  AttributePrinter printer(out_, op);
  if (!op.call_target.empty()) printer.string("call_target_name", op.call_target);
  if (&op == &ops::run_parallel) {
    programs(node);
  } else if (op.attributes) {
    op.attributes->visit(node.attribute_data, printer);
  }
  if (&op == &ops::composite) {
    printer.begin("decomposition");
    out_ += symbol_of(*node.regions[0], concat(node.attributes<CompositeAttributes>().name, ".impl"));
  }
  printer.end();
  if (out_.size() == empty)
    out_.resize(before);
  else
    out_ += "}>";
}

void Printer::programs(const Node& node) {
  const auto& a = node.attributes<RunParallelAttributes>();
  const auto list = [&](std::span<const Graph* const> graphs) {
    out_ += '[';
    for (std::size_t i = 0; i < graphs.size(); ++i) out_ += (i > 0 ? ", " : "") + symbol_of(*graphs[i], "program");
    out_ += ']';
  };
  const auto infeeds = static_cast<std::size_t>(a.infeeds), partitions = static_cast<std::size_t>(a.partitions);
  if (infeeds > 0) {
    out_ += "infeed = ";
    list(node.regions.first(infeeds));
    out_ += ", ";
  }
  out_ += "programs = [";
  for (std::size_t at = infeeds; at < node.regions.size(); at += partitions) {
    if (at > infeeds) out_ += ", ";
    list(node.regions.subspan(at, partitions));
  }
  out_ += ']';
}

void Printer::block_label(const Graph& graph, const Names& names) {
  if (graph.inputs().empty()) return;
  (out_ += '\n').append(indent_ - 2, ' ');
  out_ += "^bb0(";
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const Value input = graph.inputs()[i];
    out_ += concat(i > 0 ? ", " : "", names[input.node->id], ": ", input.type());
  }
  out_ += "):";
}

void Printer::region(const Graph& graph, const Node& owner, const Names& outer) {
  const bool is_captured = captures(owner);
  const int argument = next_argument_, value_number = next_value_;
  Names names(graph.nodes().size());
  for (std::size_t i = 0; i < graph.inputs().size(); ++i)
    names[graph.inputs()[i].node->id] =
        is_captured ? value(owner.operands[i + 1], outer) : concat("%arg", next_argument_++);
  out_ += '{';
  indent_ += 2;
  if (!is_captured) block_label(graph, names);
  body(graph, names, owner.op->dialect == "sdy" ? "\"sdy.return\"" : "\"stablehlo.return\"");
  indent_ -= 2;
  line();
  out_ += '}';
  next_argument_ = argument;
  next_value_ = value_number;
}

void Printer::regions(const Node& node, const Names& names) {
  if (node.regions.empty() || has_functions(node)) return;
  out_ += " (";
  for (std::size_t i = 0; i < node.regions.size(); ++i) {
    if (i > 0) out_ += ", ";
    region(*node.regions[i], node, names);
  }
  out_ += ')';
}

void Printer::node(const Node& node, Names& names) {
  if (options_.portable && node.op == &ops::stop_gradient) {
    names[node.id] = value(node.operand(0), names);
    return;
  }
  line();
  if (!node.types.empty()) {
    const std::string& name = names[node.id] = concat('%', next_value_++);
    out_ += name;
    if (node.types.size() > 1) out_ += concat(':', node.types.size());
    out_ += " = ";
  }
  out_ += '"';
  if (!node.op->call_target.empty())
    out_ += "stablehlo.custom_call";
  else
    out_ += concat(node.op->dialect, '.', node.op->name);
  out_ += "\"(";
  uses(written_operands(node), names);
  out_ += ')';
  attributes(node);
  regions(node, names);
  if (const Annotations* said = find_annotations(node)) out_ += ' ' + print_annotations(*said);
  signature(node, written_operands(node));
  location(node.location);
}

void Printer::body(const Graph& graph, Names& names, std::string_view terminator) {
  for (const Node* n : graph.nodes())
    if (n->op != &ops::parameter) node(*n, names);
  line();
  out_ += terminator;
  out_ += '(';
  uses(graph.outputs(), names);
  out_ += ") : (";
  types(graph.outputs());
  out_ += ") -> ()";
}

void Printer::annotations(const std::vector<Annotations>& of, std::size_t i) {
  if (i < of.size() && !of[i].empty()) out_ += ' ' + print_annotations(of[i]);
}

void Printer::function(const Graph& graph, const std::string& name, bool is_private) {
  next_argument_ = next_value_ = 0;
  const FunctionAnnotations* said = graph.annotations.get();
  Names names(graph.nodes().size());
  line();
  out_ += concat("func.func ", is_private ? "private " : "public ", name, '(');
  for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
    const Value input = graph.inputs()[i];
    names[input.node->id] = concat("%arg", next_argument_++);
    out_ += concat(i > 0 ? ", " : "", names[input.node->id], ": ", input.type());
    if (said) annotations(said->arguments, i);
    const bool has_name = i < graph.input_names.size() && !graph.input_names[i].empty();
    location(has_name ? Location{.scope = graph.input_names[i].c_str()} : input.node->location);
  }
  out_ += ") -> (";
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    out_ += concat(i > 0 ? ", " : "", graph.outputs()[i].type());
    if (said) annotations(said->results, i);
  }
  out_ += ')';
  if (said && !said->attributes.empty()) out_ += " attributes " + print_annotations(said->attributes);
  out_ += " {";
  indent_ += 2;
  body(graph, names, "\"func.return\"");
  indent_ -= 2;
  line();
  out_ += '}';
}

const std::string& Printer::symbol_of(const Graph& region, std::string name) {
  if (const auto known = symbols_.find(&region); known != symbols_.end()) return known->second;
  std::vector<const Graph*>& same_name = same_name_[name];
  for (const Graph* other : same_name)
    if (structurally_equal(region, *other)) return symbols_[&region] = symbols_[other];
  same_name.push_back(&region);
  pending_.push_back(&region);
  while (const int n = taken_[name]++) name = concat(name, '_', n);
  return symbols_[&region] = symbol(name);
}

// Prints the module annotations of the first function; functions that were read together have the same.
void Printer::module_header(std::span<const Graph* const> functions) {
  out_ += "module";
  indent_ = 2;
  const ModuleAnnotations* said = nullptr;
  if (!functions.empty() && functions[0]->annotations) said = functions[0]->annotations->module.get();
  if (said && !said->name.empty()) out_ += ' ' + symbol(said->name);
  if (said && !said->attributes.empty()) out_ += " attributes " + print_annotations(said->attributes);
  out_ += " {";
  if (!said) return;
  for (const Annotation& mesh : said->meshes) {
    line();
    out_ += concat("sdy.mesh ", symbol(mesh.name), " = ", mesh.value);
  }
}

void Printer::module(std::span<const Graph* const> functions) {
  module_header(functions);
  for (const Graph* f : functions) ++taken_[f->name];
  for (const Graph* f : functions) function(*f, symbol(f->name), false);
  while (!pending_.empty()) {
    const Graph* f = pending_.front();
    pending_.pop_front();
    function(*f, symbols_[f], true);
  }
  indent_ = 0;
  out_ += "\n}\n";
}

}  // namespace

}  // namespace text

std::string print(const Graph& graph, const PrintOptions& options) {
  text::Printer printer(options);
  const Graph* const functions[] = {&graph};
  printer.module(functions);
  return printer.take();
}

std::string print(const Module& module, const PrintOptions& options) {
  text::Printer printer(options);
  std::vector<const Graph*> functions;
  for (const auto& f : module.functions) functions.push_back(f.get());
  printer.module(functions);
  return printer.take();
}

}  // namespace weft::ir
