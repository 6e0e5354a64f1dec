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
  if (!is_gradient && !is_causal_attention(node) && composite_name(node) != ir::attention) return false;
  if (node.operands.size() != (is_gradient ? 6 : 3)) return false;  // others have a mask
  const Type q = node.operand(0).type(), k = node.operand(1).type(), v = node.operand(2).type();
  const int rank = q.rank();
  const bool suits = is_float(q.dtype()) && (!target.is_gpu || (byte_size(q.dtype()) == 2 && rank >= 3));
  if (!suits || rank < 2 || k.dtype() != q.dtype() || k.rank() != rank || v != k) return false;
  const Dim width = q.dim(rank - 1);
  const int most = target.is_gpu ? 128 : 256, step = target.is_gpu ? 16 : 8;
  return std::ranges::equal(q.dims().first(rank - 2), k.dims().first(rank - 2)) && width == k.dim(rank - 1) &&
         width.is_constant() && width.value() > 0 && width.value() <= most && width.value() % step == 0;
}

AttentionKernel AttentionKernel::of(const ir::Node& node, Part part, const Target& target) {
  const Type q = node.operand(0).type();
  return best(part, q.dtype(), static_cast<int>(q.size(q.rank() - 1)), is_causal_attention(node), target);
}

AttentionKernel AttentionKernel::best(Part part, DType dtype, int width, bool is_causal, const Target& target) {
  AttentionKernel kernel{.part = part, .dtype = dtype, .width = width, .is_causal = is_causal};
  if (target.has_warpgroups) {
    constexpr int most_for_many = 80;  // the registers of wider key gradients hold the scores of only 16 columns
    kernel.warpgroups = 2;
    kernel.overlaps = true;
    kernel.columns_at_once = part == Part::key_gradient && width > most_for_many ? 16 : 32;
  }
  return kernel;
}

std::string AttentionKernel::key() const {
  return concat("attention ", static_cast<int>(part), ' ', name(dtype), ' ', width, is_causal ? " causal " : " ",
                row_tiles, ' ', warpgroups, ' ', columns, ' ', columns_at_once, overlaps ? " overlaps " : " ", blocks);
}

namespace {

// Rows of a tile lie 16 bytes further apart than they are long, an odd multiple of 16 bytes: eight threads that read the same columns of
// neighbouring rows then use different banks.
AttentionTiles tiles_of_warps(const AttentionKernel& kernel) {
  constexpr int warps = 4, most_for_many_columns = 80;
  constexpr int most_for_two = 64;  // wider ones do not fit into the registers twice
  AttentionTiles tiles;
  tiles.row_tiles = kernel.row_tiles ? kernel.row_tiles : kernel.width <= most_for_two ? 2 : 1;
  tiles.rows = tiles.row_tiles * warps * 16;
  tiles.columns = kernel.width <= most_for_many_columns ? 64 : 32;
  tiles.row_bytes = 2 * kernel.width + 16;
  tiles.tile_bytes = tiles.columns * tiles.row_bytes;
  return tiles;
}

AttentionTiles tiles_of_warpgroups(const AttentionKernel& kernel) {
  const int bytes = 2 * kernel.width;
  AttentionTiles tiles;
  tiles.threads = 128 * kernel.warpgroups;
  tiles.rows = 64 * kernel.warpgroups;
  tiles.columns = kernel.columns ? kernel.columns : 64;
  tiles.columns_at_once = kernel.columns_at_once ? kernel.columns_at_once : 32;
  tiles.row_bytes = bytes + 16;
  tiles.panel_bytes = bytes % 128 == 0 ? 128 : bytes % 64 == 0 ? 64 : 32;
  tiles.tile_bytes = tiles.columns * bytes;
  return tiles;
}

}  // namespace

AttentionTiles attention_tiles(const AttentionKernel& kernel) {
  constexpr int alignment = 1024;  // the places of pieces repeat after at most so many bytes
  AttentionTiles tiles = kernel.warpgroups ? tiles_of_warpgroups(kernel) : tiles_of_warps(kernel);
  const int sums = kernel.part == AttentionKernel::Part::key_gradient ? 2 * tiles.columns * 4 : 0;
  tiles.stage_bytes = 2 * tiles.tile_bytes + sums;
  if (kernel.warpgroups) tiles.stage_bytes = (tiles.stage_bytes + alignment - 1) / alignment * alignment;
  tiles.shared_bytes = 2 * tiles.stage_bytes;
  if (kernel.warpgroups && kernel.part != AttentionKernel::Part::forward)
    tiles.shared_bytes += tiles.rows * 2 * kernel.width;
  return tiles;
}

}  // namespace weft::compiler
