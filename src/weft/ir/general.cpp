#include <weft/ir/general.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <set>

#include <weft/ir/align_broadcasts.h>
#include <weft/ir/builder.h>
#include <weft/ir/general_constants.h>
#include <weft/ir/general_nodes.h>
#include <weft/ir/general_regions.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>
#include <weft/ir/size_names.h>

namespace weft::ir {

namespace {

using Numbers = SizeNames::Numbers;

// Builds the general form of graphs: of the samples, or of a region that they have in the same place.
class Generaliser {
 public:
  Generaliser(std::vector<const Graph*> samples, SizeNames& names, General& general)
      : samples_(std::move(samples)), names_(names), general_(general) {}

  std::shared_ptr<Graph> graph(General::Form& form) {
    require_one_structure(form);
    const std::vector<General::Constant> constants = find_constants(samples_);
    constants_ = constants;
    name_inputs();
    for (const Value input : samples_[0]->inputs()) graph_->add_input(require_type(input.node->id));
    return generalised(form);
  }

  // Builds the general form of a region that is nested `depth` regions deep.
  std::shared_ptr<Graph> region(const RegionOfSamples& region, std::size_t depth, General::Form& form) {
    depth_ = depth;
    require_one_structure(form);
    for (const Type type : region.inputs) graph_->add_input(type);
    constants_ = region.constants;
    constant_inputs_ = graph_->inputs().subspan(samples_[0]->inputs().size() + region.first, constants_.size());
    return generalised(form);
  }

 private:
  std::shared_ptr<Graph> generalised(General::Form& form) {
    for (std::size_t i = 0; i < samples_[0]->nodes().size(); ++i) {
      std::vector<Value>& results = values_.emplace_back();
      append(i, results, form);
      for (const Value v : results) form.types.push_back(v.type());
    }
    std::vector<Value> outputs;
    for (const Value v : samples_[0]->outputs()) outputs.push_back(values_[v.node->id][v.index]);
    graph_->set_outputs(std::move(outputs));
    graph_->name = samples_[0]->name;
    graph_->input_names = samples_[0]->input_names;
    return graph_;
  }

  bool is_region() const { return depth_ > 0; }

  const Node& node(std::size_t sample, std::size_t i) const { return *samples_[sample]->nodes()[i]; }

  void require_one_structure(General::Form& form) const {
    form.sample = samples_[0];
    for (std::size_t s = 1; s < samples_.size(); ++s) {
      const Graph& other = *samples_[s];
      require(other.nodes().size() == samples_[0]->nodes().size() &&
                  std::ranges::equal(other.outputs(), samples_[0]->outputs(), same_value),
              "different operations were recorded for different sizes");
      for (std::size_t i = 0; i < other.nodes().size(); ++i) {
        const Node &a = node(0, i), &b = node(s, i);
        const auto same_kind = [](Type x, Type y) { return x.dtype() == y.dtype() && x.rank() == y.rank(); };
        if (a.op != b.op || !std::ranges::equal(a.operands, b.operands, same_value) ||
            !std::ranges::equal(a.types, b.types, same_kind) || a.regions.size() != b.regions.size())
          fail(describe(b), " is recorded instead of ", describe(a), " for different sizes");
        if (!have_attributes_alike(a, b) && !(is_splat(a) && is_splat(b)))
          fail("an attribute or constant of ", describe(a), " differs between sizes");
      }
    }
  }

  Numbers numbers(std::size_t i, std::size_t result, int dim) const {
    Numbers all;
    for (std::size_t s = 0; s < samples_.size(); ++s) all.push_back(node(s, i).types[result].size(dim));
    return all;
  }

  // Names small sizes first, so that larger sizes are recognised as multiples of them. This includes the sizes into which a
  // reshape splits an input.
  void name_inputs() {
    std::vector<std::pair<Numbers, General::Symbol>> sizes;
    for (const Value input : samples_[0]->inputs())
      for (int d = 0; d < input.rank(); ++d) sizes.push_back({numbers(input.node->id, 0, d), {input.node->id, 0, d}});
    const std::size_t of_inputs = sizes.size();
    for (std::size_t i = 0; i < samples_[0]->nodes().size(); ++i) {
      if (node(0, i).op != &ops::reshape) continue;
      for (int d = 0; d < node(0, i).type().rank(); ++d) {
        Numbers part = numbers(i, 0, d);
        const auto whole = std::span(sizes).first(of_inputs);
        if (!SizeNames::is_constant(part) &&
            std::ranges::any_of(whole, [&](const auto& size) { return SizeNames::ratio(size.first, part) > 1; }))
          sizes.push_back({std::move(part), {static_cast<std::uint32_t>(i), 0, d}});
      }
    }
    std::ranges::stable_sort(sizes, {}, [](const auto& size) { return std::ranges::max(size.first); });
    for (const auto& [all, place] : sizes) add_symbol(all, place);
  }

  void add_symbol(const Numbers& all, const General::Symbol& place) {
    if (names_.add_symbol(all)) general_.symbols.push_back(place);
  }

  // Returns the expression that the numbers suggest. A size without a fitting expression becomes a symbol: the host supplied it.
  Dim require_dim(std::size_t i, std::size_t result, int d, bool is_no_sum = false) {
    const Numbers all = numbers(i, result, d);
    const bool from_host = !is_region() && node(0, i).operands.empty();
    if (const auto dim = names_.express(all, from_host || is_no_sum)) return *dim;
    if (is_region())
      fail("no expression fits the sizes of ", describe(node(0, i)), ", which is ",
           node(samples_.size() - 1, i).types[result], " for other inputs");
    add_symbol(all, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(result), d});
    return *names_.express(all);
  }

  Type require_type(std::size_t i, std::size_t result = 0, bool is_no_sum = false) {
    const Type sample = node(0, i).types[result];
    std::vector<Dim> dims;
    for (int d = 0; d < sample.rank(); ++d) dims.push_back(require_dim(i, result, d, is_no_sum));
    return Type(sample.dtype(), dims);
  }

  void append(std::size_t i, std::vector<Value>& results, General::Form& form) {
    const Node& n = node(0, i);
    graph_->set_location(n.location);
    if (n.op == &ops::parameter) {
      results.push_back(graph_->inputs()[n.attributes<ParameterAttributes>().index]);
    } else if (n.op == &ops::constant) {
      results.push_back(constant(i, form));
    } else {
      std::vector<Value> operands;
      for (const Value v : n.operands) operands.push_back(values_[v.node->id][v.index]);
      const auto constants = constants_at(constants_, depth_, i);
      if (n.op->has_sizes() && !samples_have_same_attributes(i)) {
        if (!constants.empty()) fail("a constant in the body of ", describe(n), " differs between sizes");
        Sizes beside = sizes_of_operands(i, operands);
        std::vector<Type> types;
        for (std::uint32_t r = 0; r < n.types.size(); ++r) types.push_back(type_near(i, r, beside));
        Node& made = append_resized(*graph_, n, operands, types);
        for (int d = 0; d < made.type().rank(); ++d) beside.emplace_back(numbers(i, 0, d), made.type().dim(d));
        set_attribute_sizes(made, attribute_sizes(i, beside));
        form.attributes.emplace(static_cast<std::uint32_t>(i), made.attribute_data);
        for (std::uint32_t r = 0; r < types.size(); ++r) results.push_back(made.result(r));
        return;
      }
      for (const General::Constant& constant : constants) operands.push_back(input_for(constant));
      const auto regions = regions_of(i, operands, constants, form);
      const std::vector<Type> types = infer(i, operands, regions);
      const bool same = std::ranges::equal(regions, n.regions, {}, &std::shared_ptr<const Graph>::get);
      Node& made = same ? append_resized(*graph_, n, operands, types)
                        : graph_->append(*n.op, operands, n.attribute_data, types, regions);
      for (std::uint32_t r = 0; r < n.types.size(); ++r) results.push_back(made.result(r));
    }
  }

  bool samples_have_same_attributes(std::size_t i) const {
    for (std::size_t s = 1; s < samples_.size(); ++s)
      if (!have_same_attributes(node(0, i), node(s, i))) return false;
    return true;
  }

  using Sizes = std::vector<std::pair<Numbers, Dim>>;

  // Prefers an operand's size plus or minus a constant. Ops that take a part of an operand, or add to it, have such sizes.
  std::optional<Dim> express_near(const Numbers& all, const Sizes& beside) {
    if (SizeNames::is_constant(all)) return Dim(all[0]);
    for (const auto& [numbers, size] : beside) {
      if (const auto more = SizeNames::difference(all, numbers))
        return *more < 0 ? size - Dim(-*more) : size + Dim(*more);
    }
    return names_.express(all);
  }

  Sizes sizes_of_operands(std::size_t i, std::span<const Value> operands) const {
    Sizes sizes;
    for (std::size_t o = 0; o < operands.size(); ++o)
      for (int d = 0; d < operands[o].rank(); ++d) {
        Numbers all;
        for (std::size_t s = 0; s < samples_.size(); ++s) all.push_back(node(s, i).operand(o).size(d));
        sizes.emplace_back(std::move(all), operands[o].type().dim(d));
      }
    return sizes;
  }

  Type type_near(std::size_t i, std::size_t result, const Sizes& beside) {
    const Type sample = node(0, i).types[result];
    std::vector<Dim> dims;
    for (int d = 0; d < sample.rank(); ++d) {
      const Numbers all = numbers(i, result, d);
      const auto dim = express_near(all, beside);
      dims.push_back(dim ? *dim : require_dim(i, result, d));
      names_.learn(all, dims.back());
    }
    return Type(sample.dtype(), dims);
  }

  // Returns the numbers of the attributes; a number that differs between samples becomes an expression.
  std::vector<std::int64_t> attribute_sizes(std::size_t i, const Sizes& beside) {
    std::vector<std::vector<std::int64_t>> of_samples;
    for (std::size_t s = 0; s < samples_.size(); ++s)
      of_samples.push_back(node(s, i).op->attributes->sizes(node(s, i).attribute_data));
    std::vector<std::int64_t> sizes = of_samples[0];
    for (std::size_t at = 0; at < sizes.size(); ++at) {
      Numbers all;
      for (const auto& of_sample : of_samples) all.push_back(of_sample[at]);
      if (SizeNames::is_constant(all)) continue;
      const bool is_negative = std::ranges::max(all) <= 0;  // negative padding, which crops
      if (is_negative) std::ranges::transform(all, all.begin(), std::negate{});
      auto dim = express_near(all, beside);
      if (!dim) {  // the host supplied it
        if (is_region() || is_negative || std::ranges::min(all) < 0)
          fail("no expression fits an attribute of ", describe(node(0, i)), ", which differs between sizes");
        add_symbol(all, {static_cast<std::uint32_t>(i), 0, static_cast<std::int32_t>(at), true});
        dim = names_.express(all);
      }
      sizes[at] = (is_negative ? -Size(*dim) : Size(*dim)).bits();
    }
    return sizes;
  }

  Value constant(std::size_t i, General::Form& form) {
    const Node& n = node(0, i);
    const Type type = require_type(i);
    if (const auto given = constants_at(constants_, depth_, i); !given.empty()) {
      form.constants.push_back(i);
      const Value element = input_for(given[0]);
      return type.rank() == 0 ? element : broadcast(element, type);
    }
    const ConstantAttributes attributes{{type, n.attributes<ConstantAttributes>().value.bytes}};
    return graph_->append(ops::constant, {}, &attributes).result();
  }

  // Returns the input of this graph that stands for one of constants_. A region has all of these inputs from the beginning.
  Value input_for(const General::Constant& constant) {
    if (is_region()) return constant_inputs_[&constant - constants_.data()];
    general_.constants.push_back(constant);
    return graph_->add_input(Type(constant.dtype, {}));
  }

  std::vector<std::shared_ptr<const Graph>> regions_of(std::size_t i, std::span<const Value> operands,
                                                       std::span<const General::Constant> constants,
                                                       General::Form& form) {
    std::vector<const Node*> nodes;
    for (std::size_t s = 0; s < samples_.size(); ++s) nodes.push_back(&node(s, i));
    return general_regions(nodes, operands, constants, depth_, [&](const RegionOfSamples& region) {
      return Generaliser(region.bodies, names_, general_)
          .region(region, depth_ + 1, form.regions[{static_cast<std::uint32_t>(i), region.number}]);
    });
  }

  // Infers the types by the op's rule. If the rule needs the result type, it gets the one that the numbers suggest.
  std::vector<Type> infer(std::size_t i, std::span<const Value> operands,
                          std::span<const std::shared_ptr<const Graph>> regions) {
    const Node& n = node(0, i);
    std::vector<Type> inferred;
    const auto ask = [&](std::span<const Type> requested) {
      inferred.clear();
      n.op->types(Call{*n.op, operands, n.attribute_data, requested, regions}, inferred);
    };
    std::vector<Type> suggested;
    const auto suggest_all = [&] {
      while (suggested.size() < n.types.size()) suggested.push_back(require_type(i, suggested.size()));
    };
    for (std::size_t r = 0; r < n.types.size() && is_expressed(i, r); ++r) suggested.push_back(require_type(i, r));
    try {
      try {
        ask(suggested.size() == n.types.size() ? suggested : std::vector<Type>());
      } catch (const Error&) {
        if (suggested.size() == n.types.size()) throw;
        suggest_all();
        ask(suggested);
      }
    } catch (const Error& error) {
      // The rule needs to know the sizes; quotients are never sums of other sizes.
      if (!n.op->has_sizes()) fail(describe(n), " is valid only for certain sizes: ", error.what());
      inferred.clear();
      for (std::size_t r = 0; r < n.types.size(); ++r) inferred.push_back(require_type(i, r, true));
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
  SizeNames& names_;
  General& general_;
  std::size_t depth_ = 0;                         // nesting depth of this region; 0 for the samples themselves
  std::span<const General::Constant> constants_;  // the constants in this graph
  std::span<const Value> constant_inputs_;        // the inputs of a region that stand for them
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<std::vector<Value>> values_;  // by node id of the samples
};

}  // namespace

Fingerprint fingerprint_without_sizes(const Graph& graph, std::span<const Value> outputs) {
  Fingerprint f;
  // node numbers that do not count same-rank broadcasts; each broadcast has the number of its operand
  std::vector<std::uint32_t> places;
  std::uint32_t next = 0;
  const auto place = [&](Value v) { return (std::uint64_t{places[v.node->id]} << 16) + v.index; };
  for (const Node* n : graph.nodes()) {
    if (is_same_rank_broadcast(*n)) {
      places.push_back(places[n->operand(0).node->id]);
      continue;
    }
    places.push_back(next++);
    const bool has_attributes = n->op->attributes && n->op != &ops::constant;
    f.add(reinterpret_cast<std::uintptr_t>(n->op) ^
          (has_attributes ? n->op->attributes->hash_without_sizes(n->attribute_data) : 0));
    std::uint64_t types = n->types.size();
    for (const Type type : n->types)
      types = types * 1024 + static_cast<std::uint64_t>(type.rank()) * 32 + static_cast<std::uint64_t>(type.dtype());
    f.add(types);
    for (const Value v : n->operands) f.add(place(v));
  }
  for (const Value v : outputs) f.add(place(v));
  return f;
}

namespace {

General generalise(std::span<const std::shared_ptr<const Graph>> samples, SizeNames::Beliefs beliefs) {
  std::vector<const Graph*> graphs;
  for (const auto& sample : samples) graphs.push_back(sample.get());
  SizeNames names(beliefs);
  General general;
  general.sample = samples[0];
  general.graph = Generaliser(std::move(graphs), names, general).graph(general.form);
  return general;
}

// Returns the differences between input sizes that vary, where the difference is the same in all samples.
std::set<std::int64_t> distances(std::span<const std::shared_ptr<const Graph>> samples) {
  std::set<Numbers> sizes;
  for (std::size_t i = 0; i < samples[0]->inputs().size(); ++i)
    for (int d = 0; d < samples[0]->inputs()[i].rank(); ++d) {
      Numbers all;
      for (const auto& sample : samples) all.push_back(sample->inputs()[i].size(d));
      if (!SizeNames::is_constant(all)) sizes.insert(std::move(all));
    }
  std::set<std::int64_t> distances;
  for (auto a = sizes.begin(); a != sizes.end(); ++a)
    for (auto b = std::next(a); b != sizes.end(); ++b)
      if (const auto apart = SizeNames::difference(*b, *a)) distances.insert(*apart);
  return distances;
}

}  // namespace

General generalise(std::span<const std::shared_ptr<const Graph>> samples) {
  WEFT_ASSERT(samples.size() >= 2, "at least two samples are needed");
  // Two samples have many differences and sums in common by chance. Therefore only as many of them are assumed as are needed, the
  // smallest differences first.
  std::vector<SizeNames::Beliefs> all{{}};
  const std::set<std::int64_t> apart = distances(samples);
  for (const std::int64_t most : apart) all.push_back({most, false});
  all.push_back({0, true});
  for (const std::int64_t most : apart) all.push_back({most, true});
  std::exception_ptr first_error;
  for (const SizeNames::Beliefs& beliefs : all) {
    try {
      return generalise(samples, beliefs);
    } catch (const Error&) {
      if (!first_error) first_error = std::current_exception();  // the first error says what differs
    }
  }
  std::rethrow_exception(first_error);
}

}  // namespace weft::ir
