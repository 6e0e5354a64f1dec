#include <weft/tensor/autocast.h>

#include <utility>

#include <weft/base/error.h>
#include <weft/tensor/session.h>

namespace weft {

using detail::Session;

Autocast::Autocast(std::optional<DType> dtype) : before_(std::exchange(Session::current().autocast, dtype)) {}

Autocast::Autocast(DType dtype) : Autocast(std::optional(dtype)) {
  if (is_float(dtype) && byte_size(dtype) == 2) return;
  Session::current().autocast = before_;
  fail("Autocast: expected bf16 or f16, got ", dtype);
}

Autocast Autocast::off() { return Autocast(std::optional<DType>()); }

Autocast::~Autocast() { Session::current().autocast = before_; }

std::optional<DType> Autocast::current() { return Session::current().autocast; }

}  // namespace weft
