#include <weft/compiler/autotune.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <weft/base/log.h>
#include <weft/compiler/cache/disk_cache.h>
#include <weft/compiler/cache/entry.h>
#include <weft/compiler/fusion/fuse.h>
#include <weft/compiler/fusion/placement.h>
#include <weft/compiler/passes/all.h>
#include <weft/compiler/thunks/region.h>
#include <weft/compiler/ways.h>
#include <weft/ir/inline.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>
#include <weft/runtime/allocator.h>
#include <weft/runtime/own_threads.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;

namespace {

// A part of the graph that can be done in several ways: what it reads, what it makes, and the node that decides.
struct Site {
  const Node* node;
  std::vector<Value> reads, makes;
  std::vector<Way> ways;
};

std::vector<Site> find_sites(const ir::Graph& graph, const Options& known) {
  const SizedOptions options{known, {}};
  std::vector<Site> sites;
  const Placement placement(graph, options);
  for (const Node* n : graph.nodes()) {
    const Matmul* product = placement.matmul(*n);
    if (!product || product->dot->type().elements() == 0) continue;
    Site site{product->dot, {product->lhs.base, product->rhs.base}, {product->epilogue.result}, {}};
    for (const EpilogueStep& step : product->epilogue.steps)
      if (step.operand.base) site.reads.push_back(step.operand.base);
    site.ways = ways_of_product(*product->dot, !product->epilogue.steps.empty(), known.tuning);
    sites.push_back(std::move(site));
  }
  if (known.tuning != Tuning::all) return sites;
  Report ignored;
  for (const Unit& unit : fuse(graph, options, ignored)) {
    if (!unit.loop) continue;
    // The unit's nodes: from what it writes to what it reads.
    std::vector<Value> stack = unit.writes;
    std::unordered_set<const Node*> seen;
    while (!stack.empty()) {
      const Value v = stack.back();
      stack.pop_back();
      if (!seen.insert(v.node).second) continue;
      if (v.node->op->kind == ir::Kind::reduction && v.node->operand(0).node->op->kind == ir::Kind::elementwise)
        sites.push_back({v.node, unit.reads, unit.writes, {Way::standard, Way::apart}});
      for (const Value o : v.node->operands)
        if (std::ranges::find(unit.reads, o) == unit.reads.end()) stack.push_back(o);
    }
  }
  return sites;
}

// The site alone: a graph of its own, and where the deciding node stands in it.
struct Extract {
  std::shared_ptr<const ir::Graph> graph;
  const Node* node = nullptr;
};

Extract extract(const ir::Graph& graph, const Site& site) {
  Extract result;
  std::vector<Value> reads;
  for (const Value v : site.reads)
    if (std::ranges::find(reads, v) == reads.end()) reads.push_back(v);
  std::vector<Type> types;
  for (const Value v : reads) types.push_back(v.type());
  result.graph = ir::make_graph(types, [&](ir::Graph& into, std::span<const Value> inputs) {
    ir::Inliner inliner(into, graph);
    for (std::size_t i = 0; i < inputs.size(); ++i) inliner.substitute(reads[i], inputs[i]);
    const std::vector<Value> makes = inliner.copy(site.makes);
    const Value decided{const_cast<Node*>(site.node), 0};
    result.node = inliner.copy(std::span(&decided, 1))[0].node;
    return makes;
  });
  return result;
}

// Numbers between 0 and 2, or zeros where they are places.
void fill(std::byte* to, Type type) {
  constexpr int about_one = 0x3f;  // in each byte of a float
  std::memset(to, is_float(type.dtype()) ? about_one : 0, static_cast<std::size_t>(type.bytes()));
}

// A part done in one way, to be run again and again.
class Trial {
 public:
  Trial(Way done, std::shared_ptr<const ir::Graph> part, const Options& given)
      : way(done),
        graph_(std::move(part)),
        options_(alone(given)),
        program_(*graph_, {options_, fallbacks_, routines_}) {
    const auto make = [&](Value v) { return allocate(static_cast<std::uint64_t>(v.type().bytes())); };
    for (const Value v : graph_->inputs()) {
      inputs_.push_back(make(v));
      fill(inputs_.back(), v.type());
    }
    for (const Value v : graph_->outputs()) outputs_.push_back(make(v));
    temporaries_ = allocate(program_.temporary_bytes());
  }

  // Once; gives how long it took.
  double run() {
    const auto start = std::chrono::steady_clock::now();
    program_.run(0, inputs_, outputs_, temporaries_);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    best_ms = std::min(best_ms, ms);
    return ms;
  }

  Way way;
  double best_ms = std::numeric_limits<double>::infinity();

 private:
  static Options alone(Options options) {
    options.tuning = Tuning::none;
    options.keeps_memory = false;
    options.activation_bytes = 0;
    options.observer = nullptr;
    return options;
  }

  std::byte* allocate(std::uint64_t bytes) { return memory_.emplace_back(allocator_->allocate(bytes)).get(); }

  std::shared_ptr<const ir::Graph> graph_;
  Options options_;
  std::vector<std::string> fallbacks_;
  std::vector<std::shared_ptr<Routine>> routines_;
  Region program_;
  std::shared_ptr<runtime::Allocator> allocator_ = runtime::Allocator::make();
  std::vector<runtime::Memory> memory_;
  std::vector<std::byte*> inputs_, outputs_;
  std::byte* temporaries_ = nullptr;
};
using Trials = std::vector<std::unique_ptr<Trial>>;

void cannot_be_done(Way way, const Error& error) { WEFT_LOG(autotuning, name(way), " cannot be done: ", error.what()); }

// In turns, so that a machine that is slower for a while is so for all of them. Lets go of those that cannot be run.
void measure(Trials& trials) {
  constexpr double enough_ms = 10;  // for each
  constexpr int most_rounds = 50, least_rounds = 3;
  std::erase_if(trials, [](const auto& trial) {
    try {
      trial->run();  // caches are cold
    } catch (const Error& error) {
      cannot_be_done(trial->way, error);
      return true;
    }
    trial->best_ms = std::numeric_limits<double>::infinity();
    return false;
  });
  double all = 0;
  for (int i = 0; i < least_rounds || (all < enough_ms * static_cast<double>(trials.size()) && i < most_rounds); ++i)
    for (const auto& trial : trials) all += trial->run();
}

struct Choice {
  Way way = Way::standard;
  std::string told;  // "standard 0.31 ms, generated 0.12 ms"
};

// What was measured: in this process, and on disk.
class Choices {
 public:
  static Choices& instance() {
    static Choices choices;
    return choices;
  }

  std::optional<Choice> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const auto disk = DiskCache::from_knobs();
    const auto stored = disk ? disk->read(choice_name(key)) : std::nullopt;
    if (!stored || stored->size() != 1 || stored->front().key != key) return std::nullopt;
    const std::string& text = stored->front().object;
    const auto comma = text.find(": ");
    const auto way = find_way(text.substr(0, comma));
    if (!way || comma == std::string::npos) return std::nullopt;
    return known_[key] = {*way, text.substr(comma + 2)};
  }

  void add(const std::string& key, const Choice& choice) {
    const std::lock_guard lock(mutex_);
    known_[key] = choice;
    const StoredKernel stored{key, concat(name(choice.way), ": ", choice.told)};
    if (const auto disk = DiskCache::from_knobs()) disk->write(choice_name(key), std::span(&stored, 1));
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Choice> known_;
};

// A way must be that much faster than the standard one: measuring is not exact.
constexpr double worthwhile = 0.9;

Choice choose(const Extract& part, const Site& site, const Options& options) {
  Trials trials;
  for (const Way way : site.ways) {
    try {
      const auto way_of = [&](const Node& n) { return &n == part.node ? way : Way::standard; };
      trials.push_back(std::make_unique<Trial>(way, apply(*part.graph, way_of), options));
    } catch (const Error& error) {
      cannot_be_done(way, error);
    }
  }
  runtime::run_with_own_threads([&] { measure(trials); });
  Choice choice;
  double least = 0;  // the standard way's comes first
  for (const auto& trial : trials) {
    choice.told += concat(choice.told.empty() ? "" : ", ", name(trial->way), ' ', trial->best_ms, " ms");
    if (trial->way == Way::standard) {
      least = worthwhile * trial->best_ms;
    } else if (trial->best_ms < least) {
      least = trial->best_ms;
      choice.way = trial->way;
    }
  }
  return choice;
}

}  // namespace

std::shared_ptr<const ir::Graph> autotune(std::shared_ptr<const ir::Graph> graph, const Options& options,
                                          Report& report) {
  std::unordered_map<const Node*, Way> chosen;
  std::unordered_set<std::string> told;
  for (const Site& site : find_sites(*graph, options)) {
    if (site.ways.size() < 2 || chosen.contains(site.node)) continue;
    const Extract part = extract(*graph, site);
    std::string key = concat("threads ", runtime::thread_count(), '\n');
    for (const Way way : site.ways) key += concat(name(way), '\n');
    key += ir::print(*part.graph, {.locations = false});
    std::optional<Choice> choice = Choices::instance().find(key);
    const bool is_known = choice.has_value();
    if (!choice) Choices::instance().add(key, *(choice = choose(part, site, options)));
    chosen[site.node] = choice->way;
    if (!told.insert(key).second) continue;
    const std::string line = concat(site.node->op->name, ' ', site.node->operand(0).type(), " -> ", site.node->type(),
                                    ": ", name(choice->way), " (", choice->told, is_known ? ", known)" : ")");
    WEFT_LOG(autotuning, graph->name, ": ", line);
    report.choices.push_back(line);
  }
  if (std::ranges::all_of(chosen, [](const auto& entry) { return entry.second == Way::standard; })) return graph;
  const auto way_of = [&](const Node& n) {
    const auto found = chosen.find(&n);
    return found == chosen.end() ? Way::standard : found->second;
  };
  const auto applied = apply(*graph, way_of);
  const auto split = split_reductions(*applied);
  return split ? split : applied;
}

}  // namespace weft::compiler
