#include <weft/compiler/thunks/gpu_scatter_thunk.h>

#include <limits>

#include <weft/compiler/loop/lower.h>
#include <weft/compiler/loop/row_kernels.h>
#include <weft/compiler/thunks/copy_thunk.h>
#include <weft/compiler/thunks/gpu_launch.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

struct RowRoutines {
  std::shared_ptr<const Routine> sort, add, join;
};

// The scratch memory of the kernels: the parts of sums, then the sorted updates.
std::uint64_t parts_bytes(const GpuRows& rows) {
  constexpr std::uint64_t alignment = 64;
  const std::uint64_t bytes = 2 * row_blocks(rows.updates) * rows.width * byte_size(accumulator_type(rows.dtype));
  return (bytes + alignment - 1) / alignment * alignment;
}

class GpuScatterThunk final : public runtime::Thunk {
 public:
  GpuScatterThunk(const GpuRows& rows, RowRoutines routines, std::span<const Slice> from, const Slice& to,
                  const Slice& scratch, bool is_nvidia)
      : rows_(rows),
        routines_(std::move(routines)),
        operand_(from[0]),
        indices_(from[1]),
        updates_(from[2]),
        result_(to),
        parts_(scratch),
        sorted_(scratch),
        is_nvidia_(is_nvidia) {
    on_device = is_nvidia;
    sorted_.offset += parts_bytes(rows);
    const std::int64_t vector = row_vector_width(rows.dtype);
    const auto is_aligned = [&](const Slice& slice) { return slice.offset % (vector * byte_size(rows.dtype)) == 0; };
    is_aligned_ = vector > 1 && rows.width % vector == 0 && is_aligned(updates_) && is_aligned(result_);
  }

  void run(const runtime::Launch& launch) const override {
    std::byte* const result = launch.at(result_);
    copy_on_gpu(launch, operand_, result_, is_nvidia_);
    const std::int64_t count = rows_.updates;
    if (count == 0 || rows_.width == 0) return;
    launch_on_gpu(*routines_.sort, row_sort_grid(count), launch, launch.at(indices_), launch.at(sorted_), count,
                  rows_.rows, rows_.index_stride);
    for (const bool joins : {false, true}) {
      const RowSum sum{rows_.op, rows_.dtype, joins};
      launch_on_gpu(joins ? *routines_.join : *routines_.add, row_sum_grid(sum, count, rows_.width, is_aligned_),
                    launch, result, launch.at(updates_), launch.at(sorted_), launch.at(parts_), count, rows_.width);
    }
  }

 private:
  GpuRows rows_;
  RowRoutines routines_;
  Slice operand_, indices_, updates_, result_, parts_, sorted_;
  bool is_nvidia_, is_aligned_ = false;
};

template <class Source>
std::shared_ptr<const Routine> add_routine(const Source& source, std::string key, const NativeContext& context) {
  const auto kept = std::make_shared<const Source>(source);
  auto routine = std::make_shared<Routine>(Routine{kept.get(), std::move(key), kept});
  routine->on_gpu = true;
  context.routines.push_back(routine);
  return routine;
}

}  // namespace

bool is_for_gpu(const GpuRows& rows) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 2 * row_sort_tile;
  return rows.op && identity_of(*rows.op, accumulator_type(rows.dtype)) && !is_narrow(rows.index) &&
         !is_narrow(rows.dtype) && !is_float(rows.index) && rows.index != DType::boolean && rows.updates < most &&
         rows.rows < most;
}

void set_gpu_scatter(Unit& unit, const GpuRows& rows, const NativeContext& context) {
  RowRoutines routines;
  routines.sort = add_routine(RowSort{rows.index}, concat("row sort ", rows.index), context);
  for (const bool joins : {false, true})
    (joins ? routines.join : routines.add) =
        add_routine(RowSum{rows.op, rows.dtype, joins},
                    concat(joins ? "row join " : "row sum ", rows.op->name, ' ', rows.dtype), context);
  unit.scratch_bytes = parts_bytes(rows) + 2 * rows.updates * sizeof(std::int32_t);
  unit.thunk().make = [rows, routines, is_nvidia = context.options.target->is_nvidia()](
                          std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
    return std::make_unique<GpuScatterThunk>(rows, routines, reads, writes[0], scratch, is_nvidia);
  };
}

}  // namespace weft::compiler
