// The kernels of attention for a CPU, which never store the scores of all keys: they compute them a block of keys at a time. (Dao 2023,
// FlashAttention-2)
//
// Each is a Kernel (kernel_source.h). Its parameters are, in this order: heads, queries, keys, the number of query blocks of a head, the
// places of all pieces of the scratch memory (bytes), then for each buffer with rows the elements from one batch, one head and one row to
// the next. Tasks count the heads of all batches together.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <weft/base/dtype.h>
#include <weft/compiler/options/target.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

struct CpuAttention {
  enum class Part : std::uint8_t {
    forward,   // reads q, k, v; writes the result and log_sums. A task is a block of queries
    gradient,  // reads q, k, v, d_result, result, log_sums; writes dq, dk, dv. A task is a head
  };
  Part part = Part::forward;
  DType dtype = DType::f32;  // 16-bit floats are widened to f32
  int width = 64;            // of q, k, v and the result: a multiple of 8
  bool is_causal = false;

  // Returns the kernel of a node that has one.
  static CpuAttention of(const ir::Node& node, Part part);
  DType computed() const { return dtype == DType::f64 ? DType::f64 : DType::f32; }
  bool is_widened() const { return dtype != computed(); }
  std::string key() const;  // equal keys mean equal code
};

// How a kernel divides its work. A panel has queries in the lanes of two vectors, and a row of them for each element of their width.
struct CpuAttentionTiles {
  int lanes = 8;   // numbers of a vector
  int rows = 4;    // of the sums that a product keeps in registers, each two vectors wide
  int panels = 4;  // of a block of queries
  int keys = 64;   // of a block of keys

  int panel() const { return 2 * lanes; }
  int queries() const { return panels * panel(); }  // of a block
};
CpuAttentionTiles cpu_attention_tiles(const CpuAttention& kernel, const Target& target);

// A part of the scratch memory. Forward keeps what belongs to the queries for one block of them, the gradient for all queries of a head.
enum class AttentionPiece : std::uint8_t {
  queries,               // panels of queries, scaled
  results,               // panels of results, or of query gradients
  result_gradients,      // panels
  highest,               // for each query: its highest score so far, or its log_sum
  sums,                  // for each query: the sum of its exponentials so far, or of result * d_result
  query_rows,            // widened
  result_gradient_rows,  // widened
  key_rows,              // widened, of a block of keys, as all that follows
  value_rows,            // widened
  key_gradients,
  value_gradients,
  weights,  // for each key a row of the queries of a panel: forward for one panel, the gradient for the panels of a block
  score_gradients,  // the same
};
inline constexpr std::size_t attention_pieces = 13;

struct CpuAttentionScratch {
  std::array<std::int64_t, attention_pieces> places;
  std::int64_t bytes = 0;
};
CpuAttentionScratch cpu_attention_scratch(const CpuAttention& kernel, const CpuAttentionTiles& tiles,
                                          std::int64_t queries);

// Returns whether a CPU computes attention, or its gradient, faster with a kernel than by its decomposition. `is_trained` says whether the
// attention has a gradient: its decomposition keeps the scores and computes six products, kernels compute the scores twice, which makes
// seven. Measured with AVX2.
bool is_faster_as_kernel(const ir::Node& node, bool is_trained);

}  // namespace weft::compiler
