#include <weft/compiler/spmd/buckets.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ranges>
#include <tuple>
#include <utility>
#include <vector>

#include <weft/compiler/passes/rewrite.h>
#include <weft/compiler/spmd/predict.h>
#include <weft/ir/op.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

using ir::Collective;
using ir::Node;

constexpr std::size_t few = 8;  // buckets
constexpr double unbounded = std::numeric_limits<double>::infinity();

bool may_be_joined(const Node& node) {
  switch (node.op->collective) {
    case Collective::all_reduce:
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all: return true;
    default: return false;
  }
}

bool are_alike(const Node& a, const Node& b) {
  return a.op == b.op && a.op->attributes->equal(a.attribute_data, b.attribute_data) &&
         std::ranges::equal(a.regions, b.regions, [](const ir::Graph* x, const ir::Graph* y) {
           return x == y || ir::structurally_equal(*x, *y);
         });
}

// A collective that may become part of a bucket. Positions are those of nodes in the program.
struct Member {
  const Node* node;
  std::size_t made_at, needed_at;  // positions of the last node that it needs, and of the first that needs it
  bool is_final = false;           // only the next launch needs the result
  double ready = 0, needed = 0;    // seconds from the start of the program
  double bytes = 0;                // that each device sends
};

using Bucket = std::vector<Member>;

// Cuts members, in the order in which they are ready, into buckets. A bucket starts when its last member is ready and the bucket before it
// has ended.
class Cutter {
 public:
  Cutter(std::span<const Member> members, const Options& options)
      : members_(members),
        link_(options.link),
        bucketing_(options.bucketing),
        may_stay_apart_(options.overlaps() && bucketing_ == Bucketing::chosen) {
    for (const Member& m : members) total_ += m.bytes;
  }

  std::vector<Bucket> cut(JoinedCollectives& told) {
    // More buckets than these would be more than anybody can hide.
    constexpr double bytes_each = 12.5e6;
    const std::size_t most = std::max<std::size_t>(few, static_cast<std::size_t>(total_ / bytes_each));
    before_.assign(members_.size() + 1, {unbounded, unbounded, 0});
    before_[0] = {-unbounded, 0, 0};
    std::vector<Ends> ends;
    for (std::size_t count = 1; count <= members_.size(); ++count) {
      add_bucket();
      ends.push_back(before_.back());
      const bool is_possible = ends.back().end < unbounded;
      if (is_possible && (bucketing_ == Bucketing::one || count >= most)) break;
    }
    const double least = std::ranges::min_element(ends, {}, &Ends::late)->late;
    const double near = link_.seconds(total_) / 100;  // as good as the best
    const std::size_t chosen =
        std::ranges::find_if(ends, [&](const Ends& e) { return e.late <= least + near; }) - ends.begin();
    told.end_ms = 1e3 * ends[chosen].end;
    if (chosen > 0 && ends[chosen - 1].end < unbounded) told.end_with_fewer_ms = 1e3 * ends[chosen - 1].end;
    if (chosen + 1 < ends.size()) told.end_with_more_ms = 1e3 * ends[chosen + 1].end;
    std::vector<Bucket> buckets;
    std::size_t end = members_.size();
    for (std::size_t count = chosen + 1; count-- > 0;) {
      const std::size_t begin = starts_[count][end];
      buckets.emplace(buckets.begin(), members_.begin() + begin, members_.begin() + end);
      end = begin;
    }
    return buckets;
  }

 private:
  struct Ends {
    double late = 0;        // by how much the latest result comes after its first user could run
    double end = 0;         // of the last bucket
    std::size_t start = 0;  // of the last bucket
    bool operator<(const Ends& other) const { return std::pair(late, end) < std::pair(other.late, other.end); }
  };

  // Computes from the best cuts of each number of members into some buckets the best ones into one more.
  void add_bucket() {
    std::vector<Ends> best(members_.size() + 1, {unbounded, unbounded, 0});
    for (std::size_t end = 1; end <= members_.size(); ++end) {
      const Member& last = members_[end - 1];
      double bytes = 0, ready = 0, needed = unbounded;
      std::size_t needed_at = std::numeric_limits<std::size_t>::max();
      for (std::size_t begin = end; begin-- > 0;) {
        const Member& first = members_[begin];
        bytes += first.bytes;
        ready = std::max(ready, first.ready);
        needed = std::min(needed, first.needed);
        needed_at = std::min(needed_at, first.needed_at);
        // Each further member makes the bucket later.
        if (last.made_at >= needed_at || ready + link_.seconds(bytes) - needed > best[end].late) break;
        if (is_large(bytes - first.bytes)) break;
        if (before_[begin].end == unbounded) continue;
        const double at = std::max(before_[begin].end, ready) + link_.seconds(bytes);
        best[end] = std::min(best[end], Ends{std::max(before_[begin].late, at - needed), at, begin});
      }
    }
    std::vector<std::size_t>& starts = starts_.emplace_back();
    for (const Ends& e : best) starts.push_back(e.start);
    before_ = std::move(best);
  }

  // Returns whether a bucket needs no further members: they would save little latency, and it would begin later.
  bool is_large(double bytes) const {
    constexpr double little = 0.05;
    return may_stay_apart_ && few * bytes >= total_ && link_.seconds(0) < little * link_.seconds(bytes);
  }

  const std::span<const Member> members_;
  const Link link_;
  const Bucketing bucketing_;
  const bool may_stay_apart_;
  double total_ = 0;
  std::vector<Ends> before_;  // by the number of members
  std::vector<std::vector<std::size_t>>
      starts_;  // by the number of buckets, then of members: where the last bucket starts
};

class Joiner {
 public:
  Joiner(const Partitioned& program, const Options& options)
      : program_(program), graph_(*program.graph), options_(options), bucket_of_(graph_.nodes().size(), none) {
    find_times();
    find_users();
  }

  Partitioned run() {
    for (std::vector<Member>& group : groups())
      if (group.size() > 1) cut(std::move(group));
    Partitioned result = program_;
    if (std::ranges::all_of(buckets_, [](const Bucket& bucket) { return bucket.size() == 1; })) return result;
    rewrite(result);
    result.joined = std::move(told_);
    return result;
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  struct Users {
    bool any = false, communicate = false;
    std::size_t needed_at = none;  // the first position at which the value is needed
  };

  // The time at which each node ends if communication takes none. The devices of a process share its CPUs.
  void find_times() {
    double now = 0;
    for (const Node* node : graph_.nodes()) {
      starts_.push_back(now);
      const bool computes = node->op->collective == Collective::none;
      if (computes && options_.overlaps())
        now += options_.devices_together() * predict_seconds(*node, *options_.target);
      ends_.push_back(now);
    }
  }

  void find_users() {
    users_.resize(graph_.nodes().size());
    for (std::size_t i = graph_.nodes().size(); i-- > 0;) {
      const Node& node = *graph_.nodes()[i];
      Users& own = users_[i];
      // Elementwise and shape ops can wait until what they compute is needed. A collective cannot: it may move to an earlier place,
      // together with others. That what it reads is needed where that is made prevents a cycle of buckets.
      const bool can_wait = node.op->kind == ir::Kind::elementwise || node.op->kind == ir::Kind::shape;
      const std::size_t needed_at = own.communicate || !can_wait ? i : own.needed_at;
      for (const ir::Value v : node.operands) {
        Users& users = users_[v.node->id];
        users.any = true;
        users.needed_at = std::min(users.needed_at, needed_at);
        users.communicate |= node.op->collective != Collective::none;
      }
    }
  }

  Member member(const Node& node, double bytes) const {
    Member m{.node = &node,
             .made_at = 0,
             .needed_at = users_[node.id].needed_at,
             .is_final = !users_[node.id].any,
             .bytes = bytes};
    for (const ir::Value v : node.operands) m.made_at = std::max<std::size_t>(m.made_at, v.node->id);
    m.needed = !users_[node.id].any  ? ends_.back() + needed_in_next_launch(node)
               : m.needed_at == none ? ends_.back()
                                     : starts_[m.needed_at];
    if (users_[node.id].communicate) m.needed_at = node.id;
    return m;
  }

  // Returns when the next launch needs a value for which this one has no use. It is taken for the new value of an input of the same type
  // from which it is computed element by element, as a parameter is updated.
  double needed_in_next_launch(const Node& node) const {
    constexpr std::size_t most = 256;
    std::vector<const Node*> reached{node.operand(0).node};
    for (std::size_t i = 0; i < reached.size() && i < most; ++i) {
      const Node& at = *reached[i];
      if (ir::is_parameter(at) && at.type() == node.type() && users_[at.id].needed_at != none)
        return starts_[users_[at.id].needed_at];
      const bool is_by_element =
          at.op->kind == ir::Kind::elementwise || at.op->kind == ir::Kind::shape || at.op->kind == ir::Kind::indexing;
      if (!is_by_element) continue;
      for (const ir::Value v : at.operands)
        if (std::ranges::find(reached, v.node) == reached.end()) reached.push_back(v.node);
    }
    return 0;
  }

  // Returns the collectives that may be joined, by kind, in the order in which their operands are made, or in which the next
  // launch needs them.
  std::vector<std::vector<Member>> groups() const {
    std::vector<std::vector<Member>> groups;
    for (const Communication& c : program_.communications) {
      if (c.node->graph != &graph_ || !may_be_joined(*c.node)) continue;
      const auto is_final = [&](const Node& node) { return !users_[node.id].any; };
      const auto alike = [&](const std::vector<Member>& group) {
        const Node& first = *group.front().node;
        return is_final(first) == is_final(*c.node) && are_alike(first, *c.node);
      };
      auto group = std::ranges::find_if(groups, alike);
      if (group == groups.end()) group = groups.insert(groups.end(), std::vector<Member>());
      group->push_back(member(*c.node, c.sent_bytes));
    }
    for (std::vector<Member>& group : groups)
      std::ranges::sort(group, {},
                        [](const Member& m) { return std::tuple(m.is_final ? m.needed : 0, m.made_at, m.node->id); });
    return groups;
  }

  // Sets when the members are ready, given the collectives that were joined so far.
  void find_ready(std::vector<Member>& group) const {
    std::vector<double> ready(graph_.nodes().size());
    for (const Node* node : graph_.nodes()) {
      double& at = ready[node->id];
      for (const ir::Value v : node->operands) at = std::max(at, ready[v.node->id]);
      at = std::max(at, ends_[node->id]);
      if (bucket_of_[node->id] != none) at = std::max(at, bucket_ends_[bucket_of_[node->id]]);
    }
    for (Member& m : group)
      for (const ir::Value v : m.node->operands) m.ready = std::max(m.ready, ready[v.node->id]);
  }

  // What waits for results and is not needed within the program, such as updates of parameters, runs at its end, each part as soon as
  // it can. So the first result must be there before all of that work, and the last one before its own. The work is shared out by bytes.
  void find_needed(std::vector<Member>& group) const {
    const auto is_open = [](const Member& m) { return m.needed_at == none && !m.is_final; };
    std::vector<char> waits(graph_.nodes().size());
    double bytes = 0, seconds = 0;
    for (const Member& m : group)
      if (is_open(m)) {
        waits[m.node->id] = 1;
        bytes += m.bytes;
      }
    for (const Node* node : graph_.nodes()) {
      const bool waits_too = std::ranges::any_of(node->operands, [&](ir::Value v) { return waits[v.node->id] != 0; });
      if (!waits_too || users_[node->id].needed_at != none) continue;
      waits[node->id] = 1;
      seconds += ends_[node->id] - starts_[node->id];
    }
    double left = 0;
    for (Member& m : group | std::views::reverse)
      if (is_open(m)) m.needed = ends_.back() - seconds * (left += m.bytes) / bytes;
  }

  void cut(std::vector<Member> group) {
    find_ready(group);
    find_needed(group);
    // A member whose result is needed before the next member is ready cannot wait for that one, and would divide the others.
    std::vector<Member> together;
    for (std::size_t i = 0; i < group.size(); ++i) {
      const bool is_urgent = i + 1 < group.size() && group[i].needed_at <= group[i + 1].made_at;
      is_urgent ? add({group[i]}) : together.push_back(group[i]);
    }
    if (together.size() < 2) return;
    JoinedCollectives told{.op = together.front().node->op};
    for (Bucket& bucket : Cutter(together, options_).cut(told)) {
      told.sizes.push_back(bucket.size());
      double& bytes = told.sent_bytes.emplace_back();
      for (const Member& m : bucket) bytes += m.bytes;
      add(std::move(bucket));
    }
    if (told.sizes.size() < together.size()) told_.push_back(std::move(told));
  }

  void add(Bucket bucket) {
    double end = buckets_.empty() ? 0 : bucket_ends_.back(), bytes = 0;
    for (const Member& m : bucket) {
      end = std::max(end, m.ready);
      bytes += m.bytes;
      bucket_of_[m.node->id] = buckets_.size();
    }
    bucket_ends_.push_back(end + options_.link.seconds(bytes));
    buckets_.push_back(std::move(bucket));
  }

  // Returns the nodes in an order in which the members of a bucket stand together: where its last operand is made, but not before the
  // first of them stood. What needs a result follows, where it stood or right behind.
  std::vector<Node*> order() const {
    const std::size_t count = graph_.nodes().size();
    const auto item_of = [&](const Node& node) {
      return bucket_of_[node.id] == none ? node.id : count + bucket_of_[node.id];
    };
    std::vector<std::size_t> missing(count + buckets_.size());       // by node or bucket: how many operands
    std::vector<std::vector<std::size_t>> waiting(count);            // by node: what needs it, once per operand
    std::vector<std::vector<Node*>> nodes(count + buckets_.size());  // by node or bucket
    for (Node* node : graph_.nodes()) {
      const std::size_t item = item_of(*node);
      nodes[item].push_back(node);
      missing[item] += node->operands.size();
      for (const ir::Value v : node->operands) waiting[v.node->id].push_back(item);
    }
    std::vector<Node*> order;
    std::vector<char> was_reached(missing.size());
    std::vector<std::size_t> now;
    for (const Node* reached : graph_.nodes()) {
      const std::size_t first = item_of(*reached);
      if (std::exchange(was_reached[first], true) || missing[first] > 0) continue;
      now.assign(1, first);
      for (std::size_t i = 0; i < now.size(); ++i) {
        for (Node* node : nodes[now[i]]) {
          order.push_back(node);
          for (const std::size_t user : waiting[node->id])
            if (--missing[user] == 0 && was_reached[user]) now.push_back(user);
        }
      }
    }
    WEFT_ASSERT(order.size() == count, "joined collectives wait for one another");
    return order;
  }

  void rewrite(Partitioned& result) const {
    Rewriter rewriter(graph_);
    std::vector<Node*> made(buckets_.size());
    std::vector<std::pair<Node*, std::uint32_t>> now(
        graph_.nodes().size());  // for members: the node and its first operand
    const auto join = [&](std::size_t b) {
      std::vector<ir::Value> operands;
      std::vector<Type> types;
      for (const Member& m : buckets_[b]) {
        now[m.node->id].second = static_cast<std::uint32_t>(operands.size());
        for (const ir::Value v : m.node->operands) operands.push_back(rewriter.at(v));
        types.insert(types.end(), m.node->types.begin(), m.node->types.end());
      }
      const Node& first = *buckets_[b].front().node;
      std::vector<std::shared_ptr<const ir::Graph>> regions;
      for (const ir::Graph* region : first.regions) regions.emplace_back(program_.graph, region);
      made[b] = &rewriter.graph().append(*first.op, operands, first.attribute_data, types, regions);
    };
    result.graph = rewriter.run(
        [&](const Node& node, std::span<const ir::Value> operands) -> std::optional<std::vector<ir::Value>> {
          const std::size_t b = bucket_of_[node.id];
          if (node.op->collective == Collective::none) return std::nullopt;
          if (b == none) {
            now[node.id] = {&rewriter.graph().append_copy(node, operands), 0};
          } else {
            if (!made[b]) join(b);
            now[node.id].first = made[b];
          }
          std::vector<ir::Value> results;
          for (std::uint32_t i = 0; i < node.types.size(); ++i)
            results.push_back(now[node.id].first->result(now[node.id].second + i));
          return results;
        },
        order());
    for (Communication& c : result.communications)
      if (c.node->graph == &graph_) std::tie(c.node, c.operand) = now[c.node->id];
  }

  const Partitioned& program_;
  const ir::Graph& graph_;
  const Options& options_;
  std::vector<double> starts_, ends_;   // by node
  std::vector<Users> users_;            // by node
  std::vector<std::size_t> bucket_of_;  // by node
  std::vector<Bucket> buckets_;         // also of one member, if the others could be joined
  std::vector<double> bucket_ends_;
  std::vector<JoinedCollectives> told_;
};

}  // namespace

Partitioned join_collectives(const Partitioned& program, const Options& options) {
  if (options.bucketing == Bucketing::none || program.communications.size() < 2) return program;
  return Joiner(program, options).run();
}

}  // namespace weft::compiler
