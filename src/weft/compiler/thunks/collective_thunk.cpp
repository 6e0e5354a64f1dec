#include <weft/compiler/thunks/collective_thunk.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <span>
#include <string>

#include <weft/compiler/thunks/exchange.h>
#include <weft/ir/ops.h>
#include <weft/ir/process_groups.h>
#include <weft/runtime/ranks.h>

namespace weft::compiler {

using ir::Collective;
using runtime::Slice;

namespace {

std::vector<std::int64_t> sizes_of(Type type) {
  std::vector<std::int64_t> sizes;
  for (const Dim dim : type.dims()) sizes.push_back(dim.value());
  return sizes;
}

// The number of elements in one step along a dimension.
std::int64_t stride_of(std::span<const std::int64_t> sizes, std::int64_t dimension) {
  std::int64_t stride = 1;
  for (std::size_t d = dimension + 1; d < sizes.size(); ++d) stride *= sizes[d];
  return stride;
}

using Group = std::vector<std::uint32_t>;  // devices, in the order of the collective

struct Plan {
  std::uint32_t devices;
  std::vector<Group> groups;
  std::vector<std::unique_ptr<const Exchange>> exchanges;  // by operand
  bool begins_with_zeros;                                  // for devices that receive nothing
  bool only_last_receives;                                 // of each group, which is a pair of source and target
  bool has_roots;                                          // the last operand holds the root for each of the others
  std::string types;                                       // for messages
};

class CollectiveThunk final : public runtime::Thunk {
 public:
  CollectiveThunk(std::shared_ptr<const Plan> plan, std::span<const Slice> from, std::span<const Slice> to)
      : plan_(std::move(plan)), operands_(from.begin(), from.end()), results_(to.begin(), to.end()) {
    meets = true;
  }

  void run(const runtime::Launch& launch) const override { run_together({&launch, 1}); }
  void run_together(std::span<const runtime::Launch> launches) const override {
    if (plan_->begins_with_zeros)
      for (const Slice& result : results_)
        for (const runtime::Launch& launch : launches) std::memset(launch.at(result), 0, result.bytes);
    if (launches.size() == plan_->devices)
      for_each_exchange(launches, [](const Exchange& exchange, const Members& from, const Members& to,
                                     std::size_t root) { exchange.run(from, to, root); });
    else
      run_with_other_processes(launches);
  }

 private:
  // Calls `each` for each operand and group that has a member in this process.
  template <class Each>
  void for_each_exchange(std::span<const runtime::Launch> launches, Each&& each) const {
    for (std::size_t i = 0; i < results_.size(); ++i)
      for (const Group& group : plan_->groups) {
        const Members from = members(launches, group, operands_[i]);
        if (!from.first_local()) continue;
        Members to = members(launches, group, results_[i]);
        if (plan_->only_last_receives) to = {{to.at.back()}, {to.ranks.back()}};
        each(*plan_->exchanges[i], from, to, root(launch_of(launches, group), group, i));
      }
  }

  // Returns the launch of a member of the group.
  static const runtime::Launch& launch_of(std::span<const runtime::Launch> launches, const Group& group) {
    for (const std::uint32_t device : group)
      if (device - launches[0].device < launches.size()) return launches[device - launches[0].device];
    return launches[0];
  }

  // The devices of this process are neighbours, as the launches are.
  Members members(std::span<const runtime::Launch> launches, const Group& group, const Slice& slice) const {
    const auto devices = static_cast<std::uint32_t>(launches.size());
    Members members;
    for (const std::uint32_t device : group) {
      const std::uint32_t index = device - launches[0].device;
      members.at.push_back(index < devices ? launches[index].at(slice) : nullptr);
      members.ranks.push_back(device / devices);
    }
    return members;
  }

  void run_with_other_processes(std::span<const runtime::Launch> launches) const {
    runtime::Transport* const transport = runtime::ranks().transport;
    require(transport != nullptr && launches.size() * transport->ranks() == plan_->devices, info.name,
            ": the program is for ", plan_->devices, " devices, not for ", launches.size());
    struct Pending {
      Members from, to;
      std::unique_ptr<Transfer> transfer;
    };
    std::deque<Pending> all;
    for_each_exchange(launches,
                      [&](const Exchange& exchange, const Members& from, const Members& to, std::size_t root) {
                        Pending& pending = all.emplace_back(Pending{from, to, nullptr});
                        pending.transfer = exchange.transfer(pending.from, pending.to, root);
                      });
    const std::string text = concat(info.name, ' ', plan_->types, info.source.empty() ? "" : " from ", info.source);
    const runtime::Transport::Operation operation{.text = text, .step = launches[0].step};
    runtime::Mail mail(*transport, runtime::Transport::Channel::device);
    for (const Pending& pending : all) pending.transfer->post_parts(mail);
    mail.deliver(operation);
    for (const Pending& pending : all) pending.transfer->post_results(mail);
    mail.deliver(operation);
    for (const Pending& pending : all) pending.transfer->finish();
  }

  std::size_t root(const runtime::Launch& launch, const Group& group, std::size_t operand) const {
    if (!plan_->has_roots) return 0;
    const std::int32_t root = launch.at<std::int32_t>(operands_.back())[operand];
    require(root >= 0 && root < std::ssize(group), info.name, ": there is no root ", root, " in a group of ",
            group.size());
    return root;
  }

  std::shared_ptr<const Plan> plan_;
  std::vector<Slice> operands_, results_;
};

class ProcessIdThunk final : public runtime::Thunk {
 public:
  ProcessIdThunk(bool is_partition, const Slice& to) : is_partition_(is_partition), to_(to) {}
  void run(const runtime::Launch& launch) const override {
    *launch.at<std::uint32_t>(to_) = is_partition_ ? launch.device : 0;
  }

 private:
  bool is_partition_;
  Slice to_;
};

// Returns how members exchange operand `i`.
std::unique_ptr<const Exchange> exchange(const ir::Node& node, std::size_t i, const NativeContext& context) {
  const auto& a = node.attributes<ir::CollectiveAttributes>();
  const Type type = node.operand(i).type();
  const std::vector<std::int64_t> from = sizes_of(type), to = sizes_of(node.types[i]);
  const std::int64_t width = byte_size(type.dtype());
  const Collective kind = node.op->collective;
  if (kind == Collective::all_gather)
    return move_exchange(Block(from, from, to), 0, from[a.dimension] * stride_of(to, a.dimension), width);
  if (kind == Collective::all_to_all) {
    std::vector<std::int64_t> part = from;
    part[a.dimension] /= a.split_count;
    return move_exchange(Block(part, from, to), part[a.dimension] * stride_of(from, a.dimension),
                         part[a.concat_dimension] * stride_of(to, a.concat_dimension), width);
  }
  if (kind == Collective::broadcast || kind == Collective::permute) return broadcast_exchange(type.bytes());
  auto fold = std::make_shared<TreeFold>(*node.regions[0], type.dtype(), context);
  if (kind == Collective::reduce_scatter)
    return reduce_exchange(std::move(fold), Receivers::one_part_each, Block(to, from, to),
                           to[a.dimension] * stride_of(from, a.dimension), width);
  const auto receivers = kind == Collective::reduce ? Receivers::root : Receivers::all;
  return reduce_exchange(std::move(fold), receivers, Block(from, from, from), 0, width);
}

// Returns the first types, and how many more there are: messages about an exchange have room for its place in the source, too.
std::string shown_types(std::span<const Type> types) {
  constexpr std::size_t most = 2;
  std::string text;
  for (const Type type : types.first(std::min(types.size(), most))) text += concat(text.empty() ? "" : ", ", type);
  return types.size() > most ? concat(text, " and ", types.size() - most, " more") : text;
}

// Requires that every device is in a group, of the size that follows from the types.
void require_groups(const ir::Node& node, const Plan& plan) {
  const auto& a = node.attributes<ir::CollectiveAttributes>();
  const Collective kind = node.op->collective;
  const bool gathers = kind == Collective::all_gather;
  std::size_t members = 0;
  for (const Group& group : plan.groups) {
    members += group.size();
    const std::int64_t count = std::ssize(group);
    if (gathers || kind == Collective::reduce_scatter) {
      const std::int64_t from = node.operand(0).type().size(a.dimension), to = node.types[0].size(a.dimension);
      require(gathers ? from * count == to : to * count == from, node.op->name, ": a group of ", count,
              " devices cannot turn ", node.operand(0).type(), " into ", node.types[0]);
    }
    if (kind == Collective::all_to_all)
      require(count == a.split_count, "all_to_all: a group of ", count, " devices exchanges ", a.split_count, " parts");
  }
  require(plan.begins_with_zeros || members == plan.devices, node.op->name, ": of ", plan.devices, " devices only ",
          members, " are in a group");
}

Unit process_id_unit(const ir::Node& node) {
  Unit unit = unit_of(node);
  unit.info.category = "device id";
  unit.thunk().make = [is_partition = node.op == &ir::ops::partition_id](std::span<const Slice>,
                                                                         std::span<const Slice> writes, const Slice&) {
    return std::make_unique<ProcessIdThunk>(is_partition, writes[0]);
  };
  return unit;
}

}  // namespace

Unit collective_unit(const ir::Node& node, const NativeContext& context) {
  const Collective kind = node.op->collective;
  if (kind == Collective::process_id) return process_id_unit(node);
  auto plan = std::make_shared<Plan>();
  plan->devices = context.options.devices;
  for (const ir::ProcessGroup& group : ir::groups_of(node, 1, plan->devices)) {
    Group& devices = plan->groups.emplace_back();
    for (const ir::ProcessId id : group) devices.push_back(id.partition);
  }
  plan->only_last_receives = kind == Collective::permute;
  plan->begins_with_zeros = kind == Collective::permute || kind == Collective::broadcast || kind == Collective::reduce;
  plan->has_roots = node.attributes<ir::CollectiveAttributes>().has_dynamic_root;
  require_groups(node, *plan);
  plan->types = shown_types(node.types);
  for (std::size_t i = 0; i < node.types.size(); ++i) plan->exchanges.push_back(exchange(node, i, context));
  Unit unit = unit_of(node);
  unit.info.category = "collective";
  unit.thunk().make = [plan = std::move(plan)](std::span<const Slice> reads, std::span<const Slice> writes,
                                               const Slice&) {
    return std::make_unique<CollectiveThunk>(plan, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
