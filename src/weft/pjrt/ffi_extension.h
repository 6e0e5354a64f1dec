// The extension of the plugin interface for foreign functions: it registers them, and takes data that the caller of a launch attaches for
// them. The layout of its structs is part of the interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <pjrt_c_api.h>

#include <weft/pjrt/ffi_api.h>

// What the caller of a launch attaches. The launch keeps the data, but not the context.
struct PJRT_ExecuteContext {
  std::shared_ptr<weft::pjrt::ffi::UserData> data = std::make_shared<weft::pjrt::ffi::UserData>();
};

namespace weft::pjrt::ffi {

struct TypeRegisterArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* type_name;
  std::size_t type_name_size;
  std::int64_t type_id;  // in, out: 0 asks for a new number
};
struct UserDataAddArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_ExecuteContext* context;
  std::int64_t type_id;
  void* data;
  void (*deleter)(void* data);  // may be null
};
struct RegisterHandlerArgs {
  std::size_t struct_size;
  const char* target_name;
  std::size_t target_name_size;
  int api_version;  // 1: typed
  void* handler;
  const char* platform_name;
  std::size_t platform_name_size;
};
struct Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*type_register)(TypeRegisterArgs*);
  PJRT_Error* (*user_data_add)(UserDataAddArgs*);
  PJRT_Error* (*register_handler)(RegisterHandlerArgs*);
};

PJRT_Extension_Base* extension();

}  // namespace weft::pjrt::ffi

namespace weft::pjrt {

void run(PJRT_ExecuteContext_Create_Args& args);
void run(PJRT_ExecuteContext_Destroy_Args& args);

}  // namespace weft::pjrt
