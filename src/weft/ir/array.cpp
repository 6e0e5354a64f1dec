#include <weft/ir/array.h>

#include <algorithm>
#include <ostream>

#include <weft/base/process.h>
#include <weft/ir/element_text.h>

namespace weft::ir {

Array::Array(Type type) : type_(type) {
  require(type && type.is_static(), "Array: the type must be static, got ", type);
  const std::uint64_t bytes = type.bytes();
  constexpr std::uint64_t large = std::uint64_t{64} << 20;  // smaller sizes are not worth a system call
  if (bytes >= large && bytes > available_memory())
    fail("Array: no memory for ", type, ", which takes ", format_bytes(bytes));
  bytes_.resize(bytes);
}

Array::Array(Type type, std::span<const std::byte> bytes) : type_(type), bytes_(bytes.begin(), bytes.end()) {
  require(type && type.is_static() && std::ssize(bytes) == type.bytes(), "Array: ", type, " cannot have ", bytes.size(),
          " bytes");
}

Array::Array(const Literal& literal) : Array(literal.type) {
  if (bytes_.empty()) return;
  if (!literal.is_splat()) {
    require(literal.bytes.size() == bytes_.size(), "Array: a literal of ", type_, " has ", literal.bytes.size(),
            " bytes");
    std::ranges::copy(literal.bytes, bytes_.begin());
    return;
  }
  for (auto to = bytes_.begin(); to != bytes_.end();) to = std::ranges::copy(literal.bytes, to).out;
}

Array Array::splat(Type type, double value) {
  Array result(type);
  visit_any(type.dtype(), [&]<class T>(T) { std::ranges::fill(result.data<T>(), convert_element<T>(value)); });
  return result;
}

double Array::element(std::int64_t i) const {
  return visit_any(dtype(), [&]<class T>(T) { return static_cast<double>(data<T>()[i]); });
}

Array Array::with_type(Type type) && {
  WEFT_ASSERT(std::ssize(bytes_) == type.bytes(), "Array: ", type_, " taken as ", type);
  type_ = type;
  return std::move(*this);
}

std::ostream& operator<<(std::ostream& out, const Array& array) {
  if (!array.type_) return out << "no array";
  constexpr std::int64_t shown = 64;
  out << array.type_ << " [";
  for (std::int64_t i = 0; i < std::min(array.size(), shown); ++i) out << (i > 0 ? ", " : "") << element_text(array, i);
  return out << (array.size() > shown ? ", ...]" : "]");
}

}  // namespace weft::ir
