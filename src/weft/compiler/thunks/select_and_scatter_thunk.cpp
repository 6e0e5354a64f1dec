#include <algorithm>

#include <weft/base/convert.h>
#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/narrow_windows.h>
#include <weft/compiler/thunks/window_plan.h>
#include <weft/compiler/thunks/window_thunk.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Value;
using runtime::Slice;

namespace {

// Handles one plane of windows at a time: first determines the number of the element that each window selects, then scatters the source.
struct SelectAndScatterPlan {
  WindowPlan windows;
  Body select;
  std::optional<Body> scatter;  // for one element; empty if it adds
  std::optional<NarrowWindows> narrow;
  DType dtype;
};

// Returns a body that folds one element of every window into its selection: pairs of an element and its number, which is -1 before the
// first.
std::shared_ptr<const ir::Graph> selection_body(const ir::Graph& keeps, DType dtype) {
  const Type element(dtype, {}), number(DType::i32, {});
  return ir::make_graph(std::array{element, number, element, number}, [&](ir::Graph& graph, std::span<const Value> x) {
    const Value kept = ir::inline_graph(graph, keeps, std::array{x[0], x[2]})[0];
    const Value keep = ir::and_(ir::compare(x[1], ir::constant_like(x[1], 0), ir::Direction::GE), kept);
    return std::vector{ir::select(keep, x[0], x[2]), ir::select(keep, x[1], x[3])};
  });
}

// Sums of 16-bit floats are accumulated in f32, in scratch memory.
template <class T>
using Sum = std::conditional_t<is_float_type<T> && sizeof(T) == 2, float, T>;

class SelectAndScatterThunk final : public runtime::Thunk {
 public:
  SelectAndScatterThunk(std::shared_ptr<const SelectAndScatterPlan> plan, std::span<const Slice> from,
                        const Slice& result, const Slice& scratch)
      : plan_(std::move(plan)), x_(from[0]), source_(from[1]), initial_(from[2]), result_(result), scratch_(scratch) {}

  void run(const runtime::Launch& launch) const override {
    visit(plan_->dtype, [&]<class T>(T) {
      if (plan_->scatter)
        scatter_with<T, T>(launch, result_, [this](T* into, T* from) {
          auto *const to = reinterpret_cast<std::byte*>(into), *const of = reinterpret_cast<std::byte*>(from);
          plan_->scatter->apply(std::array{to, of, to}.data());
        });
      else
        scatter_with<T, Sum<T>>(launch, std::is_same_v<T, Sum<T>> ? result_ : scratch_,
                                [](Sum<T>* into, const T* from) { add(*into, static_cast<Sum<T>>(*from)); });
    });
  }

 private:
  template <class S>
  static void add(S& sum, S x) {
    if constexpr (std::is_same_v<S, bool>)
      sum = sum || x;
    else if constexpr (std::is_integral_v<S>)
      sum = static_cast<S>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(x));  // wraps
    else
      sum += x;
  }

  // Calls put(into, from) for every window: `into` is the accumulator in `sums` of the selected element, `from` the source's element.
  template <class T, class S, class Put>
  void scatter_with(const runtime::Launch& launch, const Slice& sums_slice, Put&& put) const {
    const WindowPlan& windows = plan_->windows;
    S* const sums = launch.at<S>(sums_slice);
    T* const result = launch.at<T>(result_);
    const std::int64_t elements = result_.bytes / sizeof(T);
    constexpr std::int64_t grain = 65536;
    runtime::parallel_for(elements, grain, [&](std::int64_t begin, std::int64_t end) {
      std::fill(sums + begin, sums + end, static_cast<S>(*launch.at<T>(initial_)));
    });
    // Planes that share elements of the operand are handled by the same thread.
    const std::int64_t together = windows.connected_planes(), of_plane = windows.plane_elements();
    const std::int64_t work = std::max<std::int64_t>(1, together * of_plane * windows.window_elements());
    runtime::parallel_for(of_plane == 0 || together == 0 ? 0 : windows.planes() / together,
                          std::max<std::int64_t>(1, 16384 / work), [&](std::int64_t begin, std::int64_t end) {
                            Selection<T> selection(*plan_, launch.at<T>(x_));
                            for (std::int64_t plane = begin * together; plane < end * together; ++plane)
                              selection.for_selected(plane, [&](std::int64_t window, std::int64_t offset) {
                                put(sums + offset, launch.at<T>(source_) + plane * of_plane + window);
                              });
                          });
    if constexpr (!std::is_same_v<S, T>)
      runtime::parallel_for(elements, grain, [&](std::int64_t begin, std::int64_t end) {
        std::transform(sums + begin, sums + end, result + begin, [](S s) { return convert_element<T>(s); });
      });
  }

  // Finds what the windows of a plane select. Each thread needs its own.
  template <class T>
  class Selection {
   public:
    Selection(const SelectAndScatterPlan& plan, T* x)
        : plan_(plan),
          fold_(plan.select),
          x_(x),
          held_(new T[plan.windows.plane_elements()]),
          numbers_(plan.windows.plane_elements()) {}

    // Calls f(window, offset in the operand) for each window that covers an element, in order.
    template <class F>
    void for_selected(std::int64_t plane, F&& f) {
      if (plan_.narrow) {
        const std::int64_t begin = plane * plan_.narrow->plane_elements;
        return compiler::for_selected(*plan_.narrow, x_ + begin,
                                      [&](std::int64_t window, std::int64_t at) { f(window, begin + at); });
      }
      select(plane);
      const WindowPlan& windows = plan_.windows;
      windows.find_offsets(plane, offsets_);
      const std::int64_t width = windows.plane_width();
      for (std::int64_t row = 0, window = 0; window < windows.plane_elements(); ++row)
        for (std::int64_t column = 0; column < width; ++column, ++window) {
          const std::int32_t number = numbers_[window];
          if (number < 0) continue;
          f(window, offsets_[number] + row * windows.row_step() + column * windows.column_step());
        }
    }

   private:
    void select(std::int64_t plane) {
      std::ranges::fill(numbers_, -1);
      std::byte* const into[] = {reinterpret_cast<std::byte*>(held_.get()),
                                 reinterpret_cast<std::byte*>(numbers_.data())};
      plan_.windows.for_plane(plane, 0, plan_.windows.plane_rows(),
                              [&](std::int64_t k, const WindowPlan::Block& block) {
                                if (block.padding) return;
                                std::int32_t number = k;
                                std::byte* const from[] = {reinterpret_cast<std::byte*>(x_ + block.from.start),
                                                           reinterpret_cast<std::byte*>(&number)};
                                const Rows places[] = {{0, block.from.outer, block.from.inner}, {}};
                                fold_.run(block.rows, block.columns, into, block.place, from, places);
                              });
    }

    const SelectAndScatterPlan& plan_;
    Fold fold_;
    T* x_;
    std::unique_ptr<T[]> held_;
    std::vector<std::int32_t> numbers_;
    std::vector<std::int64_t> offsets_;
  };

  std::shared_ptr<const SelectAndScatterPlan> plan_;
  Slice x_, source_, initial_, result_, scratch_;
};

}  // namespace

Unit select_and_scatter_unit(const ir::Node& node, const NativeContext& context) {
  const DType dtype = node.type().dtype();
  std::vector<ir::WindowDim> window;
  for (int d = 0; d < node.type().rank(); ++d)
    window.push_back(ir::window_dim(node.attributes<ir::SelectAndScatterAttributes>(), d));
  const bool adds = ir::reduction_op(*node.regions[1]) == &ir::ops::add;
  auto plan = std::make_shared<SelectAndScatterPlan>(
      SelectAndScatterPlan{.windows = WindowPlan(node.operand(0).type(), window),
                           .select = Body(*selection_body(*node.regions[0], dtype), context),
                           .scatter = {},
                           .narrow = narrow_windows(node.operand(0).type(), window, *node.regions[0]),
                           .dtype = dtype});
  if (!adds) plan->scatter.emplace(*node.regions[1], context);
  Unit unit = unit_of(node);
  unit.info.category = "select and scatter";
  if (adds && is_float(dtype) && byte_size(dtype) == 2) unit.scratch_bytes = node.type().elements() * sizeof(float);
  unit.thunk().make = [plan = std::shared_ptr<const SelectAndScatterPlan>(std::move(plan))](
                          std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
    return std::make_unique<SelectAndScatterThunk>(plan, reads, writes[0], scratch);
  };
  return unit;
}

}  // namespace weft::compiler
