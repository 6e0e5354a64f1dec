// How a loop is divided among the threads of a GPU. All of this depends on the loop and its numbers alone, so a sum has the same order on every
// GPU.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/compiler/loop/loop.h>

namespace weft::compiler {

// The forms of one kernel. A launch uses the fastest one that its numbers allow.
enum class GpuForm : std::uint8_t {
  elements,         // a thread computes one element at a time: serves all numbers
  vectors,          // a thread computes neighbouring elements, which lie at multiples of 16 bytes
  whole_rows,       // the same, and a row has at most one vector for each thread, so that its values stay in registers
  whole_rows_of_2,  // the same with two vectors for each thread
  whole_rows_of_3,
  whole_rows_of_4,
  kept_rows,  // the same as `vectors`, and each thread keeps in shared memory what several stages read of a row
  tiles,  // a block computes a square of elements; what lies along another axis is read along that one, into shared memory
};
inline constexpr std::size_t gpu_form_count = 8;

// The most threads of a block in each walk.
inline constexpr int gpu_lane_threads = 256, gpu_row_threads = 512, gpu_column_threads = 512;
// The most threads of a block that divide the reduced axes of columns among themselves.
inline constexpr int most_column_parts = 64;
inline constexpr int gpu_warp = 32;

// A tile has so many lanes, and as many positions on the axis along which a block reads; a warp reads or stores one line of it. In shared
// memory a line has one more element, so that neither the elements of a line nor those of a column lie in one bank.
inline constexpr int gpu_tile = gpu_warp, gpu_tile_lines = 8, gpu_tile_pitch = gpu_tile + 1;

// Returns how many neighbouring elements a thread computes in the forms other than `elements`: 16 bytes of the narrowest element, at most 8.
int gpu_vector_width(const Loop& loop);
std::vector<GpuForm> gpu_forms(const Loop& loop);

// Returns how many values of each lane a thread has in registers: what it loads, and what it adds up at once.
int values_of_lanes(const Loop& loop);
// Returns of how many vectors a thread can have all values in registers.
int vectors_in_registers(const Loop& loop);
// Returns how many vectors of a row each thread has at most in a form of whole rows, or 0 for other forms.
int vectors_of_whole_row(GpuForm form);

struct GpuGrid {
  GpuForm form = GpuForm::elements;
  std::uint32_t blocks_x = 0, blocks_y = 1;    // no blocks: there is nothing to compute
  std::uint32_t threads_x = 1, threads_y = 1;  // of a block
  std::uint32_t shared_bytes = 0;              // shared memory of a block
};
// `offsets` says for each buffer how many bytes it lies behind an address that is a multiple of 256.
GpuGrid gpu_grid(const Loop& loop, std::span<const std::int64_t> parameters, std::span<const std::uint64_t> offsets);

// A block may use so many bytes of shared memory for the rows that it keeps: two blocks run on a multiprocessor.
inline constexpr std::int64_t most_kept_bytes = 100 << 10;

// Returns the bytes for each lane of a row that its threads keep of the load with this number, and of all loads. Loads that only one stage
// needs, and those that do not read neighbouring elements, are not kept.
int kept_bytes(const Loop& loop, ExprId load);
int kept_bytes(const Loop& loop);
// Returns the first stage whose walk along the lanes needs an expression, or the number of stages if there is none.
int first_stage_of(const Loop& loop, ExprId id);

// Returns the row axis along which a transposing loop reads neighbouring elements, or -1 if the loop has no tiles.
int tile_axis(const Loop& loop);
// Returns whether the load with this number is read by tiles.
bool is_tiled(const Loop& loop, ExprId load);
// Returns where the tile of a load begins in shared memory, in bytes, or for the number of all expressions where the last one ends.
std::int64_t tile_offset(const Loop& loop, ExprId load);

// Returns how many reductions one stage of a row has at most; each needs one number of 8 bytes for each warp in shared memory.
int reductions_at_once(const Loop& loop);

}  // namespace weft::compiler
