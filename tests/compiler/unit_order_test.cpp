// The order of units beside collectives: what the link has to carry last begins first.
#include <weft/compiler/plan/unit_order.h>

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weft/ir/graph.h>

namespace weft::compiler {
namespace {

// Units of given times, each of which makes one value from those of others.
class Units {
 public:
  // Returns the value that the unit makes.
  ir::Value compute(const std::string& name, double ms, std::vector<ir::Value> reads) {
    seconds_[name] = 1e-3 * ms;
    return add(name, std::move(reads));
  }
  ir::Value exchange(const std::string& name, double ms, std::vector<ir::Value> reads) {
    const ir::Value made = add(name, std::move(reads));
    units_.back().stream = runtime::StreamKind::communication;
    units_.back().link_seconds = 1e-3 * ms;
    return made;
  }
  std::pair<std::vector<std::string>, double> ordered(Priority priority) const {
    const BesideCollectives made =
        beside_collectives(units_, [&](const Unit& unit) { return seconds_.at(unit.info.name); }, priority);
    std::vector<std::string> names;
    for (const Unit& unit : made.units) names.push_back(unit.info.name);
    return {names, 1e3 * made.seconds};
  }

 private:
  ir::Value add(const std::string& name, std::vector<ir::Value> reads) {
    Unit& unit = units_.emplace_back();
    unit.info.name = name;
    unit.reads = std::move(reads);
    unit.writes = {graph_.add_input(Type(DType::f32, {1}))};
    unit.order = static_cast<std::uint32_t>(units_.size());
    seconds_.try_emplace(name, 0);
    return unit.writes[0];
  }

  ir::Graph graph_;
  std::vector<Unit> units_;
  std::map<std::string, double> seconds_;
};

// A table is updated when its gradients have arrived, and pooled for the next step; a weight's gradient is added up meanwhile.
TEST(UnitOrder, WhatTheLinkCarriesLongestBeginsFirst) {
  Units units;
  const ir::Value loss = units.compute("forward", 10, {});
  const ir::Value small = units.compute("gradient of the first layer", 4, {loss});
  const ir::Value large = units.compute("gradient of the table", 2, {loss});
  const ir::Value sent = units.exchange("send the gradient", 4, {large});
  const ir::Value summed = units.exchange("sum", 1, {small});
  units.compute("update the first layer", 1, {summed});
  units.compute("update the table", 3, {sent});
  using Names = std::vector<std::string>;
  EXPECT_EQ(units.ordered(Priority::program),
            std::pair(Names({"forward", "gradient of the first layer", "sum", "gradient of the table",
                             "send the gradient", "update the first layer", "update the table"}),
                      23.0));
  EXPECT_EQ(units.ordered(Priority::longest_link),
            std::pair(Names({"forward", "gradient of the table", "send the gradient", "gradient of the first layer",
                             "sum", "update the table", "update the first layer"}),
                      20.0));
}

// Pooled rows, which the next launch begins with, are sent before gradients whose sums would delay them.
TEST(UnitOrder, WhatTheNextLaunchNeedsIsSentWhenItIsReady) {
  Units units;
  const ir::Value pooled = units.compute("look up", 4, {});
  const ir::Value gradient = units.compute("gradient", 5, {});
  units.exchange("send the rows", 4, {pooled});
  const ir::Value summed = units.exchange("sum", 1, {gradient});
  units.compute("update", 1, {summed});
  const auto [names, ms] = units.ordered(Priority::longest_chain);
  EXPECT_EQ(names, (std::vector<std::string>{"look up", "send the rows", "gradient", "sum", "update"}));
  EXPECT_DOUBLE_EQ(ms, 11);
}

}  // namespace
}  // namespace weft::compiler
