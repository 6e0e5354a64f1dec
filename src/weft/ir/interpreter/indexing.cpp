// Ops whose positions are data.
#include <algorithm>
#include <limits>

#include <weft/ir/interpreter/fold.h>
#include <weft/ir/interpreter/rules.h>
#include <weft/ir/interpreter/view.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

namespace {

// Returns an element of an integer array. Values beyond 63 bits saturate; they are out of bounds anyway.
std::int64_t position(const Array& array, std::int64_t i) {
  return visit_any(array.dtype(), [&]<class T>(T) -> std::int64_t {
    if constexpr (is_integer(dtype_of<T>)) {
      const auto value = +array.data<T>()[i];  // at least an int
      return std::in_range<std::int64_t>(value) ? value : std::numeric_limits<std::int64_t>::max();
    } else {
      WEFT_ASSERT(false, "positions of ", array.type());
      __builtin_unreachable();
    }
  });
}

// Returns the box of these sizes whose start is given by rank-0 operands; the box is moved back inside `x`.
View box_at(View x, const Index& sizes, std::span<const Array* const> starts) {
  for (std::size_t d = 0; d < sizes.size(); ++d)
    x.offset += std::clamp<std::int64_t>(position(*starts[d], 0), 0, x.sizes[d] - sizes[d]) * x.strides[d];
  x.sizes = sizes;
  return x;
}

bool holds(Ints dims, std::size_t dim) { return std::ranges::find(dims, static_cast<std::int64_t>(dim)) != dims.end(); }

// The part that gather and scatter share. Windows of an operand are placed by index vectors. The windows are stored in a tensor
// (the result of gather, the updates of scatter) whose dimensions are those of a window and those of the batch of index vectors.
class Windows {
 public:
  struct Numbers {
    Ints window_dims, dropped_dims, batching_dims, indices_batching_dims, index_map;
    std::int64_t index_vector_dim;
  };

  Windows(const Numbers& numbers, Type operand, const Array& indices, Type tensor)
      : numbers_(numbers),
        indices_(indices),
        operand_(whole(operand)),
        tensor_(whole(tensor)),
        index_strides_(strides_of(indices.type())) {
    for (std::size_t d = 0; d < operand_.sizes.size(); ++d)
      if (!holds(numbers.dropped_dims, d) && !holds(numbers.batching_dims, d)) operand_window_.push_back(d);
    Index batch;
    for (std::size_t d = 0; d < tensor_.sizes.size(); ++d)
      if (!holds(numbers.window_dims, d)) batch.push_back(d);
    batch_ = permuted(tensor_, batch);
    if (numbers.index_vector_dim < std::ssize(index_strides_)) {
      component_stride_ = index_strides_[numbers.index_vector_dim];
      index_strides_.erase(index_strides_.begin() + numbers.index_vector_dim);
    }
  }

  const Index& batch_sizes() const { return batch_.sizes; }

  // Returns where the window of a batch index starts in the operand, from its index vector and its batch coordinates. The start
  // is not clamped.
  Index start(const Index& batch_index) const {
    Index start(operand_.sizes.size(), 0);
    const std::int64_t at = dot(batch_index, index_strides_);
    for (std::size_t i = 0; i < numbers_.index_map.size(); ++i)
      start[numbers_.index_map[i]] = position(indices_, at + static_cast<std::int64_t>(i) * component_stride_);
    for (std::size_t i = 0; i < numbers_.batching_dims.size(); ++i) {
      const std::int64_t d = numbers_.indices_batching_dims[i];
      start[numbers_.batching_dims[i]] = batch_index[d < numbers_.index_vector_dim ? d : d - 1];
    }
    return start;
  }

  // Returns the window of a batch index in the tensor.
  View in_tensor(const Index& batch_index) const {
    View window = permuted(tensor_, numbers_.window_dims);
    window.offset = dot(batch_index, batch_.strides);
    return window;
  }

  // Returns the operand dimension for each window dimension.
  const Index& operand_window() const { return operand_window_; }

 private:
  Numbers numbers_;
  const Array& indices_;
  View operand_, tensor_, batch_;
  Index index_strides_, operand_window_;  // index_strides_: the strides of the batch dimensions of the indices
  std::int64_t component_stride_ = 0;
};

// Returns where each element of the updates goes, in row-major order of the updates. Elements that fall outside are left out.
std::vector<Pair> scatter_pairs(const NodeCall& call) {
  const auto& a = call.attributes<ScatterAttributes>();
  const std::size_t count = call.node.types.size();
  const View operand = whole(call[0].type());
  const Windows windows({a.update_window_dims, a.inserted_window_dims, a.input_batching_dims,
                         a.scatter_indices_batching_dims, a.scatter_dims_to_operand_dims, a.index_vector_dim},
                        call[0].type(), call[count], call[count + 1].type());
  std::vector<Pair> pairs;
  for_each_index(windows.batch_sizes(), [&](const Index& batch_index) {
    Index start = windows.start(batch_index);
    for (std::size_t d = 0; d < start.size(); ++d)
      start[d] = std::min(start[d], operand.sizes[d]);  // avoids overflow in the additions below
    const View from = windows.in_tensor(batch_index);
    for_each_index(from.sizes, [&](const Index& in_window) {
      Index at = start;
      for (std::size_t i = 0; i < in_window.size(); ++i) at[windows.operand_window()[i]] += in_window[i];
      for (std::size_t d = 0; d < at.size(); ++d)
        if (at[d] < 0 || at[d] >= operand.sizes[d]) return;
      pairs.push_back({from.offset + dot(in_window, from.strides), dot(at, operand.strides)});
    });
  });
  std::ranges::sort(pairs, {}, &Pair::from);
  return pairs;
}

}  // namespace

std::vector<Array> dynamic_slice(const NodeCall& call) {
  Array result(call.type());
  const View to = whole(call.type());
  copy(call[0], box_at(whole(call[0].type()), to.sizes, call.operands.subspan(1)), result, to);
  return one(std::move(result));
}

std::vector<Array> dynamic_update_slice(const NodeCall& call) {
  Array result = call[0];
  const View from = whole(call[1].type());
  copy(call[1], from, result, box_at(whole(call.type()), from.sizes, call.operands.subspan(2)));
  return one(std::move(result));
}

std::vector<Array> gather(const NodeCall& call) {
  const auto& a = call.attributes<GatherAttributes>();
  const Array& x = call[0];
  Array result(call.type());
  // there is nothing to read; slices of size 0 may still leave elements, which are zero
  if (x.size() == 0) return one(std::move(result));
  const View operand = whole(x.type());
  const Windows windows({a.offset_dims, a.collapsed_slice_dims, a.operand_batching_dims, a.start_indices_batching_dims,
                         a.start_index_map, a.index_vector_dim},
                        x.type(), call[1], call.type());
  for_each_index(windows.batch_sizes(), [&](const Index& batch_index) {
    Index start = windows.start(batch_index);
    for (std::size_t d = 0; d < start.size(); ++d)
      start[d] = std::clamp<std::int64_t>(start[d], 0, operand.sizes[d] - std::max<std::int64_t>(1, a.slice_sizes[d]));
    const View to = windows.in_tensor(batch_index);
    View from = permuted(operand, windows.operand_window());
    from.offset = dot(start, operand.strides);
    from.sizes = to.sizes;
    copy(x, from, result, to);
  });
  return one(std::move(result));
}

std::vector<Array> scatter(const NodeCall& call) {
  const std::size_t count = call.node.types.size();
  std::vector<Array> initial;
  for (const Array* x : call.operands.first(count)) initial.push_back(*x);
  Fold fold(*call.node.regions[0], std::move(initial), call.context);
  fold.add(call.operands.last(count), scatter_pairs(call));
  return fold.finish();
}

}  // namespace weft::ir::interpreter
