#include <weft/compiler/thunks/scatter_thunk.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/gpu_scatter_thunk.h>
#include <weft/compiler/thunks/row_scatter_thunk.h>
#include <weft/compiler/thunks/scatter_plan.h>
#include <weft/compiler/thunks/scatter_slices.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Node;
using runtime::Slice;

namespace {

class ScatterThunk final : public runtime::Thunk {
 public:
  ScatterThunk(std::shared_ptr<const Body> body, ScatterPlan plan, const ScatterSlices& slices)
      : body_(std::move(body)), plan_(std::move(plan)), slices_(slices) {}

  void run(const runtime::Launch& launch) const override {
    const ScatterSlices::Addresses at = slices_.begin(launch);
    for_parts([&](std::int64_t begin, std::int64_t end) {
      Fold fold(*body_);
      const auto fold_run = [&](std::int64_t count, const Rows& to, const Rows& from) {
        fold.run(1, count, at.results, to, at.updates, from);
      };
      for (std::int64_t w = 0; w < plan_.windows; ++w) scatter_window(at.indices, w, begin, end, fold_run);
    });
  }

 private:
  // Calls f(begin, end) on ranges of the operand's innermost dimension. Updates of an element are applied in order for any number of
  // threads: each thread visits all windows but handles only the elements in its range.
  template <class F>
  void for_parts(F&& f) const {
    if (plan_.windows == 0 || plan_.window_elements == 0) return;
    const std::int64_t last = plan_.dims.empty() ? 1 : plan_.dims.back().size;
    const std::int64_t grain =
        std::max<std::int64_t>(16, 16384 * last / std::max<std::int64_t>(1, plan_.windows * plan_.window_elements));
    runtime::parallel_for(last, grain, f);
  }

  std::int64_t index_at(const std::byte* indices, std::int64_t i) const {
    return visit(plan_.index_dtype, [&](auto tag) {
      decltype(tag) value;
      std::memcpy(static_cast<void*>(&value), indices + i * static_cast<std::int64_t>(sizeof(value)), sizeof(value));
      // Numbers beyond 63 bits are out of range in any case.
      if constexpr (std::is_same_v<decltype(value), std::uint64_t>)
        value = std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max());
      return static_cast<std::int64_t>(value);
    });
  }

  // Calls fold(count, to, from) for the runs of a window: the elements in [begin, end) of the innermost dimension.
  template <class F>
  void scatter_window(const std::byte* indices, std::int64_t window, std::int64_t begin, std::int64_t end,
                      F& fold) const {
    std::int64_t at_index = 0, at_update = 0;
    std::int64_t position[Type::max_rank] = {};
    for (std::size_t k = plan_.steps.size(); k-- > 0;) {
      const ScatterPlan::Step& step = plan_.steps[k];
      position[k] = window % step.size;
      window /= step.size;
      at_index += position[k] * step.index_stride;
      at_update += position[k] * step.update_stride;
    }
    if (plan_.dims.empty()) return fold(1, Rows{}, Rows{at_update, 0, 0});
    std::int64_t low[Type::max_rank], high[Type::max_rank], at_result = 0;
    for (std::size_t d = 0; d < plan_.dims.size(); ++d) {
      const ScatterPlan::Dimension& dim = plan_.dims[d];
      std::int64_t start = dim.start < 0 ? 0 : index_at(indices, at_index + dim.start * plan_.component_stride);
      if (dim.batch >= 0) start += position[dim.batch];
      // Elements of the window outside of the operand are skipped. If the window is entirely outside, returns early, so that the sum below
      // cannot overflow.
      if (start >= dim.size || start <= -dim.window) return;
      const bool is_last = d + 1 == plan_.dims.size();
      low[d] = std::max<std::int64_t>(0, (is_last ? begin : 0) - start);
      high[d] = std::min(dim.window, (is_last ? end : dim.size) - start);
      at_result += start * dim.stride;
    }
    for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
      if (plan_.steps[k].window_of < 0) continue;
      const std::size_t d = plan_.steps[k].window_of;
      low[d] = std::max(low[d], position[k]);
      high[d] = std::min(high[d], position[k] + 1);
    }
    walk(at_result, at_update, low, high, 0, fold);
  }

  template <class F>
  void walk(std::int64_t into, std::int64_t from, const std::int64_t* low, const std::int64_t* high, std::size_t d,
            F& fold) const {
    const ScatterPlan::Dimension& dim = plan_.dims[d];
    if (d + 1 < plan_.dims.size()) {
      for (std::int64_t i = low[d]; i < high[d]; ++i)
        walk(into + i * dim.stride, from + i * dim.update_stride, low, high, d + 1, fold);
    } else if (low[d] < high[d]) {
      fold(high[d] - low[d], Rows{into + low[d] * dim.stride, 0, dim.stride},
           Rows{from + low[d] * dim.update_stride, 0, dim.update_stride});
    }
  }

  std::shared_ptr<const Body> body_;
  ScatterPlan plan_;
  ScatterSlices slices_;
};

// Returns the form in which a GPU computes the scatter; nullopt if it does not.
std::optional<GpuRows> gpu_rows(const Node& node, const std::optional<RowScatter>& rows) {
  if (!rows || node.types.size() != 1 || rows->components.size() != 1 || rows->steps.size() != 1) return std::nullopt;
  const RowScatter::Component& component = rows->components[0];
  const RowScatter::Step& step = rows->steps[0];
  const GpuRows gpu{.op = ir::reduction_op(*node.regions[0]),
                    .dtype = node.type().dtype(),
                    .index = rows->index_dtype,
                    .updates = rows->windows,
                    .rows = component.size,
                    .width = rows->width,
                    .index_stride = step.index_stride};
  const bool is_plain = component.offset == 0 && component.stride == rows->width && step.place_stride == 0;
  return is_plain && is_for_gpu(gpu) ? std::optional(gpu) : std::nullopt;
}

}  // namespace

Unit scatter_unit(const Node& node, const NativeContext& context) {
  Unit unit = unit_of(node);
  share_operands(unit);
  unit.updates_part = true;
  unit.info.category = "scatter";
  std::int64_t bytes = 0;
  for (const Type type : node.types) bytes += type.bytes();
  for (const ir::Value update : node.operands.last(node.types.size())) bytes += 3 * update.type().bytes();
  unit.bytes = bytes;
  const ScatterPlan plan = scatter_plan(node);
  const std::optional<RowScatter> rows = row_scatter(plan);
  const std::optional<GpuRows> gpu = context.options.target->is_gpu ? gpu_rows(node, rows) : std::nullopt;
  using Slices = std::span<const Slice>;
  if (gpu) {
    set_gpu_scatter(unit, *gpu, context);
  } else if (rows) {
    unit.thunk().make = [make = make_row_scatter(*node.regions[0], *rows, context)](
                            Slices reads, Slices writes, const Slice&) { return make(reads, writes); };
  } else {
    unit.thunk().make = [body = std::make_shared<const Body>(*node.regions[0], context), plan](
                            Slices reads, Slices writes, const Slice&) {
      return std::make_unique<ScatterThunk>(body, plan, ScatterSlices(reads, writes));
    };
  }
  return unit;
}

}  // namespace weft::compiler
