// Fourier transforms of the columns of a matrix.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <weft/compiler/thunks/fft_passes.h>

namespace weft::compiler {

// Transforms the columns of a matrix [n, lanes] in passes, after which the results are in order (Stockham's form). The lanes of vectors are
// columns, so a pass needs no exchange between lanes. Needs fft_radices(n) for n >= 2.
class ColumnTransform {
 public:
  // The distances of rows of the operand and of the result, in elements.
  struct Distances {
    std::int64_t from, to;
  };
  // If `outer_length` is not 0, multiplies element k of column j by exp(-2 pi i j k / outer_length) in the end; rows of the result must
  // then be dense.
  ColumnTransform(std::int64_t n, std::int64_t lanes, std::int64_t outer_length, FftBodies& bodies)
      : ColumnTransform(n, lanes, outer_length, {lanes, lanes}, bodies) {}
  ColumnTransform(std::int64_t n, std::int64_t lanes, std::int64_t outer_length, Distances distances,
                  FftBodies& bodies);

  // `spare` and `more` have n dense rows. The arrays do not overlap.
  void run(FftParts from, FftParts to, FftParts spare, FftParts more) const;
  // The same for a result with dense rows, which serves as spare memory, too.
  void run(FftParts from, FftParts to, FftParts spare) const { run(from, to, spare, to); }

 private:
  struct Pass {
    std::shared_ptr<const Routine> routine;
    std::int64_t outer, inner;
    FftFactors factors = {};
    std::array<std::int64_t, 6> strides = {};  // of an FftFunction
  };
  std::vector<Pass> passes_;
};

}  // namespace weft::compiler
