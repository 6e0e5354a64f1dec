#include <weft/compiler/thunks/running_sum_thunk.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <weft/base/convert.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/window.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// A running sum along the middle one of three dimensions.
struct RunningSum {
  DType dtype;
  std::int64_t outer = 1, size = 1, inner = 1;
  std::int64_t window = 1;  // number of elements, padding included
  bool is_forward = true;   // sums over the elements before each one
  bool is_wide = true;      // floats are summed in f64
};

// For integers, the low bits are exact.
template <class T, bool is_wide>
using RunningSumOf = std::conditional_t<!is_float_type<T>, std::uint64_t,
                                        std::conditional_t<is_wide || std::is_same_v<T, double>, double, float>>;

class RunningSumThunk final : public runtime::Thunk {
 public:
  RunningSumThunk(const RunningSum& plan, std::span<const Slice> from, std::span<const Slice> to)
      : plan_(plan), x_(from[0]), initial_(from[1]), result_(to[0]) {}

  void run(const runtime::Launch& launch) const override {
    visit(plan_.dtype, [&]<class T>(T) {
      if (plan_.is_wide)
        run<T, RunningSumOf<T, true>>(launch);
      else
        run<T, RunningSumOf<T, false>>(launch);
    });
  }

 private:
  static constexpr std::int64_t most_rows = 4, few_columns = 64, most_columns = 256;

  template <class T, class Sum>
  void run(const runtime::Launch& launch) const {
    const auto* const x = reinterpret_cast<const T*>(launch.at(x_));
    auto* const y = reinterpret_cast<T*>(launch.at(result_));
    T first;
    std::memcpy(static_cast<void*>(&first), launch.at(initial_), sizeof first);
    const Sum initial = wide<Sum>(first);
    // Computes several sums in step: neighbouring columns, or whole rows.
    const bool are_rows = plan_.inner == 1;
    const std::int64_t sums = are_rows ? plan_.outer : plan_.inner;
    const std::int64_t most = are_rows ? most_rows : columns_together();
    const std::int64_t parts = (sums + most - 1) / most;
    const std::int64_t work = plan_.size * std::min(sums, most);
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / work);
    runtime::parallel_for(are_rows ? parts : plan_.outer * parts, grain, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; ++begin) {
        const std::int64_t first_sum = begin % parts * most, count = std::min(most, sums - first_sum);
        const std::int64_t at = begin / parts * plan_.size * plan_.inner + first_sum * (are_rows ? plan_.size : 1);
        if (!are_rows)
          add<most_columns>(x + at, y + at, count, 1, initial);
        else if (count == most_rows)
          add<most_rows>(x + at, y + at, most_rows, plan_.size, initial);
        else
          for (std::int64_t i = 0; i < count; ++i)
            add<1>(x + at + i * plan_.size, y + at + i * plan_.size, 1, 0, initial);
      }
    });
  }

  // Longer pieces are read faster; use them if they leave enough work for every thread.
  std::int64_t columns_together() const {
    const std::int64_t pieces = plan_.outer * (plan_.inner / most_columns);
    return pieces < runtime::thread_count() ? few_columns : most_columns;
  }

  // Computes `count` sums, whose first elements lie `apart` elements from one another.
  template <std::int64_t most, class T, class Sum>
  [[gnu::always_inline]] void add(const T* x, T* y, std::int64_t count, std::int64_t apart, Sum initial) const {
    std::array<Sum, most> sums;
    std::fill_n(sums.begin(), count, initial);
    for (std::int64_t k = 0; k < plan_.size; ++k) {
      const std::int64_t row = (plan_.is_forward ? k : plan_.size - 1 - k) * plan_.inner;
      const Sum padding = initial == Sum{} ? Sum{} : initial * (plan_.window - 1 - k);
      for (std::int64_t c = 0; c < count; ++c) {
        Sum& sum = sums[c];
        sum += wide<Sum>(x[row + c * apart]);
        y[row + c * apart] = narrow<T>(sum + padding);
      }
    }
  }

  template <class Sum, class T>
  static Sum wide(T value) {
    if constexpr (is_float_type<T>)
      return convert_element<Sum>(value);
    else
      return value;
  }
  template <class T, class Sum>
  static T narrow(Sum sum) {
    if constexpr (is_float_type<T>)
      return convert_element<T>(sum);
    else
      return sum;
  }

  RunningSum plan_;
  Slice x_, initial_, result_;
};

std::optional<RunningSum> running_sum(const ir::Node& node) {
  const Type x = node.operand(0).type();
  if (node.operands.size() != 2 || ir::reduction_op(*node.regions[0]) != &ir::ops::add || x.elements() == 0)
    return std::nullopt;
  if ((!is_float(x.dtype()) && !is_integer(x.dtype())) || is_narrow(x.dtype())) return std::nullopt;
  RunningSum sum{.dtype = x.dtype()};
  bool is_found = false;
  for (int d = 0; d < x.rank(); ++d) {
    const ir::WindowDim w = ir::window_dim(node.attributes<ir::ReduceWindowAttributes>(), d);
    if (w.is_trivial()) {
      (is_found ? sum.inner : sum.outer) *= x.size(d);
      continue;
    }
    const bool is_whole = w.stride == 1 && w.base_dilation == 1 && w.dilation == 1 && w.size >= x.size(d);
    const bool is_forward = w.low == w.size - 1 && w.high == 0, is_backward = w.low == 0 && w.high == w.size - 1;
    if (is_found || !is_whole || !(is_forward || is_backward)) return std::nullopt;
    is_found = true;
    sum.size = x.size(d);
    sum.window = w.size;
    sum.is_forward = is_forward;
  }
  return is_found ? std::optional(sum) : std::nullopt;
}

}  // namespace

std::optional<Unit> running_sum_unit(const ir::Node& node, bool strict) {
  // A window adds its elements from the first to the last, but a running sum over the following elements adds them in the opposite order.
  constexpr std::int64_t most_additions_for_order = 64;
  std::optional<RunningSum> plan = running_sum(node);
  if (!plan) return std::nullopt;
  // A long sum in the element's own precision would keep few correct bits.
  plan->is_wide = !strict;
  if (strict && !plan->is_forward && is_float(plan->dtype)) {
    if (plan->window <= most_additions_for_order) return std::nullopt;
    plan->is_wide = true;
  }
  Unit unit = unit_of(node);
  unit.info.category = "running sum";
  unit.flops = node.type().elements();
  unit.thunk().make = [plan = *plan](std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<RunningSumThunk>(plan, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
