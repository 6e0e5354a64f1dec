#include <weft/compiler/thunks/fft_thunk.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <weft/compiler/loop/fft_kernel.h>
#include <weft/compiler/thunks/fft_columns.h>
#include <weft/compiler/thunks/fft_real.h>
#include <weft/compiler/thunks/fft_rows.h>
#include <weft/ir/composites.h>
#include <weft/runtime/parallel.h>
#include <weft/runtime/thread_scratch.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// The parts of an operand or a result in a launch; the imaginary part of a real array is not used.
FftParts parts_of(std::span<const Slice> slices, const runtime::Launch& launch) {
  return {launch.at(slices.front()), launch.at(slices.back())};
}

struct RowFftPlan {
  std::int64_t rows, n;
  std::int64_t from_row, to_row;  // distances of rows, in bytes
  bool swaps;                     // the inverse transform is the transform of numbers whose parts are swapped
  bool adds_zeros;                // to a real operand of a complex transform
  std::unique_ptr<RowTransform> transform;
};

class RowFftThunk final : public runtime::Thunk {
 public:
  RowFftThunk(std::shared_ptr<const RowFftPlan> plan, std::span<const Slice> from, std::span<const Slice> to)
      : plan_(std::move(plan)), reads_(from.begin(), from.end()), writes_(to.begin(), to.end()) {}

  void run(const runtime::Launch& launch) const override {
    const RowFftPlan& p = *plan_;
    const std::int64_t together = p.transform->rows_together();
    const std::int64_t zeros = p.adds_zeros ? (together * p.from_row + 63) / 64 * 64 : 0;
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / (p.n * together));
    const FftParts all = parts_of(reads_, launch), results = parts_of(writes_, launch);
    runtime::parallel_for((p.rows + together - 1) / together, grain, [&](std::int64_t begin, std::int64_t end) {
      std::byte* const scratch = runtime::scratch_of_this_thread(p.transform->scratch_bytes() + zeros);
      std::memset(scratch, 0, zeros);
      for (std::int64_t b = begin; b < end; ++b) {
        FftParts from = all.behind(b * together * p.from_row), to = results.behind(b * together * p.to_row);
        if (p.adds_zeros) from.im = scratch;
        if (p.swaps) {
          std::swap(from.re, from.im);
          std::swap(to.re, to.im);
        }
        p.transform->run(from, to, std::min(together, p.rows - b * together), scratch + zeros);
      }
    });
  }

 private:
  std::shared_ptr<const RowFftPlan> plan_;
  std::vector<Slice> reads_, writes_;
};

// Columns of matrices [n, inner] are transformed in blocks, of which the last one may be narrower.
struct ColumnFftPlan {
  std::int64_t outer, n, inner, width, lanes;
  bool swaps;
  ColumnTransform block, last;

  std::int64_t blocks() const { return (inner + lanes - 1) / lanes; }
  std::int64_t part_bytes() const { return scratch_distance(n * lanes * width); }
};

class ColumnFftThunk final : public runtime::Thunk {
 public:
  ColumnFftThunk(std::shared_ptr<const ColumnFftPlan> plan, std::span<const Slice> from, std::span<const Slice> to)
      : plan_(std::move(plan)), reads_(from.begin(), from.end()), writes_(to.begin(), to.end()) {}

  void run(const runtime::Launch& launch) const override {
    const ColumnFftPlan& p = *plan_;
    FftParts from = parts_of(reads_, launch), to = parts_of(writes_, launch);
    if (p.swaps) {
      std::swap(from.re, from.im);
      std::swap(to.re, to.im);
    }
    const std::int64_t blocks = p.blocks(), bytes = p.part_bytes(), matrix = p.n * p.inner;
    const std::int64_t grain = std::max<std::int64_t>(1, 4096 / (p.n * p.lanes));
    runtime::parallel_for(p.outer * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
      std::byte* const scratch = runtime::scratch_of_this_thread(4 * bytes);
      const FftParts spare{scratch, scratch + bytes}, more = spare.behind(2 * bytes);
      for (std::int64_t b = begin; b < end; ++b) {
        const std::int64_t at = (b / blocks * matrix + b % blocks * p.lanes) * p.width;
        const ColumnTransform& transform = b % blocks == blocks - 1 ? p.last : p.block;
        transform.run(from.behind(at), to.behind(at), spare, more);
      }
    });
  }

 private:
  std::shared_ptr<const ColumnFftPlan> plan_;
  std::vector<Slice> reads_, writes_;
};

// Returns how many columns are transformed at once, so that the last block is not much narrower than the others.
std::int64_t block_of_columns(std::int64_t inner) {
  constexpr std::int64_t most = 32, multiple = 8;
  const std::int64_t blocks = (inner + most - 1) / most;
  return std::min(inner, ((inner + blocks - 1) / blocks + multiple - 1) / multiple * multiple);
}

template <class FftThunk>
void run_as(Unit& unit, const auto& plan) {
  unit.thunk().make = [plan](std::span<const Slice> from, std::span<const Slice> to, const Slice&) {
    return std::make_unique<FftThunk>(plan, from, to);
  };
}

}  // namespace

Unit fft_unit(const ir::Node& node, const NativeContext& context) {
  const Type x = node.operand(0).type(), y = node.types[0];
  const std::string_view name = node.attributes<ir::CompositeAttributes>().name;
  FftBodies bodies(x.dtype(), context);
  Unit unit = unit_of(node);
  unit.info.category = "fft";
  const int last = x.rank() - 1;
  const bool in_columns = name == ir::column_fourier || name == ir::inverse_column_fourier;
  const std::int64_t n = in_columns ? x.size(last - 1) : std::max(x.size(last), y.size(last));
  const bool is_real = name == ir::real_fourier || name == ir::inverse_real_fourier;
  const double numbers = static_cast<double>(std::max(x.elements(), y.elements())) * (is_real ? 0.5 : 1);
  unit.flops = static_cast<std::int64_t>(5.0 * numbers * std::log2(static_cast<double>(n)));
  if (in_columns) {
    const std::int64_t inner = x.size(last), lanes = block_of_columns(inner);
    const auto transform = [&](std::int64_t columns) {
      return ColumnTransform(n, columns, 0, ColumnTransform::Distances{inner, inner}, bodies);
    };
    run_as<ColumnFftThunk>(unit, std::make_shared<const ColumnFftPlan>(
                                     ColumnFftPlan{.outer = x.elements() / (n * inner),
                                                   .n = n,
                                                   .inner = inner,
                                                   .width = bodies.width(),
                                                   .lanes = lanes,
                                                   .swaps = name == ir::inverse_column_fourier,
                                                   .block = transform(lanes),
                                                   .last = transform(inner - (inner - 1) / lanes * lanes)}));
    return unit;
  }
  run_as<RowFftThunk>(unit, std::make_shared<const RowFftPlan>(RowFftPlan{
                                .rows = x.elements() / x.size(last),
                                .n = n,
                                .from_row = x.size(last) * bodies.width(),
                                .to_row = y.size(last) * bodies.width(),
                                .swaps = name == ir::inverse_fourier,
                                .adds_zeros = !is_real && node.operands.size() == 1,
                                .transform = is_real ? real_row_transform(n, name == ir::inverse_real_fourier, bodies)
                                                     : row_transform(n, bodies)}));
  return unit;
}

}  // namespace weft::compiler
