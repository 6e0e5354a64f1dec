#include <weft/compiler/thunks/scatter_plan.h>

#include <algorithm>

#include <weft/ir/ops.h>

namespace weft::compiler {

ScatterPlan scatter_plan(const ir::Node& node) {
  const auto& a = node.attributes<ir::ScatterAttributes>();
  const int count = node.types.size();
  const Type operand = node.type(), indices = node.operand(count).type(), updates = node.operand(count + 1).type();
  const auto has = [](ir::Ints list, std::int64_t d) { return std::ranges::find(list, d) != list.end(); };
  const auto where = [](ir::Ints list, std::int64_t d) {
    return static_cast<int>(std::ranges::find(list, d) - list.begin());
  };
  const auto strides = [](Type t) {
    std::vector<std::int64_t> s(t.rank());
    row_major_strides(t.dims(), s);
    return s;
  };
  const auto operand_strides = strides(operand), index_strides = strides(indices), update_strides = strides(updates);
  ScatterPlan plan;
  plan.index_dtype = indices.dtype();
  if (a.index_vector_dim < indices.rank()) plan.component_stride = index_strides[a.index_vector_dim];
  // Dimensions of the indices without the index vector: one for each scatter dimension.
  std::vector<std::int64_t> index_dims;
  for (int d = 0; d < indices.rank(); ++d)
    if (d != a.index_vector_dim) index_dims.push_back(d);
  std::vector<int> step_of_index(index_dims.size());
  int last_scatter = updates.rank() - 1;
  while (last_scatter >= 0 && has(a.update_window_dims, last_scatter)) --last_scatter;
  std::vector<int> step_of(updates.rank(), -1);  // for each dimension of the updates
  std::size_t batch = 0;
  for (int d = 0; d <= last_scatter; ++d) {
    step_of[d] = static_cast<int>(plan.steps.size());
    ScatterPlan::Step step{.size = updates.size(d)};
    if (!has(a.update_window_dims, d)) {
      step.update_stride = update_strides[d];
      step.index_stride = index_strides[index_dims[batch]];
      step_of_index[batch++] = static_cast<int>(plan.steps.size());
    }
    plan.steps.push_back(step);
    plan.windows *= step.size;
  }
  std::size_t window = 0;
  for (int d = 0; d < operand.rank(); ++d) {
    ScatterPlan::Dimension dim{.size = operand.size(d), .stride = operand_strides[d]};
    if (has(a.input_batching_dims, d)) {
      const std::int64_t index_dim = a.scatter_indices_batching_dims[where(a.input_batching_dims, d)];
      dim.batch = step_of_index[where(index_dims, index_dim)];
    } else if (!has(a.inserted_window_dims, d)) {
      const std::size_t u = a.update_window_dims[window++];
      dim.window = updates.size(u);
      dim.update_stride = update_strides[u];
      if (step_of[u] >= 0) plan.steps[step_of[u]].window_of = d;
    }
    if (has(a.scatter_dims_to_operand_dims, d)) dim.start = where(a.scatter_dims_to_operand_dims, d);
    plan.window_elements *= dim.window;
    plan.dims.push_back(dim);
  }
  return plan;
}

namespace {

// Makes one step of neighbours that are walked like one, and drops those of a single iteration.
std::vector<RowScatter::Step> merged(const std::vector<RowScatter::Step>& steps) {
  std::vector<RowScatter::Step> all;
  for (const RowScatter::Step& step : steps) {
    if (step.size == 1) continue;
    if (!all.empty() && all.back().index_stride == step.index_stride * step.size &&
        all.back().place_stride == step.place_stride * step.size) {
      all.back() = {all.back().size * step.size, step.index_stride, step.place_stride};
    } else {
      all.push_back(step);
    }
  }
  if (all.empty()) all.emplace_back();
  return all;
}

}  // namespace

std::optional<RowScatter> row_scatter(const ScatterPlan& plan) {
  if (is_narrow(plan.index_dtype)) return std::nullopt;
  RowScatter rows;
  rows.index_dtype = plan.index_dtype;
  std::size_t outside = plan.dims.size();  // the dimensions from here on are the row
  for (; outside > 0; --outside) {
    const ScatterPlan::Dimension& dim = plan.dims[outside - 1];
    const bool is_whole = dim.start < 0 && dim.batch < 0 && dim.window == dim.size;
    if (!is_whole || (dim.window > 1 && dim.update_stride != rows.width)) break;
    rows.width *= dim.window;
  }
  std::vector<std::int64_t> place_strides(plan.steps.size());
  std::vector<bool> is_in_row(plan.steps.size());
  for (std::size_t k = 0; k < plan.steps.size(); ++k)
    is_in_row[k] = plan.steps[k].window_of >= static_cast<std::int64_t>(outside);
  for (std::size_t d = 0; d < outside; ++d) {
    const ScatterPlan::Dimension& dim = plan.dims[d];
    int step = dim.batch;
    for (std::size_t k = 0; k < plan.steps.size(); ++k)
      if (plan.steps[k].window_of == static_cast<std::int64_t>(d)) step = static_cast<int>(k);
    if (step < 0 ? dim.window != 1 : dim.start >= 0) return std::nullopt;
    if (step >= 0) place_strides[step] = dim.stride;
    if (dim.start >= 0) rows.components.push_back({dim.start * plan.component_stride, dim.size, dim.stride});
  }
  std::int64_t update_stride = rows.width;
  for (std::size_t k = plan.steps.size(); k-- > 0;) {
    const ScatterPlan::Step& step = plan.steps[k];
    if (is_in_row[k]) continue;
    const std::int64_t stride = step.window_of < 0 ? step.update_stride : plan.dims[step.window_of].update_stride;
    if (step.size != 1 && stride != update_stride) return std::nullopt;
    update_stride *= step.size;
    rows.windows *= step.size;
    rows.steps.insert(rows.steps.begin(), {step.size, step.index_stride, place_strides[k]});
  }
  rows.steps = merged(rows.steps);
  return rows;
}

}  // namespace weft::compiler
