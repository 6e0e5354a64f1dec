// Fourier transforms of rows that follow each other in memory.
#pragma once

#include <cstdint>
#include <memory>

#include <weft/compiler/thunks/fft_passes.h>

namespace weft::compiler {

class RowTransform {
 public:
  virtual ~RowTransform() = default;
  virtual std::int64_t rows_together() const { return 1; }
  virtual std::int64_t scratch_bytes() const = 0;
  // `rows` is at most rows_together().
  virtual void run(FftParts from, FftParts to, std::int64_t rows, std::byte* scratch) const = 0;
};

// Transforms rows of n complex numbers to rows of n, for n >= 2.
std::unique_ptr<RowTransform> row_transform(std::int64_t n, FftBodies& bodies);

// Returns whether row_transform(n) takes a row as a matrix.
bool splits_row(std::int64_t n);

}  // namespace weft::compiler
