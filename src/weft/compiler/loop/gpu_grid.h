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
  elements,      // a thread computes one element at a time: serves all numbers
  vectors,       // a thread computes neighbouring elements, which lie at multiples of 16 bytes
  whole_rows,    // the same, and a row has at most one vector for each thread, so that its values stay in registers
  whole_rows_4,  // the same with at most four vectors for each thread
};
inline constexpr std::size_t gpu_form_count = 4;

// Returns how many vectors of a row a thread keeps in registers; 0: none.
constexpr int vectors_kept(GpuForm form) {
  return form == GpuForm::whole_rows ? 1 : form == GpuForm::whole_rows_4 ? 4 : 0;
}

// The most threads of a block in each walk.
inline constexpr int gpu_lane_threads = 256, gpu_row_threads = 512, gpu_column_threads = 512;
inline constexpr int gpu_whole_row_threads = 256;  // with four vectors for each thread
inline constexpr int gpu_warp = 32;

// Returns how many neighbouring elements a thread computes in the forms other than `elements`: 16 bytes of the narrowest element, at most 8.
int gpu_vector_width(const Loop& loop);
std::vector<GpuForm> gpu_forms(const Loop& loop);

struct GpuGrid {
  GpuForm form = GpuForm::elements;
  std::uint32_t blocks_x = 0, blocks_y = 1;    // no blocks: there is nothing to compute
  std::uint32_t threads_x = 1, threads_y = 1;  // of a block
  std::uint32_t shared_bytes = 0;              // shared memory of a block
};
// `offsets` says for each buffer how many bytes it lies behind an address that is a multiple of 256.
GpuGrid gpu_grid(const Loop& loop, std::span<const std::int64_t> parameters, std::span<const std::uint64_t> offsets);

// Returns how many reductions one stage of a row has at most; each needs one number of 8 bytes for each warp in shared memory.
int reductions_at_once(const Loop& loop);

}  // namespace weft::compiler
