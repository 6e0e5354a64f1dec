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
  if (x.rank() == 0) {
    plan.sizes = {1};
    plan.taps = {{{Tap{0, 0}}}};
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
  // Sums and products of floats in double; the others choose one of the elements.
  template <class T, Combine How>
  using Sum =
      std::conditional_t<is_float_type<T> && (How == Combine::add || How == Combine::multiply || sizeof(T) == 2),
                         double, T>;

  // Windows come in rows along the last dimension, and each is folded by one thread in one order.
  template <class T, Combine How>
  void run_as(const runtime::Launch& launch) const {
    const T* x = launch.at<T>(x_);
    const T initial = *launch.at<T>(initial_);
    T* result = launch.at<T>(result_);
    const std::int64_t length = plan_.sizes.back(), rows = length == 0 ? 0 : plan_.results / length;
    const std::int64_t grain =
        std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, plan_.window_elements * length));
    runtime::parallel_for(rows, grain, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t> offsets;  // of the rows of the operand that the windows of this row touch
      for (std::int64_t row = begin; row < end; ++row) {
        std::int64_t position[Type::max_rank], rest = row;
        for (std::size_t d = plan_.sizes.size() - 1; d-- > 0;) {
          position[d] = rest % plan_.sizes[d];
          rest /= plan_.sizes[d];
        }
        offsets.clear();
        append_offsets(0, position, 0, offsets);
        for (std::int64_t i = 0; i < length; ++i)
          result[row * length + i] =
              window<T, How>(x, initial, offsets, plan_.taps.back()[static_cast<std::size_t>(i)]);
      }
    });
  }

  void append_offsets(std::int64_t at, const std::int64_t* position, std::size_t d,
                      std::vector<std::int64_t>& offsets) const {
    if (d + 1 == plan_.taps.size()) {
      offsets.push_back(at);
      return;
    }
    for (const Tap& tap : plan_.taps[d][static_cast<std::size_t>(position[d])])
      append_offsets(at + tap.base, position, d + 1, offsets);
  }

  template <class T, Combine How>
  T window(const T* x, T initial, const std::vector<std::int64_t>& offsets, const std::vector<Tap>& taps) const {
    using S = Sum<T, How>;
    S sum = static_cast<S>(initial);
    for (const std::int64_t offset : offsets)
      for (const Tap& tap : taps) sum = combined(How, sum, static_cast<S>(x[offset + tap.base]));
    // Padding is the initial value again, which the other operations do not see twice.
    if constexpr (How == Combine::add || How == Combine::multiply)
      for (auto inside = static_cast<std::int64_t>(offsets.size() * taps.size()); inside < plan_.window_elements;
           ++inside)
        sum = combined(How, sum, static_cast<S>(initial));
    return convert_element<T>(sum);
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
