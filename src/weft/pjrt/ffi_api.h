// The functions that the plugin offers to foreign functions while they run: errors, futures, scratch memory, and the data that the caller of a
// launch attached.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <weft/pjrt/ffi_abi.h>

namespace weft::pjrt::ffi {

// The data that the caller of a launch attached, by type.
class UserData {
 public:
  UserData() = default;
  ~UserData();  // deletes the data
  UserData(const UserData&) = delete;
  UserData& operator=(const UserData&) = delete;

  using Deleter = void(void* data);
  void add(std::int64_t type, void* data, Deleter* deleter);  // the deleter may be null
  // Returns null if there is none. Data that is the only one is also found as `any_type`.
  void* const* find(std::int64_t type) const;
  static constexpr std::int64_t any_type = 0;

 private:
  struct Entry {
    void* data;
    Deleter* deleter;
  };
  std::map<std::int64_t, Entry> entries_;
};

// The state of one call.
struct ExecutionContext {
  const UserData* data = nullptr;  // null: the caller attached none
};

// The functions that a foreign function may call.
const Api& api();

// Waits until the function that returned the future has ended, and destroys the future. Returns the message of its error; empty if it has none.
std::string wait(Future* future);

// Returns the message of an error, and destroys it.
std::string take_message(Error* error);

}  // namespace weft::pjrt::ffi
