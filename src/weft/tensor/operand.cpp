#include <weft/tensor/operand.h>

#include <limits>

#include <weft/record/call_error.h>

namespace weft {

void HostNumber::observe() const {
  if (scalar_ && host_state.observer)
    host_state.observer->value_read(scalar_, sizeof(double), scalar_->lifetime(), scalar_->name());
}

double HostNumber::as_double() const {
  observe();
  return exact();
}

double HostNumber::exact() const {
  if (class_ == Class::floating) return floating_;
  return beyond_i64_ ? static_cast<double>(static_cast<std::uint64_t>(integer_)) : static_cast<double>(integer_);
}

void HostNumber::write(DType dtype, void* to, const char* function) const {
  observe();
  write_unobserved(dtype, to, function);
}

void HostNumber::write_unobserved(DType dtype, void* to, const char* function) const {
  visit(dtype, [&](auto tag) {
    using T = decltype(tag);
    T value;
    if constexpr (std::is_same_v<T, bool>) {
      value = exact() != 0;
    } else if constexpr (std::is_integral_v<T>) {
      if (class_ == Class::floating) [[unlikely]]
        record::fail_call(
            concat(function, ": ", floating_, " is a floating-point number, ", dtype, " has integers only"));
      value = integer_;
      const bool fits = beyond_i64_ ? std::is_same_v<T, std::uint64_t> : std::in_range<T>(integer_);
      if (!fits) [[unlikely]] {
        const std::string number = beyond_i64_ ? concat(static_cast<std::uint64_t>(integer_)) : concat(integer_);
        record::fail_call(concat(function, ": ", number, " does not fit ", dtype));
      }
    } else {
      value = static_cast<T>(exact());
    }
    std::memcpy(to, &value, sizeof value);
  });
}

}  // namespace weft
