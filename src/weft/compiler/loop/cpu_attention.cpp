#include <weft/compiler/loop/cpu_attention.h>

#include <algorithm>

#include <weft/base/error.h>
#include <weft/compiler/loop/attention_kernel.h>

namespace weft::compiler {

CpuAttention CpuAttention::of(const ir::Node& node, Part part) {
  const Type q = node.operand(0).type();
  return {.part = part,
          .dtype = q.dtype(),
          .width = static_cast<int>(q.size(q.rank() - 1)),
          .is_causal = is_causal_attention(node)};
}

std::string CpuAttention::key() const {
  return concat("cpu attention ", static_cast<int>(part), ' ', name(dtype), ' ', width, is_causal ? " causal" : "");
}

bool is_faster_as_kernel(const ir::Node& node, bool is_trained) {
  const Type q = node.operand(0).type(), k = node.operand(1).type();
  const int rows = q.rank() - 2;
  const Dim queries = q.dim(rows), keys = k.dim(rows);
  constexpr std::int64_t few_queries = 8;  // leave most lanes of a panel idle
  if (queries.is_constant() && queries.value() < few_queries) return false;
  if (!is_trained || is_causal_attention(node) || q.dtype() != DType::f32) return true;
  constexpr std::int64_t cached_scores = 512 * 512;  // of a head
  const Size scores = Size(queries) * Size(keys);
  return !scores.is_constant() || scores.value() > cached_scores;
}

CpuAttentionTiles cpu_attention_tiles(const CpuAttention& kernel, const Target& target) {
  constexpr int few_registers = 16, queries_of_block = 64;
  CpuAttentionTiles tiles;
  tiles.lanes = kernel.computed() == DType::f64 ? std::max(1, target.lanes / 2) : target.lanes;
  tiles.rows = target.registers > few_registers ? 8 : 4;
  tiles.panels = std::max(1, queries_of_block / tiles.panel());
  return tiles;
}

CpuAttentionScratch cpu_attention_scratch(const CpuAttention& kernel, const CpuAttentionTiles& tiles,
                                          std::int64_t queries) {
  constexpr std::int64_t cache_line = 64;
  using Piece = AttentionPiece;
  const bool is_gradient = kernel.part == CpuAttention::Part::gradient;
  const std::int64_t panel = tiles.panel();
  const std::int64_t kept = is_gradient ? (queries + panel - 1) / panel * panel : tiles.queries();
  const std::int64_t rows_of_keys = std::int64_t{tiles.keys} * kernel.width;
  const std::int64_t weights = std::int64_t{tiles.keys} * (is_gradient ? tiles.queries() : panel);
  CpuAttentionScratch scratch{};
  const auto add = [&](Piece piece, std::int64_t numbers) {
    scratch.places[static_cast<std::size_t>(piece)] = scratch.bytes;
    const std::int64_t bytes = numbers * static_cast<std::int64_t>(byte_size(kernel.computed()));
    scratch.bytes += (bytes + cache_line - 1) / cache_line * cache_line;
  };
  add(Piece::queries, kept * kernel.width);
  add(Piece::results, kept * kernel.width);
  add(Piece::highest, kept);
  add(Piece::sums, kept);
  add(Piece::weights, weights);
  if (kernel.is_widened()) {
    add(Piece::key_rows, rows_of_keys);
    add(Piece::value_rows, rows_of_keys);
  }
  if (!is_gradient) return scratch;
  add(Piece::result_gradients, kept * kernel.width);
  add(Piece::score_gradients, weights);
  add(Piece::key_gradients, rows_of_keys);
  add(Piece::value_gradients, rows_of_keys);
  if (kernel.is_widened()) {
    add(Piece::query_rows, queries * kernel.width);
    add(Piece::result_gradient_rows, queries * kernel.width);
  }
  return scratch;
}

}  // namespace weft::compiler
