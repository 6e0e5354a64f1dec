#include <weft/compiler/thunks/running_fold_thunk.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <weft/base/convert.h>
#include <weft/compiler/loop/lower.h>
#include <weft/ir/interpreter/prims.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/window.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

enum class FoldOp : std::uint8_t { add, multiply, maximum, minimum };

// A running fold along the middle one of three dimensions.
struct RunningFold {
  FoldOp op;
  DType dtype;
  std::int64_t outer = 1, size = 1, inner = 1;
  std::int64_t window = 1;  // number of elements, padding included
  bool is_forward = true;   // over the elements before each one
  bool is_wide = true;      // sums and products of floats are kept in f64
};

// The type in which elements are folded. Of sums and products of integers, the low bits are exact.
template <class T, FoldOp op, bool is_wide>
struct FoldedIn {
  static constexpr bool is_extremum = op == FoldOp::maximum || op == FoldOp::minimum;
  using Real = std::conditional_t<is_wide || is_extremum || std::is_same_v<T, double>, double, float>;
  using type = std::conditional_t<is_float_type<T>, Real, std::conditional_t<is_extremum, T, std::uint64_t>>;
};

template <FoldOp op, class Sum>
Sum folded(Sum a, Sum b) {
  if constexpr (op == FoldOp::add) return a + b;
  if constexpr (op == FoldOp::multiply) return a * b;
  if constexpr (std::is_floating_point_v<Sum>)
    return op == FoldOp::maximum ? ir::interpreter::maximum(a, b) : -ir::interpreter::maximum(-a, -b);
  return op == FoldOp::maximum ? std::max(a, b) : std::min(a, b);
}

class RunningFoldThunk final : public runtime::Thunk {
 public:
  RunningFoldThunk(const RunningFold& plan, std::span<const Slice> from, std::span<const Slice> to)
      : plan_(plan), x_(from[0]), initial_(from[1]), result_(to[0]) {}

  void run(const runtime::Launch& launch) const override {
    switch (plan_.op) {
      case FoldOp::add: return run<FoldOp::add>(launch);
      case FoldOp::multiply: return run<FoldOp::multiply>(launch);
      case FoldOp::maximum: return run<FoldOp::maximum>(launch);
      case FoldOp::minimum: return run<FoldOp::minimum>(launch);
    }
  }

 private:
  static constexpr std::int64_t most_rows = 4, few_columns = 64, most_columns = 256;

  template <FoldOp op>
  void run(const runtime::Launch& launch) const {
    visit(plan_.dtype, [&]<class T>(T) {
      if (plan_.is_wide)
        run<T, op, typename FoldedIn<T, op, true>::type>(launch);
      else
        run<T, op, typename FoldedIn<T, op, false>::type>(launch);
    });
  }

  template <class T, FoldOp op, class Sum>
  void run(const runtime::Launch& launch) const {
    const auto* const x = reinterpret_cast<const T*>(launch.at(x_));
    auto* const y = reinterpret_cast<T*>(launch.at(result_));
    T first;
    std::memcpy(static_cast<void*>(&first), launch.at(initial_), sizeof first);
    const Sum initial = wide<Sum>(first);
    // Computes several folds in step: neighbouring columns, or whole rows.
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
          fold<op, most_columns>(x + at, y + at, count, 1, initial);
        else if (count == most_rows)
          fold<op, most_rows>(x + at, y + at, most_rows, plan_.size, initial);
        else
          for (std::int64_t i = 0; i < count; ++i)
            fold<op, 1>(x + at + i * plan_.size, y + at + i * plan_.size, 1, 0, initial);
      }
    });
  }

  // Longer pieces are read faster; use them if they leave enough work for every thread.
  std::int64_t columns_together() const {
    const std::int64_t pieces = plan_.outer * (plan_.inner / most_columns);
    return pieces < runtime::thread_count() ? few_columns : most_columns;
  }

  // Computes `count` folds, whose first elements lie `apart` elements from one another.
  template <FoldOp op, std::int64_t most, class T, class Sum>
  [[gnu::always_inline]] void fold(const T* x, T* y, std::int64_t count, std::int64_t apart, Sum initial) const {
    std::array<Sum, most> sums;
    std::fill_n(sums.begin(), count, initial);
    for (std::int64_t k = 0; k < plan_.size; ++k) {
      const std::int64_t row = (plan_.is_forward ? k : plan_.size - 1 - k) * plan_.inner;
      // Padding changes no extremum, and products begin with 1.
      Sum padding{};
      if constexpr (op == FoldOp::add)
        if (initial != Sum{}) padding = initial * (plan_.window - 1 - k);
      for (std::int64_t c = 0; c < count; ++c) {
        Sum& sum = sums[c];
        sum = folded<op>(sum, wide<Sum>(x[row + c * apart]));
        y[row + c * apart] = narrow<T>(op == FoldOp::add ? folded<FoldOp::add>(sum, padding) : sum);
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

  RunningFold plan_;
  Slice x_, initial_, result_;
};

std::optional<FoldOp> fold_op(const ir::Node& node) {
  const ir::Op* const op = ir::reduction_op(*node.regions[0]);
  if (op == &ir::ops::add) return FoldOp::add;
  if (op == &ir::ops::maximum) return FoldOp::maximum;
  if (op == &ir::ops::minimum) return FoldOp::minimum;
  const ir::Literal* const initial = ir::splat_of(node.operand(1));
  const bool begins_with_one = initial && splat_bits(*initial) == identity_of(ir::ops::multiply, node.type().dtype());
  return op == &ir::ops::multiply && begins_with_one ? std::optional(FoldOp::multiply) : std::nullopt;
}

std::optional<RunningFold> running_fold(const ir::Node& node) {
  const Type x = node.operand(0).type();
  if (node.operands.size() != 2 || x.elements() == 0) return std::nullopt;
  const auto op = fold_op(node);
  if (!op) return std::nullopt;
  if ((!is_float(x.dtype()) && !is_integer(x.dtype())) || is_narrow(x.dtype())) return std::nullopt;
  RunningFold fold{.op = *op, .dtype = x.dtype()};
  bool is_found = false;
  for (int d = 0; d < x.rank(); ++d) {
    const ir::WindowDim w = ir::window_dim(node.attributes<ir::ReduceWindowAttributes>(), d);
    if (w.is_trivial()) {
      (is_found ? fold.inner : fold.outer) *= x.size(d);
      continue;
    }
    const bool is_whole = w.stride == 1 && w.base_dilation == 1 && w.dilation == 1 && w.size >= x.size(d);
    const bool is_forward = w.low == w.size - 1 && w.high == 0, is_backward = w.low == 0 && w.high == w.size - 1;
    if (is_found || !is_whole || !(is_forward || is_backward)) return std::nullopt;
    is_found = true;
    fold.size = x.size(d);
    fold.window = w.size;
    fold.is_forward = is_forward;
  }
  return is_found ? std::optional(fold) : std::nullopt;
}

}  // namespace

std::optional<Unit> running_fold_unit(const ir::Node& node, bool strict) {
  // A window folds its elements from the first to the last, but a running sum or product of the following elements takes them in the opposite
  // order.
  constexpr std::int64_t most_additions_for_order = 64;
  std::optional<RunningFold> plan = running_fold(node);
  if (!plan) return std::nullopt;
  // A long sum in the element's own precision would keep few correct bits.
  plan->is_wide = !strict;
  const bool depends_on_order = plan->op == FoldOp::add || plan->op == FoldOp::multiply;
  if (strict && !plan->is_forward && is_float(plan->dtype) && depends_on_order) {
    if (plan->window <= most_additions_for_order) return std::nullopt;
    plan->is_wide = true;
  }
  Unit unit = unit_of(node);
  unit.info.category = plan->op == FoldOp::add ? "running sum" : "running fold";
  unit.flops = node.type().elements();
  unit.thunk().make = [plan = *plan](std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<RunningFoldThunk>(plan, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
