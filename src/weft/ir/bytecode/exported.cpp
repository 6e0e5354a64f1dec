#include <weft/ir/bytecode/exported.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include <weft/ir/bytecode/bytecode.h>

namespace weft::ir::bytecode {

namespace {

// Reads numbers of a FlatBuffer; a place outside it reads as 0.
class FlatBuffer {
 public:
  explicit FlatBuffer(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  std::int64_t at(std::int64_t place) const {
    T number = 0;
    const bool is_inside = place >= 0 && place <= std::ssize(bytes_) - static_cast<std::int64_t>(sizeof(T));
    if (is_inside) std::memcpy(&number, bytes_.data() + place, sizeof(T));
    return number;
  }
  std::string_view part(std::int64_t place, std::int64_t size) const {
    const bool is_inside = place >= 0 && place <= std::ssize(bytes_) && size <= std::ssize(bytes_) - place;
    return is_inside ? bytes_.substr(static_cast<std::size_t>(place), static_cast<std::size_t>(size))
                     : std::string_view();
  }

 private:
  std::string_view bytes_;
};

}  // namespace

std::optional<std::string_view> exported_module(std::string_view bytes) {
  constexpr std::int64_t mlir_module_serialized = 13;  // the number of the field
  constexpr std::int64_t place_in_table = 4 + 2 * mlir_module_serialized;
  const FlatBuffer file(bytes);
  const std::int64_t root = file.at<std::uint32_t>(0), table = root - file.at<std::int32_t>(root);
  if (root == 0 || file.at<std::uint16_t>(table) < place_in_table + 2) return std::nullopt;
  const std::int64_t field = root + file.at<std::uint16_t>(table + place_in_table),
                     vector = field + file.at<std::uint32_t>(field);
  const std::string_view module = file.part(vector + 4, file.at<std::uint32_t>(vector));
  return is_bytecode(module) ? std::optional(module) : std::nullopt;
}

}  // namespace weft::ir::bytecode
