#include <weft/compiler/thunks/row_scatter_thunk.h>

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include <weft/compiler/thunks/placed_fold.h>
#include <weft/compiler/thunks/scatter_slices.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// Returns whether places are an index times a stride along long runs of windows, so that the fold itself finds them.
bool is_direct(const RowScatter& rows) {
  constexpr std::int64_t long_run = 32;
  const RowScatter::Step& last = rows.steps.back();
  return rows.components.size() == 1 && last.place_stride == 0 && (last.size >= long_run || rows.steps.size() == 1);
}

// So many columns are not divided among threads, and their fold is made for their number.
constexpr std::int64_t few_columns = 32;

// Finds the places of windows, one after the other.
template <class Index>
class PlaceFinder {
 public:
  // Begins at iteration `first` of the outermost step.
  PlaceFinder(const RowScatter& rows, const Index* indices, std::int64_t first)
      : rows_(rows), indices_(indices), at_(rows.steps.size()) {
    at_[0] = first;
  }

  // Finds the next places; a window that lies outside of the operand has the place -1.
  void find(std::span<std::int64_t> places) {
    const RowScatter::Step& last = rows_.steps.back();
    while (!places.empty()) {
      const std::int64_t count = std::min(std::ssize(places), last.size - at_.back());
      find_run(places.first(count));
      places = places.subspan(count);
      at_.back() += count;
      for (std::size_t k = at_.size() - 1; k > 0 && at_[k] == rows_.steps[k].size; --k) {
        at_[k] = 0;
        ++at_[k - 1];
      }
    }
  }

 private:
  // Finds places along the innermost step.
  void find_run(std::span<std::int64_t> places) const {
    std::int64_t place = 0;
    const Index* index = indices_;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      place += at_[k] * rows_.steps[k].place_stride;
      index += at_[k] * rows_.steps[k].index_stride;
    }
    const std::int64_t count = std::ssize(places);
    const auto [size, index_stride, place_stride] = rows_.steps.back();
    if (rows_.components.size() == 2) {  // elements of matrices; faster without a loop over components
      const RowScatter::Component a = rows_.components[0], b = rows_.components[1];
      for (std::int64_t w = 0; w < count; ++w) {
        const auto i = static_cast<std::uint64_t>(index[w * index_stride + a.offset]),
                   j = static_cast<std::uint64_t>(index[w * index_stride + b.offset]);
        const bool is_inside = (i < static_cast<std::uint64_t>(a.size)) & (j < static_cast<std::uint64_t>(b.size));
        const auto at = i * static_cast<std::uint64_t>(a.stride) + j * static_cast<std::uint64_t>(b.stride);
        places[w] = is_inside ? place + w * place_stride + static_cast<std::int64_t>(at) : -1;
      }
      return;
    }
    for (std::int64_t w = 0; w < count; ++w) {
      places[w] = place + w * place_stride;
      for (const RowScatter::Component& component : rows_.components) {
        const auto at = static_cast<std::uint64_t>(index[w * index_stride + component.offset]);
        const bool is_inside = places[w] >= 0 && at < static_cast<std::uint64_t>(component.size);
        places[w] = is_inside ? places[w] + static_cast<std::int64_t>(at) * component.stride : -1;
      }
    }
  }

  const RowScatter& rows_;
  const Index* indices_;
  std::vector<std::int64_t> at_;  // iteration of each step
};

class RowScatterThunk final : public runtime::Thunk {
 public:
  RowScatterThunk(std::shared_ptr<const PlacedFold> fold, RowScatter rows, const ScatterSlices& slices)
      : fold_(std::move(fold)), rows_(std::move(rows)), slices_(slices) {}

  void run(const runtime::Launch& launch) const override {
    const ScatterSlices::Addresses at = slices_.begin(launch);
    if (rows_.windows == 0 || rows_.width == 0) return;
    visit(rows_.index_dtype, [&](auto tag) {
      using Index = decltype(tag);
      if constexpr (std::is_integral_v<Index> && !std::is_same_v<Index, bool>)
        scatter(reinterpret_cast<const Index*>(at.indices), at.results, at.updates);
    });
  }

 private:
  // A range of the outermost step, and of the columns of rows.
  struct Part {
    std::int64_t first, last, first_column, last_column;
  };

  // Updates of an element are applied in order for any number of threads: they divide the outermost step if it addresses a dimension of the
  // operand, so that its iterations have no element in common, and else the columns of long rows.
  template <class Index>
  void scatter(const Index* indices, std::span<std::byte* const> results, std::span<std::byte* const> updates) const {
    constexpr std::int64_t worthwhile = 16384, least_columns = 16;
    const RowScatter::Step& outer = rows_.steps[0];
    const auto scatter_part = [&](const Part& part) {
      is_direct(rows_) ? scatter_directly(indices, results, updates, part)
                       : scatter_to_places(indices, results, updates, part);
    };
    if (outer.place_stride != 0) {
      const std::int64_t each = rows_.windows / outer.size * rows_.width;
      runtime::parallel_for(outer.size, worthwhile / each + 1, [&](std::int64_t first, std::int64_t last) {
        scatter_part({first, last, 0, rows_.width});
      });
    } else if (rows_.width > few_columns) {
      runtime::parallel_for(rows_.width, std::max(least_columns, worthwhile / rows_.windows),
                            [&](std::int64_t first, std::int64_t last) { scatter_part({0, outer.size, first, last}); });
    } else {
      scatter_part({0, outer.size, 0, rows_.width});
    }
  }

  // Folds rows of updates, from window `first` on, into rows that begin `place` elements behind the results.
  void fold(std::int64_t first, std::int64_t place, IndexedRows rows, std::span<std::byte* const> results,
            std::span<std::byte* const> updates, const Part& part) const {
    std::vector<std::byte*> into(results.size()), from(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      into[i] = results[i] + (place + part.first_column) * fold_->accumulator_bytes(i);
      from[i] = updates[i] + (first * rows_.width + part.first_column) * fold_->update_bytes(i);
    }
    rows.update_stride = rows_.width;
    fold_->run(rows, part.last_column - part.first_column, into, from);
  }

  template <class Index>
  void scatter_directly(const Index* indices, std::span<std::byte* const> results, std::span<std::byte* const> updates,
                        const Part& part) const {
    const RowScatter::Component& component = rows_.components[0];
    const std::int64_t run = rows_.steps.size() == 1 ? part.last - part.first : rows_.steps.back().size;
    const std::int64_t windows_of_step = rows_.windows / rows_.steps[0].size, end = part.last * windows_of_step;
    for (std::int64_t window = part.first * windows_of_step; window < end; window += run) {
      std::int64_t place = 0, index = component.offset, left = window;
      for (std::size_t k = rows_.steps.size(); k-- > 0;) {
        place += left % rows_.steps[k].size * rows_.steps[k].place_stride;
        index += left % rows_.steps[k].size * rows_.steps[k].index_stride;
        left /= rows_.steps[k].size;
      }
      fold(window, place,
           {.indices = reinterpret_cast<const std::byte*>(indices + index),
            .count = run,
            .index_stride = rows_.steps.back().index_stride,
            .limit = component.size,
            .place_stride = component.stride},
           results, updates, part);
    }
  }

  template <class Index>
  void scatter_to_places(const Index* indices, std::span<std::byte* const> results, std::span<std::byte* const> updates,
                         const Part& part) const {
    constexpr std::int64_t chunk = 1024;
    std::array<std::int64_t, chunk> places;
    PlaceFinder<Index> finder(rows_, indices, part.first);
    const std::int64_t windows_of_step = rows_.windows / rows_.steps[0].size, end = part.last * windows_of_step;
    for (std::int64_t window = part.first * windows_of_step; window < end; window += chunk) {
      const std::int64_t count = std::min(chunk, end - window);
      finder.find(std::span(places).first(count));
      fold(window, 0,
           {.indices = reinterpret_cast<const std::byte*>(places.data()),
            .count = count,
            .limit = std::numeric_limits<std::int64_t>::max()},
           results, updates, part);
    }
  }

  std::shared_ptr<const PlacedFold> fold_;
  RowScatter rows_;
  ScatterSlices slices_;
};

}  // namespace

std::function<std::unique_ptr<runtime::Thunk>(std::span<const Slice> from, std::span<const Slice> to)> make_row_scatter(
    const ir::Graph& body, const RowScatter& rows, const NativeContext& context) {
  const std::int64_t columns = rows.width <= few_columns ? rows.width : 0;
  auto fold =
      std::make_shared<const PlacedFold>(body, is_direct(rows) ? rows.index_dtype : DType::i64, columns, context);
  return [fold = std::move(fold), rows](std::span<const Slice> from, std::span<const Slice> to) {
    return std::make_unique<RowScatterThunk>(fold, rows, ScatterSlices(from, to));
  };
}

}  // namespace weft::compiler
