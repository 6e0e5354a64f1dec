// The kernels of attention for a GPU, which never store the scores: each computes them again, a tile at a time. (Dao 2023, FlashAttention-2)
//
// The block i of a kernel computes row block i % blocks of head i / blocks, where the heads of all
// batches are counted together. Its parameters are, in this order: heads, queries, keys, the number of row blocks of a head, then for each
// strided buffer the elements from one batch, one head and one row to the next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <weft/base/dtype.h>
#include <weft/compiler/options/target.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

struct AttentionKernel {
  enum class Part : std::uint8_t {
    forward,         // reads q, k, v; writes the result and log_sums. Strided: all but log_sums. Row blocks of queries
    query_gradient,  // reads q, k, v, d_result, result, log_sums; writes dq and sums (of result * d_result). Strided: all but *_sums. Row blocks of queries
    key_gradient,  // reads q, k, v, d_result, log_sums, sums; writes dk and dv. Strided: all but *_sums. Row blocks of keys
  };
  Part part = Part::forward;
  DType dtype = DType::bf16;  // bf16 or f16
  int width = 64;             // of q, k, v and the result: a multiple of 16, at most 128
  bool is_causal = false;
  // A block has so many warpgroups of four warps, which multiply 64 rows each with a tile that they share. 0: a block has four warps, each
  // of which multiplies on its own.
  int warpgroups = 0;
  // Without warpgroups: 16 rows that a warp has at once, 1 or 2; 0: as many as fit into the registers.
  int row_tiles = 0;
  int columns = 0;          // with warpgroups: rows of the tiles over which a block loops; 0: 64
  int columns_at_once = 0;  // with warpgroups, gradients: those of a tile whose scores are computed at once; 0: 32
  // Whether warpgroups multiply what is added to the results or gradients while they compute the next scores.
  bool overlaps = false;
  int blocks = 0;  // that must fit onto a multiprocessor at once; 0: as many as do

  // Returns the kernel of a node that has one.
  static AttentionKernel of(const ir::Node& node, Part part, const Target& target);
  // Returns a kernel with the choices that are best on the target.
  static AttentionKernel best(Part part, DType dtype, int width, bool is_causal, const Target& target);
  // Equal keys mean equal code.
  std::string key() const;
};

// How the rows of a kernel are divided.
struct AttentionTiles {
  int threads = 128;         // of a block
  int row_tiles = 1;         // each warp has so many times 16 rows of the block
  int rows = 64;             // of a block
  int columns = 64;          // rows of the tiles over which a block loops: keys, or queries for the key gradient
  int columns_at_once = 16;  // those of a tile whose scores a gradient computes at once
  int row_bytes = 0;  // from one row of a tile to the next in shared memory; with warpgroups only of a tile of results
  // Warpgroups need each row of a tile in panels of so many bytes: first the first panel of all rows, then the second. The 16-byte
  // pieces of a row change places so that equal pieces of eight neighbouring rows lie in different banks. 0 without warpgroups.
  int panel_bytes = 0;
  int tile_bytes = 0;   // of one tile
  int stage_bytes = 0;  // of the two tiles, and the sums of their rows, of one turn of the loop
  // Those of a block: two stages, of which one is filled while the other is read, and what else it keeps.
  int shared_bytes = 0;
};
AttentionTiles attention_tiles(const AttentionKernel& kernel);

// Returns whether the target computes the node, attention or its gradient, with these kernels or those of cpu_attention.h: without a mask,
// with equal leading dimensions of queries, keys and values, on a GPU for 16-bit floats.
bool has_attention_kernel(const ir::Node& node, const Target& target);
// Return whether such a node is a gradient, whether it is causal, and whether its results of rank 4 are [batch, time, heads, width], as products
// read and write them. A composite of the last kind has this suffix behind its name.
bool is_attention_gradient(const ir::Node& node);
bool is_causal_attention(const ir::Node& node);
bool is_attention_by_time(const ir::Node& node);
inline constexpr std::string_view by_time_suffix = ".by_time";

}  // namespace weft::compiler
