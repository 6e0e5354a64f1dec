// Sizes that may change from call to call of a compiled function without another compile.
//
//   mark_dynamic(images, 0, {.name = "batch", .min = 1, .max = 512});
//   mark_dynamic(labels, 0, {.name = "batch"});
//   train_step(images, labels);   // compiled once, for all batches of 1 to 512
//
// Unmarked sizes are found out by themselves: the second value that a size takes makes it a symbol (CompileOptions.dynamic).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include <weft/tensor/tensor.h>

namespace weft {

// What is said of a size.
struct DynamicDim {
  std::string name = {};  // sizes of one name are equal in every call
  std::int64_t min = 0, max = std::numeric_limits<std::int64_t>::max();
  std::int64_t multiple_of = 1;
};

// Says so of dimension `dim` (negative: from the end) of this tensor; known to compiled functions of which it is an argument when they
// are recorded, and from then on true of that argument. Throws Error for a range that the size itself is outside of.
void mark_dynamic(const Tensor& tensor, std::int64_t dim, DynamicDim range = {},
                  std::source_location where = std::source_location::current());

// A size is not what was said of it: out of its range, unequal to one of the same name, or fixed by an operation.
class ConstraintViolationError : public Error {
 public:
  using Error::Error;
};

namespace jit {

struct DynamicMark {
  int dim = 0;
  DynamicDim range;
  std::string where;  // file:line of mark_dynamic

  std::string text() const;  // batch in [1, 512]
};
// What was said of the tensor, which has a buffer.
std::vector<DynamicMark> marks_of(const Tensor& tensor);

}  // namespace jit
}  // namespace weft
