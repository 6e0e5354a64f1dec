#include <weft/tensor/rotary.h>

#include <cmath>

#include <weft/record/call.h>
#include <weft/tensor/broadcasting.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/windows.h>

namespace weft {

Tensor rotary_embedding(const Operand& x, const Operand& positions, const RotaryOptions& options) {
  const record::Call call("rotary_embedding", x.where());
  call.require(!x.is_number() && x.tensor().rank() >= 2 && is_float(x.tensor().dtype()),
               "expected floating point [..., time, width], got ", detail::type_of(x));
  const Tensor& given = x.tensor();
  const int last = given.rank() - 1;
  const std::int64_t width = options.width == 0 ? given.size(last) : options.width, pairs = width / 2;
  call.require(width > 0 && width % 2 == 0 && width <= given.size(last), "cannot rotate ", width,
               " elements of rows of ", given.size(last), ": expected an even number of them");
  call.require(options.base > 0, "the base must be positive, got ", options.base);
  Shape all;
  const Shape rows(given.type().dims().first(last));
  const Tensor place = positions.is_number() ? full({}, positions) : positions.tensor();
  call.require(broadcast_shapes(rows, place.type().dims(), all) && all == rows, "the positions ", place.type(),
               " do not broadcast to ", rows);

  const DType dtype = detail::compute_dtype(given.dtype());
  const Tensor wide = given.to(dtype);
  const double step = -2 * std::log(options.base) / static_cast<double>(width);
  const Tensor frequency = exp(arange(pairs).to(dtype) * constant(step, dtype));
  const Tensor angle = unsqueeze(place.to(dtype), -1) * frequency, c = cos(angle), s = sin(angle);
  const Tensor rotated = slice(wide, last, 0, width);
  Tensor y;
  if (options.interleaved) {
    const Tensor a = slice(rotated, last, 0, to_end, 2), b = slice(rotated, last, 1, to_end, 2);
    y = reshape(stack({a * c - b * s, b * c + a * s}, -1), rotated.shape());
  } else {
    const Tensor a = slice(rotated, last, 0, pairs), b = slice(rotated, last, pairs, width);
    y = concatenate({a * c - b * s, b * c + a * s}, -1);
  }
  if (width < given.size(last)) y = concatenate({y, slice(wide, last, width)}, -1);
  return y.to(given.dtype());
}

}  // namespace weft
