#include <weft/compiler/plan/fuse.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include <weft/compiler/loop/cost.h>
#include <weft/compiler/plan/cluster_key.h>
#include <weft/compiler/plan/library_error.h>
#include <weft/compiler/plan/merge_order.h>
#include <weft/compiler/plan/placement.h>
#include <weft/compiler/plan/unit_order.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
namespace ops = ir::ops;

namespace {

constexpr int no_cluster = -1;
constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::size_t max_buffers = 48, max_exprs = 600;
// A concatenation of so many elements has a kernel for each operand. If it cannot have them, it is not fused unless its operands are few.
constexpr std::int64_t many_elements = 4096;
constexpr std::size_t few_operands = 3;
// A kernel with fewer rows than few_rows, each longer than long_row, would leave threads idle.
constexpr std::int64_t few_rows = 8, long_row = 32768;

struct Cluster {
  std::vector<std::uint32_t> nodes;  // ascending
  const Node* reduction = nullptr;
  std::int64_t largest = 0;  // elements of the largest domain
};

class FusionPlanner {
 public:
  FusionPlanner(const ir::Graph& graph, const Options& options, const UnitMaker& maker, Report& report,
                std::uint32_t late)
      : graph_(graph),
        options_(options),
        maker_(maker),
        report_(report),
        late_(late),
        placement_(graph, options, maker),
        keys_(graph, placement_),
        count_(graph.nodes().size()),
        cluster_of_(count_, no_cluster),
        stores_output_(count_) {
    for (const Value v : graph.outputs()) stores_output_[storage_of(v).node->id] = true;
  }

  std::vector<Unit> run() {
    find_needs();
    make_clusters();
    if (options_.fuse) merge_clusters();
    tell_refusals();
    return make_units();
  }

 private:
  Node& node(std::uint32_t id) const { return *graph_.nodes()[id]; }
  Placed placed(std::uint32_t id) const { return placement_.placed(node(id)); }

  // ---- edges

  // Finds for each node that becomes a unit or part of one the stored or fused nodes whose values it uses.
  void find_needs() {
    needs_.resize(count_);
    users_.resize(count_);
    std::vector<std::uint32_t> walked_by(count_, none);  // what is computed again, and for whom it was walked last
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (placed(i) != Placed::fused && placed(i) != Placed::own_unit) continue;
      std::vector<std::uint32_t>& needs = needs_[i];
      const auto walk = [&](auto&& self, Value v) -> void {
        const std::uint32_t id = v.node->id;
        if (placement_.is_view(*v.node)) return self(self, storage_of(v));
        if (placement_.is_inlined(*v.node)) {
          if (std::exchange(walked_by[id], i) == i) return;
          for (const Value o : v.node->operands) self(self, o);
          return;
        }
        if (std::ranges::find(needs, id) == needs.end()) needs.push_back(id);
      };
      if (const Matmul* matmul = placement_.matmul(node(i))) {
        for_each_operand(*matmul, [&](Value v) { walk(walk, storage_of(v)); });
      } else if (const Attention* attention = placement_.attention(node(i))) {
        for (const View& view : attention->operands) walk(walk, storage_of(view.base));
      } else {
        const bool stored = placed(i) == Placed::own_unit;
        for (const Value v : node(i).operands)
          walk(walk, stored || Placement::is_searched(node(i), v) ? storage_of(v) : v);
      }
      for (const std::uint32_t id : needs) users_[id].push_back(i);
    }
  }

  // ---- clusters

  static Type domain_of(const Node& n) { return n.op->kind == ir::Kind::reduction ? n.operand(0).type() : n.type(); }

  void make_clusters() {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (placed(i) != Placed::fused) continue;
      cluster_of_[i] = clusters_.size();
      clusters_.push_back({{i},
                           node(i).op->kind == ir::Kind::reduction ? &node(i) : nullptr,
                           placement_.elements_of(domain_of(node(i)))});
    }
  }

  // Returns whether the node is the term of a sum, and takes no less memory than what it is computed from. A kernel should compute it for the
  // sum, even if one that computes its operands could store it.
  bool is_term_of(std::uint32_t term, const Node& sum) const {
    if (sum.op->kind != ir::Kind::reduction || placed(term) != Placed::fused || stores_output_[term] ||
        users_[term].size() != 1 || node(term).op->kind == ir::Kind::reduction)
      return false;
    const std::int64_t elements = placement_.elements_of(node(term).type());
    const auto is_as_large = [&](std::uint32_t need) { return placement_.elements_of(node(need).type()) >= elements; };
    return placement_.elements_of(sum.type()) < elements && std::ranges::count_if(needs_[term], is_as_large) <= 1;
  }

  void merge_clusters() {
    MergeOrder order(needs_, users_);
    for (std::uint32_t i = 0; i < count_; ++i)
      if (placed(i) == Placed::fused)
        for (const std::uint32_t p : needs_[i])
          if (is_term_of(p, node(i))) (void)try_merge(order, cluster_of_[p], cluster_of_[i]);
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (placed(i) != Placed::fused) continue;
      std::vector<std::uint32_t> producers = needs_[i];
      std::ranges::sort(producers, std::greater{});
      for (const std::uint32_t p : producers)
        if (placed(p) == Placed::fused && cluster_of_[p] != cluster_of_[i])
          if (Status merged = try_merge(order, cluster_of_[p], cluster_of_[i]); !merged)
            refusals_[{p, i}] = std::move(merged);
    }
    // Tries the refused pairs again: a pair that would be slow alone may be fast with nodes that joined later, for example behind a
    // transpose, which changes the rows.
    for (auto& [edge, merged] : refusals_) {
      const auto [from, to] = edge;
      if (cluster_of_[from] != cluster_of_[to]) merged = try_merge(order, cluster_of_[from], cluster_of_[to]);
    }
  }

  // Reports one refusal for each pair of clusters that stayed apart.
  void tell_refusals() {
    std::set<std::pair<int, int>> told;
    for (const auto& [edge, merged] : refusals_) {
      const auto [from, to] = edge;
      if (cluster_of_[from] == cluster_of_[to] || !told.emplace(cluster_of_[from], cluster_of_[to]).second) continue;
      report_.fusions.push_back({.name = concat(node(from).op->name, '.', from, " -> ", node(to).op->name, '.', to),
                                 .operations = concat(node(from).op->name, ' ', node(to).op->name),
                                 .source = place_of(node(to)),
                                 .refused = merged.reason()});
    }
  }

  // Merges the two clusters. Fails if they cannot be merged.
  Status try_merge(MergeOrder& order, int producer, int consumer) {
    const Cluster& a = clusters_[producer];
    const Cluster& b = clusters_[consumer];
    if (a.largest != b.largest && !a.reduction && !b.reduction && a.largest > b.largest)
      return Status::failed(concat("the producer has ", a.largest, " elements, but the consumer only ", b.largest));
    if (order.path_around(a.nodes.front(), b.nodes.front()))
      return Status::failed("a value would leave the kernel and come back into it");
    Cluster merged;
    std::ranges::merge(a.nodes, b.nodes, std::back_inserter(merged.nodes));
    merged.reduction = a.reduction ? a.reduction : b.reduction;
    merged.largest = std::max(a.largest, b.largest);
    if (merged.nodes.front() < late_ && merged.nodes.back() >= late_)
      return Status::failed("one runs before the peak of the memory, the other after it");
    if (const LoweredCluster& lowered = lower(merged, outputs_of(merged, producer, consumer)); !lowered.status)
      return lowered.status;
    order.merge(a.nodes.front(), b.nodes.front());
    for (const std::uint32_t id : b.nodes) cluster_of_[id] = producer;
    clusters_[producer] = std::move(merged);
    clusters_[consumer] = {};
    return {};
  }

  // The result of lowering a cluster; equal clusters share it.
  struct LoweredCluster {
    Status status = {};             // fails if it should not be one unit
    GeneratedKernels kernels = {};  // none if it cannot be one unit
    // For each input of each kernel: its node's place in the key, and the result's index.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> inputs = {};
    std::optional<Size> bytes = {};  // moved by kernels that write parts
    std::optional<Size> flops = {};  // counted when the first unit is made
  };

  // Lowers equal layers only once. Afterwards, the nodes in keys_ are those of this cluster.
  LoweredCluster& lower(const Cluster& cluster, const std::vector<Value>& outputs) {
    const auto [known, is_new] = lowered_.try_emplace(keys_.of(cluster.nodes, cluster.reduction, outputs));
    LoweredCluster& lowered = known->second;
    if (!is_new) return lowered;
    const Node* const longest = longest_concatenation(cluster);
    const bool has_parts = longest && !cluster.reduction;
    const bool is_short = longest && makes_records(*longest);
    if (has_parts && !is_short && lower_parts(cluster, outputs, *longest, lowered)) return lowered;
    auto result = placement_.lower(cluster.nodes, cluster.reduction, outputs);
    if (!result.kernel) {
      lowered.status = result.kernel.status();
      return lowered;
    }
    const bool is_unrolled = result.kernel->loop.walk == Walk::records;
    if (has_parts && is_short && !is_unrolled && lower_parts(cluster, outputs, *longest, lowered)) return lowered;
    add(std::move(*result.kernel), lowered);
    if (longest && !is_unrolled && longest->operands.size() > few_operands && cluster.nodes.size() > 1)
      lowered.status = Status::failed(
          concat("each element would be selected from ", longest->operands.size(), " operands of a concatenation"));
    if (has_parts && is_short && !is_unrolled && concatenates_again(cluster))
      lowered.status = Status::failed("each element would be selected twice, from operands of two concatenations");
    return lowered;
  }

  // Returns whether a concatenation takes values that another one of the cluster made.
  bool concatenates_again(const Cluster& cluster) const {
    std::set<std::uint32_t> concatenated;  // nodes that depend on a concatenation, and concatenations
    for (const std::uint32_t id : cluster.nodes) {
      const bool is_concatenation = node(id).attributes_if<ir::ConcatenateAttributes>();
      const bool depends =
          std::ranges::any_of(needs_[id], [&](std::uint32_t need) { return concatenated.contains(need); });
      if (is_concatenation && depends) return true;
      if (is_concatenation || depends) concatenated.insert(id);
    }
    return false;
  }

  // Returns whether a concatenation makes records of so few elements that a kernel may have straight code for each.
  static bool makes_records(const Node& concatenation) {
    constexpr std::int64_t few_elements = 64;
    const auto dims = concatenation.type().dims();
    const Size elements = product_of(dims.subspan(concatenation.attributes<ir::ConcatenateAttributes>().dimension));
    return elements.is_constant() && elements.value() <= few_elements;
  }

  void add(Lowered kernel, LoweredCluster& to) {
    for (const Value v : kernel.inputs) to.inputs.emplace_back(keys_.place_of(*v.node), v.index);
    to.kernels.loops.push_back(std::make_shared<const Loop>(std::move(kernel.loop)));
    if (to.status) to.status = check_limits(*to.kernels.loops.back());
  }

  // Returns the concatenation with the most operands among those that are worth a kernel for each operand; null if there is none.
  const Node* longest_concatenation(const Cluster& cluster) const {
    const Node* longest = nullptr;
    for (const std::uint32_t id : cluster.nodes) {
      const Node& n = node(id);
      if (!n.attributes_if<ir::ConcatenateAttributes>() || placement_.elements_of(n.type()) < many_elements) continue;
      if (!longest || n.operands.size() > longest->operands.size()) longest = &n;
    }
    return longest;
  }

  // Makes a kernel for each operand of the concatenation, which computes what follows from this operand. In a kernel for the whole, each
  // element would be selected from all operands. Returns false if that is not possible.
  bool lower_parts(const Cluster& cluster, const std::vector<Value>& outputs, const Node& concatenation,
                   LoweredCluster& lowered) {
    if (cluster.nodes.size() > 1 && concatenation.operands.size() > max_buffers) return false;  // too many attempts
    LoweredCluster made{.kernels = {.loops = {}, .write_parts = true}, .bytes = Size(0)};
    for (int k = 0; k < std::ssize(concatenation.operands); ++k) {
      const Size elements = product_of(concatenation.operand(k).type().dims());
      if (elements.is(0)) continue;
      auto part = placement_.lower(cluster.nodes, nullptr, outputs, {&concatenation, k});
      if (!part.kernel) return false;
      for (const DType dtype : part.kernel->loop.buffers) *made.bytes += elements * byte_size(dtype);
      add(*std::move(part.kernel), made);
    }
    if (made.kernels.loops.empty()) return false;
    lowered = std::move(made);
    return true;
  }

  // Returns whether a kernel that walks down columns would compute a long function of one element for all lanes of each block.
  static bool repeats_long_functions(const Loop& loop) {
    if (loop.walk != Walk::columns) return false;
    constexpr int long_function = 12;
    const auto along_lanes = [&](const Position& p) { return !p.coefficients.empty() && !p.coefficients.back().is(0); };
    std::vector<bool> varies(loop.exprs.size());  // by lane
    for (std::size_t i = 0; i < loop.exprs.size(); ++i) {
      const Expr& e = loop.exprs[i];
      const auto of = [&](ExprId id) { return varies[static_cast<std::size_t>(id)]; };
      varies[i] = along_lanes(e.position) || std::ranges::any_of(e.operands, of) || e.kind == Expr::Kind::reduce ||
                  std::ranges::any_of(e.bounds, along_lanes, &PositionBound::index) ||
                  std::ranges::any_of(e.gathered, [&](const Gathered& g) { return of(g.index); });
      if (e.kind != Expr::Kind::apply || varies[i] || !e.per_lane) continue;
      const DType operand = loop.exprs[static_cast<std::size_t>(e.operands[0])].dtype;
      if (cost_of(*e.op, e.attributes, operand, e.dtype) >= long_function) return true;
    }
    return false;
  }

  // Fails if the loop should not be a kernel.
  Status check_limits(const Loop& loop) const {
    if (loop.buffers.size() > max_buffers)
      return Status::failed(concat("the kernel would have ", loop.buffers.size(), " buffers"));
    if (loop.exprs.size() > max_exprs)
      return Status::failed(concat("the kernel would have ", loop.exprs.size(), " expressions"));
    if (repeats_long_functions(loop))
      return Status::failed("a long function would be computed again for each block of columns");
    const LoopExtent extent = extent_of(loop, options_.sizes(loop.parameters));
    if (loop.walk == Walk::rows && extent.tasks < few_rows && extent.lane_count > long_row)
      return Status::failed(concat("the kernel would have ", extent.tasks, " long rows, which leaves threads idle"));
    return {};
  }

  std::vector<Value> outputs_of(const Cluster& cluster, int self, int other) const {
    std::vector<Value> outputs;
    for (const std::uint32_t id : cluster.nodes) {
      const auto outside = [&](std::uint32_t user) { return cluster_of_[user] != self && cluster_of_[user] != other; };
      if (stores_output_[id] || std::ranges::any_of(users_[id], outside)) outputs.push_back(node(id).result());
    }
    return outputs;
  }

  // ---- units

  std::vector<Unit> make_units() {
    std::vector<Unit> units;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (placed(i) == Placed::own_unit) {
        units.push_back(naming_library_errors(node(i), [&] { return make_alone(node(i)); }));
      }
      if (placed(i) != Placed::fused) continue;
      const int c = cluster_of_[i];
      const Cluster& cluster = clusters_[c];
      if (cluster.nodes.back() == i) units.push_back(make_kernel(cluster, c));
    }
    return in_order(std::move(units));
  }

  Unit make_alone(Node& n) {
    Unit unit;
    if (const Matmul* matmul = placement_.matmul(n)) {
      unit = maker_.make_product(*matmul);
      if (!matmul->epilogue.steps.empty())
        report_.fusions.push_back({.name = unit.info.name, .operations = unit.info.name, .source = place_of(n)});
    } else if (const Attention* attention = placement_.attention(n)) {
      unit = maker_.make_attention(*attention);
    } else {
      unit = maker_.make(n, report_.fallbacks);
    }
    describe(unit, n);
    unit.has_side_effect = ir::has_side_effect(n);
    return unit;
  }

  void describe(Unit& unit, const Node& n) const {
    unit.info.source = place_of(n);
    unit.info.scope = n.location.scope;
    if (unit.info.name.empty()) unit.info.name = concat(n.op->name, ".", n.id);
  }

  // Counts one operation for each element that a pointwise op makes or a reduction takes, whatever the op costs.
  Size flops_of(const Cluster& cluster) const {
    // Merged by domain: there are few domains, and arithmetic on symbolic sizes is slow.
    std::vector<std::pair<Type, std::int64_t>> nodes_over;
    for (const std::uint32_t id : cluster.nodes) {
      const Node& n = node(id);
      if (n.op->kind != ir::Kind::elementwise && n.op->kind != ir::Kind::reduction) continue;
      const auto known = std::ranges::find(nodes_over, domain_of(n), &std::pair<Type, std::int64_t>::first);
      if (known == nodes_over.end()) {
        nodes_over.emplace_back(domain_of(n), 1);
      } else {
        ++known->second;
      }
    }
    Size flops = 0;
    for (const auto& [domain, nodes] : nodes_over) flops += product_of(domain.dims()) * nodes;
    return flops;
  }

  Unit make_kernel(const Cluster& cluster, int self) {
    std::vector<Value> outputs = outputs_of(cluster, self, self);
    LoweredCluster& lowered = lower(cluster, outputs);
    WEFT_ASSERT(!lowered.kernels.loops.empty(), "a cluster cannot be lowered: ", lowered.status.reason(), ", ",
                node(cluster.nodes.back()).op->name);
    Unit unit;
    unit.order = cluster.nodes.back();
    const Node& last = node(cluster.nodes.back());
    if (cluster.nodes.size() > 1) unit.info.name = concat("fusion.", last.id);
    describe(unit, last);
    unit.info.category =
        cluster.reduction
            ? (lowered.kernels.loops[0]->walk == Walk::columns ? "column reduction fusion" : "reduction fusion")
            : "loop fusion";
    for (const auto& [place, index] : lowered.inputs)
      unit.reads.push_back(storage_of({&node(keys_.met()[place]), index}));
    unit.writes = std::move(outputs);
    std::ranges::stable_sort(unit.writes, std::greater{}, [&](Value v) { return placement_.elements_of(v.type()); });
    if (!lowered.flops) lowered.flops = flops_of(cluster);
    unit.flops = *lowered.flops;
    unit.bytes = lowered.bytes;
    unit.form = lowered.kernels;
    if (!lowered.kernels.write_parts) find_in_place(unit);
    if (cluster.nodes.size() > 1) tell_fusion(unit, cluster);
    return unit;
  }

  void tell_fusion(const Unit& unit, const Cluster& cluster) {
    std::string operations;
    for (const std::uint32_t id : cluster.nodes) operations += concat(operations.empty() ? "" : " ", node(id).op->name);
    report_.fusions.push_back(
        {.name = unit.info.name, .operations = std::move(operations), .source = unit.info.source});
  }

  // A store may overwrite an input that is read at exactly the same elements, or records, and not read after the store. Inputs that differ
  // only in shape share their bytes. On a GPU, all threads of a row read an element that does not depend on the lane, and one of them may store it before
  // the others have read it.
  void find_in_place(Unit& unit) const {
    const Loop& loop = *unit.kernels()->loops[0];
    for (int output = 0; output < loop.outputs(); ++output)
      for (int input = 0; input < loop.inputs; ++input)
        if (may_overwrite(unit, loop, input, output)) unit.in_place.emplace_back(output, input);
  }

  bool may_overwrite(const Unit& unit, const Loop& loop, int input, int output) const {
    const int buffer = loop.inputs + output;
    if (loop.walk == Walk::columns || byte_size(loop.buffers[input]) != byte_size(loop.buffers[buffer])) return false;
    for (const Store& s : loop.stores) {
      if (s.buffer != buffer) continue;
      if (loop.exprs[s.value].stage != loop.stages - 1) return false;
      if (options_.target->is_gpu && s.position.coefficients.back().is(0)) return false;
      for (const Expr& e : loop.exprs)
        if (e.kind == Expr::Kind::load && unit.reads[e.buffer] == unit.reads[input] &&
            !(e.gathered.empty() && e.record.size == s.record.size && same_position(loop, e.position, s.position)))
          return false;
    }
    return true;
  }

  static bool same_number(const Loop& loop, const Number& a, const Number& b) {
    const auto value = [&](const Number& n) { return n.parameter < 0 ? Size(n.known) : loop.parameters[n.parameter]; };
    return value(a) == value(b);
  }
  static bool same_position(const Loop& loop, const Position& a, const Position& b) {
    return same_number(loop, a.offset, b.offset) &&
           std::ranges::equal(a.coefficients, b.coefficients,
                              [&](const Number& x, const Number& y) { return same_number(loop, x, y); });
  }

  const ir::Graph& graph_;
  const Options& options_;
  const UnitMaker& maker_;
  Report& report_;
  const std::uint32_t late_;
  const Placement placement_;
  ClusterKeys keys_;
  std::size_t count_;
  std::vector<int> cluster_of_;
  std::vector<bool> stores_output_;
  std::vector<std::vector<std::uint32_t>> needs_, users_;
  std::vector<Cluster> clusters_;
  std::unordered_map<Fingerprint, LoweredCluster, FingerprintHash> lowered_;  // by key
  // By producer and consumer: why they were not merged.
  std::map<std::pair<std::uint32_t, std::uint32_t>, Status> refusals_;
};

}  // namespace

std::vector<Unit> fuse(const ir::Graph& graph, const Options& options, const UnitMaker& maker, Report& report,
                       std::uint32_t late) {
  return FusionPlanner(graph, options, maker, report, late).run();
}

}  // namespace weft::compiler
