#include <algorithm>

#include <weft/compiler/thunks/combine.h>
#include <weft/compiler/thunks/native.h>
#include <weft/compiler/thunks/window_taps.h>
#include <weft/compiler/thunks/window_thunk.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Direction;
using runtime::Slice;
namespace ops = ir::ops;

namespace {

// Dimensions in which the window is one element at each place of the operand split it into parts that know nothing of each
// other; over the other dimensions the windows of a part come in order.
struct Plan {
  struct Dimension {
    std::int64_t x_size, x_stride, positions, position_stride;
    std::vector<std::vector<Tap>> taps;  // `base` as offset in the operand
  };
  Direction keep = Direction::GE;
  DType dtype = DType::f32;
  std::vector<Dimension> parts, windows;
  std::int64_t part_count = 1, part_elements = 1, window_count = 1;
};

Plan make_plan(const ir::Node& node, Direction keep) {
  const Type x = node.operand(0).type(), source = node.operand(1).type();
  std::vector<std::int64_t> x_strides(static_cast<std::size_t>(x.rank())), source_strides(x_strides.size());
  row_major_strides(x.dims(), x_strides);
  row_major_strides(source.dims(), source_strides);
  Plan plan{.keep = keep, .dtype = x.dtype(), .parts = {}, .windows = {}};
  for (int d = 0; d < x.rank(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    const ir::WindowDim w = ir::window_dim(node.attributes<ir::SelectAndScatterAttributes>(), d);
    Plan::Dimension dim{x.size(d), x_strides[i], source.size(d), source_strides[i], {}};
    if (w.is_trivial()) {
      plan.part_count *= dim.x_size;
      plan.parts.push_back(std::move(dim));
      continue;
    }
    dim.taps = window_taps(w, dim.x_size, dim.positions);
    for (auto& position : dim.taps)
      for (Tap& tap : position) tap.base *= dim.x_stride;
    plan.part_elements *= dim.x_size;
    plan.window_count *= dim.positions;
    plan.windows.push_back(std::move(dim));
  }
  return plan;
}

template <class T>
bool keeps(Direction direction, T held, T offered) {
  switch (direction) {
    case Direction::GE: return held >= offered;
    case Direction::GT: return held > offered;
    case Direction::LE: return held <= offered;
    case Direction::LT: return held < offered;
    case Direction::EQ: return held == offered;
    case Direction::NE: return held != offered;
  }
  return false;
}

class SelectAndScatterThunk final : public runtime::Thunk {
 public:
  SelectAndScatterThunk(Plan plan, std::span<const Slice> from, const Slice& result)
      : plan_(std::move(plan)), x_(from[0]), source_(from[1]), initial_(from[2]), result_(result) {}

  void run(const runtime::Launch& launch) const override {
    visit(plan_.dtype, [&]<class T>(T) { run_as<T>(launch); });
  }

 private:
  template <class T>
  using Sum = std::conditional_t<is_float_type<T>, double, T>;

  template <class T>
  void run_as(const runtime::Launch& launch) const {
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, plan_.part_elements));
    runtime::parallel_for(plan_.part_count, grain, [&](std::int64_t begin, std::int64_t end) {
      const auto memory = std::make_unique<Sum<T>[]>(static_cast<std::size_t>(plan_.part_elements));
      const std::span<Sum<T>> sums(memory.get(), static_cast<std::size_t>(plan_.part_elements));
      for (std::int64_t part = begin; part < end; ++part) {
        std::int64_t at_x = 0, at_source = 0, rest = part;
        for (std::size_t d = plan_.parts.size(); d-- > 0;) {
          const auto& dim = plan_.parts[d];
          at_x += rest % dim.x_size * dim.x_stride;
          at_source += rest % dim.x_size * dim.position_stride;
          rest /= dim.x_size;
        }
        run_part(launch.at<T>(x_) + at_x, launch.at<T>(source_) + at_source, *launch.at<T>(initial_),
                 launch.at<T>(result_) + at_x, sums);
      }
    });
  }

  template <class T>
  void run_part(const T* x, const T* source, T initial, T* result, std::span<Sum<T>> sums) const {
    std::ranges::fill(sums, static_cast<Sum<T>>(initial));
    for (std::int64_t i = 0; i < plan_.window_count; ++i) {
      std::int64_t position[Type::max_rank], at_source = 0, rest = i;
      for (std::size_t d = plan_.windows.size(); d-- > 0;) {
        position[d] = rest % plan_.windows[d].positions;
        rest /= plan_.windows[d].positions;
        at_source += position[d] * plan_.windows[d].position_stride;
      }
      std::int64_t chosen = -1;
      choose(x, 0, position, 0, chosen);
      if (chosen < 0) continue;
      Sum<T>& sum = sums[static_cast<std::size_t>(place_of(chosen))];
      sum = combined(Combine::add, sum, static_cast<Sum<T>>(source[at_source]));
    }
    for (std::int64_t i = 0; i < plan_.part_elements; ++i)
      result[offset_of(i)] = convert_element<T>(sums[static_cast<std::size_t>(i)]);
  }

  template <class T>
  void choose(const T* x, std::int64_t at, const std::int64_t* position, std::size_t d, std::int64_t& chosen) const {
    if (d == plan_.windows.size()) {
      if (chosen < 0 || !keeps(plan_.keep, x[chosen], x[at])) chosen = at;
      return;
    }
    for (const Tap& tap : plan_.windows[d].taps[static_cast<std::size_t>(position[d])])
      choose(x, at + tap.base, position, d + 1, chosen);
  }

  // Between a part's elements counted in order and their offsets in the operand.
  std::int64_t place_of(std::int64_t offset) const {
    std::int64_t place = 0;
    for (const auto& dim : plan_.windows) place = place * dim.x_size + offset / dim.x_stride % dim.x_size;
    return place;
  }
  std::int64_t offset_of(std::int64_t place) const {
    std::int64_t offset = 0;
    for (std::size_t d = plan_.windows.size(); d-- > 0;) {
      offset += place % plan_.windows[d].x_size * plan_.windows[d].x_stride;
      place /= plan_.windows[d].x_size;
    }
    return offset;
  }

  Plan plan_;
  Slice x_, source_, initial_, result_;
};

// The direction of a body that is compare(held, offered).
std::optional<Direction> comparison_of(const ir::Graph& body) {
  const ir::Value result = body.outputs()[0];
  if (result.node->op != &ops::compare) return std::nullopt;
  const auto& attributes = result.node->attributes<ir::CompareAttributes>();
  if (attributes.type == ir::Comparison::TOTALORDER || result.node->operand(0) != body.inputs()[0] ||
      result.node->operand(1) != body.inputs()[1])
    return std::nullopt;
  return attributes.direction;
}

}  // namespace

std::optional<Unit> select_and_scatter_unit(const ir::Node& node) {
  const auto keep = comparison_of(*node.regions[0]);
  if (!keep || combine_of(*node.regions[1]) != Combine::add) return std::nullopt;
  Unit unit = unit_of(node);
  unit.info.category = "select and scatter";
  unit.make = [plan = make_plan(node, *keep)](std::span<const Slice> reads, std::span<const Slice> writes,
                                              const Slice&) {
    return std::make_unique<SelectAndScatterThunk>(plan, reads, writes[0]);
  };
  return unit;
}

}  // namespace weft::compiler
