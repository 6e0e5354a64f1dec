#include <weft/compiler/loop/gpu_grid.h>

#include <algorithm>
#include <bit>

#include <weft/base/error.h>

namespace weft::compiler {

namespace {

// Calls visit(position, gathered, buffer) for every access to neighbouring elements along the lanes.
template <class Visit>
void for_each_dense_access(const Loop& loop, Visit&& visit) {
  const std::size_t lane = loop.sizes.size() - 1;
  for (const Expr& e : loop.exprs)
    if (e.kind == Expr::Kind::load && e.position.coefficients[lane].is(1)) visit(e.position, e.gathered, e.buffer);
  for (const Store& s : loop.stores)
    if (s.position.coefficients[lane].is(1)) visit(s.position, s.gathered, s.buffer);
}

bool has_reduction(const Loop& loop) {
  return std::ranges::any_of(loop.exprs, [](const Expr& e) { return e.kind == Expr::Kind::reduce; });
}

// Returns whether the walk along the lanes in a stage needs an expression.
bool needs(const Loop& loop, int stage, ExprId wanted) {
  std::vector<bool> seen(loop.exprs.size());
  const auto reaches = [&](auto&& self, ExprId id) -> bool {
    if (id == wanted) return true;
    const Expr& e = loop.exprs[id];
    if (!e.per_lane || seen[id]) return false;
    seen[id] = true;
    return std::ranges::any_of(e.operands, [&](ExprId o) { return self(self, o); }) ||
           std::ranges::any_of(e.gathered, [&](const Gathered& g) { return self(self, g.index); });
  };
  return std::ranges::any_of(loop.exprs,
                             [&](const Expr& e) {
                               return e.kind == Expr::Kind::reduce && e.stage == stage + 1 &&
                                      reaches(reaches, e.operands[0]);
                             }) ||
         std::ranges::any_of(loop.stores, [&](const Store& s) {
           return loop.exprs[s.value].stage == stage && reaches(reaches, s.value);
         });
}

// The order of a sum depends on the width of vectors, which depends on what else the loop computes. In strict mode, where multiply and add are
// not contracted, it must not.
bool has_vectors(const Loop& loop) { return gpu_vector_width(loop) > 1 && (loop.contract || !has_reduction(loop)); }

std::uint32_t whole_warps(std::int64_t threads, int most) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>((threads + gpu_warp - 1) / gpu_warp * gpu_warp, gpu_warp, most));
}

std::uint32_t power_of_two_above(std::int64_t count, int most) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1))), most));
}

std::int64_t groups(std::int64_t count, std::int64_t each) { return (count + each - 1) / each; }

// Returns whether the load reads neighbouring elements along a row axis, and distant ones along the lanes.
GpuForm whole_rows_of(std::int64_t vectors) {
  return static_cast<GpuForm>(static_cast<std::int64_t>(GpuForm::whole_rows) + vectors - 1);
}

constexpr std::int64_t most_blocks_x = (std::int64_t{1} << 31) - 1, most_blocks_y = 65535;

}  // namespace

int gpu_vector_width(const Loop& loop) {
  int bytes = 16;
  for_each_dense_access(loop, [&](const Position&, const auto&, std::int32_t buffer) {
    bytes = std::min(bytes, byte_size(loop.buffers[buffer]));
  });
  return std::min(16 / bytes, 8);
}

std::vector<GpuForm> gpu_forms(const Loop& loop) {
  std::vector<GpuForm> forms{GpuForm::elements};
  if (tile_axis(loop) >= 0) forms.push_back(GpuForm::tiles);
  if (!has_vectors(loop)) return forms;
  forms.push_back(GpuForm::vectors);
  if (loop.walk == Walk::rows && loop.lanes == 1 && has_reduction(loop)) {
    for (int vectors = 1; vectors <= vectors_in_registers(loop); ++vectors) forms.push_back(whole_rows_of(vectors));
    if (kept_bytes(loop) > 0) forms.push_back(GpuForm::kept_rows);
  }
  return forms;
}

int values_of_lanes(const Loop& loop) {
  const std::int64_t loads =
      std::ranges::count_if(loop.exprs, [](const Expr& e) { return e.kind == Expr::Kind::load && e.per_lane; });
  return static_cast<int>(loads) + reductions_at_once(loop);
}

int vectors_in_registers(const Loop& loop) {
  const int values = values_of_lanes(loop);
  return values <= 4 ? 4 : values <= 6 ? 2 : 1;
}

int vectors_of_whole_row(GpuForm form) {
  if (form < GpuForm::whole_rows || form > GpuForm::whole_rows_of_4) return 0;
  return static_cast<int>(form) - static_cast<int>(GpuForm::whole_rows) + 1;
}

int first_stage_of(const Loop& loop, ExprId id) {
  int stage = 0;
  while (stage < loop.stages && !needs(loop, stage, id)) ++stage;
  return stage;
}

int kept_bytes(const Loop& loop, ExprId load) {
  const Expr& e = loop.exprs[load];
  if (e.kind != Expr::Kind::load || !e.per_lane || !e.bounds.empty() || !e.gathered.empty()) return 0;
  if (!e.position.coefficients.back().is(1)) return 0;
  int stages = 0;
  for (int stage = 0; stage < loop.stages; ++stage) stages += needs(loop, stage, load);
  return stages > 1 ? byte_size(e.dtype) : 0;
}

int kept_bytes(const Loop& loop) {
  int bytes = 0;
  for (ExprId id = 0; id < std::ssize(loop.exprs); ++id) bytes += kept_bytes(loop, id);
  return bytes;
}

int tile_axis(const Loop& loop) {
  constexpr std::int64_t most_bytes = 48 << 10;
  if (loop.walk != Walk::rows || loop.lanes != 1 || has_reduction(loop) || !stores_along_lanes(loop)) return -1;
  for (int axis = 0; axis < loop.rows; ++axis) {
    std::int64_t bytes = 0;
    for (const Expr& e : loop.exprs)
      if (runs_along(loop, e, axis)) bytes += std::int64_t{gpu_tile} * gpu_tile_pitch * byte_size(e.dtype);
    if (bytes > 0 && bytes <= most_bytes) return axis;
  }
  return -1;
}

bool is_tiled(const Loop& loop, ExprId load) {
  const int axis = tile_axis(loop);
  return axis >= 0 && runs_along(loop, loop.exprs[load], axis);
}

std::int64_t tile_offset(const Loop& loop, ExprId load) {
  std::int64_t bytes = 0;
  for (ExprId id = 0; id < load; ++id)
    if (is_tiled(loop, id)) bytes += std::int64_t{gpu_tile} * gpu_tile_pitch * byte_size(loop.exprs[id].dtype);
  return bytes;
}

int reductions_at_once(const Loop& loop) {
  int most = 0;
  for (int stage = 1; stage <= loop.stages; ++stage)
    most = std::max<int>(most, std::ranges::count_if(loop.exprs, [&](const Expr& e) {
                           return e.kind == Expr::Kind::reduce && e.stage == stage;
                         }));
  return most;
}

GpuGrid gpu_grid(const Loop& loop, std::span<const std::int64_t> parameters, std::span<const std::uint64_t> offsets) {
  const auto value = [&](const Number& n) { return n.parameter < 0 ? std::int64_t{n.known} : parameters[n.parameter]; };
  const auto count = [&](int from, int axes) {
    std::int64_t product = 1;
    for (int a = from; a < from + axes; ++a) product *= value(loop.sizes[a]);
    return product;
  };
  const std::size_t lane = loop.sizes.size() - 1;
  const std::int64_t lanes = value(loop.sizes[lane]), rows = count(0, loop.rows);
  const int width = gpu_vector_width(loop);
  bool aligned = has_vectors(loop) && lanes % width == 0;
  for_each_dense_access(loop, [&](const Position& position, const auto& gathered, std::int32_t buffer) {
    for (const Gathered& g : gathered) aligned = aligned && value(g.stride) % width == 0;
    aligned = aligned && value(position.offset) % width == 0 &&
              offsets[buffer] % (static_cast<std::uint64_t>(width) * byte_size(loop.buffers[buffer])) == 0;
    for (std::size_t a = 0; a < lane; ++a)
      aligned = aligned && (value(loop.sizes[a]) == 1 || value(position.coefficients[a]) % width == 0);
  });
  constexpr std::int64_t least_for_tiles = gpu_tile / 2;  // along both axes; smaller tiles would be mostly empty
  if (const int axis = tile_axis(loop);
      axis >= 0 && lanes >= least_for_tiles && value(loop.sizes[axis]) >= least_for_tiles) {
    const std::int64_t along = value(loop.sizes[axis]);
    const std::int64_t tiles = rows / along * groups(along, gpu_tile) * groups(lanes, gpu_tile);
    return {.form = GpuForm::tiles,
            .blocks_x = static_cast<std::uint32_t>(std::min(tiles, most_blocks_x)),
            .threads_x = gpu_tile,
            .threads_y = gpu_tile_lines,
            .shared_bytes = static_cast<std::uint32_t>(tile_offset(loop, std::ssize(loop.exprs)))};
  }
  GpuGrid grid{.form = aligned ? GpuForm::vectors : GpuForm::elements};
  const std::int64_t each = aligned ? width : 1, vectors = lanes / each;
  switch (loop.walk) {
    case Walk::lanes: {
      grid.threads_x = gpu_lane_threads;
      grid.blocks_x = std::min(groups(vectors, gpu_lane_threads), most_blocks_x);
      break;
    }
    case Walk::rows: {
      if (has_reduction(loop)) {
        // Threads without a vector compute the first one, so there must be one.
        const bool is_whole = aligned && loop.lanes == 1 && vectors > 0;
        const int most_vectors = vectors_in_registers(loop);
        if (is_whole && vectors <= std::int64_t{gpu_row_threads} * most_vectors) {
          // A warp needs no barriers, and the more vectors a thread has, the fewer exchanges there are for each element.
          grid.threads_x = whole_warps(groups(vectors, most_vectors), gpu_row_threads);
          grid.form = whole_rows_of(groups(vectors, grid.threads_x));
        } else {
          if (is_whole && kept_bytes(loop) > 0 && kept_bytes(loop) * lanes <= most_kept_bytes)
            grid.form = GpuForm::kept_rows;
          grid.threads_x = whole_warps(vectors, gpu_row_threads);
        }
        grid.threads_y = grid.threads_x == gpu_warp ? 8 : 1;
        if (grid.threads_x > gpu_warp) grid.shared_bytes = reductions_at_once(loop) * gpu_warp * 8;
        if (grid.form == GpuForm::kept_rows) grid.shared_bytes += kept_bytes(loop) * lanes;
      } else {
        grid.threads_x = power_of_two_above(vectors, gpu_lane_threads);
        grid.threads_y = gpu_lane_threads / grid.threads_x;
        grid.blocks_y = std::clamp<std::int64_t>(groups(vectors, std::int64_t{4} * grid.threads_x), 1, most_blocks_y);
      }
      grid.blocks_x = std::min(groups(rows, grid.threads_y), most_blocks_x);
      break;
    }
    case Walk::columns: {
      // As many threads along the reduced axes as it takes to keep a GPU busy, since their sums have to be combined in the end.
      constexpr std::int64_t enough_threads = 1 << 17;
      constexpr int most_x = 64;
      const std::int64_t serial = count(loop.rows, loop.serial), threads = std::max<std::int64_t>(rows * vectors, 1);
      grid.threads_y = power_of_two_above(std::min(groups(enough_threads, threads), serial), most_column_parts);
      grid.threads_x =
          power_of_two_above(vectors, std::min(most_x, gpu_column_threads / static_cast<int>(grid.threads_y)));
      grid.blocks_x = std::min(rows * groups(lanes, grid.threads_x * each), most_blocks_x);
      grid.shared_bytes = grid.threads_y > 1 ? grid.threads_x * grid.threads_y * each * 8 : 0;
      break;
    }
    case Walk::tiles:
    case Walk::records: WEFT_ASSERT(false, "the loop of a GPU walks as a CPU does");
  }
  return grid;
}

}  // namespace weft::compiler
