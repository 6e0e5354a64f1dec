#include <weft/compiler/thunks/fft_columns.h>

#include <utility>

namespace weft::compiler {

ColumnTransform::ColumnTransform(std::int64_t n, std::int64_t lanes, std::int64_t outer_length, Distances distances,
                                 FftBodies& bodies) {
  const DType dtype = bodies.dtype();
  std::int64_t length = n, stride = 1;
  for (const int r : fft_radices(n)) {
    const std::int64_t m = length / r, row = stride * lanes, from = stride == 1 ? distances.from : row;
    const bool is_last = m == 1, turns_last = is_last && outer_length != 0;
    const int turned = turns_last ? r : is_last ? 0 : r - 1;
    Pass pass{.routine = bodies.pass(r, turned, turns_last), .outer = m, .inner = row};
    if (turns_last)
      pass.factors =
          FftFactors(n * lanes, dtype, [&](auto i) { return fft_root(i / lanes * (i % lanes), outer_length); });
    else
      pass.factors = FftFactors(m * turned, dtype, [&](auto i) { return fft_root((i / m + 1) * (i % m), length); });
    pass.strides = {m * from, from, row, r * row, turns_last ? row : m, turns_last ? 0 : 1};
    if (is_last && distances.to != lanes) {
      pass.outer = stride;
      pass.inner = lanes;
      pass.strides = {stride == 1 ? from : row, lanes, stride * distances.to, distances.to, 0, 0};
    }
    for (std::int64_t& stride_of : pass.strides) stride_of *= bodies.width();
    passes_.push_back(std::move(pass));
    length = m;
    stride *= r;
  }
}

void ColumnTransform::run(FftParts from, FftParts to, FftParts spare, FftParts more) const {
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    const Pass& p = passes_[i];
    const std::size_t left = passes_.size() - 1 - i;
    const FftParts next = left == 0 ? to : left % 2 == 1 ? spare : more;
    run_pass(*p.routine, p.outer, p.inner, from, next, p.factors, p.strides);
    from = next;
  }
}

}  // namespace weft::compiler
