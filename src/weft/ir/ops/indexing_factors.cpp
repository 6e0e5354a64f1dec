// Factor rules of indexing ops. A dimension can be split if it is taken completely, or indexed by a batch. Positions may also choose
// single elements of a dimension that is split, if they fit into i64 (indexing_local.cpp).
#include <algorithm>

#include <weft/ir/factors.h>
#include <weft/ir/ops/indexing.h>
#include <weft/ir/ops/reduction.h>
#include <weft/ir/ops/window.h>

namespace weft::ir {

namespace {

bool is_among(Ints dimensions, std::int64_t d) { return std::ranges::count(dimensions, d) != 0; }

// Returns the dimensions of a tensor of this rank that are neither in `a` nor in `b`.
std::vector<int> dims_without(int rank, Ints a, Ints b = {}) {
  std::vector<int> rest;
  for (int d = 0; d < rank; ++d)
    if (!is_among(a, d) && !is_among(b, d)) rest.push_back(d);
  return rest;
}

Ints one(const std::int64_t& d) { return {&d, 1}; }

// Relates the dimensions in which the update, or the slice, is as large as the whole operand.
void relate_full_dims(Type x, Type part, std::span<std::vector<DimFactors>* const> tensors, Factors& f) {
  for (int d = 0; d < x.rank(); ++d) {
    if (part.dim(d) != x.dim(d)) continue;
    const int letter = f.add(x.dim(d));
    for (auto* dims : tensors) (*dims)[d] = {letter};
  }
}

bool adds(const Node& node, const Graph& body) { return reduction_of(body, node.type().dtype()) == Reduction::sum; }

}  // namespace

void gather_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<GatherAttributes>();
  const Type x = node.operand(0).type(), indices = node.operand(1).type();
  const std::vector<int> window = dims_without(x.rank(), a.collapsed_slice_dims, a.operand_batching_dims);
  for (std::size_t i = 0; i < window.size(); ++i) {
    const int d = window[i];
    if (x.dim(d) != Dim(a.slice_sizes[d])) continue;
    const int letter = f.add(x.dim(d));
    f.operands[0][d] = f.results[0][a.offset_dims[i]] = {letter};
    f.attribute_sizes[d] = letter;
  }
  const std::vector<int> batch = dims_without(indices.rank(), one(a.index_vector_dim)),
                         of_result = dims_without(node.type().rank(), a.offset_dims);
  for (std::size_t i = 0; i < batch.size(); ++i)
    f.operands[1][batch[i]] = f.results[0][of_result[i]] = {f.add(indices.dim(batch[i]))};
  for (std::size_t i = 0; i < a.operand_batching_dims.size(); ++i)
    f.operands[0][a.operand_batching_dims[i]] = f.operands[1][a.start_indices_batching_dims[i]];
  // Each device takes those of the chosen elements that it has.
  const Reduction reduction = x.dtype() == DType::boolean ? Reduction::max : Reduction::sum;
  for (const std::int64_t d : a.start_index_map)
    if (indices.dtype() != DType::u64 && is_among(a.collapsed_slice_dims, d) && x.dims()[d] != Dim(1))
      f.operands[0][d] = {f.add(x.dims()[d], Factor::Kind::reduced, reduction)};
}

// The updates can be split along the batch of the indices if the body combines parts of the result.
void scatter_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<ScatterAttributes>();
  const int count = static_cast<int>(node.operands.size()) / 2;
  const Type x = node.operand(0).type(), indices = node.operand(count).type(), updates = node.operand(count + 1).type();
  const auto set = [&](int x_dim, int indices_dim, int updates_dim, int letter) {
    if (indices_dim >= 0) f.operands[count][indices_dim] = {letter};
    for (int i = 0; i < count; ++i) {
      if (x_dim >= 0) f.operands[i][x_dim] = f.results[i][x_dim] = {letter};
      f.operands[count + 1 + i][updates_dim] = {letter};
    }
  };
  const std::vector<int> window = dims_without(x.rank(), a.inserted_window_dims, a.input_batching_dims);
  for (std::size_t i = 0; i < window.size(); ++i) {
    const int update_dim = static_cast<int>(a.update_window_dims[i]);
    // A window that starts elsewhere than at 0 is written as far as it is inside, so elements would move between shards.
    const bool starts_at_zero = !is_among(a.scatter_dims_to_operand_dims, window[i]);
    if (starts_at_zero && x.dim(window[i]) == updates.dim(update_dim))
      set(window[i], -1, update_dim, f.add(x.dim(window[i])));
  }
  for (const std::int64_t d : a.scatter_dims_to_operand_dims) {
    if (indices.dtype() == DType::u64 || !is_among(a.inserted_window_dims, d) || x.dims()[d] == Dim(1)) continue;
    const int letter = f.add(x.dims()[d]);
    for (int i = 0; i < count; ++i) f.operands[i][d] = f.results[i][d] = {letter};
  }
  const auto reduction = count == 1 ? reduction_of(*node.regions[0], x.dtype()) : std::nullopt;
  const std::vector<int> batch = dims_without(indices.rank(), one(a.index_vector_dim)),
                         of_updates = dims_without(updates.rank(), a.update_window_dims);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto shared = std::ranges::find(a.scatter_indices_batching_dims, batch[i]);
    if (shared != a.scatter_indices_batching_dims.end()) {
      const auto x_dim = a.input_batching_dims[shared - a.scatter_indices_batching_dims.begin()];
      set(static_cast<int>(x_dim), batch[i], of_updates[i], f.add(indices.dim(batch[i])));
    } else if (reduction) {
      set(-1, batch[i], of_updates[i], f.add(indices.dim(batch[i]), Factor::Kind::reduced, *reduction));
    }
  }
}

void dynamic_slice_factors(const Node& node, Factors& f) {
  const std::array tensors{&f.operands[0], &f.results[0]};
  relate_full_dims(node.operand(0).type(), node.type(), tensors, f);
  for (int d = 0; d < node.type().rank(); ++d)
    if (!f.results[0][d].empty()) f.attribute_sizes[d] = f.results[0][d].front();
}

void dynamic_update_slice_factors(const Node& node, Factors& f) {
  const std::array tensors{&f.operands[0], &f.operands[1], &f.results[0]};
  relate_full_dims(node.operand(0).type(), node.operand(1).type(), tensors, f);
}

void sort_factors(const Node& node, Factors& f) {
  const int rank = node.type().rank();
  const std::int64_t dimension = node.attributes<SortAttributes>().dimension;
  for (int d = 0; d < rank; ++d) {
    if (d == dimension || d == dimension + rank) continue;
    const int letter = f.add(node.type().dim(d));
    for (auto& operand : f.operands) operand[d] = {letter};
    for (auto& result : f.results) result[d] = {letter};
  }
}

// A dimension can be split where each window lies within as many elements of the operand as the next one begins further on.
void select_and_scatter_factors(const Node& node, Factors& f) {
  const auto& a = node.attributes<SelectAndScatterAttributes>();
  const Type x = node.operand(0).type(), source = node.operand(1).type();
  for (int d = 0; d < node.type().rank(); ++d) {
    const WindowDim window = window_dim(a, d);
    const bool is_apart = window.low == 0 && window.size <= window.stride && x.dim(d).is_constant() &&
                          source.dim(d).is_constant() && x.size(d) == source.size(d) * window.stride;
    if (window.is_trivial() || is_apart) f.operands[0][d] = f.operands[1][d] = f.results[0][d] = {f.add(source.dim(d))};
  }
}

Linearity slicing_linearity(const Node&, int operand) { return operand == 0 ? Linearity::together : Linearity::none; }

Linearity scatter_linearity(const Node& node, int operand) {
  const int count = static_cast<int>(node.operands.size()) / 2;
  return count == 1 && operand != count && adds(node, *node.regions[0]) ? Linearity::together : Linearity::none;
}

Linearity dynamic_update_slice_linearity(const Node&, int operand) {
  return operand < 2 ? Linearity::together : Linearity::none;
}

Linearity select_and_scatter_linearity(const Node& node, int operand) {
  return operand > 0 && adds(node, *node.regions[1]) ? Linearity::together : Linearity::none;
}

}  // namespace weft::ir
