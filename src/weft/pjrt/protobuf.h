// Messages in protobuf's wire format, as far as the plugin interface passes them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::pjrt {

class MessageReader {
 public:
  // `name` is what the message is called in errors, in the plural: "the compile options".
  MessageReader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  // Calls the function with the number and the value of each field: an integer, or bytes. Throws Error if the bytes are no message.
  void fields(const std::function<void(std::uint64_t field, std::uint64_t number, std::string_view bytes)>& field);
  // Reads the bytes of a packed list of integers.
  std::vector<std::int64_t> integers();

 private:
  std::string_view take(std::uint64_t count);
  std::uint64_t number();

  std::string_view bytes_, name_;
};

// Each appends one field.
void append_field(std::string& message, std::uint64_t field, std::uint64_t number);
void append_field(std::string& message, std::uint64_t field, std::string_view bytes);
void append_field(std::string& message, std::uint64_t field, std::span<const std::int64_t> numbers);

}  // namespace weft::pjrt
