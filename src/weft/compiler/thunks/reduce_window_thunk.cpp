#include <algorithm>

#include <weft/compiler/thunks/combine.h>
#include <weft/compiler/thunks/native.h>
#include <weft/compiler/thunks/window_taps.h>
#include <weft/compiler/thunks/window_thunk.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

struct Plan {
  Combine how = Combine::add;
  DType dtype = DType::f32;
  std::int64_t results = 0, window_elements = 1;
  std::vector<std::int64_t> sizes;                  // of the result
  std::vector<std::vector<std::vector<Tap>>> taps;  // of each dimension and position, `base` as offset
};

Plan make_plan(const ir::Node& node, Combine how) {
  const Type x = node.operand(0).type();
  std::vector<std::int64_t> strides(static_cast<std::size_t>(x.rank()));
  row_major_strides(x.dims(), strides);
  Plan plan{.how = how, .dtype = x.dtype(), .results = node.type().elements(), .sizes = {}, .taps = {}};
  for (int d = 0; d < x.rank(); ++d) {
    const ir::WindowDim w = ir::window_dim(node.attributes<ir::ReduceWindowAttributes>(), d);
    plan.sizes.push_back(node.type().size(d));
    plan.window_elements *= w.size;
    plan.taps.push_back(window_taps(w, x.size(d), plan.sizes.back()));
    for (auto& position : plan.taps.back())
      for (Tap& tap : position) tap.base *= strides[static_cast<std::size_t>(d)];
  }
  return plan;
}

class ReduceWindowThunk final : public runtime::Thunk {
 public:
  ReduceWindowThunk(Plan plan, const Slice& x, const Slice& initial, const Slice& result)
      : plan_(std::move(plan)), x_(x), initial_(initial), result_(result) {}

  void run(const runtime::Launch& launch) const override {
    visit(plan_.dtype, [&]<class T>(T) {
      switch (plan_.how) {
        case Combine::replace: return run_as<T, Combine::replace>(launch);
        case Combine::add: return run_as<T, Combine::add>(launch);
        case Combine::multiply: return run_as<T, Combine::multiply>(launch);
        case Combine::minimum: return run_as<T, Combine::minimum>(launch);
        case Combine::maximum: return run_as<T, Combine::maximum>(launch);
        case Combine::bit_and: return run_as<T, Combine::bit_and>(launch);
        case Combine::bit_or: return run_as<T, Combine::bit_or>(launch);
      }
    });
  }

 private:
  // Each window is folded by one thread in one order; floats in double.
  template <class T, Combine How>
  void run_as(const runtime::Launch& launch) const {
    const T* x = launch.at<T>(x_);
    const T initial = *launch.at<T>(initial_);
    T* result = launch.at<T>(result_);
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, plan_.window_elements));
    runtime::parallel_for(plan_.results, grain, [&](std::int64_t begin, std::int64_t end) {
      std::int64_t position[Type::max_rank];
      std::int64_t rest = begin;
      for (std::size_t d = plan_.sizes.size(); d-- > 0;) {
        position[d] = rest % plan_.sizes[d];
        rest /= plan_.sizes[d];
      }
      for (std::int64_t i = begin; i < end; ++i) {
        result[i] = window<T, How>(x, initial, position);
        for (std::size_t d = plan_.sizes.size(); d-- > 0 && ++position[d] == plan_.sizes[d];) position[d] = 0;
      }
    });
  }

  template <class T, Combine How>
  T window(const T* x, T initial, const std::int64_t* position) const {
    using Sum = std::conditional_t<is_float_type<T>, double, T>;
    Sum sum = static_cast<Sum>(initial);
    std::int64_t inside = 0;
    fold<T, How, Sum>(x, position, 0, sum, inside);
    // Padding is the initial value again, which the other operations do not see twice.
    if constexpr (How == Combine::add || How == Combine::multiply)
      for (; inside < plan_.window_elements; ++inside) sum = combined(How, sum, static_cast<Sum>(initial));
    return convert_element<T>(sum);
  }

  template <class T, Combine How, class Sum>
  void fold(const T* x, const std::int64_t* position, std::size_t d, Sum& sum, std::int64_t& inside) const {
    if (d == plan_.taps.size()) {
      sum = combined(How, sum, static_cast<Sum>(*x));
      ++inside;
      return;
    }
    const std::vector<Tap>& taps = plan_.taps[d][static_cast<std::size_t>(position[d])];
    if (d + 1 < plan_.taps.size()) {
      for (const Tap& tap : taps) fold<T, How, Sum>(x + tap.base, position, d + 1, sum, inside);
      return;
    }
    for (const Tap& tap : taps) sum = combined(How, sum, static_cast<Sum>(x[tap.base]));
    inside += static_cast<std::int64_t>(taps.size());
  }

  Plan plan_;
  Slice x_, initial_, result_;
};

}  // namespace

std::optional<Unit> reduce_window_unit(const ir::Node& node) {
  if (node.operands.size() != 2) return std::nullopt;
  const auto how = combine_of(*node.regions[0]);
  if (!how || *how == Combine::replace) return std::nullopt;
  Plan plan = make_plan(node, *how);
  Unit unit = unit_of(node);
  unit.info.category = "reduce window";
  unit.info.flops = static_cast<double>(plan.results) * static_cast<double>(plan.window_elements);
  unit.make = [plan = std::move(plan)](std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<ReduceWindowThunk>(plan, reads[0], reads[1], writes[0]);
  };
  return unit;
}

}  // namespace weft::compiler
