#include <weft/compiler/thunks/pad_thunk.h>

#include <algorithm>
#include <cstring>

#include <weft/compiler/thunks/native_context.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

struct PadPlan {
  // Elements [begin, end) of the operand fall inside of the result: element `begin` at position `first`, the others `step` positions apart.
  struct Dimension {
    std::int64_t size, stride, begin, end, first, step;
  };
  std::vector<Dimension> dims;  // at least one
  DType dtype = DType::f32;
  std::int64_t rows = 1;  // rows of the result, along its last dimension
};

PadPlan pad_plan(const ir::Node& node) {
  const Type x = node.operand(0).type(), result = node.type();
  const auto& a = node.attributes<ir::PadAttributes>();
  PadPlan plan{.dims = {}, .dtype = x.dtype()};
  std::vector<std::int64_t> strides(x.rank());
  row_major_strides(x.dims(), strides);
  for (int d = 0; d < x.rank(); ++d) {
    const std::size_t i = d;
    const std::int64_t step = a.interior[i] + 1, low = a.low[i], size = result.size(d);
    const std::int64_t begin = low < 0 ? (-low + step - 1) / step : 0;
    const std::int64_t end = size <= low ? 0 : std::min(x.size(d), (size - low + step - 1) / step);
    plan.dims.push_back({size, strides[i], begin, std::max(begin, end), low + begin * step, step});
    if (d + 1 < x.rank()) plan.rows *= size;
  }
  if (plan.dims.empty()) plan.dims.push_back({1, 1, 0, 1, 0, 1});
  return plan;
}

class PadThunk final : public runtime::Thunk {
 public:
  PadThunk(PadPlan plan, std::span<const Slice> from, const Slice& to)
      : plan_(std::move(plan)), x_(from[0]), value_(from[1]), result_(to) {}

  void run(const runtime::Launch& launch) const override {
    visit(plan_.dtype, [&]<class T>(T) {
      const std::int64_t length = plan_.dims.back().size;
      const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, length));
      runtime::parallel_for(plan_.rows, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
          fill_row(launch.at<T>(result_) + row * length, launch.at<T>(x_), *launch.at<T>(value_), row);
      });
    });
  }

 private:
  template <class T>
  void fill_row(T* to, const T* x, T value, std::int64_t row) const {
    const PadPlan::Dimension& last = plan_.dims.back();
    std::fill_n(to, last.size, value);
    for (std::size_t d = plan_.dims.size() - 1; d-- > 0;) {
      const PadPlan::Dimension& dim = plan_.dims[d];
      const std::int64_t behind = row % dim.size - dim.first, i = dim.begin + behind / dim.step;
      if (behind < 0 || behind % dim.step != 0 || i >= dim.end) return;
      x += i * dim.stride;
      row /= dim.size;
    }
    for (std::int64_t i = last.begin; i < last.end; ++i) to[last.first + (i - last.begin) * last.step] = x[i];
  }

  PadPlan plan_;
  Slice x_, value_, result_;
};

}  // namespace

Unit pad_unit(const ir::Node& node) {
  Unit unit = unit_of(node);
  unit.info.category = "pad";
  unit.thunk().make = [plan = pad_plan(node)](std::span<const Slice> reads, std::span<const Slice> writes,
                                              const Slice&) {
    return std::make_unique<PadThunk>(plan, reads, writes[0]);
  };
  return unit;
}

}  // namespace weft::compiler
