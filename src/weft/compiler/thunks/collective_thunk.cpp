#include <weft/compiler/thunks/collective_thunk.h>

#include <algorithm>
#include <array>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <weft/compiler/thunks/tree_fold.h>
#include <weft/ir/ops.h>
#include <weft/ir/process_groups.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Collective;
using runtime::Slice;

namespace {

constexpr std::int64_t grain_bytes = 1 << 16;  // for a thread

constexpr std::int64_t widest_element = 8;

// Results that are larger than the caches are written past them: writing through a cache would first read what is overwritten.
bool bypasses_caches(std::int64_t bytes) { return bytes > std::int64_t{16} << 20; }

void store_past_caches(std::byte* to, const std::byte* from, std::int64_t bytes) {
#ifdef __SSE2__
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128i) == 0) {
    constexpr std::int64_t step = sizeof(__m128i);
    for (; bytes >= step; bytes -= step, from += step, to += step)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
#endif
  std::memcpy(to, from, bytes);
}

// To be called by a thread after it stored past the caches, before another thread is told that the results are there.
void end_stores_past_caches() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

// A block of an array that lies in another array of the same rank, or is cut out of one. It consists of runs that are contiguous on both
// sides. Sizes, strides and offsets are in elements.
class Block {
 public:
  Block(std::span<const std::int64_t> sizes, std::span<const std::int64_t> from, std::span<const std::int64_t> to) {
    std::int64_t from_stride = 1, to_stride = 1;
    bool contiguous = true;
    for (std::size_t d = sizes.size(); d-- > 0;) {
      if (contiguous) {
        run_ *= sizes[d];
      } else {
        axes_.push_back({sizes[d], from_stride, to_stride});
        rows_ *= sizes[d];
      }
      contiguous &= sizes[d] == from[d] && sizes[d] == to[d];
      from_stride *= from[d];
      to_stride *= to[d];
    }
  }

  std::int64_t run() const { return run_; }
  std::int64_t rows() const { return rows_; }  // the number of runs
  struct Offsets {
    std::int64_t from, to;
  };
  Offsets of_row(std::int64_t row) const {
    Offsets offsets{0, 0};
    for (const Axis& axis : axes_) {
      const std::int64_t i = row % axis.size;
      row /= axis.size;
      offsets.from += i * axis.from_stride;
      offsets.to += i * axis.to_stride;
    }
    return offsets;
  }

 private:
  struct Axis {
    std::int64_t size, from_stride, to_stride;
  };
  std::vector<Axis> axes_;  // the minor ones first
  std::int64_t run_ = 1, rows_ = 1;
};

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

using Group = std::vector<std::uint32_t>;   // devices, in the order of the collective
using Addresses = std::vector<std::byte*>;  // by member of a group

// Exchanges one operand among the members of a group.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // `from[m]` is the operand of member m, `to[m]` its result. `root` is the position of the root, for ops that have one.
  virtual void run(const Addresses& from, const Addresses& to, std::size_t root) const = 0;
};

// Copies a part of each member's operand to each member.
class Move final : public Exchange {
 public:
  // The part that member m gives to member r begins at r * from_step in its operand, and at m * to_step in the result.
  Move(Block block, std::int64_t from_step, std::int64_t to_step, std::int64_t width)
      : block_(std::move(block)), from_step_(from_step), to_step_(to_step), width_(width) {}

  void run(const Addresses& from, const Addresses& to, std::size_t) const override {
    const std::int64_t members = std::ssize(from), bytes = block_.run() * width_;
    runtime::parallel_for(members * members * block_.rows(), grain_bytes / std::max<std::int64_t>(bytes, 1),
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) {
                              const auto at = block_.of_row(i % block_.rows());
                              const std::int64_t pair = i / block_.rows(), m = pair % members, r = pair / members;
                              std::memcpy(to[r] + (m * to_step_ + at.to) * width_,
                                          from[m] + (r * from_step_ + at.from) * width_, bytes);
                            }
                          });
  }

 private:
  Block block_;
  std::int64_t from_step_, to_step_, width_;
};

// Copies the operand of the root to all that receive.
class Broadcast final : public Exchange {
 public:
  explicit Broadcast(std::uint64_t bytes) : bytes_(bytes) {}
  void run(const Addresses& from, const Addresses& to, std::size_t root) const override {
    for (std::byte* const result : to) std::memcpy(result, from[root], bytes_);
  }

 private:
  std::uint64_t bytes_;
};

// Folds the operands, or the same part of each of them.
class Reduce final : public Exchange {
 public:
  enum class Receivers : std::uint8_t { all, root, one_part_each };
  // Part r begins at r * from_step; there is a single part unless each member receives one.
  Reduce(std::shared_ptr<const TreeFold> fold, Receivers receivers, Block block, std::int64_t from_step,
         std::int64_t width)
      : fold_(std::move(fold)), receivers_(receivers), block_(std::move(block)), from_step_(from_step), width_(width) {}

  void run(const Addresses& from, const Addresses& to, std::size_t root) const override {
    const std::int64_t parts = receivers_ == Receivers::one_part_each ? std::ssize(from) : 1;
    const std::int64_t piece = TreeFold::most_elements, pieces = (block_.run() + piece - 1) / piece;
    const std::int64_t work = std::min(piece, block_.run()) * width_ * std::ssize(from);
    runtime::parallel_for(parts * block_.rows() * pieces, grain_bytes / std::max<std::int64_t>(work, 1),
                          [&](std::int64_t begin, std::int64_t end) {
                            TreeFold::Buffers buffers;
                            for (std::int64_t i = begin; i < end; ++i) {
                              const std::int64_t start = i % pieces * piece;
                              fold({.part = i / pieces / block_.rows(),
                                    .row = i / pieces % block_.rows(),
                                    .start = start,
                                    .count = std::min(piece, block_.run() - start)},
                                   from, to, root, buffers);
                            }
                            end_stores_past_caches();
                          });
  }

 private:
  struct Piece {
    std::int64_t part, row, start, count;
  };

  void fold(const Piece& piece, const Addresses& from, const Addresses& to, std::size_t root,
            TreeFold::Buffers& buffers) const {
    const auto at = block_.of_row(piece.row);
    std::vector<const std::byte*> arrays;
    for (const std::byte* operand : from)
      arrays.push_back(operand + (piece.part * from_step_ + at.from + piece.start) * width_);
    const std::size_t receiver = receivers_ == Receivers::one_part_each ? piece.part : root;
    const std::int64_t offset = (at.to + piece.start) * width_, bytes = piece.count * width_;
    if (receivers_ != Receivers::all) return fold_->run(arrays, to[receiver] + offset, piece.count, buffers);
    std::array<std::byte, TreeFold::most_elements * widest_element> result;
    fold_->run(arrays, result.data(), piece.count, buffers);
    const bool bypasses = bypasses_caches(to.size() * block_.run() * width_);
    for (std::byte* const member : to) {
      if (bypasses)
        store_past_caches(member + offset, result.data(), bytes);
      else
        std::memcpy(member + offset, result.data(), bytes);
    }
  }

  std::shared_ptr<const TreeFold> fold_;
  Receivers receivers_;
  Block block_;
  std::int64_t from_step_, width_;
};

struct Plan {
  std::uint32_t devices;
  std::vector<Group> groups;
  std::vector<std::unique_ptr<const Exchange>> exchanges;  // by operand
  bool begins_with_zeros;                                  // for devices that receive nothing
  bool only_last_receives;                                 // of each group, which is a pair of source and target
  bool has_roots;                                          // the last operand holds the root for each of the others
};

class CollectiveThunk final : public runtime::Thunk {
 public:
  CollectiveThunk(std::shared_ptr<const Plan> plan, std::span<const Slice> from, std::span<const Slice> to)
      : plan_(std::move(plan)), operands_(from.begin(), from.end()), results_(to.begin(), to.end()) {
    meets = true;
  }

  void run(const runtime::Launch& launch) const override { run_together({&launch, 1}); }
  void run_together(std::span<const runtime::Launch> launches) const override {
    const Plan& p = *plan_;
    require(launches.size() == p.devices, info.name, ": the program is for ", p.devices, " devices, not for ",
            launches.size());
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (p.begins_with_zeros)
        for (const runtime::Launch& launch : launches) std::memset(launch.at(results_[i]), 0, results_[i].bytes);
      for (const Group& group : p.groups) {
        Addresses from, to;
        for (const std::uint32_t device : group) {
          from.push_back(launches[device].at(operands_[i]));
          to.push_back(launches[device].at(results_[i]));
        }
        if (p.only_last_receives) to.erase(to.begin(), to.end() - 1);
        if (!group.empty()) p.exchanges[i]->run(from, to, root(launches[group[0]], group, i));
      }
    }
  }

 private:
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
    return std::make_unique<Move>(Block(from, from, to), 0, from[a.dimension] * stride_of(to, a.dimension), width);
  if (kind == Collective::all_to_all) {
    std::vector<std::int64_t> part = from;
    part[a.dimension] /= a.split_count;
    return std::make_unique<Move>(Block(part, from, to), part[a.dimension] * stride_of(from, a.dimension),
                                  part[a.concat_dimension] * stride_of(to, a.concat_dimension), width);
  }
  if (kind == Collective::broadcast || kind == Collective::permute) return std::make_unique<Broadcast>(type.bytes());
  auto fold = std::make_shared<TreeFold>(*node.regions[0], type.dtype(), context);
  if (kind == Collective::reduce_scatter)
    return std::make_unique<Reduce>(std::move(fold), Reduce::Receivers::one_part_each, Block(to, from, to),
                                    to[a.dimension] * stride_of(from, a.dimension), width);
  const auto receivers = kind == Collective::reduce ? Reduce::Receivers::root : Reduce::Receivers::all;
  return std::make_unique<Reduce>(std::move(fold), receivers, Block(from, from, from), 0, width);
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
