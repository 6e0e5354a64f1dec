#include <weft/tensor/autocast.h>

#include <utility>

#include <weft/base/error.h>

namespace weft {

namespace {
constinit thread_local std::optional<DType> current_dtype;
}

Autocast::Autocast(std::optional<DType> dtype) : before_(std::exchange(current_dtype, dtype)) {}

Autocast::Autocast(DType dtype) : Autocast(std::optional(dtype)) {
  if (is_float(dtype) && byte_size(dtype) == 2) return;
  current_dtype = before_;
  fail("Autocast: expected bf16 or f16, got ", dtype);
}

Autocast Autocast::off() { return Autocast(std::optional<DType>()); }

Autocast::~Autocast() { current_dtype = before_; }

std::optional<DType> Autocast::current() { return current_dtype; }

}  // namespace weft
