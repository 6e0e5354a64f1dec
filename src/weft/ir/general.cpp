#include <weft/ir/general.h>

#include <algorithm>
#include <unordered_map>

#include <weft/ir/builder.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::ir {

namespace {

// One number in each of the samples.
using Numbers = std::vector<std::int64_t>;

std::string describe(const Node& node) {
  std::string text = concat(node.op->name, ' ', node.types.empty() ? Type() : node.type());
  if (node.location.line != 0) text += concat(" at ", node.location.file, ':', node.location.line);
  if (*node.location.scope) text += concat(" in ", node.location.scope);
  return text;
}

bool same_value(Value a, Value b) { return a.index == b.index && a.node->id == b.node->id; }

bool is_splat(const Node& node) {
  return node.op == &ops::constant && node.attributes<ConstantAttributes>().value.is_splat();
}

// A constant's type is not one.
bool have_same_attributes(const Node& a, const Node& b) {
  if (!a.op->attributes || a.op->attributes->equal(a.attribute_data, b.attribute_data)) return true;
  return is_splat(a) && is_splat(b) &&
         std::ranges::equal(a.attributes<ConstantAttributes>().value.bytes,
                            b.attributes<ConstantAttributes>().value.bytes);
}

// The names of sizes that differ among samples.
class Names {
 public:
  // A size that follows from no other. Equal or proportional ones get one symbol; whether it is a new one.
  bool add_symbol(const Numbers& numbers) {
    if (is_constant(numbers) || known_.contains(numbers)) return false;
    for (std::size_t i = 0; i < symbols_.size(); ++i)
      if (const auto factor = ratio(numbers, symbols_[i]))
        return known_.emplace(numbers, Dim(*factor) * size_symbol(static_cast<int>(i))), false;
    const Dim symbol = size_symbol(static_cast<int>(symbols_.size()));
    symbols_.push_back(numbers);
    products_.clear();
    known_.emplace(numbers, symbol);
    return true;
  }

  // The expression that has these values in the samples; empty: none was found. A size that the host gave is seldom one with a
  // sum in it.
  std::optional<Dim> express(const Numbers& numbers, bool from_host = false) {
    if (is_constant(numbers)) return Dim(numbers[0]);
    if (const auto found = known_.find(numbers); found != known_.end()) return found->second;
    if (products_.empty()) make_products();
    for (const auto& [values, product] : products_)
      if (const auto factor = ratio(numbers, values)) return Dim(*factor) * product;
    if (from_host) return std::nullopt;
    for (const auto& [values, product] : products_) {
      const std::int64_t run = values[1] - values[0];
      if (run == 0 || (numbers[1] - numbers[0]) % run != 0) continue;
      const std::int64_t slope = (numbers[1] - numbers[0]) / run, rest = numbers[0] - slope * values[0];
      bool fits = slope > 0;
      for (std::size_t i = 0; i < numbers.size(); ++i) fits = fits && numbers[i] == slope * values[i] + rest;
      if (fits) return rest < 0 ? Dim(slope) * product - Dim(-rest) : Dim(slope) * product + Dim(rest);
    }
    return std::nullopt;
  }

  // What a type rule says about a size comes before what numbers suggest.
  void learn(const Numbers& numbers, Dim dim) {
    if (!is_constant(numbers)) known_.emplace(numbers, dim);
  }

  static bool is_constant(const Numbers& numbers) {
    return std::ranges::all_of(numbers, [&](std::int64_t n) { return n == numbers[0]; });
  }
  // The whole number that times `of` is `numbers`.
  static std::optional<std::int64_t> ratio(const Numbers& numbers, const Numbers& of) {
    if (of[0] == 0 || numbers[0] % of[0] != 0 || numbers[0] == 0) return std::nullopt;
    const std::int64_t factor = numbers[0] / of[0];
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i] != factor * of[i]) return std::nullopt;
    return factor;
  }

 private:
  static constexpr int highest_degree = 3;

  // Products of symbols, lower degrees first.
  void make_products() {
    std::size_t first = 0;
    for (int degree = 1; degree <= highest_degree; ++degree) {
      const std::size_t end = products_.size();
      for (std::size_t s = 0; s < symbols_.size(); ++s) {
        const Dim symbol = size_symbol(static_cast<int>(s));
        if (degree == 1) products_.emplace_back(symbols_[s], symbol);
        for (std::size_t p = first; degree > 1 && p < end; ++p) {
          Numbers values = products_[p].first;
          for (std::size_t i = 0; i < values.size(); ++i) values[i] *= symbols_[s][i];
          products_.emplace_back(std::move(values), products_[p].second * symbol);
        }
      }
      first = end;
    }
  }

  std::vector<Numbers> symbols_;
  std::map<Numbers, Dim> known_;
  std::vector<std::pair<Numbers, Dim>> products_;
};

// The general form of graphs: of the samples, or of a region that they have at the same place.
class Generaliser {
 public:
  Generaliser(std::vector<const Graph*> samples, Names& names, General& general, bool is_region)
      : samples_(std::move(samples)), names_(names), general_(general), is_region_(is_region) {}

  std::shared_ptr<Graph> run(General::Form& form) {
    form.sample = samples_[0];
    require_one_structure();
    name_inputs();
    for (const Value input : samples_[0]->inputs()) graph_->add_input(require_type(input.node->id));
    for (std::size_t i = 0; i < samples_[0]->nodes().size(); ++i) {
      std::vector<Value>& results = values_.emplace_back();
      append(i, results, form);
      for (const Value v : results) form.types.push_back(v.type());
    }
    std::vector<Value> outputs;
    for (const Value v : samples_[0]->outputs()) outputs.push_back(values_[v.node->id][v.index]);
    graph_->set_outputs(std::move(outputs));
    graph_->name = samples_[0]->name;
    return graph_;
  }

 private:
  const Node& node(std::size_t sample, std::size_t i) const { return *samples_[sample]->nodes()[i]; }

  void require_one_structure() const {
    for (std::size_t s = 1; s < samples_.size(); ++s) {
      const Graph& other = *samples_[s];
      require(other.nodes().size() == samples_[0]->nodes().size() &&
                  std::ranges::equal(other.outputs(), samples_[0]->outputs(), same_value),
              "other operations are recorded for other sizes");
      for (std::size_t i = 0; i < other.nodes().size(); ++i) {
        const Node &a = node(0, i), &b = node(s, i);
        const auto same_kind = [](Type x, Type y) { return x.dtype() == y.dtype() && x.rank() == y.rank(); };
        require(a.op == b.op && std::ranges::equal(a.operands, b.operands, same_value) &&
                    std::ranges::equal(a.types, b.types, same_kind) && a.regions.size() == b.regions.size(),
                describe(b), " is recorded instead of ", describe(a), " for other sizes");
        require(have_same_attributes(a, b) || a.op->attributes_are_sizes || (is_splat(a) && is_splat(b) && !is_region_),
                "an attribute or constant of ", describe(a), " is another one for other sizes");
      }
    }
  }

  Numbers numbers(std::size_t i, std::size_t result, int dim) const {
    Numbers all;
    for (std::size_t s = 0; s < samples_.size(); ++s) all.push_back(node(s, i).types[result].size(dim));
    return all;
  }

  // Small sizes first, so that multiples are recognised as such.
  void name_inputs() {
    if (is_region_) return;
    std::vector<std::pair<Numbers, General::Symbol>> sizes;
    for (const Value input : samples_[0]->inputs())
      for (int d = 0; d < input.rank(); ++d) sizes.push_back({numbers(input.node->id, 0, d), {input.node->id, 0, d}});
    std::ranges::stable_sort(sizes, {}, [](const auto& size) { return std::ranges::max(size.first); });
    for (const auto& [all, place] : sizes) add_symbol(all, place);
  }

  void add_symbol(const Numbers& all, const General::Symbol& place) {
    if (names_.add_symbol(all)) general_.symbols.push_back(place);
  }

  // What the numbers suggest. A size that no expression fits was given by the host.
  Type require_type(std::size_t i, std::size_t result = 0) {
    std::vector<Dim> dims;
    const Type sample = node(0, i).types[result];
    for (int d = 0; d < sample.rank(); ++d) {
      const Numbers all = numbers(i, result, d);
      const bool from_host = !is_region_ && node(0, i).operands.empty();
      auto dim = names_.express(all, from_host);
      if (!dim) {
        require(!is_region_, "no expression fits the sizes of ", describe(node(0, i)), ", which are those of ",
                node(samples_.size() - 1, i).types[result], " for other inputs");
        add_symbol(all, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(result), d});
        dim = names_.express(all);
      }
      dims.push_back(*dim);
    }
    return Type(sample.dtype(), dims);
  }

  void append(std::size_t i, std::vector<Value>& results, General::Form& form) {
    const Node& n = node(0, i);
    graph_->set_location(n.location);
    if (n.op == &ops::parameter) {
      results.push_back(graph_->inputs()[static_cast<std::size_t>(n.attributes<ParameterAttributes>().index)]);
    } else if (n.op == &ops::constant) {
      results.push_back(constant(i));
    } else {
      std::vector<Value> operands;
      for (const Value v : n.operands) operands.push_back(values_[v.node->id][v.index]);
      if (n.op->attributes_are_sizes && !samples_have_same_attributes(i)) {
        Sizes beside = sizes_of_operands(i, operands);
        Node& made = append_resized(*graph_, n, operands, std::vector{type_near(i, beside)});
        for (int d = 0; d < made.type().rank(); ++d) beside.emplace_back(numbers(i, 0, d), made.type().dim(d));
        set_attribute_sizes(made, attribute_sizes(i, beside));
        form.attributes.emplace(static_cast<std::uint32_t>(i), made.attribute_data);
        results.push_back(made.result());
        return;
      }
      const auto regions = general_regions(i, form);
      const std::vector<Type> types = infer(i, operands, regions);
      const bool same = std::ranges::equal(regions, n.regions, {}, &std::shared_ptr<const Graph>::get);
      Node& made = same ? append_resized(*graph_, n, operands, types)
                        : graph_->append(*n.op, operands, n.attribute_data, types, regions);
      for (std::uint32_t r = 0; r < types.size(); ++r) results.push_back(made.result(r));
    }
  }

  bool samples_have_same_attributes(std::size_t i) const {
    for (std::size_t s = 1; s < samples_.size(); ++s)
      if (!have_same_attributes(node(0, i), node(s, i))) return false;
    return true;
  }

  using Sizes = std::vector<std::pair<Numbers, Dim>>;

  // What takes a part of an operand, or adds to it, has sizes that stay as far from those beside them as they are.
  std::optional<Dim> express_near(const Numbers& all, const Sizes& beside) {
    if (Names::is_constant(all)) return Dim(all[0]);
    for (const auto& [numbers, size] : beside) {
      Numbers more;
      std::ranges::transform(all, numbers, std::back_inserter(more), std::minus{});
      if (Names::is_constant(more)) return more[0] < 0 ? size - Dim(-more[0]) : size + Dim(more[0]);
    }
    return names_.express(all);
  }

  Sizes sizes_of_operands(std::size_t i, std::span<const Value> operands) const {
    Sizes sizes;
    for (std::size_t o = 0; o < operands.size(); ++o)
      for (int d = 0; d < operands[o].rank(); ++d) {
        Numbers all;
        for (std::size_t s = 0; s < samples_.size(); ++s)
          all.push_back(node(s, i).operand(static_cast<int>(o)).size(d));
        sizes.emplace_back(std::move(all), operands[o].type().dim(d));
      }
    return sizes;
  }

  Type type_near(std::size_t i, const Sizes& beside) {
    const Type suggested = require_type(i);
    std::vector<Dim> dims;
    for (int d = 0; d < suggested.rank(); ++d) {
      const Numbers all = numbers(i, 0, d);
      dims.push_back(express_near(all, beside).value_or(suggested.dim(d)));
      names_.learn(all, dims.back());
    }
    return Type(suggested.dtype(), dims);
  }

  // The numbers of the attributes, each of them an expression where they are others in other samples.
  std::vector<std::int64_t> attribute_sizes(std::size_t i, const Sizes& beside) {
    std::vector<std::vector<std::int64_t>> of_samples;
    for (std::size_t s = 0; s < samples_.size(); ++s)
      of_samples.push_back(node(s, i).op->attributes->numbers(node(s, i).attribute_data));
    std::vector<std::int64_t> sizes = of_samples[0];
    for (std::size_t at = 0; at < sizes.size(); ++at) {
      Numbers all;
      for (const auto& of_sample : of_samples) all.push_back(of_sample[at]);
      if (Names::is_constant(all)) continue;
      const bool is_negative = std::ranges::max(all) <= 0;  // what padding cuts off
      if (is_negative) std::ranges::transform(all, all.begin(), std::negate{});
      auto dim = express_near(all, beside);
      if (!dim) {  // the host gave it
        require(!is_region_ && !is_negative && std::ranges::min(all) >= 0, "no expression fits an attribute of ",
                describe(node(0, i)), ", which is another one for other sizes");
        add_symbol(all, {static_cast<std::uint32_t>(i), 0, static_cast<std::int32_t>(at), true});
        dim = names_.express(all);
      }
      sizes[at] = (is_negative ? -Size(*dim) : Size(*dim)).bits();
    }
    return sizes;
  }

  Value constant(std::size_t i) {
    const Node& n = node(0, i);
    const Type type = require_type(i);
    const auto differs = [&](std::size_t s) { return !have_same_attributes(n, node(s, i)); };
    for (std::size_t s = 1; s < samples_.size(); ++s)
      if (differs(s)) {
        general_.constants.push_back(static_cast<std::uint32_t>(i));
        const Value element = graph_->add_input(Type(type.dtype(), {}));
        return type.rank() == 0 ? element : broadcast(element, type);
      }
    const ConstantAttributes attributes{{type, n.attributes<ConstantAttributes>().value.bytes}};
    return graph_->append(ops::constant, {}, &attributes).result();
  }

  // Those of sizes that change are made anew; a composite alone may have such.
  std::vector<std::shared_ptr<const Graph>> general_regions(std::size_t i, General::Form& form) {
    const Node& n = node(0, i);
    std::vector<std::shared_ptr<const Graph>> regions;
    for (std::size_t r = 0; r < n.regions.size(); ++r) {
      std::vector<const Graph*> bodies;
      for (std::size_t s = 0; s < samples_.size(); ++s) bodies.push_back(node(s, i).regions[r]);
      if (std::ranges::all_of(bodies,
                              [&](const Graph* b) { return b == bodies[0] || structurally_equal(*b, *bodies[0]); })) {
        regions.emplace_back(std::shared_ptr<const Graph>(), n.regions[r]);
        continue;
      }
      require(n.op == &ops::composite, "the body of ", describe(n), " is another one for other sizes");
      General::Form& inner = form.regions[{static_cast<std::uint32_t>(i), r}];
      regions.push_back(Generaliser(std::move(bodies), names_, general_, true).run(inner));
    }
    return regions;
  }

  // By the op's rule, which is given what numbers suggest where it needs to be told.
  std::vector<Type> infer(std::size_t i, std::span<const Value> operands,
                          std::span<const std::shared_ptr<const Graph>> regions) {
    const Node& n = node(0, i);
    std::vector<Type> inferred;
    const auto ask = [&](std::span<const Type> requested) {
      inferred.clear();
      n.op->types(Call{*n.op, operands, n.attribute_data, requested, regions}, inferred);
    };
    try {
      std::vector<Type> suggested;
      for (std::size_t r = 0; r < n.types.size(); ++r) {
        if (!is_expressed(i, r)) break;
        suggested.push_back(require_type(i, r));
      }
      try {
        ask(suggested.size() == n.types.size() ? suggested : std::vector<Type>());
      } catch (const Error&) {
        if (suggested.size() == n.types.size()) throw;
        suggested.clear();
        for (std::size_t r = 0; r < n.types.size(); ++r) suggested.push_back(require_type(i, r));
        ask(suggested);
      }
    } catch (const Error& error) {
      fail(describe(n), " is only right for certain sizes: ", error.what());
    }
    for (std::size_t r = 0; r < n.types.size(); ++r)
      for (int d = 0; d < n.types[r].rank(); ++d) names_.learn(numbers(i, r, d), inferred[r].dim(d));
    return inferred;
  }

  bool is_expressed(std::size_t i, std::size_t result) {
    for (int d = 0; d < node(0, i).types[result].rank(); ++d)
      if (!names_.express(numbers(i, result, d))) return false;
    return true;
  }

  std::vector<const Graph*> samples_;
  Names& names_;
  General& general_;
  bool is_region_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<std::vector<Value>> values_;  // by node of the samples
};

// Compares graphs with a general form at given sizes.
class FormMatcher {
 public:
  FormMatcher(const General& general, std::vector<std::int64_t> symbols)
      : general_(general), values_(std::move(symbols)) {}

  bool holds(const General::Form& form, const Graph& graph, std::string& difference, bool is_region) {
    const auto nodes = form.sample->nodes();
    if (nodes.size() != graph.nodes().size()) return false;
    auto type = form.types.begin();
    auto constant = general_.constants.begin();
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const Node &a = *nodes[i], &b = *graph.nodes()[i];
      const auto types = std::span(type, type + static_cast<std::ptrdiff_t>(a.types.size()));
      type += static_cast<std::ptrdiff_t>(a.types.size());
      const bool is_given = !is_region && constant != general_.constants.end() && *constant == i;
      constant += is_given;
      if (a.op == b.op && std::ranges::equal(a.operands, b.operands, same_value) &&
          std::ranges::equal(types, b.types, [&](Type x, Type y) { return at(x) == y; }) &&
          (is_given ? is_splat(b) : same_attributes(form, a, b)) && same_regions(form, a, b, difference))
        continue;
      difference = concat(describe(b), " does not follow from the sizes of the inputs as before");
      return false;
    }
    return true;
  }

 private:
  bool same_attributes(const General::Form& form, const Node& a, const Node& b) const {
    const auto found = form.attributes.find(a.id);
    if (found == form.attributes.end()) return have_same_attributes(a, b);
    const AttributeSchema& schema = *a.op->attributes;
    return std::ranges::equal(schema.numbers(found->second), schema.numbers(b.attribute_data), {},
                              [&](std::int64_t n) { return values_(Size(n)); });
  }

  bool same_regions(const General::Form& form, const Node& a, const Node& b, std::string& difference) {
    if (a.regions.size() != b.regions.size()) return false;
    for (std::size_t r = 0; r < a.regions.size(); ++r) {
      if (a.regions[r] == b.regions[r]) continue;
      const auto found = form.regions.find({a.id, r});
      if (found == form.regions.end() ? !structurally_equal(*a.regions[r], *b.regions[r])
                                      : !holds(found->second, *b.regions[r], difference, true))
        return false;
    }
    return true;
  }

  Type at(Type type) {
    if (type.is_static()) return type;
    auto& [from, to] = known_[type.hash()];
    if (from != type) from = type, to = values_(type);
    return to;
  }

  const General& general_;
  const SizeValues values_;
  std::unordered_map<std::uint64_t, std::pair<Type, Type>> known_;
};

}  // namespace

Fingerprint fingerprint_without_sizes(const Graph& graph, std::span<const Value> outputs) {
  Fingerprint f;
  for (const Node* n : graph.nodes()) {
    f.add(reinterpret_cast<std::uintptr_t>(n->op));
    std::uint64_t types = n->types.size();
    for (const Type type : n->types)
      types = types * 1024 + static_cast<std::uint64_t>(type.rank()) * 32 + static_cast<std::uint64_t>(type.dtype());
    f.add(types);
    for (const Value v : n->operands) f.add((std::uint64_t{v.node->id} << 16) + v.index);
  }
  for (const Value v : outputs) f.add((std::uint64_t{v.node->id} << 16) + v.index);
  return f;
}

General generalise(std::span<const std::shared_ptr<const Graph>> samples) {
  WEFT_ASSERT(samples.size() >= 2, "one sample says nothing of others");
  std::vector<const Graph*> graphs;
  for (const auto& sample : samples) graphs.push_back(sample.get());
  Names names;
  General general;
  general.sample = samples[0];
  general.graph = Generaliser(std::move(graphs), names, general, false).run(general.form);
  return general;
}

std::optional<Match> match(const General& general, const Graph& graph, std::span<const Value> outputs,
                           std::string& difference) {
  difference = "other operations are recorded";
  if (general.sample->nodes().size() != graph.nodes().size() ||
      !std::ranges::equal(general.sample->outputs(), outputs, same_value) ||
      general.sample->inputs().size() != graph.inputs().size())
    return std::nullopt;
  Match match;
  for (const General::Symbol& symbol : general.symbols) {
    const Node& node = *graph.nodes()[symbol.node];
    const auto types = node.types;
    if (symbol.is_attribute) {
      if (node.op != general.sample->nodes()[symbol.node]->op) return std::nullopt;
      const auto numbers = node.op->attributes->numbers(node.attribute_data);
      const auto at = static_cast<std::size_t>(symbol.dim);
      if (at >= numbers.size() || numbers[at] < 0) return std::nullopt;
      match.symbols.push_back(numbers[at]);
      continue;
    }
    if (symbol.result >= types.size() || symbol.dim >= types[symbol.result].rank()) return std::nullopt;
    match.symbols.push_back(types[symbol.result].size(symbol.dim));
  }
  if (!FormMatcher(general, match.symbols).holds(general.form, graph, difference, false)) return std::nullopt;
  for (const std::uint32_t id : general.constants)
    match.constants.push_back(graph.nodes()[id]->attributes<ConstantAttributes>().value.bytes);
  return match;
}

}  // namespace weft::ir
