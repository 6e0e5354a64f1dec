#include <weft/record/growth.h>

#include <algorithm>
#include <limits>
#include <span>

#include <weft/base/diagnostics.h>
#include <weft/base/knobs.h>
#include <weft/base/log.h>
#include <weft/base/metrics.h>
#include <weft/ir/ops.h>

namespace weft {

namespace metrics {
inline constinit Counter automatic_syncs("AutomaticSync");  // syncs of loops that contain none
}  // namespace metrics

namespace record {

namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
constexpr std::size_t rounds_to_see = 3;
constexpr std::size_t must_cut_factor = 10;  // times the knob; beyond that a recording is too large for one program

std::size_t first_limit() {
  const std::size_t nodes = knobs::graph_growth_nodes();
  return nodes == 0 ? never : nodes;
}

bool is_operation(const ir::Node* node) { return node->op != &ir::ops::parameter; }

// Hashes what was recorded and where. Operands are left out, because they differ from round to round.
std::uint64_t hash_of(const ir::Node& node) {
  std::uint64_t hash = mix(reinterpret_cast<std::uintptr_t>(node.op), node.location.line);
  hash = mix(hash, reinterpret_cast<std::uintptr_t>(node.location.scope));
  for (const Type type : node.types) hash = mix(hash, type.hash());
  return hash;
}

// Returns the hashes of the last `count` operations, the last one first.
std::vector<std::uint64_t> last_hashes(const ir::Graph& graph, std::size_t count) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(count);
  const auto nodes = graph.nodes();
  for (std::size_t i = nodes.size(); i-- > 0 && hashes.size() < count;)
    if (is_operation(nodes[i])) hashes.push_back(hash_of(*nodes[i]));
  return hashes;
}

std::uint64_t hash_of(std::span<const std::uint64_t> hashes) {
  std::uint64_t hash = hashes.size();
  for (const std::uint64_t h : hashes) hash = mix(hash, h);
  return hash;
}

// Returns for each position how long the sequence from there equals the sequence from the beginning. (The Z function.)
std::vector<std::size_t> common_lengths(std::span<const std::uint64_t> s) {
  std::vector<std::size_t> z(s.size());
  for (std::size_t i = 1, left = 0, right = 0; i < s.size(); ++i) {
    if (i < right) z[i] = std::min(right - i, z[i - left]);
    while (i + z[i] < s.size() && s[z[i]] == s[i + z[i]]) ++z[i];
    if (i + z[i] > right) {
      left = i;
      right = i + z[i];
    }
  }
  return z;
}

}  // namespace

bool Growth::look(const ir::Graph& graph) {
  if (limit_ == 0) limit_ = first_limit();
  const std::size_t nodes = graph.nodes().size();
  if (nodes < limit_) return false;
  if (round_ == 0 && !find_round(graph)) {
    limit_ = 2 * nodes;
    return false;
  }
  const std::size_t operations = operations_of(graph);
  if (operations < due_) {
    limit_ = nodes + (due_ - operations);
    return false;
  }
  if (operations == due_ && hash_of(last_hashes(graph, round_)) == hash_) {
    metrics::automatic_syncs.add();
    due_ = round_;
    return true;
  }
  stop_cutting();
  limit_ = std::max(first_limit(), 2 * nodes);
  return false;
}

// Returns the shortest round that was recorded three times and takes a gradient. A round that takes none may be part of one
// that does, so such rounds are cut only as the last resort.
std::size_t Growth::round_at_end(std::span<const std::uint64_t> hashes, bool must_cut) const {
  const std::vector<std::size_t> common = common_lengths(hashes);
  const auto takes_gradients = [&](std::size_t round) {  // each of the rounds takes a gradient of its own
    if (gradients_.empty() || gradients_.back() + round <= hashes.size()) return false;
    for (std::size_t before = 1; before < rounds_to_see; ++before)
      if (!std::ranges::binary_search(gradients_, gradients_.back() - before * round)) return false;
    return true;
  };
  for (std::size_t round = 1; round * rounds_to_see <= hashes.size(); ++round) {
    if (common[round] < (rounds_to_see - 1) * round) continue;
    if (takes_gradients(round)) return round;
    if (must_cut && gradients_.empty() && 2 * (common[round] + round) >= hashes.size()) return round;
  }
  return 0;
}

bool Growth::find_round(const ir::Graph& graph) {
  const std::size_t operations = operations_of(graph);
  const std::vector<std::uint64_t> hashes = last_hashes(graph, operations);
  round_ = round_at_end(hashes, graph.nodes().size() >= must_cut_factor * first_limit());
  const ir::Location& last = graph.nodes().back()->location;
  WEFT_DIAGNOSE(graph_growth, .subject = last.scope, .place = concat(last.file, ':', last.line),
                .reason = describe(graph, round_), .remedy = "call sync() at the end of each step");
  if (round_ == 0) return false;
  // Choose, from the gradients of one round, the one with the longest distance to the next.
  std::size_t end = operations, longest = 0;
  for (std::size_t i = 0; i < gradients_.size(); ++i) {
    if (gradients_[i] + round_ <= operations) continue;
    const std::size_t next = i + 1 < gradients_.size() ? gradients_[i + 1] : never;
    const std::size_t way = std::min(next - gradients_[i], round_);
    if (way < longest) continue;
    longest = way;
    end = gradients_[i];
  }
  due_ = end == operations ? operations : end + round_;
  hash_ = hash_of(std::span(hashes).subspan(operations - end, round_));
  return true;
}

void Growth::cleared() {
  gradients_.clear();
  if (round_ == 0) {
    limit_ = first_limit();
  } else if (due_ == round_) {  // the sync is one of the automatic cuts
    limit_ = round_;
  } else {  // the loop calls sync() after all
    stop_cutting();
    limit_ = first_limit();
  }
}

void Growth::stop_cutting() { round_ = due_ = 0; }

std::string Growth::describe(const ir::Graph& graph, std::size_t round) {
  const ir::Node& last = *graph.nodes().back();
  std::string text = concat(graph.nodes().size(), " nodes were recorded without a sync, up to ", last.location.file,
                            ':', last.location.line);
  if (*last.location.scope) text += concat(" (", last.location.scope, ')');
  if (round == 0) return text;
  std::size_t seen = 0;
  const ir::Node* first = &last;
  for (std::size_t i = graph.nodes().size(); i-- > 0 && seen < round;) {
    if (!is_operation(graph.nodes()[i])) continue;
    first = graph.nodes()[i];
    ++seen;
  }
  return text + concat("; a round of ", round, " operations that begins at ", first->location.file, ':',
                       first->location.line, " repeats and is synced from now on, round by round");
}

}  // namespace record
}  // namespace weft
