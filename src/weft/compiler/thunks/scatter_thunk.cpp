#include <weft/compiler/thunks/scatter_thunk.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/gpu_scatter_thunk.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Node;
using runtime::Slice;

namespace {

// How one dimension of the operand is addressed.
struct Dimension {
  std::int64_t size = 0, stride = 0;
  std::int64_t window = 1, update_stride = 0;  // the window's extent and its stride in the updates
  int start = -1;                              // component of the index vector; -1: none
  int batch = -1;                              // the step that gives the position itself; -1: none
};

// A dimension of the updates that is walked outside of the windows, in the order of the updates: a scatter dimension, or a window dimension
// that comes before a scatter dimension.
struct Step {
  std::int64_t size = 0, update_stride = 0, index_stride = 0;
  int window_of = -1;  // the operand's dimension of which it gives one element of the window; -1: none
};

// A scatter of rows: each window is as many neighbouring elements, of the operand and of the updates, where the windows stand one behind the
// other.
struct RowScatter {
  struct Component {
    std::int64_t offset = 0;  // in the index vector
    std::int64_t size = 0, stride = 0;
  };
  std::vector<Component> components;
  std::int64_t width = 1, index_stride = 0;
};

struct ScatterPlan {
  std::vector<Dimension> dims;
  std::vector<Step> steps;
  std::int64_t component_stride = 0, components = 0;
  std::int64_t windows = 1, window_elements = 1;  // windows includes the steps within them
  DType index_dtype = DType::i32;
  std::optional<RowScatter> rows;
};

// Returns how the scatter is one of rows; nullopt if it is not.
std::optional<RowScatter> row_scatter(const ScatterPlan& plan) {
  RowScatter rows;
  std::size_t d = plan.dims.size();
  for (; d > 0; --d) {  // dimensions that windows cover
    const Dimension& dim = plan.dims[d - 1];
    if (dim.start >= 0 || dim.batch >= 0 || dim.window != dim.size ||
        (dim.window > 1 && dim.update_stride != rows.width))
      break;
    rows.width *= dim.window;
  }
  for (std::size_t k = 0; k < d; ++k) {
    const Dimension& dim = plan.dims[k];
    if (dim.window != 1 || dim.batch >= 0 || dim.start < 0) return std::nullopt;
    rows.components.push_back({dim.start * plan.component_stride, dim.size, dim.stride});
  }
  if (plan.steps.empty() || is_narrow(plan.index_dtype)) return std::nullopt;  // a single window, or unusual indices
  std::int64_t update_stride = rows.width, index_stride = plan.steps.back().index_stride;
  rows.index_stride = index_stride;
  for (std::size_t k = plan.steps.size(); k-- > 0;) {
    const Step& step = plan.steps[k];
    const bool is_regular =
        step.size == 1 || (step.update_stride == update_stride && step.index_stride == index_stride);
    if (step.window_of >= 0 || !is_regular) return std::nullopt;
    update_stride *= step.size;
    index_stride *= step.size;
  }
  return rows;
}

ScatterPlan scatter_plan(const Node& node) {
  const auto& a = node.attributes<ir::ScatterAttributes>();
  const int count = node.types.size();
  const Type operand = node.type(), indices = node.operand(count).type(), updates = node.operand(count + 1).type();
  const auto has = [](ir::Ints list, std::int64_t d) { return std::ranges::find(list, d) != list.end(); };
  const auto where = [](ir::Ints list, std::int64_t d) {
    return static_cast<int>(std::ranges::find(list, d) - list.begin());
  };
  const auto strides = [](Type t) {
    std::vector<std::int64_t> s(t.rank());
    row_major_strides(t.dims(), s);
    return s;
  };
  const auto operand_strides = strides(operand), index_strides = strides(indices), update_strides = strides(updates);
  ScatterPlan plan;
  plan.index_dtype = indices.dtype();
  const bool vector = a.index_vector_dim < indices.rank();
  plan.components = vector ? indices.size(a.index_vector_dim) : 1;
  plan.component_stride = vector ? index_strides[a.index_vector_dim] : 0;
  // Dimensions of the indices without the index vector: one for each scatter dimension.
  std::vector<std::int64_t> index_dims;
  for (int d = 0; d < indices.rank(); ++d)
    if (d != a.index_vector_dim) index_dims.push_back(d);
  std::vector<int> step_of_index(index_dims.size());
  int last_scatter = updates.rank() - 1;
  while (last_scatter >= 0 && has(a.update_window_dims, last_scatter)) --last_scatter;
  std::vector<int> step_of(updates.rank(), -1);  // for each dimension of the updates
  std::size_t batch = 0;
  for (int d = 0; d <= last_scatter; ++d) {
    step_of[d] = static_cast<int>(plan.steps.size());
    Step step{.size = updates.size(d)};
    if (!has(a.update_window_dims, d)) {
      step.update_stride = update_strides[d];
      step.index_stride = index_strides[index_dims[batch]];
      step_of_index[batch++] = static_cast<int>(plan.steps.size());
    }
    plan.steps.push_back(step);
    plan.windows *= step.size;
  }
  std::size_t window = 0;
  for (int d = 0; d < operand.rank(); ++d) {
    Dimension dim{.size = operand.size(d), .stride = operand_strides[d]};
    if (has(a.input_batching_dims, d)) {
      const std::int64_t index_dim = a.scatter_indices_batching_dims[where(a.input_batching_dims, d)];
      dim.batch = step_of_index[where(index_dims, index_dim)];
    } else if (!has(a.inserted_window_dims, d)) {
      const std::size_t u = a.update_window_dims[window++];
      dim.window = updates.size(u);
      dim.update_stride = update_strides[u];
      if (step_of[u] >= 0) plan.steps[step_of[u]].window_of = d;
    }
    if (has(a.scatter_dims_to_operand_dims, d)) dim.start = where(a.scatter_dims_to_operand_dims, d);
    plan.window_elements *= dim.window;
    plan.dims.push_back(dim);
  }
  plan.rows = row_scatter(plan);
  return plan;
}

class ScatterThunk final : public runtime::Thunk {
 public:
  // `from` lists operands, indices and updates.
  ScatterThunk(std::shared_ptr<const Body> body, ScatterPlan plan, std::span<const Slice> from,
               std::span<const Slice> to)
      : body_(std::move(body)),
        plan_(std::move(plan)),
        operands_(from.begin(), from.begin() + to.size()),
        updates_(from.end() - std::ssize(to), from.end()),
        results_(to.begin(), to.end()),
        indices_(from[to.size()]) {}

  void run(const runtime::Launch& launch) const override {
    std::vector<std::byte*> results, updates;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      results.push_back(launch.at(results_[i]));
      updates.push_back(launch.at(updates_[i]));
      if (launch.at(operands_[i]) != results[i] && operands_[i].bytes)
        std::memcpy(results[i], launch.at(operands_[i]), operands_[i].bytes);
    }
    if (plan_.rows) return scatter_rows(launch.at(indices_), results, updates);
    for_parts([&](std::int64_t begin, std::int64_t end) {
      Fold fold(*body_);
      const auto fold_run = [&](std::int64_t count, const Rows& to, const Rows& from) {
        fold.run(1, count, results, to, updates, from);
      };
      for (std::int64_t w = 0; w < plan_.windows; ++w) scatter_window(launch.at(indices_), w, begin, end, fold_run);
    });
  }

 private:
  // Threads divide the columns of long rows, so that updates of an element are applied in order.
  void scatter_rows(const std::byte* indices, std::span<std::byte* const> results,
                    std::span<std::byte* const> updates) const {
    const RowScatter& rows = *plan_.rows;
    if (plan_.windows == 0 || rows.width == 0) return;
    constexpr std::int64_t least_columns = 16;
    const std::int64_t grain = std::max<std::int64_t>(least_columns, 16384 / plan_.windows);
    runtime::parallel_for(rows.width, grain, [&](std::int64_t begin, std::int64_t end) {
      visit(plan_.index_dtype, [&](auto tag) {
        using Number = decltype(tag);
        if constexpr (std::is_integral_v<Number> && !std::is_same_v<Number, bool>)
          scatter_columns(reinterpret_cast<const Number*>(indices), results, updates, begin, end);
      });
    });
  }

  template <class Number>
  void scatter_columns(const Number* indices, std::span<std::byte* const> results, std::span<std::byte* const> updates,
                       std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t chunk = 1024, outside = -1;
    const RowScatter& rows = *plan_.rows;
    const std::size_t n = results.size();
    std::array<std::int64_t, chunk> places;
    std::vector<std::byte*> buffers(3 * n);
    std::vector<std::int64_t> outer(3 * n), inner(3 * n);
    for (std::size_t i = 0; i < 3 * n; ++i) {
      const std::int64_t width = body_->widths()[i];
      outer[i] = i < n || i >= 2 * n ? width : width * rows.width;
      inner[i] = width;
    }
    for (std::int64_t first = 0; first < plan_.windows; first += chunk) {
      const std::int64_t count = std::min(chunk, plan_.windows - first);
      find_places(indices + first * rows.index_stride, std::span(places).first(count));
      for (std::int64_t from = 0; from < count;) {
        if (places[from] == outside) {
          ++from;
          continue;
        }
        std::int64_t to = from;
        while (to < count && places[to] != outside) ++to;
        for (std::size_t i = 0; i < 3 * n; ++i) {
          std::byte* const base = i < n ? results[i] : i < 2 * n ? updates[i - n] : results[i - 2 * n];
          const std::int64_t row = i < n || i >= 2 * n ? 0 : first + from;
          buffers[i] = base + row * outer[i] + begin * inner[i];
        }
        body_->apply_at(places.data() + from, to - from, end - begin, buffers.data(), outer.data(), inner.data());
        from = to;
      }
    }
  }

  // Finds the first element of the row that each window is for; -1 for a window that lies outside.
  template <class Number>
  void find_places(const Number* indices, std::span<std::int64_t> places) const {
    const RowScatter& rows = *plan_.rows;
    if (rows.components.size() == 1 && rows.index_stride == 1) {
      const auto size = static_cast<std::uint64_t>(rows.components[0].size);
      const std::int64_t stride = rows.components[0].stride, count = std::ssize(places);
#pragma omp simd
      for (std::int64_t w = 0; w < count; ++w) {
        const auto at = static_cast<std::uint64_t>(indices[w]);
        places[w] = at < size ? static_cast<std::int64_t>(at) * stride : -1;
      }
      return;
    }
    std::ranges::fill(places, 0);
    for (const RowScatter::Component& component : rows.components)
      for (std::size_t w = 0; w < places.size(); ++w) {
        const auto at =
            static_cast<std::uint64_t>(indices[static_cast<std::int64_t>(w) * rows.index_stride + component.offset]);
        const bool is_inside = places[w] >= 0 && at < static_cast<std::uint64_t>(component.size);
        places[w] = is_inside ? places[w] + static_cast<std::int64_t>(at) * component.stride : -1;
      }
  }

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
      const Step& step = plan_.steps[k];
      position[k] = window % step.size;
      window /= step.size;
      at_index += position[k] * step.index_stride;
      at_update += position[k] * step.update_stride;
    }
    if (plan_.dims.empty()) return fold(1, Rows{}, Rows{at_update, 0, 0});
    std::int64_t low[Type::max_rank], high[Type::max_rank], at_result = 0;
    for (std::size_t d = 0; d < plan_.dims.size(); ++d) {
      const Dimension& dim = plan_.dims[d];
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
    const Dimension& dim = plan_.dims[d];
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
  std::vector<Slice> operands_, updates_, results_;
  Slice indices_;
};

// Returns the form in which a GPU computes the scatter; nullopt if it does not.
std::optional<GpuRows> gpu_rows(const Node& node, const ScatterPlan& plan) {
  if (!plan.rows || node.types.size() != 1 || plan.rows->components.size() != 1) return std::nullopt;
  const RowScatter::Component& component = plan.rows->components[0];
  const GpuRows rows{.op = ir::reduction_op(*node.regions[0]),
                     .dtype = node.type().dtype(),
                     .index = plan.index_dtype,
                     .updates = plan.windows,
                     .rows = component.size,
                     .width = plan.rows->width,
                     .index_stride = plan.rows->index_stride};
  const bool is_plain = component.offset == 0 && component.stride == rows.width;
  return is_plain && is_for_gpu(rows) ? std::optional(rows) : std::nullopt;
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
  if (const std::optional<GpuRows> rows = gpu_rows(node, plan); rows && context.options.target->is_gpu) {
    set_gpu_scatter(unit, *rows, context);
    return unit;
  }
  unit.thunk().make = [body = std::make_shared<const Body>(*node.regions[0], context, plan.rows.has_value()), plan](
                          std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<ScatterThunk>(body, plan, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
