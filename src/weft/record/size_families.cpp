#include <weft/record/size_families.h>

#include <algorithm>
#include <utility>

#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/ir/align_broadcasts.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>
#include <weft/record/session.h>

namespace weft {

namespace metrics {
inline constinit Counter sized_programs("SizedPrograms");    // programs compiled for many sizes
inline constinit Counter sized_instances("SizedInstances");  // programs made from a sized program for new sizes
}  // namespace metrics

namespace record {

namespace {

constexpr std::size_t most_families = 256;
// The number of times that a program is made from one more sample. If it still does not serve further graphs, their sizes are
// too unrelated.
constexpr std::size_t most_attempts = 3;

bool same_sizes(const ir::Graph& a, const ir::Graph& b) {
  return std::ranges::equal(a.nodes(), b.nodes(), [](const ir::Node* x, const ir::Node* y) {
    return std::ranges::equal(x->types, y->types) &&
           (!x->op->has_sizes() || x->op->attributes->equal(x->attribute_data, y->attribute_data));
  });
}

// Returns the sizes of the last sample without an empty dimension, because timings of empty tensors say little about other
// sizes.
std::vector<std::int64_t> typical_sizes(const ir::General& general,
                                        std::span<const std::shared_ptr<const ir::Graph>> samples) {
  const auto sizes_of = [&](const ir::Graph& sample) {
    const auto values = ir::match(general, sample, sample.outputs());
    require(values.ok(), values.reason());
    return values->symbols;
  };
  std::vector<std::int64_t> last;
  for (std::size_t i = samples.size(); i-- > 0;) {
    auto sizes = sizes_of(*samples[i]);
    if (std::ranges::find(sizes, 0) == sizes.end()) return sizes;
    if (last.empty()) last = std::move(sizes);
  }
  return last;
}

std::string symbols_of(const ir::General& general) {
  std::string text;
  for (std::size_t i = 0; i < general.graph->inputs().size(); ++i) {
    const Type type = general.graph->inputs()[i].type();
    if (type.is_static()) continue;
    std::string dims;
    for (const Dim d : type.dims()) dims += concat(dims.empty() ? "" : ", ", d);
    text += concat(text.empty() ? "" : ", ", "input ", i, " is [", dims, "]");
  }
  for (std::size_t i = 0; i < general.symbols.size(); ++i) {
    const ir::General::Symbol& symbol = general.symbols[i];
    const ir::Node& node = *general.sample->nodes()[symbol.node];
    if (node.op == &ir::ops::parameter) continue;
    text += concat(text.empty() ? "" : ", ", symbol.is_attribute ? "a number" : concat("dimension ", symbol.dim),
                   " of ", node.op->name, " at ", node.location.file, ':', node.location.line, " is s", i);
  }
  return text;
}

std::string texts(std::span<const ir::SizeRelation> relations) {
  std::string text;
  for (const ir::SizeRelation& relation : relations)
    text += (text.empty() ? "" : ", ") + relation.text([](std::size_t input) { return concat("input ", input); });
  return text;
}

}  // namespace

bool sizes_are_symbols() { return session.sizes_are_symbols; }
bool sizes_are_sampled() { return session.sizes_are_sampled; }
std::uint64_t sizes_apart() { return session.sizes_apart; }
SymbolicSizesScope::SymbolicSizesScope(bool on, bool sampled, std::uint64_t from_others)
    : on_before_(std::exchange(session.sizes_are_symbols, on)),
      sampled_before_(std::exchange(session.sizes_are_sampled, sampled)),
      apart_before_(std::exchange(session.sizes_apart, from_others)) {}
SymbolicSizesScope::~SymbolicSizesScope() {
  session.sizes_are_symbols = on_before_;
  session.sizes_are_sampled = sampled_before_;
  session.sizes_apart = apart_before_;
}

SizeFamilies& SizeFamilies::instance() {
  static SizeFamilies families;
  return families;
}

std::shared_ptr<SizeFamilies::Family> SizeFamilies::family(const Key& key, bool make) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->family;
  }
  if (!make) return nullptr;
  entries_.push_front({key, std::make_shared<Family>()});
  by_key_[key] = entries_.begin();
  if (entries_.size() > most_families) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
  return entries_.front().family;
}

bool SizeFamilies::Family::fits(const std::shared_ptr<const ir::Graph>& graph) const {
  return samples.empty() || ir::align_broadcasts(graph, *samples[0]) || ir::align_broadcasts(samples[0], *graph);
}

bool SizeFamilies::Family::add(const std::shared_ptr<const ir::Graph>& graph) {
  auto aligned = samples.empty() ? graph : ir::align_broadcasts(graph, *samples[0]);
  if (!aligned) {
    auto others = samples;
    for (auto& sample : others)
      if (sample = ir::align_broadcasts(sample, *graph); !sample) return false;
    samples = std::move(others);
    aligned = graph;
  }
  samples.push_back(std::move(aligned));
  return true;
}

std::shared_ptr<SizeFamilies::Family> SizeFamilies::fitting(std::shared_ptr<Family> first,
                                                            const std::shared_ptr<const ir::Graph>& graph, bool make) {
  std::shared_ptr<Family> family = std::move(first);
  while (family) {
    std::shared_ptr<Family> next;
    {
      const std::lock_guard lock(family->mutex);
      if (family->fits(graph)) return family;
      if (!family->next && make) family->next = std::make_shared<Family>();
      next = family->next;
    }
    family = std::move(next);  // not under the lock, because nobody else may hold this family any more
  }
  return nullptr;
}

Result<std::shared_ptr<const runtime::Executable>> SizeFamilies::at(const Family& family,
                                                                    std::shared_ptr<const ir::Graph> graph,
                                                                    bool& matches) {
  matches = false;
  graph = ir::align_broadcasts(std::move(graph), *family.general.sample);
  if (!graph) return Status::failed("other operations are recorded");
  const auto values = ir::match(family.general, *graph, graph->outputs());
  if (!values) return values.status();
  matches = true;
  return family.program->at(values->symbols, values->constants);
}

SizeFamilies::Known SizeFamilies::find(const Key& key, const std::shared_ptr<const ir::Graph>& graph) {
  Known known{.key = key, .family = fitting(family(key, false), graph, false)};
  if (!known.family) return known;
  const std::lock_guard lock(known.family->mutex);
  if (!known.family->program) return known;
  bool matches = false;
  auto executable = at(*known.family, graph, matches);
  known.report = known.family->report;
  if (executable) {
    known.executable = *std::move(executable);
    metrics::sized_instances.add();
  } else {
    std::string reason = executable.reason();
    if (matches) {
      known.refusing = known.family->program;
    } else if (graph->inputs().size() == known.family->general.sample->inputs().size()) {
      known.broken = ir::broken_relations(known.family->general, *graph);
      if (!known.broken.empty()) reason = concat("until now ", texts(known.broken));
    }
    WEFT_LOG(recompiles, "sync: the program for many sizes does not serve these: ", reason);
  }
  return known;
}

Result<std::shared_ptr<const runtime::Executable>> SizeFamilies::compile(Known known,
                                                                         std::shared_ptr<const ir::Graph> graph,
                                                                         const compiler::Options& options,
                                                                         std::optional<compiler::Report>& report) {
  if (!known.family) known.family = fitting(family(known.key, true), graph, true);
  Family& family = *known.family;
  const std::lock_guard lock(family.mutex);
  if (family.attempts == most_attempts || (known.refusing && known.refusing == family.program))
    return family.last_attempt ? Status::failed("the program for many sizes does not serve these")
                               : family.last_attempt;
  const auto same = [&](const auto& sample) { return same_sizes(*sample, *graph); };
  const Status nothing_to_share = Status::failed("");
  if (std::ranges::any_of(family.samples, same))
    return nothing_to_share;  // the graph differs in attributes, not in sizes
  if (!family.add(graph)) return Status::failed("a graph that another thread added has broadcasts in other places");
  if (family.samples.size() == 1) return nothing_to_share;
  ++family.attempts;
  try {
    build(family, options, report);
    bool matches = false;
    auto executable = at(family, graph, matches);
    if (executable) {
      compiler::describe_launch(**executable, *report);
      family.report = std::make_shared<const compiler::Report>(*report);
      return executable;
    }
    family.last_attempt = executable.status();
  } catch (const Error& error) {
    family.last_attempt = Status::failed(error.what());
    family.samples.pop_back();
  }
  WEFT_LOG(recompiles, "sync: every size gets its own program: ", family.last_attempt.reason());
  return family.last_attempt;
}

void SizeFamilies::build(Family& family, const compiler::Options& options, std::optional<compiler::Report>& report) {
  ir::General general = ir::generalise(family.samples);
  compiler::Report made;
  compiler::Options for_sizes = options;
  for_sizes.sizes = SizeValues(typical_sizes(general, family.samples));
  auto program = compiler::compile_for_sizes(*general.graph, for_sizes, &made);
  family.general = std::move(general);
  family.program = std::move(program);
  report = std::move(made);
  metrics::sized_programs.add();
  WEFT_LOG(recompiles, "sync: sizes that changed are symbols from now on: ", symbols_of(family.general));
}

void SizeFamilies::add_sample(const Key& key, std::shared_ptr<const ir::Graph> graph) {
  const auto known = fitting(family(key, true), graph, true);
  const std::lock_guard lock(known->mutex);
  const auto same = [&](const auto& sample) { return same_sizes(*sample, *graph); };
  if (!known->program && known->attempts == 0 && known->samples.size() < most_attempts &&
      std::ranges::none_of(known->samples, same))
    known->add(graph);
}

void SizeFamilies::clear() {
  const std::lock_guard lock(mutex_);
  by_key_.clear();
  entries_.clear();
}

}  // namespace record
}  // namespace weft
