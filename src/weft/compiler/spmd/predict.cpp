#include <weft/compiler/spmd/predict.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include <weft/compiler/loop/product_flops.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

double result_bytes(const ir::Node& node) {
  double bytes = 0;
  for (const Type type : node.types)
    if (type.is_static()) bytes += static_cast<double>(type.bytes());
  return bytes;
}

}  // namespace

double predict_seconds(const ir::Node& node, const Target& target) {
  if (ir::is_parameter(node) || node.op->kind == ir::Kind::shape || node.op->kind == ir::Kind::source) return 0;
  double seconds = target.seconds(product_flops(node), result_bytes(node));
  for (const ir::Graph* region : node.regions)
    for (const ir::Node* inner : region->nodes()) seconds += predict_seconds(*inner, target);
  return seconds;
}

namespace {

// Replays launches of a program, node by node. Computation takes the first node in the order of the program whose operands are there, and
// waits if there is none; collectives follow one another on the link.
class Replay {
 public:
  Replay(const Partitioned& program, const Options& options)
      : graph_(*program.graph), options_(options), users_(graph_.nodes().size()), there_(graph_.nodes().size()) {
    for (const ir::Node* node : graph_.nodes()) {
      for (const ir::Value v : node->operands) users_[v.node->id].push_back(node->id);
      const double bytes = sent_bytes(*node, options.devices);
      link_seconds_.push_back(bytes > 0 ? options.link.seconds(bytes) : 0);
      seconds_.push_back(bytes > 0 ? 0 : options.devices_together() * predict_seconds(*node, *options.target));
      total.communication_seconds += link_seconds_.back();
    }
    for (const Communication& c : program.communications) {
      total.sent_bytes += c.sent_bytes;
      if (c.node->graph != &graph_) in_regions_ += options.link.seconds(c.sent_bytes);
    }
    total.communication_seconds += in_regions_;
  }

  // Runs a launch whose input i is there at the time `inputs[i]`.
  void run(std::span<const double> inputs) {
    const double start = now_;
    double waited = 0;
    std::vector<std::size_t> missing(there_.size());
    for (const ir::Node* node : graph_.nodes()) missing[node->id] = node->operands.size();
    there_.assign(there_.size(), 0);
    for (std::size_t i = 0; i < inputs.size(); ++i) there_[graph_.inputs()[i].node->id] = inputs[i];
    std::set<std::size_t> ready;  // nodes whose operands are there
    using Arrival = std::pair<double, std::size_t>;
    std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>>
        waiting;  // nodes whose operands are on their way
    const auto issue = [&](std::size_t id) { waiting.emplace(arrival(id), id); };
    for (std::size_t id = 0; id < missing.size(); ++id)
      if (missing[id] == 0) issue(id);
    while (!ready.empty() || !waiting.empty()) {
      while (!waiting.empty() && waiting.top().first <= now_) {
        ready.insert(waiting.top().second);
        waiting.pop();
      }
      if (ready.empty()) {
        waited += waiting.top().first - now_;
        now_ = waiting.top().first;
        continue;
      }
      const std::size_t id = *ready.begin();
      ready.erase(ready.begin());
      finish(id);
      for (const std::size_t user : users_[id])
        if (--missing[user] == 0) issue(user);
    }
    total.seconds = now_ - start + in_regions_;
    total.exposed_seconds = options_.overlaps() ? waited + in_regions_ : total.communication_seconds;
  }

  double there(ir::Value v) const { return there_[v.node->id]; }

  PredictedStep total;  // of the last launch

 private:
  double arrival(std::size_t id) const {
    double at = there_[id];
    for (const ir::Value v : graph_.nodes()[id]->operands) at = std::max(at, there_[v.node->id]);
    return link_seconds_[id] > 0 ? 0 : at;  // a collective is passed to the link at once
  }

  void finish(std::size_t id) {
    double& there = there_[id];
    for (const ir::Value v : graph_.nodes()[id]->operands) there = std::max(there, there_[v.node->id]);
    if (link_seconds_[id] == 0) {
      there = now_ = std::max(there, now_) + seconds_[id];
    } else if (options_.overlaps()) {
      there = link_is_free_ = std::max({there, link_is_free_, now_}) + link_seconds_[id];
    } else {
      there = now_ += link_seconds_[id];
    }
  }

  const ir::Graph& graph_;
  const Options& options_;
  std::vector<std::vector<std::size_t>> users_;
  std::vector<double> link_seconds_, seconds_;  // by node
  std::vector<double> there_;                   // by node: when its results are
  double in_regions_ = 0;                       // communication of one round of each loop, which nothing hides
  double now_ = 0, link_is_free_ = 0;
};

}  // namespace

PredictedStep predict(const Partitioned& program, const Options& options, std::span<const std::int32_t> updated) {
  Replay replay(program, options);
  std::vector<double> inputs(updated.size());
  // Two launches, because a collective at the end of the first one may delay the second one.
  for (int launch = 0; launch < 2; ++launch) {
    replay.run(inputs);
    for (std::size_t i = 0; i < updated.size(); ++i)
      if (updated[i] >= 0) inputs[i] = replay.there(program.graph->outputs()[updated[i]]);
  }
  return replay.total;
}

}  // namespace weft::compiler
