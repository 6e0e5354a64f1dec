// Folds arrays of several devices into one, element by element. The order is a balanced binary tree over the arrays: neighbours are
// combined, then neighbouring results, and so on; the last one of an odd number waits. So the result depends neither on how arrays are
// cut nor on where devices run. 16-bit floats are added in f32 and rounded once. A sum of n arrays by this tree has an error of log2 n
// roundings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <weft/compiler/thunks/body.h>

namespace weft::compiler {

// Thread-safe.
class TreeFold {
 public:
  // `body` combines two rank-0 values of the dtype.
  TreeFold(const ir::Graph& body, DType dtype, const NativeContext& context);

  // Memory of partial results, which the calls of one thread share.
  using Buffers = std::vector<std::unique_ptr<std::byte[]>>;

  // Folds elements [0, count) of the arrays, at most most_elements at a time, into `result`, which may be one of the arrays.
  static constexpr std::int64_t most_elements = 2048;
  void run(std::span<const std::byte* const> arrays, std::byte* result, std::int64_t count, Buffers& buffers) const;

  // The same fold in two parts. If each of several processes has 2^k neighbouring arrays, a first fold in each of them and a second one of
  // their partial results give the bits of a single fold. A partial result has elements of partial_width() bytes.
  std::int64_t partial_width() const { return wide_width_; }
  void run_first(std::span<const std::byte* const> arrays, std::byte* partial, std::int64_t count,
                 Buffers& buffers) const;
  void run_second(std::span<const std::byte* const> partials, std::byte* result, std::int64_t count,
                  Buffers& buffers) const;

 private:
  class Run;

  std::int64_t width_, wide_width_;             // bytes of an element: of the arrays, and of partial results
  Body combine_;                                // of two partial results
  std::unique_ptr<const Body> widen_, narrow_;  // null if partial results have the dtype of the arrays
};

}  // namespace weft::compiler
