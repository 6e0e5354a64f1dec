#include <algorithm>
#include <cstring>

#include <weft/compiler/thunks/body.h>
#include <weft/compiler/thunks/combine.h>
#include <weft/compiler/thunks/window_taps.h>
#include <weft/compiler/thunks/window_thunk.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// Results come in rows along the last dimension. All of a row are folded in step: first the first element of each window, then
// the second... An element of the window lies, for a piece of the row, on elements of the operand a fixed step apart or on padding.
struct Piece {
  std::int64_t begin, count;
  std::int64_t from, step;  // offset in the operand of the first, and from one to the next
  bool padding;
};

struct Plan {
  std::vector<DType> dtypes;
  std::int64_t rows = 1, length = 1, window_elements = 1;
  struct Dimension {  // but the last
    std::int64_t positions, window;
    std::vector<std::int64_t> offsets;  // in the operand, of each position and element of the window; -1 for padding
  };
  std::vector<Dimension> dims;
  std::vector<std::vector<Piece>> pieces;  // of each element of the window in the last dimension
};

// Where in the base a window's element lies, -1 for padding.
std::int64_t base_of(const ir::WindowDim& w, std::int64_t size, std::int64_t position, std::int64_t k) {
  const std::int64_t dilated = position * w.stride - w.low + k * w.dilation;
  const bool inside = dilated >= 0 && dilated % w.base_dilation == 0 && dilated / w.base_dilation < size;
  return inside ? dilated / w.base_dilation : -1;
}

std::vector<Piece> pieces_of(const ir::WindowDim& w, std::int64_t size, std::int64_t length, std::int64_t k) {
  std::vector<Piece> pieces;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t from = base_of(w, size, i, k);
    Piece* last = pieces.empty() ? nullptr : &pieces.back();
    if (last && last->padding == (from < 0)) {
      if (last->count == 1 && !last->padding) last->step = from - last->from;
      if (last->padding || from == last->from + last->count * last->step) {
        ++last->count;
        continue;
      }
    }
    pieces.push_back({i, 1, from, 0, from < 0});
  }
  return pieces;
}

Plan make_plan(const ir::Node& node) {
  const Type x = node.operand(0).type();
  std::vector<std::int64_t> strides(static_cast<std::size_t>(x.rank()));
  row_major_strides(x.dims(), strides);
  Plan plan;
  for (const Type type : node.types) plan.dtypes.push_back(type.dtype());
  for (int d = 0; d < x.rank(); ++d) {
    const ir::WindowDim w = ir::window_dim(node.attributes<ir::ReduceWindowAttributes>(), d);
    const std::int64_t positions = node.type().size(d);
    plan.window_elements *= w.size;
    if (d + 1 == x.rank()) {
      plan.length = positions;
      for (std::int64_t k = 0; k < w.size; ++k) plan.pieces.push_back(pieces_of(w, x.size(d), positions, k));
      continue;
    }
    plan.rows *= positions;
    Plan::Dimension dim{positions, w.size, {}};
    for (std::int64_t i = 0; i < positions; ++i)
      for (std::int64_t k = 0; k < w.size; ++k) {
        const std::int64_t base = base_of(w, x.size(d), i, k);
        dim.offsets.push_back(base < 0 ? -1 : base * strides[static_cast<std::size_t>(d)]);
      }
    plan.dims.push_back(std::move(dim));
  }
  if (x.rank() == 0) plan.pieces = {{{0, 1, 0, 0, false}}};
  return plan;
}

class WindowThunk : public runtime::Thunk {
 public:
  WindowThunk(Plan plan, std::span<const Slice> from, std::span<const Slice> to)
      : plan_(std::move(plan)), reads_(from.begin(), from.end()), results_(to.begin(), to.end()) {}

 protected:
  template <class F>
  void for_rows(F&& f) const {
    const std::int64_t work = std::max<std::int64_t>(1, plan_.window_elements * plan_.length);
    runtime::parallel_for(plan_.length == 0 ? 0 : plan_.rows, std::max<std::int64_t>(1, 16384 / work), f);
  }

  // Calls fold(piece, offset) for all elements of the windows of a row, in their order; `offset` is to be added to piece.from.
  template <class F>
  void for_window(std::int64_t row, F&& fold) const {
    std::int64_t position[Type::max_rank] = {};
    for (std::size_t d = plan_.dims.size(); d-- > 0;) {
      position[d] = row % plan_.dims[d].positions;
      row /= plan_.dims[d].positions;
    }
    walk(0, position, 0, fold);
  }

  Plan plan_;
  std::vector<Slice> reads_, results_;

 private:
  template <class F>
  void walk(std::size_t d, const std::int64_t* position, std::int64_t offset, F& fold) const {
    if (d == plan_.dims.size()) {
      for (const auto& pieces : plan_.pieces) {
        if (offset < 0) fold(Piece{0, plan_.length, 0, 0, true}, 0);
        for (const Piece& piece : pieces)
          if (offset >= 0) fold(piece, offset);
      }
      return;
    }
    const Plan::Dimension& dim = plan_.dims[d];
    for (std::int64_t k = 0; k < dim.window; ++k) {
      const std::int64_t at = dim.offsets[static_cast<std::size_t>(position[d] * dim.window + k)];
      walk(d + 1, position, offset < 0 || at < 0 ? -1 : offset + at, fold);
    }
  }
};

// With one known operation.
class ReduceWindowThunk final : public WindowThunk {
 public:
  ReduceWindowThunk(Combine how, Plan plan, std::span<const Slice> from, std::span<const Slice> to)
      : WindowThunk(std::move(plan), from, to), how_(how) {}

  void run(const runtime::Launch& launch) const override {
    visit(plan_.dtypes[0], [&]<class T>(T) {
      switch (how_) {
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

  template <class T, Combine How>
  void run_as(const runtime::Launch& launch) const {
    using S = Sum<T, How>;
    const T* x = launch.at<T>(reads_[0]);
    const auto initial = static_cast<S>(*launch.at<T>(reads_[1]));
    T* result = launch.at<T>(results_[0]);
    for_rows([&](std::int64_t begin, std::int64_t end) {
      const auto memory = std::make_unique<S[]>(static_cast<std::size_t>(plan_.length));
      S* const sums = memory.get();
      for (std::int64_t row = begin; row < end; ++row) {
        std::fill_n(sums, plan_.length, initial);
        for_window(row, [&](const Piece& piece, std::int64_t offset) {
          // Once more the initial value is once more padding, which the operations that choose do not see twice.
          if (!piece.padding)
            fold<T, How>(sums + piece.begin, x + offset + piece.from, piece);
          else if (How == Combine::add || How == Combine::multiply)
            for (std::int64_t i = 0; i < piece.count; ++i)
              sums[piece.begin + i] = combined(How, sums[piece.begin + i], initial);
        });
        std::transform(sums, sums + plan_.length, result + row * plan_.length,
                       [](S s) { return convert_element<T>(s); });
      }
    });
  }

  template <class T, Combine How, class S>
  static void fold(S* sums, const T* x, const Piece& piece) {
    if (piece.step == 1) {
      for (std::int64_t i = 0; i < piece.count; ++i) sums[i] = combined(How, sums[i], static_cast<S>(x[i]));
    } else {
      for (std::int64_t i = 0; i < piece.count; ++i)
        sums[i] = combined(How, sums[i], static_cast<S>(x[i * piece.step]));
    }
  }

  Combine how_;
};

// With several operands, or any other body.
class FoldWindowThunk final : public WindowThunk {
 public:
  FoldWindowThunk(std::shared_ptr<const Body> body, Plan plan, std::span<const Slice> from, std::span<const Slice> to)
      : WindowThunk(std::move(plan), from, to), body_(std::move(body)) {
    for (const DType t : plan_.dtypes) widths_.push_back(byte_size(t));
  }

  void run(const runtime::Launch& launch) const override {
    std::vector<std::byte*> x, initial, result;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      x.push_back(launch.at(reads_[i]));
      initial.push_back(launch.at(reads_[results_.size() + i]));
      result.push_back(launch.at(results_[i]));
    }
    for_rows([&](std::int64_t begin, std::int64_t end) {
      Fold fold(*body_, widths_);
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t at = row * plan_.length;
        for (std::size_t i = 0; i < result.size(); ++i)
          for (std::int64_t j = at; j < at + plan_.length; ++j)
            std::memcpy(result[i] + j * widths_[i], initial[i], static_cast<std::size_t>(widths_[i]));
        for_window(row, [&](const Piece& piece, std::int64_t offset) {
          if (piece.padding)
            fold.run(piece.count, result, at + piece.begin, 1, initial, 0, 0);
          else
            fold.run(piece.count, result, at + piece.begin, 1, x, offset + piece.from, piece.step);
        });
      }
    });
  }

 private:
  std::shared_ptr<const Body> body_;
  std::vector<std::int64_t> widths_;
};

}  // namespace

Unit reduce_window_unit(const ir::Node& node, const NativeContext& context) {
  Plan plan = make_plan(node);
  Unit unit = unit_of(node);
  unit.info.category = "reduce window";
  unit.info.flops = static_cast<double>(node.type().elements()) * static_cast<double>(plan.window_elements);
  const auto how = node.types.size() == 1 ? combine_of(*node.regions[0]) : std::nullopt;
  if (how && *how != Combine::replace) {
    unit.make = [how = *how, plan = std::move(plan)](std::span<const Slice> reads, std::span<const Slice> writes,
                                                     const Slice&) {
      return std::make_unique<ReduceWindowThunk>(how, plan, reads, writes);
    };
  } else {
    unit.make = [body = std::make_shared<const Body>(*node.regions[0], context), plan = std::move(plan)](
                    std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
      return std::make_unique<FoldWindowThunk>(body, plan, reads, writes);
    };
  }
  return unit;
}

}  // namespace weft::compiler
