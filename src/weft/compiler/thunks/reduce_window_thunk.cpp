#include <algorithm>
#include <cstring>

#include <weft/base/convert.h>
#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/window_plan.h>
#include <weft/compiler/thunks/window_thunk.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

struct Plan {
  WindowPlan windows;
  Body body;
  // Accumulators are f32 and not the operand's 16-bit floats: sums keep their bits until the end.
  bool wide = false;
};

class ReduceWindowThunk final : public runtime::Thunk {
 public:
  ReduceWindowThunk(std::shared_ptr<const Plan> plan, DType dtype, std::span<const Slice> from,
                    std::span<const Slice> to)
      : plan_(std::move(plan)), dtype_(dtype), reads_(from.begin(), from.end()), results_(to.begin(), to.end()) {}

  void run(const runtime::Launch& launch) const override {
    const WindowPlan& windows = plan_->windows;
    std::vector<std::byte*> x, initial, results;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      x.push_back(launch.at(reads_[i]));
      initial.push_back(launch.at(reads_[results_.size() + i]));
      results.push_back(launch.at(results_[i]));
    }
    const std::int64_t elements = windows.plane_elements();
    const std::int64_t work = std::max<std::int64_t>(1, windows.window_elements() * elements);
    runtime::parallel_for(elements == 0 ? 0 : windows.planes(), std::max<std::int64_t>(1, 16384 / work),
                          [&](std::int64_t begin, std::int64_t end) {
                            Fold fold(plan_->body);
                            std::vector<float> sums(plan_->wide ? static_cast<std::size_t>(elements) : 0);
                            for (std::int64_t plane = begin; plane < end; ++plane)
                              if (plan_->wide)
                                sum_plane(fold, plane, x[0], initial[0], results[0], sums);
                              else
                                fold_plane(fold, plane, x, initial, results, plane * elements);
                          });
  }

 private:
  // Results of the plane start at element `at`.
  void fold_plane(Fold& fold, std::int64_t plane, std::span<std::byte* const> x, std::span<std::byte* const> initial,
                  std::span<std::byte* const> results, std::int64_t at) const {
    const auto widths = plan_->body.widths();
    for (std::size_t i = 0; i < results.size(); ++i)
      fill_elements(results[i] + at * widths[i], initial[i], widths[i], plan_->windows.plane_elements());
    fold_windows(fold, plane, x, initial, results, at);
  }

  void sum_plane(Fold& fold, std::int64_t plane, std::byte* x, std::byte* initial, std::byte* result,
                 std::vector<float>& sums) const {
    visit(dtype_, [&]<class T>(T value) {
      std::memcpy(static_cast<void*>(&value), initial, sizeof(T));
      std::ranges::fill(sums, convert_element<float>(value));
      auto* const into = reinterpret_cast<std::byte*>(sums.data());
      fold_windows(fold, plane, std::span(&x, 1), std::span(&initial, 1), std::span(&into, 1), 0);
      auto* const to = reinterpret_cast<T*>(result) + plane * plan_->windows.plane_elements();
      std::ranges::transform(sums, to, [](float sum) { return convert_element<T>(sum); });
    });
  }

  void fold_windows(Fold& fold, std::int64_t plane, std::span<std::byte* const> x, std::span<std::byte* const> initial,
                    std::span<std::byte* const> into, std::int64_t at) const {
    plan_->windows.for_plane(plane, [&](std::int64_t, WindowPlan::Block block) {
      block.place.start += at;
      fold.run(block.rows, block.columns, into, block.place, block.padding ? initial : x,
               block.padding ? Rows{} : block.from);
    });
  }

  std::shared_ptr<const Plan> plan_;
  DType dtype_;
  std::vector<Slice> reads_, results_;
};

// The body with accumulators in f32, for an op that rounds; empty if it needs none.
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

}  // namespace

Unit reduce_window_unit(const ir::Node& node, const NativeContext& context) {
  std::vector<ir::WindowDim> window;
  for (int d = 0; d < node.type().rank(); ++d)
    window.push_back(ir::window_dim(node.attributes<ir::ReduceWindowAttributes>(), d));
  const auto wide = widened(*node.regions[0]);
  const auto plan = std::make_shared<const Plan>(WindowPlan(node.operand(0).type(), window),
                                                 Body(wide ? *wide : *node.regions[0], context), wide != nullptr);
  Unit unit = unit_of(node);
  unit.info.category = "reduce window";
  unit.info.flops = static_cast<double>(node.type().elements()) * static_cast<double>(plan->windows.window_elements());
  unit.make = [plan, dtype = node.type().dtype()](std::span<const Slice> reads, std::span<const Slice> writes,
                                                  const Slice&) {
    return std::make_unique<ReduceWindowThunk>(plan, dtype, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
