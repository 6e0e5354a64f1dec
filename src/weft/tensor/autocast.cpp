#include <weft/tensor/autocast.h>

#include <utility>

#include <weft/base/error.h>
#include <weft/record/session.h>

namespace weft {

using record::Session;

Autocast::Autocast(std::optional<DType> dtype) : before_(std::exchange(record::session.autocast, dtype)) {}

Autocast::Autocast(DType dtype) : Autocast(std::optional(dtype)) {
  if (is_float(dtype) && byte_size(dtype) == 2) return;
  record::session.autocast = before_;
  fail("Autocast: expected bf16 or f16, got ", dtype);
}

Autocast Autocast::off() { return Autocast(std::optional<DType>()); }

Autocast::~Autocast() { record::session.autocast = before_; }

std::optional<DType> Autocast::current() { return record::session.autocast; }

}  // namespace weft
