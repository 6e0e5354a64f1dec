#include <weft/pjrt/compile_options.h>

#include <functional>

#include <weft/base/error.h>

namespace weft::pjrt {

namespace {

// Reads the fields of a message in protobuf's wire format.
class Message {
 public:
  explicit Message(std::string_view bytes) : bytes_(bytes) {}

  // Calls the function with the number and the value of each field: an integer, or bytes.
  void fields(const std::function<void(std::uint64_t field, std::uint64_t number, std::string_view bytes)>& field) {
    constexpr std::size_t wide = 8, narrow = 4;
    while (!bytes_.empty()) {
      const std::uint64_t tag = number();
      switch (tag & 7) {
        case 0: field(tag >> 3, number(), {}); break;
        case 1: take(wide); break;
        case 2: field(tag >> 3, 0, take(number())); break;
        case 5: take(narrow); break;
        default: fail("the compile options are not a protocol buffer");
      }
    }
  }

 private:
  std::string_view take(std::uint64_t count) {
    require(count <= bytes_.size(), "the compile options end in the middle of a field");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail("a number in the compile options is too long");
  }

  std::string_view bytes_;
};

}  // namespace

CompileOptions read_compile_options(std::string_view bytes) {
  constexpr std::uint64_t executable_build_options = 3, num_replicas = 4, num_partitions = 5;
  CompileOptions options;
  Message(bytes).fields([&](std::uint64_t outer, std::uint64_t, std::string_view inner) {
    if (outer != executable_build_options) return;
    Message(inner).fields([&](std::uint64_t field, std::uint64_t number, std::string_view) {
      if (field == num_replicas) options.replicas = static_cast<std::int64_t>(number);
      if (field == num_partitions) options.partitions = static_cast<std::int64_t>(number);
    });
  });
  return options;
}

}  // namespace weft::pjrt
