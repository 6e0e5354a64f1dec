#include <weft/ir/general_regions.h>

#include <weft/ir/general_constants.h>
#include <weft/ir/general_nodes.h>
#include <weft/ir/ops.h>

namespace weft::ir {

std::vector<std::shared_ptr<const Graph>> general_regions(std::span<const Node* const> samples,
                                                          std::span<const Value> operands,
                                                          std::span<const General::Constant> constants,
                                                          std::size_t depth, const MakeRegion& make) {
  const Node& n = *samples[0];
  const bool has_inputs_of_node =
      n.op == &ops::composite || n.op == &ops::while_ || n.op == &ops::if_ || n.op == &ops::case_;
  std::vector<std::shared_ptr<const Graph>> regions;
  for (std::uint32_t r = 0; r < n.regions.size(); ++r) {
    RegionOfSamples region{.number = r, .bodies = {}, .inputs = {}, .constants = constants_in(constants, depth, r)};
    for (const Node* sample : samples) region.bodies.push_back(sample->regions[r]);
    if (constants.empty() && are_alike(region.bodies)) {
      regions.emplace_back(std::shared_ptr<const Graph>(), n.regions[r]);
      continue;
    }
    if (!has_inputs_of_node) fail("the body of ", describe(n), " differs between sizes");
    // The inputs are the last operands: a branch has a predicate before them.
    for (const Value v : operands.last(region.bodies[0]->inputs().size() + constants.size()))
      region.inputs.push_back(v.type());
    region.first = static_cast<std::size_t>(region.constants.data() - constants.data());
    const auto made = make(region);
    if (n.op == &ops::while_ && r == 1) {  // the loop also carries the constants, unchanged
      std::vector<Value> outputs(made->outputs().begin(), made->outputs().end());
      const auto carried = made->inputs().last(constants.size());
      outputs.insert(outputs.end(), carried.begin(), carried.end());
      made->set_outputs(std::move(outputs));
    }
    regions.push_back(made);
  }
  return regions;
}

}  // namespace weft::ir
