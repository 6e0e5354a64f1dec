#include <weft/pjrt/ffi_extension.h>

#include <map>
#include <mutex>
#include <string>

#include <weft/base/error.h>
#include <weft/pjrt/error.h>
#include <weft/pjrt/ffi_call.h>

namespace weft::pjrt::ffi {

namespace {

template <class Args, void (*run)(Args&)>
PJRT_Error* guarded(Args* args) {
  try {
    run(*args);
    return nullptr;
  } catch (...) {
    return error_of(std::current_exception());
  }
}

void register_type(TypeRegisterArgs& args) {
  static std::mutex mutex;
  static auto& ids = *new std::map<std::string, std::int64_t>;
  const std::lock_guard lock(mutex);
  const std::string name(args.type_name, args.type_name_size);
  const auto fresh = args.type_id != 0 ? args.type_id : -1 - static_cast<std::int64_t>(ids.size());
  const auto [at, is_new] = ids.emplace(name, fresh);
  require(args.type_id == 0 || at->second == args.type_id, "the type ", name, " is already registered as ", at->second);
  args.type_id = at->second;
}

void add_user_data(UserDataAddArgs& args) {
  const bool has_deleter = args.struct_size >= sizeof(UserDataAddArgs);  // newer versions of XLA have none
  args.context->data->add(args.type_id, args.data, has_deleter ? args.deleter : nullptr);
}

void register_function(RegisterHandlerArgs& args) {
  const std::string name(args.target_name, args.target_name_size);
  if (args.api_version != 1)
    throw UnsupportedError(
        concat("the function ", name, " is not typed; weft calls only functions of XLA's typed interface"), name);
  register_handler(name, reinterpret_cast<Handler*>(args.handler));
}

}  // namespace

PJRT_Extension_Base* extension() {
  static Extension functions = {
      .base = {sizeof(Extension), PJRT_Extension_Type_FFI, nullptr},
      .type_register = &guarded<TypeRegisterArgs, register_type>,
      .user_data_add = &guarded<UserDataAddArgs, add_user_data>,
      .register_handler = &guarded<RegisterHandlerArgs, register_function>,
  };
  return &functions.base;
}

}  // namespace weft::pjrt::ffi

namespace weft::pjrt {

void run(PJRT_ExecuteContext_Create_Args& args) { args.context = new PJRT_ExecuteContext; }
void run(PJRT_ExecuteContext_Destroy_Args& args) { delete args.context; }

}  // namespace weft::pjrt
