#include <algorithm>
#include <cstring>

#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/combine.h>
#include <weft/compiler/thunks/window_taps.h>
#include <weft/compiler/thunks/window_thunk.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Direction;
using runtime::Slice;
namespace ops = ir::ops;

namespace {

// Dimensions in which the window is one element at each place of the operand split it into parts that know nothing of each
// other: the trailing ones into lanes, which lie side by side, the others (before or between the windows) into parts. The windows of
// a part come in order.
struct Plan {
  struct Dimension {
    std::int64_t size, stride, positions, source_stride;
    std::vector<std::vector<Tap>> taps;  // of each position, `base` as offset in the operand
  };
  std::vector<Dimension> parts, windows;
  std::int64_t part_count = 1, lanes = 1, windows_count = 1, window_elements = 1, elements = 0;
};

constexpr std::int64_t lane_block = 64;

Plan make_plan(const ir::Node& node) {
  const Type x = node.operand(0).type(), source = node.operand(1).type();
  std::vector<std::int64_t> strides(static_cast<std::size_t>(x.rank())), source_strides(strides.size());
  row_major_strides(x.dims(), strides);
  row_major_strides(source.dims(), source_strides);
  Plan plan;
  plan.elements = x.elements();
  for (int d = x.rank() - 1; d >= 0; --d) {
    const auto i = static_cast<std::size_t>(d);
    const ir::WindowDim w = ir::window_dim(node.attributes<ir::SelectAndScatterAttributes>(), d);
    Plan::Dimension dim{x.size(d), strides[i], source.size(d), source_strides[i], {}};
    if (w.is_trivial() && plan.windows.empty()) {
      plan.lanes *= dim.size;
    } else if (w.is_trivial()) {
      plan.part_count *= dim.size;
      plan.parts.insert(plan.parts.begin(), std::move(dim));
    } else {
      dim.taps = window_taps(w, dim.size, dim.positions);
      for (auto& position : dim.taps)
        for (Tap& tap : position) tap.base *= dim.stride;
      plan.windows_count *= dim.positions;
      plan.window_elements *= w.size;
      plan.windows.insert(plan.windows.begin(), std::move(dim));
    }
  }
  return plan;
}

class SelectAndScatterThunk : public runtime::Thunk {
 public:
  SelectAndScatterThunk(Plan plan, std::span<const Slice> from, const Slice& result)
      : plan_(std::move(plan)), x_(from[0]), source_(from[1]), initial_(from[2]), result_(result) {}

 protected:
  // Calls f(offsets, source, lanes) for every window of every part and block of lanes: offsets of the first lane of the window's
  // elements in the operand, in order, and of the first lane in the source. Windows without elements are left out.
  template <class F>
  void for_windows(F&& f) const {
    const std::int64_t blocks = (plan_.lanes + lane_block - 1) / lane_block;
    const std::int64_t work = plan_.windows_count * plan_.window_elements * std::min(plan_.lanes, lane_block);
    const std::int64_t grain = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, work));
    runtime::parallel_for(plan_.part_count * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
      std::vector<std::int64_t> offsets;
      for (std::int64_t task = begin; task < end; ++task) {
        std::int64_t x = task % blocks * lane_block, source = x, rest = task / blocks;
        const std::int64_t lanes = std::min(lane_block, plan_.lanes - x);
        for (std::size_t d = plan_.parts.size(); d-- > 0;) {
          const auto& dim = plan_.parts[d];
          x += rest % dim.size * dim.stride;
          source += rest % dim.size * dim.source_stride;
          rest /= dim.size;
        }
        offsets.assign(1, x);
        walk(0, offsets, source, lanes, f);
      }
    });
  }

  Plan plan_;
  Slice x_, source_, initial_, result_;

 private:
  // `offsets`: of the window's elements in the dimensions before `d`.
  template <class F>
  void walk(std::size_t d, const std::vector<std::int64_t>& offsets, std::int64_t source, std::int64_t lanes,
            F& f) const {
    if (d == plan_.windows.size()) {
      if (!offsets.empty()) f(std::span(offsets), source, lanes);
      return;
    }
    const auto& dim = plan_.windows[d];
    std::vector<std::int64_t> inner;
    for (std::int64_t position = 0; position < dim.positions; ++position) {
      inner.clear();
      for (const std::int64_t offset : offsets)
        for (const Tap& tap : dim.taps[static_cast<std::size_t>(position)]) inner.push_back(offset + tap.base);
      walk(d + 1, inner, source + position * dim.source_stride, lanes, f);
    }
  }
};

template <Direction direction, class T>
bool keeps(T held, T offered) {
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

// A comparison that selects and a sum that scatters: the gradient of pooling. Sums of 16-bit floats are made in scratch memory.
class PoolGradientThunk final : public SelectAndScatterThunk {
 public:
  PoolGradientThunk(Direction keep, DType dtype, Plan plan, std::span<const Slice> from, const Slice& result,
                    const Slice& scratch)
      : SelectAndScatterThunk(std::move(plan), from, result), keep_(keep), dtype_(dtype), scratch_(scratch) {}

  template <class T>
  using Sum = std::conditional_t<is_float_type<T> && sizeof(T) == 2, float, T>;

  void run(const runtime::Launch& launch) const override {
    visit(dtype_, [&]<class T>(T) {
      switch (keep_) {
        case Direction::GE: return run_as<T, Direction::GE>(launch);
        case Direction::GT: return run_as<T, Direction::GT>(launch);
        case Direction::LE: return run_as<T, Direction::LE>(launch);
        case Direction::LT: return run_as<T, Direction::LT>(launch);
        case Direction::EQ: return run_as<T, Direction::EQ>(launch);
        case Direction::NE: return run_as<T, Direction::NE>(launch);
      }
    });
  }

 private:
  template <class T, Direction direction>
  void run_as(const runtime::Launch& launch) const {
    constexpr bool direct = std::is_same_v<Sum<T>, T>;
    const T* const x = launch.at<T>(x_);
    const T* const source = launch.at<T>(source_);
    T* const result = launch.at<T>(result_);
    auto* const sums = launch.at<Sum<T>>(direct ? result_ : scratch_);
    constexpr std::int64_t grain = 65536;
    runtime::parallel_for(plan_.elements, grain, [&](std::int64_t begin, std::int64_t end) {
      std::fill(sums + begin, sums + end, static_cast<Sum<T>>(*launch.at<T>(initial_)));
    });
    for_windows([&](std::span<const std::int64_t> offsets, std::int64_t from, std::int64_t lanes) {
      std::int64_t chosen[lane_block];
      choose<T, direction>(x, offsets, lanes, chosen);
      for (std::int64_t l = 0; l < lanes; ++l) {
        Sum<T>& sum = sums[chosen[l] + l];
        sum = combined(Combine::add, sum, static_cast<Sum<T>>(source[from + l]));
      }
    });
    if constexpr (!direct)
      runtime::parallel_for(plan_.elements, grain, [&](std::int64_t begin, std::int64_t end) {
        std::transform(sums + begin, sums + end, result + begin, [](Sum<T> s) { return convert_element<T>(s); });
      });
  }

  // The offset of the element that each lane selects.
  template <class T, Direction direction>
  static void choose(const T* x, std::span<const std::int64_t> offsets, std::int64_t lanes, std::int64_t* chosen) {
    if (lanes == 1) {
      std::int64_t best = offsets[0];
      for (const std::int64_t offset : offsets.subspan(1))
        if (!keeps<direction>(x[best], x[offset])) best = offset;
      *chosen = best;
      return;
    }
    T held[lane_block];
    std::int32_t tap[lane_block] = {};
    std::copy_n(x + offsets[0], lanes, held);
    for (std::size_t k = 1; k < offsets.size(); ++k) {
      const T* const offered = x + offsets[k];
      for (std::int64_t l = 0; l < lanes; ++l) {
        const bool kept = keeps<direction>(held[l], offered[l]);
        held[l] = kept ? held[l] : offered[l];
        tap[l] = kept ? tap[l] : static_cast<std::int32_t>(k);
      }
    }
    for (std::int64_t l = 0; l < lanes; ++l) chosen[l] = offsets[static_cast<std::size_t>(tap[l])];
  }

  Direction keep_;
  DType dtype_;
  Slice scratch_;
};

// With any bodies, element by element.
class FoldThunk final : public SelectAndScatterThunk {
 public:
  FoldThunk(std::shared_ptr<const Body> select, std::shared_ptr<const Body> scatter, DType dtype, Plan plan,
            std::span<const Slice> from, const Slice& result)
      : SelectAndScatterThunk(std::move(plan), from, result),
        select_(std::move(select)),
        scatter_(std::move(scatter)),
        width_(byte_size(dtype)) {}

  void run(const runtime::Launch& launch) const override {
    std::byte *const x = launch.at(x_), *const source = launch.at(source_), *const result = launch.at(result_);
    for (std::int64_t i = 0; i < plan_.elements; ++i)
      std::memcpy(result + i * width_, launch.at(initial_), static_cast<std::size_t>(width_));
    for_windows([&](std::span<const std::int64_t> offsets, std::int64_t from, std::int64_t lanes) {
      for (std::int64_t l = 0; l < lanes; ++l) {
        std::byte* held = x + (offsets[0] + l) * width_;
        for (const std::int64_t offset : offsets.subspan(1)) {
          std::byte* const offered = x + (offset + l) * width_;
          if (!keeps(held, offered)) held = offered;
        }
        std::byte* const into = result + (held - x);
        std::byte* const buffers[] = {into, source + (from + l) * width_, into};
        scatter_->apply(1, buffers, no_strides);
      }
    });
  }

 private:
  static constexpr std::int64_t no_strides[3] = {};

  bool keeps(std::byte* held, std::byte* offered) const {
    std::byte answer{};
    std::byte* const buffers[] = {held, offered, &answer};
    select_->apply(1, buffers, no_strides);
    return answer != std::byte{0};
  }

  std::shared_ptr<const Body> select_, scatter_;
  std::int64_t width_;
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

Unit select_and_scatter_unit(const ir::Node& node, const NativeContext& context) {
  const DType dtype = node.type().dtype();
  Unit unit = unit_of(node);
  unit.info.category = "select and scatter";
  const auto keep = comparison_of(*node.regions[0]);
  if (keep && combine_of(*node.regions[1]) == Combine::add) {
    if (is_float(dtype) && byte_size(dtype) == 2)
      unit.scratch_bytes = static_cast<std::uint64_t>(node.type().elements()) * sizeof(float);
    unit.make = [keep = *keep, dtype, plan = make_plan(node)](std::span<const Slice> reads,
                                                              std::span<const Slice> writes, const Slice& scratch) {
      return std::make_unique<PoolGradientThunk>(keep, dtype, plan, reads, writes[0], scratch);
    };
  } else {
    unit.make = [select = std::make_shared<const Body>(*node.regions[0], context),
                 scatter = std::make_shared<const Body>(*node.regions[1], context), dtype,
                 plan = make_plan(node)](std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
      return std::make_unique<FoldThunk>(select, scatter, dtype, plan, reads, writes[0]);
    };
  }
  return unit;
}

}  // namespace weft::compiler
