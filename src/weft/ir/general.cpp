#include <weft/ir/general.h>

#include <algorithm>
#include <functional>

#include <weft/ir/builder.h>
#include <weft/ir/general_nodes.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>
#include <weft/ir/size_names.h>

namespace weft::ir {

namespace {

using Numbers = SizeNames::Numbers;

// The general form of graphs: of the samples, or of a region that they have at the same place.
class Generaliser {
 public:
  Generaliser(std::vector<const Graph*> samples, SizeNames& names, General& general, bool is_region)
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
  Dim require_dim(std::size_t i, std::size_t result, int d) {
    const Numbers all = numbers(i, result, d);
    const bool from_host = !is_region_ && node(0, i).operands.empty();
    if (const auto dim = names_.express(all, from_host)) return *dim;
    require(!is_region_, "no expression fits the sizes of ", describe(node(0, i)), ", which are those of ",
            node(samples_.size() - 1, i).types[result], " for other inputs");
    add_symbol(all, {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(result), d});
    return *names_.express(all);
  }

  Type require_type(std::size_t i, std::size_t result = 0) {
    const Type sample = node(0, i).types[result];
    std::vector<Dim> dims;
    for (int d = 0; d < sample.rank(); ++d) dims.push_back(require_dim(i, result, d));
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
    if (SizeNames::is_constant(all)) return Dim(all[0]);
    for (const auto& [numbers, size] : beside) {
      Numbers more;
      std::ranges::transform(all, numbers, std::back_inserter(more), std::minus{});
      if (SizeNames::is_constant(more)) return more[0] < 0 ? size - Dim(-more[0]) : size + Dim(more[0]);
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
    const Type sample = node(0, i).type();
    std::vector<Dim> dims;
    for (int d = 0; d < sample.rank(); ++d) {
      const Numbers all = numbers(i, 0, d);
      const auto dim = express_near(all, beside);
      dims.push_back(dim ? *dim : require_dim(i, 0, d));
      names_.learn(all, dims.back());
    }
    return Type(sample.dtype(), dims);
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
      if (SizeNames::is_constant(all)) continue;
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
  SizeNames& names_;
  General& general_;
  bool is_region_;
  std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
  std::vector<std::vector<Value>> values_;  // by node of the samples
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
  SizeNames names;
  General general;
  general.sample = samples[0];
  general.graph = Generaliser(std::move(graphs), names, general, false).run(general.form);
  return general;
}

}  // namespace weft::ir
