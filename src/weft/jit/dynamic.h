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

#include <weft/base/bucketing.h>
#include <weft/tensor/tensor.h>

namespace weft {

// What is said of a size.
struct DynamicDim {
  std::string name = {};  // sizes of one name are equal in every call
  std::int64_t min = 0, max = std::numeric_limits<std::int64_t>::max();
  std::int64_t multiple_of = 1;

  friend bool operator==(const DynamicDim&, const DynamicDim&) = default;
};

// Says so of dimension `dim` (negative: from the end) of this tensor; known to compiled functions of which it is an argument when they
// are recorded, and from then on true of that argument. Throws Error for a range that the size itself is outside of, for one unlike
// what was said of it before, and inside a compiled function: it is said before the call.
void mark_dynamic(const Tensor& tensor, std::int64_t dim, DynamicDim range = {},
                  std::source_location where = std::source_location::current());

// Says that dimension `dim` (negative: from the end) takes these sizes only, as it does where a data pipeline pads to buckets:
//
//   const Bucketing lengths{32, 64, 128};
//   mark_buckets(tokens, 1, lengths, "length");
//   train_step(tokens);  // compiles for the bucket that this is; those for the others are compiled meanwhile
//
// Each bucket has a program of its own, and faster than one for many sizes. The first call records the function for the other
// buckets too, as mark_dynamic has it recorded for another size; a thread in the background compiles what comes of it, and a call
// that needs a program which is not ready waits for it. Several dimensions of one name are of one size in every call; those of
// different names are combined. What else changes beside them, such as the batch, is a symbol in the program of a bucket: from the
// first call on where mark_dynamic says so. Throws Error for a size that is no bucket.
void mark_buckets(const Tensor& tensor, std::int64_t dim, const Bucketing& sizes, std::string name = {},
                  std::source_location where = std::source_location::current());

// A size is not what was said of it: out of its range, no bucket, unequal to one of the same name, or fixed by an operation.
class ConstraintViolationError : public Error {
 public:
  using Error::Error;
};

namespace jit {

struct DynamicMark {
  int dim = 0;
  DynamicDim range;
  std::optional<Bucketing> buckets;  // else any in the range
  std::string where;                 // file:line of mark_dynamic

  bool allows(std::int64_t size) const;
  std::string text() const;  // batch in [1, 512]; length of 32, 64 or 128
  std::string text_and_place() const;
  bool says_as(const DynamicMark& other) const { return range == other.range && buckets == other.buckets; }
};
// What a size is of which both are said; nothing if there is none.
std::optional<DynamicMark> both(const DynamicMark& a, const DynamicMark& b);
// What was said of the tensor, which has a buffer.
std::vector<DynamicMark> marks_of(const Tensor& tensor);

}  // namespace jit
}  // namespace weft
