#include <weft/tensor/grid_sample.h>

#include <weft/base/dtype.h>
#include <weft/ir/ops.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/windows.h>

namespace weft {

namespace {

// Returns the elements x [batch, channels, elements] at `places` [batch, n]: [batch, channels, n].
Tensor take_of_each(const Tensor& x, const Tensor& places) {
  detail::Frame frame("grid_sample", x);
  const Axes batch(0), channels(1), elements(2);
  const std::vector<std::int64_t> sizes = {1, x.size(1), 1};
  ir::GatherAttributes attributes;
  attributes.offset_dims = channels;
  attributes.collapsed_slice_dims = attributes.start_index_map = elements;
  attributes.operand_batching_dims = attributes.start_indices_batching_dims = batch;
  attributes.index_vector_dim = 2;
  attributes.slice_sizes = sizes;
  return frame.tensor(ir::gather(frame.value(x), frame.value(places), attributes));
}

// Returns the positions, in elements, that are inside 0 to size - 1. Outside, their gradient is 0; also at the bounds, as in PyTorch.
Tensor clipped(const Tensor& at, std::int64_t size) {
  return where((at > 0) & (at < size - 1), at, stop_gradient(clamp(at, 0, size - 1)));
}

Tensor reflected(const Tensor& at, std::int64_t size, bool align_corners) {
  const double low = align_corners ? 0 : -0.5;
  const auto span = static_cast<double>(align_corners ? size - 1 : size);
  if (span == 0) return zeros_like(at);
  const Tensor distance = abs(at - low), crossed = stop_gradient(floor(distance / span));
  const Tensor rest = distance - crossed * span;
  return clipped(where(remainder(crossed, 2) == 0, rest, span - rest) + low, size);
}

// Returns the positions of the grid along one dimension, [batch, n], in elements.
Tensor positions(const Tensor& grid, std::int64_t axis, std::int64_t size, const GridSampleOptions& options) {
  const Tensor from_zero = select(grid, 2, axis) + 1;
  const Tensor at = options.align_corners ? from_zero * (static_cast<double>(size - 1) / 2)
                                          : (from_zero * static_cast<double>(size) - 1) / 2;
  if (options.padding == GridPadding::border) return clipped(at, size);
  if (options.padding == GridPadding::reflection) return reflected(at, size, options.align_corners);
  return at;
}

}  // namespace

Tensor grid_sample(const Operand& x, const Operand& grid, const GridSampleOptions& options) {
  const record::Call call("grid_sample", x.where());
  call.require(!x.is_number() && (x.tensor().rank() == 4 || x.tensor().rank() == 5),
               "expected [batch, channels, spatial...] with two or three spatial dimensions, got ", detail::type_of(x));
  call.require(!grid.is_number(), "expected a tensor as grid, got a number");
  const Tensor &given = x.tensor(), &at = grid.tensor();
  const int spatial = given.rank() - 2;
  const std::int64_t batch = given.size(0), channels = given.size(1);
  call.require(is_float(given.dtype()) && is_float(at.dtype()), "expected floating point, got ", given.type(), " and ",
               at.type());
  call.require(at.rank() == given.rank() && at.size(0) == batch && at.size(-1) == spatial, "expected a grid [", batch,
               ", spatial..., ", spatial, "] of rank ", given.rank(), " for ", given.type(), ", got ", at.type());
  std::int64_t elements = 1, n = 1;
  Shape shape = {batch, channels};
  for (int d = 0; d < spatial; ++d) {
    elements *= given.size(2 + d);
    n *= at.size(1 + d);
    shape.push_back(at.dim(1 + d));
  }
  call.require(given.elements() > 0 || Type(given.dtype(), shape).elements() == 0, "nothing to sample from ",
               given.type());
  const DType dtype = promote(given.dtype(), at.dtype()), compute = detail::compute_dtype(dtype);
  if (given.elements() == 0) return reshape(given.to(dtype), shape);
  const Tensor image = reshape(given.to(compute), {batch, channels, elements}),
               places = reshape(at.to(compute), {batch, n, spatial});

  const bool linear = options.mode == GridMode::linear;
  std::vector<Tensor> first, fraction;  // of the neighbours, for each spatial dimension
  for (int d = 0; d < spatial; ++d) {
    const Tensor place = positions(places, spatial - 1 - d, given.size(2 + d), options);
    first.push_back(stop_gradient(linear ? floor(place) : round(place)));
    fraction.push_back(place - first.back());
  }
  Tensor result;
  for (int corner = 0; corner < (linear ? 1 << spatial : 1); ++corner) {
    Tensor index, inside, weight;
    for (int d = 0; d < spatial; ++d) {
      const std::int64_t size = given.size(2 + d);
      const bool next = (corner >> d & 1) != 0;
      const Tensor neighbour = next ? first[d] + 1 : first[d];
      const Tensor here = (neighbour >= 0) & (neighbour <= size - 1);
      const Tensor part = where(here, neighbour, 0).to(DType::i32), by = next ? fraction[d] : 1 - fraction[d];
      index = d == 0 ? part : index * size + part;
      inside = d == 0 ? here : inside & here;
      weight = d == 0 ? by : weight * by;
    }
    const Tensor value = where(unsqueeze(inside, 1), take_of_each(image, index), 0);
    const Tensor term = linear ? value * unsqueeze(weight, 1) : value;
    result = corner == 0 ? term : result + term;
  }
  return reshape(result, shape).to(dtype);
}

Tensor affine_grid(const Operand& theta, const Shape& size, bool align_corners) {
  const record::Call call("affine_grid", theta.where());
  const int spatial = size.rank() - 2;
  call.require(spatial == 2 || spatial == 3, "expected a size [batch, channels, spatial...] with two or three spatial ",
               "dimensions, got ", size);
  call.require(!theta.is_number() && theta.tensor().shape() == Shape({size[0].value(), spatial, spatial + 1}) &&
                   is_float(theta.tensor().dtype()),
               "expected matrices [", size[0], ", ", spatial, ", ", spatial + 1, "] for the size ", size, ", got ",
               detail::type_of(theta));
  const Tensor& given = theta.tensor();
  const DType compute = detail::compute_dtype(given.dtype());
  const Tensor matrix = given.to(compute);
  Shape space(std::span<const Dim>(size).subspan(2)), result = {size[0]};
  std::vector<Tensor> coordinates;
  for (int d = spatial - 1; d >= 0; --d) {
    const std::int64_t n = size[2 + d].value();
    const double edge = n == 1 ? 0 : align_corners ? 1 : 1 - 1. / static_cast<double>(n);
    Shape line(std::vector<std::int64_t>(spatial, 1));
    line[d] = n;
    coordinates.push_back(broadcast_to(reshape(linspace(-edge, edge, n, compute), line), space));
  }
  coordinates.push_back(ones(space, compute));
  const Tensor grid = matmul(reshape(stack(coordinates, -1), {-1, spatial + 1}), transpose(matrix));
  for (const Dim dim : space) result.push_back(dim);
  result.push_back(spatial);
  return reshape(grid, result).to(given.dtype());
}

}  // namespace weft
