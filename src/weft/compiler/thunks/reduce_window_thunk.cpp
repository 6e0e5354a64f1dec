#include <algorithm>
#include <cstring>

#include <weft/base/convert.h>
#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/running_fold_thunk.h>
#include <weft/compiler/thunks/window_plan.h>
#include <weft/compiler/thunks/window_thunk.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

struct ReduceWindowPlan {
  WindowPlan windows;
  Body body;
  // Whether accumulators are f32 although the operand is a 16-bit float, so that sums are rounded only at the end.
  bool wide = false;
};

class ReduceWindowThunk final : public runtime::Thunk {
 public:
  ReduceWindowThunk(std::shared_ptr<const ReduceWindowPlan> plan, DType dtype, std::span<const Slice> from,
                    std::span<const Slice> to)
      : plan_(std::move(plan)), dtype_(dtype), reads_(from.begin(), from.end()), results_(to.begin(), to.end()) {}

  void run(const runtime::Launch& launch) const override {
    std::vector<std::byte*> x, initial, results;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      x.push_back(launch.at(reads_[i]));
      initial.push_back(launch.at(reads_[results_.size() + i]));
      results.push_back(launch.at(results_[i]));
    }
    const WindowPlan& windows = plan_->windows;
    const std::int64_t rows = windows.plane_rows(), width = windows.plane_width();
    if (rows == 0 || width == 0) return;
    const std::int64_t grain =
        std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, windows.window_elements() * width));
    runtime::parallel_for(windows.planes() * rows, grain, [&](std::int64_t begin, std::int64_t end) {
      Fold fold(plan_->body);
      std::vector<float> sums;
      while (begin < end) {
        const Part part{begin / rows, begin % rows, std::min(rows, begin % rows + end - begin)};
        if (plan_->wide)
          sum_part(fold, part, x[0], initial[0], results[0] + begin * width * byte_size(dtype_), sums);
        else
          fold_part(fold, part, x, initial, results, begin * width);
        begin += part.last - part.first;
      }
    });
  }

 private:
  // Rows [first, last) of a plane.
  struct Part {
    std::int64_t plane, first, last;
  };

  // The results of the part start at element `at`.
  void fold_part(Fold& fold, const Part& part, std::span<std::byte* const> x, std::span<std::byte* const> initial,
                 std::span<std::byte* const> results, std::int64_t at) const {
    const auto widths = plan_->body.widths();
    for (std::size_t i = 0; i < results.size(); ++i)
      fill_elements(results[i] + at * widths[i], initial[i], widths[i], elements_of(part));
    fold_windows(fold, part, x, initial, results, at);
  }

  void sum_part(Fold& fold, const Part& part, std::byte* x, std::byte* initial, std::byte* result,
                std::vector<float>& sums) const {
    visit(dtype_, [&]<class T>(T value) {
      std::memcpy(static_cast<void*>(&value), initial, sizeof(T));
      sums.assign(elements_of(part), convert_element<float>(value));
      auto* const into = reinterpret_cast<std::byte*>(sums.data());
      fold_windows(fold, part, std::span(&x, 1), std::span(&initial, 1), std::span(&into, 1), 0);
      std::ranges::transform(sums, reinterpret_cast<T*>(result), [](float sum) { return convert_element<T>(sum); });
    });
  }

  void fold_windows(Fold& fold, const Part& part, std::span<std::byte* const> x, std::span<std::byte* const> initial,
                    std::span<std::byte* const> into, std::int64_t at) const {
    const std::int64_t shift = at - part.first * plan_->windows.plane_width();
    plan_->windows.for_plane(part.plane, part.first, part.last, [&](std::int64_t, WindowPlan::Block block) {
      block.place.start += shift;
      fold.run(block.rows, block.columns, into, block.place, block.padding ? initial : x,
               block.padding ? Rows{} : block.from);
    });
  }

  std::int64_t elements_of(const Part& part) const { return (part.last - part.first) * plan_->windows.plane_width(); }

  std::shared_ptr<const ReduceWindowPlan> plan_;
  DType dtype_;
  std::vector<Slice> reads_, results_;
};

// Returns the body with f32 accumulators for an op that rounds; null if it needs none.
std::shared_ptr<const ir::Graph> widened(const ir::Graph& body) {
  const ir::Op* op = ir::reduction_op(body);
  if (op != &ir::ops::add && op != &ir::ops::multiply) return nullptr;
  const DType dtype = body.inputs()[0].dtype();
  if (!is_float(dtype) || byte_size(dtype) != 2) return nullptr;
  const Type sum(DType::f32, {}), element(dtype, {});
  return ir::make_graph(std::array{sum, element}, [&](ir::Graph& graph, std::span<const ir::Value> x) {
    return std::vector{graph.append(*op, std::array{x[0], ir::convert(x[1], DType::f32)}).result()};
  });
}

// Makes one dimension of the rows of all planes if windows do not cross from one plane to the next: many small planes are then folded as a
// large one.
Type merge_planes(const Type& x, std::vector<ir::WindowDim>& window) {
  std::vector<Dim> dims(x.dims().begin(), x.dims().end());
  while (dims.size() > 2) {
    const std::size_t row = dims.size() - 2;
    const std::int64_t rows = dims[row].value();
    const ir::WindowDim& w = window[row];
    const bool is_whole = w.low == 0 && w.high == 0 && w.base_dilation == 1 && w.positions(rows) * w.stride == rows;
    if (!is_whole || !window[row - 1].is_trivial()) break;
    dims[row] = rows * dims[row - 1].value();
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(row) - 1);
    window.erase(window.begin() + static_cast<std::ptrdiff_t>(row) - 1);
  }
  return Type(x.dtype(), dims);
}

}  // namespace

Unit reduce_window_unit(const ir::Node& node, const NativeContext& context) {
  if (std::optional<Unit> running = running_fold_unit(node, context.options.strict)) return std::move(*running);
  std::vector<ir::WindowDim> window;
  for (int d = 0; d < node.type().rank(); ++d)
    window.push_back(ir::window_dim(node.attributes<ir::ReduceWindowAttributes>(), d));
  const auto wide = widened(*node.regions[0]);
  const Type merged = merge_planes(node.operand(0).type(), window);
  const auto plan = std::make_shared<const ReduceWindowPlan>(
      WindowPlan(merged, window), Body(wide ? *wide : *node.regions[0], context), wide != nullptr);
  Unit unit = unit_of(node);
  unit.info.category = "reduce window";
  unit.flops = node.type().elements() * plan->windows.window_elements();
  unit.thunk().make = [plan, dtype = node.type().dtype()](std::span<const Slice> reads, std::span<const Slice> writes,
                                                          const Slice&) {
    return std::make_unique<ReduceWindowThunk>(plan, dtype, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
