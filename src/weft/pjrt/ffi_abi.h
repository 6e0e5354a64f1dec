// The binary interface of XLA's foreign functions (FFI), version 0.3: structs whose members, order and sizes are fixed, so that functions which
// were compiled against XLA's header can be called. Names are XLA's without the prefix XLA_FFI_. Every struct begins with its size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::pjrt::ffi {

struct Api;
struct Error;             // defined by the plugin: ffi_api.cpp
struct ExecutionContext;  // defined by the plugin: ffi_api.h
struct Future;            // the same: ffi_api.cpp

struct ExtensionBase {
  std::size_t struct_size;
  int type;
  ExtensionBase* next;
};

// The beginning of every struct.
struct Head {
  std::size_t struct_size;
  ExtensionBase* extension_start = nullptr;
};

struct ApiVersion {
  Head head;
  int major_version, minor_version;
};
inline constexpr int api_major = 0, api_minor = 3;

enum class ErrorCode : int { unknown = 2, invalid_argument = 3, unimplemented = 12 };

// XLA's numbers of element types.
enum class DataType : int {
  boolean = 1,
  s8 = 2,
  s16 = 3,
  s32 = 4,
  s64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  f32 = 11,
  f64 = 12,
  c64 = 15,
  bf16 = 16,
  token = 17,
  c128 = 18,
  f8E5M2 = 19,
  f8E4M3FN = 20,
  s4 = 21,
  u4 = 22,
  f8E4M3B11FNUZ = 23,
  f8E5M2FNUZ = 24,
  f8E4M3FNUZ = 25,
  s2 = 26,
  u2 = 27,
  f8E4M3 = 28,
  f8E3M4 = 29,
  f4E2M1FN = 32,
  f8E8M0FNU = 33,
};

struct Buffer {
  Head head;
  DataType dtype;
  void* data;
  std::int64_t rank;
  const std::int64_t* dims;
};
inline constexpr int buffer_argument = 1;  // the only type of arguments and results

enum class AttributeType : int { array = 1, dictionary = 2, scalar = 3, string = 4 };

struct ByteSpan {
  const char* data;
  std::size_t size;
};
struct Scalar {
  DataType dtype;
  const void* value;
};
struct Array {
  DataType dtype;
  std::size_t size;
  const void* data;
};

struct Arguments {  // or results
  Head head;
  std::int64_t size;
  const int* types;
  void* const* buffers;
};
struct Attributes {  // sorted by name
  Head head;
  std::int64_t size;
  const AttributeType* types;
  const ByteSpan* const* names;
  const void* const* values;  // Array, Attributes, Scalar, ByteSpan
};

enum class Stage : int { instantiate = 0, prepare = 1, initialize = 2, execute = 3 };

struct CallFrame {
  Head head;
  const Api* api;
  ExecutionContext* context;
  Stage stage;
  Arguments arguments, results;
  Attributes attributes;
  Future* future = nullptr;  // out: the call has not ended yet
};

using Handler = Error*(CallFrame* frame);

struct TypeId {
  std::int64_t id;
};

// The arguments of the functions of the table.
struct ErrorCreate {
  Head head;
  const char* message;
  ErrorCode code;
};
struct ErrorGetMessage {
  Head head;
  Error* error;
  const char* message;  // out
};
struct ErrorDestroy {
  Head head;
  Error* error;
};
struct ContextGet {
  Head head;
  ExecutionContext* context;
  const TypeId* type;
  void* data;  // out
};
struct MemoryAllocate {
  Head head;
  ExecutionContext* context;
  std::size_t size, alignment;
  void* data;  // out
};
struct MemoryFree {
  Head head;
  ExecutionContext* context;
  std::size_t size;
  void* data;
};
struct PoolSchedule {
  Head head;
  ExecutionContext* context;
  void (*task)(void* data);
  void* data;
};
struct PoolSize {
  Head head;
  ExecutionContext* context;
  std::int64_t* threads;  // out
};
struct FutureCreate {
  Head head;
  Future* future;  // out
};
struct FutureSetAvailable {
  Head head;
  Future* future;
};
struct FutureSetError {
  Head head;
  Future* future;
  Error* error;  // becomes the future's
};
struct RunId {
  Head head;
  ExecutionContext* context;
  std::int64_t id;  // out
};
struct DeviceOrdinal {
  Head head;
  ExecutionContext* context;
  std::int32_t ordinal;  // out
};
struct Unused {
  Head head;
};

struct Api {
  Head head;
  ApiVersion version;
  const void* internal_api = nullptr;
  Error* (*error_create)(ErrorCreate*);
  void (*error_get_message)(ErrorGetMessage*);
  void (*error_destroy)(ErrorDestroy*);
  Error* (*handler_register)(Unused*);
  Error* (*stream_get)(Unused*);
  Error* (*type_register)(Unused*);
  Error* (*context_get)(ContextGet*);
  Error* (*state_set)(Unused*);
  Error* (*state_get)(Unused*);
  Error* (*memory_allocate)(MemoryAllocate*);
  Error* (*memory_free)(MemoryFree*);
  Error* (*pool_schedule)(PoolSchedule*);
  Error* (*pool_size)(PoolSize*);
  Error* (*future_create)(FutureCreate*);
  Error* (*future_set_available)(FutureSetAvailable*);
  Error* (*future_set_error)(FutureSetError*);
  Error* (*run_id)(RunId*);
  Error* (*device_ordinal)(DeviceOrdinal*);
};

}  // namespace weft::pjrt::ffi
