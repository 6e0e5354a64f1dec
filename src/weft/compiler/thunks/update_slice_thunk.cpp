#include <weft/compiler/thunks/update_slice_thunk.h>

#include <algorithm>
#include <cstring>

#include <weft/compiler/thunks/copy_thunk.h>
#include <weft/compiler/thunks/gpu_update_slice_thunk.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// Where the update goes, in elements of `width` bytes. Dimensions that it covers completely are merged into the one before them.
struct UpdateSlicePlan {
  struct Dimension {
    std::int64_t size, window, stride;
  };
  std::vector<Dimension> dims;
  std::vector<DType> start_types;  // for each dimension of the operand
  std::vector<std::int64_t> limits, strides;
  std::int64_t width = 1;
  bool empty = false;
};

UpdateSlicePlan update_slice_plan(const ir::Node& node) {
  const Type operand = node.operand(0).type(), update = node.operand(1).type();
  UpdateSlicePlan plan;
  plan.width = byte_size(operand.dtype());
  plan.empty = update.elements() == 0;
  plan.strides.resize(operand.rank());
  row_major_strides(operand.dims(), plan.strides);
  for (int d = 0; d < operand.rank(); ++d) {
    plan.start_types.push_back(node.operand(2 + d).dtype());
    plan.limits.push_back(operand.size(d) - update.size(d));
    const std::int64_t stride = plan.strides[d];
    if (!plan.dims.empty() && update.size(d) == operand.size(d)) {
      UpdateSlicePlan::Dimension& before = plan.dims.back();
      before = {before.size * operand.size(d), before.window * operand.size(d), stride};
    } else {
      plan.dims.push_back({operand.size(d), update.size(d), stride});
    }
  }
  return plan;
}

class UpdateSliceThunk final : public runtime::Thunk {
 public:
  UpdateSliceThunk(UpdateSlicePlan plan, std::span<const Slice> from, const Slice& to)
      : plan_(std::move(plan)), reads_(from.begin(), from.end()), result_(to) {}

  void run(const runtime::Launch& launch) const override {
    copy_bytes(launch, reads_[0], result_);
    if (plan_.empty) return;
    std::int64_t at = 0;
    for (std::size_t d = 0; d < plan_.limits.size(); ++d)
      at += std::clamp<std::int64_t>(start(launch, d), 0, plan_.limits[d]) * plan_.strides[d];
    const std::byte* from = launch.at(reads_[1]);
    copy(launch.at(result_) + at * plan_.width, from, 0);
  }

 private:
  std::int64_t start(const runtime::Launch& launch, std::size_t d) const {
    return visit(plan_.start_types[d], [&]<class T>(T) {
      const T value = *launch.at<T>(reads_[2 + d]);
      if constexpr (std::is_same_v<T, std::uint64_t>)
        return static_cast<std::int64_t>(std::min(value, static_cast<std::uint64_t>(INT64_MAX)));
      else
        return static_cast<std::int64_t>(value);
    });
  }

  void copy(std::byte* to, const std::byte*& from, std::size_t d) const {
    if (d + 1 >= plan_.dims.size()) {
      const std::size_t bytes = (plan_.dims.empty() ? 1 : plan_.dims[d].window) * plan_.width;
      std::memcpy(to, from, bytes);
      from += bytes;
      return;
    }
    for (std::int64_t i = 0; i < plan_.dims[d].window; ++i)
      copy(to + i * plan_.dims[d].stride * plan_.width, from, d + 1);
  }

  UpdateSlicePlan plan_;
  std::vector<Slice> reads_;
  Slice result_;
};

class BarrierThunk final : public runtime::Thunk {
 public:
  BarrierThunk(std::span<const Slice> from, std::span<const Slice> to, bool is_nvidia)
      : from_(from.begin(), from.end()), to_(to.begin(), to.end()), is_nvidia_(is_nvidia) {
    on_device = is_nvidia;
  }
  void run(const runtime::Launch& launch) const override {
    for (std::size_t i = 0; i < from_.size(); ++i) copy_on_gpu(launch, from_[i], to_[i], is_nvidia_);
  }

 private:
  std::vector<Slice> from_, to_;
  bool is_nvidia_;
};

// A token has no bytes, so there is nothing to do.
class TokenThunk final : public runtime::Thunk {
 public:
  TokenThunk() { on_device = true; }
  void run(const runtime::Launch&) const override {}
};

}  // namespace

Unit update_slice_unit(const ir::Node& node, const NativeContext& context) {
  Unit unit = unit_of(node);
  unit.info.category = "copy";
  unit.bytes = 2 * node.operand(1).type().bytes();
  if (std::ranges::count(unit.reads, unit.reads[0]) == 1) unit.in_place = {{0, 0}};
  unit.updates_part = true;
  if (context.options.target->is_gpu) {
    set_gpu_update_slice(unit, node, context);
    return unit;
  }
  unit.thunk().make = [plan = update_slice_plan(node)](std::span<const Slice> reads, std::span<const Slice> writes,
                                                       const Slice&) {
    return std::make_unique<UpdateSliceThunk>(plan, reads, writes[0]);
  };
  return unit;
}

Unit barrier_unit(const ir::Node& node, const Target& target) {
  Unit unit = unit_of(node);
  unit.info.category = "copy";
  share_operands(unit);
  unit.thunk().make = [is_nvidia = target.is_nvidia()](std::span<const Slice> reads, std::span<const Slice> writes,
                                                       const Slice&) {
    return std::make_unique<BarrierThunk>(reads, writes, is_nvidia);
  };
  return unit;
}

Unit token_unit(const ir::Node& node) {
  Unit unit = unit_of(node);
  unit.info.category = "token";
  unit.thunk().make = [](auto, auto, const Slice&) { return std::make_unique<TokenThunk>(); };
  return unit;
}

}  // namespace weft::compiler
