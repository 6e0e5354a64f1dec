// Declares sizes of arguments that may change from call to call of a compiled function without another compile.
//
//   mark_dynamic(images, 0, {.name = "batch", .min = 1, .max = 512});
//   mark_dynamic(labels, 0, {.name = "batch"});
//   train_step(images, labels);   // compiled once, for all batches of 1 to 512
//
// Unmarked sizes are detected automatically: when a size takes a second value, it becomes a symbol
// (CompileOptions.dynamic).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include <weft/base/bucketing.h>
#include <weft/tensor/tensor.h>

namespace weft {

// The declared range of a size.
struct DynamicDim {
  std::string name = {};  // sizes with the same name are equal in every call
  std::int64_t min = 0, max = std::numeric_limits<std::int64_t>::max();
  std::int64_t multiple_of = 1;

  friend bool operator==(const DynamicDim&, const DynamicDim&) = default;
};

// Declares dimension `dim` (negative: from the end) of this tensor dynamic. A compiled function that takes the tensor as an argument learns
// this when it is recorded, and applies it to that argument from then on. On a mesh, each size still has its own program. Throws Error if
// the current size is out of the range, if an earlier declaration of the tensor differs, or inside a compiled function: call it before the
// compiled function.
void mark_dynamic(const Tensor& tensor, std::int64_t dim, DynamicDim range = {},
                  std::source_location where = std::source_location::current());

// Declares that dimension `dim` (negative: from the end) takes only these sizes, for example because a data pipeline
// pads to buckets:
//
//   const Bucketing lengths{32, 64, 128};
//   mark_buckets(tokens, 1, lengths, "length");
//   train_step(tokens);  // compiles for the current bucket, and for the others in the background
//
// Each bucket has its own program, which is faster than a program for many sizes. The first call also records the
// function for the other buckets, and a background thread compiles these recordings; a call that needs a program which
// is not ready waits for it. Dimensions with the same name have the same size in every call; dimensions with different
// names are combined. Any other size that changes, such as the batch, is a symbol in the program of a bucket; with
// mark_dynamic, from the first call on. Throws Error for a size that is not a bucket.
void mark_buckets(const Tensor& tensor, std::int64_t dim, const Bucketing& sizes, std::string name = {},
                  std::source_location where = std::source_location::current());

// A size violates its declaration: it is out of range, not a bucket, different from another size with the same name, or
// fixed by an operation.
class ConstraintViolationError : public Error {
 public:
  using Error::Error;
};

namespace jit {

struct DynamicMark {
  int dim = 0;
  DynamicDim range;
  std::optional<Bucketing> buckets;  // if not given, any size in the range
  std::string where;                 // file:line of mark_dynamic

  bool allows(std::int64_t size) const;
  std::string text() const;  // such as: batch in [1, 512]; length of 32, 64 or 128
  std::string text_and_place() const;
  bool says_as(const DynamicMark& other) const { return range == other.range && buckets == other.buckets; }
};
// Returns the mark for a size to which both marks apply; nullopt if no size satisfies both.
std::optional<DynamicMark> both(const DynamicMark& a, const DynamicMark& b);
// Returns the marks of the tensor, which must have a buffer.
std::vector<DynamicMark> marks_of(const Tensor& tensor);

}  // namespace jit
}  // namespace weft
