// Uses the plugin as JAX does: loads the library and calls the functions of its table.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <pjrt_c_api.h>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace weft::test {

inline const PJRT_Api& api() {
  static const PJRT_Api& table = [&]() -> const PJRT_Api& {
    void* library = dlopen(WEFT_PJRT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) throw std::runtime_error(dlerror());
    return *reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"))();
  }();
  return table;
}

struct Failure {
  PJRT_Error_Code code = PJRT_Error_Code_OK;
  std::string message;
};

inline Failure failure(PJRT_Error* error) {
  if (!error) return {};
  PJRT_Error_Message_Args text{.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
  api().PJRT_Error_Message(&text);
  PJRT_Error_GetCode_Args code{.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE, .error = error};
  api().PJRT_Error_GetCode(&code);
  const Failure result{code.code, {text.message, text.message_size}};
  PJRT_Error_Destroy_Args destroy{.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE, .error = error};
  api().PJRT_Error_Destroy(&destroy);
  return result;
}

inline void succeed(PJRT_Error* error) { EXPECT_EQ(failure(error).message, ""); }

inline constexpr std::int64_t device_count = 8;

inline PJRT_NamedValue option(const std::string& name, std::int64_t number) {
  return {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
          .name = name.data(),
          .name_size = name.size(),
          .type = PJRT_NamedValue_kInt64,
          .int64_value = number,
          .value_size = 1};
}

inline PJRT_Client* client() {
  const std::string name = "devices";
  const PJRT_NamedValue devices = option(name, device_count);
  PJRT_Client_Create_Args args{
      .struct_size = PJRT_Client_Create_Args_STRUCT_SIZE, .create_options = &devices, .num_options = 1};
  succeed(api().PJRT_Client_Create(&args));
  return args.client;
}

inline PJRT_Device* device(int id) {
  PJRT_Client_LookupDevice_Args args{
      .struct_size = PJRT_Client_LookupDevice_Args_STRUCT_SIZE, .client = client(), .id = id};
  succeed(api().PJRT_Client_LookupDevice(&args));
  return args.device;
}

// Returns the compile options, as a protocol buffer, for a program with a partition on each of these devices.
inline std::string options_for(const std::vector<int>& devices, bool are_replicas = false) {
  const auto message = [](int field, const std::string& bytes) {
    return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  };
  const auto number = [](int field, std::size_t value) {
    return std::string{static_cast<char>(field << 3), static_cast<char>(value)};
  };
  const std::size_t replicas = are_replicas ? devices.size() : 1, partitions = devices.size() / replicas;
  const std::string ids(devices.begin(), devices.end());
  std::string assignment = number(1, replicas) + number(2, partitions);
  for (std::size_t at = 0; at < ids.size(); at += replicas)
    assignment += message(3, message(1, ids.substr(at, replicas)));
  return message(3, number(4, replicas) + number(5, partitions) + message(9, assignment));
}

// Compiles a program; `wrong` gets the reason if it is refused.
inline PJRT_LoadedExecutable* compile(std::string code, Failure* wrong = nullptr, std::string format = "mlir",
                                      const std::string& options = "") {
  PJRT_Program program{.struct_size = PJRT_Program_STRUCT_SIZE,
                       .code = code.data(),
                       .code_size = code.size(),
                       .format = format.data(),
                       .format_size = format.size()};
  PJRT_Client_Compile_Args args{.struct_size = PJRT_Client_Compile_Args_STRUCT_SIZE,
                                .client = client(),
                                .program = &program,
                                .compile_options = options.data(),
                                .compile_options_size = options.size()};
  const Failure result = failure(api().PJRT_Client_Compile(&args));
  if (wrong)
    *wrong = result;
  else
    EXPECT_EQ(result.message, "");
  return args.executable;
}

inline std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// `lent` gets the event that comes when the data is no longer used; without it, the data is copied. `on` is the first device if it is null.
template <class T>
PJRT_Buffer* array_of(std::span<const T> data, PJRT_Buffer_Type type, std::vector<int64_t> dims,
                      std::vector<int64_t> strides = {}, PJRT_Event** lent = nullptr, PJRT_Device* on = nullptr) {
  PJRT_Client_BufferFromHostBuffer_Args args{
      .struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
      .client = client(),
      .data = data.data(),
      .type = type,
      .dims = dims.data(),
      .num_dims = dims.size(),
      .byte_strides = strides.empty() ? nullptr : strides.data(),
      .num_byte_strides = strides.size(),
      .host_buffer_semantics =
          lent ? PJRT_HostBufferSemantics_kImmutableZeroCopy : PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
      .device = on};
  succeed(api().PJRT_Client_BufferFromHostBuffer(&args));
  if (lent) {
    *lent = args.done_with_host_buffer;
    return args.buffer;
  }
  PJRT_Event_Destroy_Args done{.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE, .event = args.done_with_host_buffer};
  succeed(api().PJRT_Event_Destroy(&done));
  return args.buffer;
}

template <class T>
PJRT_Buffer* array(const std::vector<T>& data, PJRT_Buffer_Type type, std::vector<int64_t> dims,
                   std::vector<int64_t> strides = {}) {
  return array_of(std::span(data), type, std::move(dims), std::move(strides));
}

inline void await(PJRT_Event* event) {
  PJRT_Event_Await_Args wait{.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE, .event = event};
  succeed(api().PJRT_Event_Await(&wait));
  PJRT_Event_Destroy_Args destroy{.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE, .event = event};
  succeed(api().PJRT_Event_Destroy(&destroy));
}

template <class T>
std::vector<T> numbers(PJRT_Buffer* buffer) {
  PJRT_Buffer_ToHostBuffer_Args args{.struct_size = PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE, .src = buffer};
  succeed(api().PJRT_Buffer_ToHostBuffer(&args));  // asks for the size
  std::vector<T> data(args.dst_size / sizeof(T));
  args.dst = data.data();
  succeed(api().PJRT_Buffer_ToHostBuffer(&args));
  await(args.event);
  return data;
}

inline void destroy(PJRT_Buffer* buffer) {
  PJRT_Buffer_Destroy_Args args{.struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE, .buffer = buffer};
  succeed(api().PJRT_Buffer_Destroy(&args));
}

inline void destroy(PJRT_LoadedExecutable* executable) {
  PJRT_LoadedExecutable_Destroy_Args args{.struct_size = PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE,
                                          .executable = executable};
  succeed(api().PJRT_LoadedExecutable_Destroy(&args));
}

// Runs a program of one result. `complete` gets the event of the run; the arguments in `kept` are not donated; foreign functions get
// `context`.
inline PJRT_Buffer* execute(PJRT_LoadedExecutable* executable, std::vector<PJRT_Buffer*> arguments,
                            Failure* wrong = nullptr, PJRT_Event** complete = nullptr, std::vector<int64_t> kept = {},
                            PJRT_ExecuteContext* context = nullptr) {
  PJRT_Buffer* result = nullptr;
  PJRT_Buffer** results = &result;
  PJRT_Buffer* const* all = arguments.data();
  PJRT_ExecuteOptions options{.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE,
                              .non_donatable_input_indices = kept.data(),
                              .num_non_donatable_input_indices = kept.size(),
                              .context = context};
  PJRT_LoadedExecutable_Execute_Args args{.struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE,
                                          .executable = executable,
                                          .options = &options,
                                          .argument_lists = &all,
                                          .num_devices = 1,
                                          .num_args = arguments.size(),
                                          .output_lists = &results,
                                          .device_complete_events = complete};
  const Failure failed = failure(api().PJRT_LoadedExecutable_Execute(&args));
  if (wrong)
    *wrong = failed;
  else
    EXPECT_EQ(failed.message, "");
  return result;
}

inline bool is_deleted(PJRT_Buffer* buffer) {
  PJRT_Buffer_IsDeleted_Args args{.struct_size = PJRT_Buffer_IsDeleted_Args_STRUCT_SIZE, .buffer = buffer};
  succeed(api().PJRT_Buffer_IsDeleted(&args));
  return args.is_deleted;
}

inline const void* address(PJRT_Buffer* buffer) {
  PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args args{
      .struct_size = PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args_STRUCT_SIZE, .buffer = buffer};
  succeed(api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&args));
  return args.device_memory_ptr;
}

}  // namespace weft::test
