#include <weft/compiler/loop/attention_kernel.h>

#include <algorithm>

#include <weft/base/error.h>
#include <weft/ir/composites.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace {

std::string_view full_name(const ir::Node& node) {
  return node.op == &ir::ops::composite ? node.attributes<ir::CompositeAttributes>().name : std::string_view();
}

std::string_view composite_name(const ir::Node& node) {
  std::string_view name = full_name(node);
  if (name.ends_with(by_time_suffix)) name.remove_suffix(by_time_suffix.size());
  return name;
}

}  // namespace

bool is_attention_gradient(const ir::Node& node) {
  const std::string_view name = composite_name(node);
  return name == ir::attention_gradient || name == ir::causal_attention_gradient;
}

bool is_causal_attention(const ir::Node& node) {
  const std::string_view name = composite_name(node);
  return name == ir::causal_attention || name == ir::causal_attention_gradient;
}

bool is_attention_by_time(const ir::Node& node) { return full_name(node).ends_with(by_time_suffix); }

bool has_attention_kernel(const ir::Node& node, const Target& target) {
  const bool is_gradient = is_attention_gradient(node);
  if (!target.is_gpu || !(is_gradient || is_causal_attention(node) || composite_name(node) == ir::attention))
    return false;
  if (node.operands.size() != (is_gradient ? 6 : 3)) return false;  // others have a mask
  const Type q = node.operand(0).type(), k = node.operand(1).type(), v = node.operand(2).type();
  const int rank = q.rank();
  if (!is_float(q.dtype()) || byte_size(q.dtype()) != 2 || rank < 3 || k.dtype() != q.dtype() || k.rank() != rank ||
      v != k)
    return false;
  const Dim width = q.dim(rank - 1);
  constexpr int most = 128, step = 16;
  return std::ranges::equal(q.dims().first(rank - 2), k.dims().first(rank - 2)) && width == k.dim(rank - 1) &&
         width.is_constant() && width.value() > 0 && width.value() <= most && width.value() % step == 0;
}

AttentionKernel AttentionKernel::of(const ir::Node& node, Part part) {
  const Type q = node.operand(0).type();
  return {.part = part,
          .dtype = q.dtype(),
          .width = static_cast<int>(q.size(q.rank() - 1)),
          .is_causal = is_causal_attention(node)};
}

std::string AttentionKernel::key() const {
  return concat("attention ", static_cast<int>(part), ' ', name(dtype), ' ', width, is_causal ? " causal " : " ",
                row_tiles);
}

// Rows of a tile lie 16 bytes further apart than they are long, an odd multiple of 16 bytes: eight threads that read the same columns of
// neighbouring rows then use different banks.
AttentionTiles attention_tiles(const AttentionKernel& kernel) {
  constexpr int warps = attention_threads / 32, most_for_many_columns = 80;
  constexpr int most_for_two = 64;  // wider ones do not fit into the registers twice
  const bool is_key_gradient = kernel.part == AttentionKernel::Part::key_gradient;
  AttentionTiles tiles;
  tiles.row_tiles = kernel.row_tiles ? kernel.row_tiles : kernel.width <= most_for_two ? 2 : 1;
  tiles.rows = tiles.row_tiles * warps * 16;
  tiles.columns = kernel.width <= most_for_many_columns ? 64 : 32;
  tiles.row_bytes = 2 * kernel.width + 16;
  tiles.tile_bytes = tiles.columns * tiles.row_bytes;
  const int sums = is_key_gradient ? 2 * tiles.columns * 4 : 0;
  tiles.stage_bytes = 2 * tiles.tile_bytes + sums;
  tiles.shared_bytes = 2 * tiles.stage_bytes;
  return tiles;
}

}  // namespace weft::compiler
