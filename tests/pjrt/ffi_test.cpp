// Foreign functions, which JAX registers for LAPACK, for calls back into Python, and for jax.ffi.
#include <chrono>
#include <complex>
#include <cstring>
#include <string>
#include <tests/pjrt/plugin_client.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <weft/pjrt/ffi_abi.h>

namespace weft::test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace ffi = pjrt::ffi;

// The arguments of the extension's functions, as XLA's header declares them.
struct Registration {
  std::size_t struct_size;
  const char* name;
  std::size_t name_size;
  int api_version;
  void* handler;
  const char* platform;
  std::size_t platform_size;
};
struct Addition {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_ExecuteContext* context;
  std::int64_t type_id;
  void* data;
  void (*deleter)(void* data);
};
struct Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*type_register)(void*);
  PJRT_Error* (*user_data_add)(Addition*);
  PJRT_Error* (*register_handler)(Registration*);
};

const Extension& extension() {
  const auto* at = api().extension_start;
  while (at && at->type != PJRT_Extension_Type_FFI) at = at->next;
  return *reinterpret_cast<const Extension*>(at);
}

void offer(const std::string& name, ffi::Handler* handler) {
  Registration args{.struct_size = sizeof(Registration),
                    .name = name.data(),
                    .name_size = name.size(),
                    .api_version = 1,
                    .handler = reinterpret_cast<void*>(handler)};
  succeed(extension().register_handler(&args));
}

template <class T>
const T& attribute(const ffi::CallFrame& frame, std::string_view name) {
  for (std::int64_t i = 0; i < frame.attributes.size; ++i)
    if (std::string_view(frame.attributes.names[i]->data, frame.attributes.names[i]->size) == name)
      return *static_cast<const T*>(frame.attributes.values[i]);
  throw std::runtime_error("no attribute " + std::string(name));
}
template <class T>
T number(const ffi::CallFrame& frame, std::string_view name) {
  T value;
  std::memcpy(&value, attribute<ffi::Scalar>(frame, name).value, sizeof(T));
  return value;
}
const ffi::Buffer& operand(const ffi::CallFrame& frame, int i) {
  return *static_cast<const ffi::Buffer*>(frame.arguments.buffers[i]);
}
const ffi::Buffer& result(const ffi::CallFrame& frame, int i) {
  return *static_cast<const ffi::Buffer*>(frame.results.buffers[i]);
}
template <class T>
T* data(const ffi::Buffer& buffer) {
  return static_cast<T*>(buffer.data);
}

// Multiplies the numbers, in the order of memory, by `factor` and by their position.
ffi::Error* weigh(ffi::CallFrame* frame) {
  const auto factor = number<float>(*frame, "factor");
  for (int i = 0; i < 6; ++i)
    data<float>(result(*frame, 0))[i] = data<float>(operand(*frame, 0))[i] * factor * static_cast<float>(i);
  return nullptr;
}

TEST(ForeignFunction, GetsTensorsInTheLayoutItAsksFor) {
  offer("test.weigh", weigh);
  PJRT_LoadedExecutable* program = compile(R"(func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.custom_call @test.weigh(%x) {api_version = 4 : i32, backend_config = {factor = -1.0 : f32},
      operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  })");
  PJRT_Buffer* x = array<float>({1, 2, 3, 4, 5, 6}, PJRT_Buffer_Type_F32, {2, 3});
  PJRT_Buffer* y = execute(program, {x});
  EXPECT_THAT(numbers<float>(y), ElementsAre(-1 * 0, -4 * 1, -2 * 2, -5 * 3, -3 * 4, -6 * 5));
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
  destroy(program);
}

using Number = std::complex<double>;

// Turns the numbers by a right angle, in place.
ffi::Error* turn(ffi::CallFrame* frame) {
  EXPECT_EQ(operand(*frame, 0).dtype, ffi::DataType::c128);
  EXPECT_EQ(operand(*frame, 0).data, result(*frame, 0).data);
  for (int i = 0; i < 4; ++i) data<Number>(result(*frame, 0))[i] *= Number(0, 1);
  *data<std::int32_t>(result(*frame, 1)) = static_cast<std::int32_t>(operand(*frame, 0).dims[1]);
  return nullptr;
}

TEST(ForeignFunction, GetsComplexNumbersAndWorksInPlace) {
  offer("test.turn", turn);
  PJRT_LoadedExecutable* program =
      compile(R"(func.func @main(%x: tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>> {
    %0:2 = stablehlo.custom_call @test.turn(%x) {api_version = 4 : i32, backend_config = {},
      operand_layouts = [dense<[0, 1]> : tensor<2xindex>],
      result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>],
      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0,
                                                                operand_tuple_indices = []>]}
      : (tensor<2x2xcomplex<f64>>) -> (tensor<2x2xcomplex<f64>>, tensor<i32>)
    return %0#0 : tensor<2x2xcomplex<f64>>
  })");
  PJRT_Buffer* x = array<Number>({{1, 2}, {3, 4}, {5, 6}, {7, 8}}, PJRT_Buffer_Type_C128, {2, 2});
  PJRT_Buffer* y = execute(program, {x});
  EXPECT_THAT(numbers<Number>(y), ElementsAre(Number(-2, 1), Number(-4, 3), Number(-6, 5), Number(-8, 7)));
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
  destroy(program);
}

// Checks one attribute of every kind.
ffi::Error* look(ffi::CallFrame* frame) {
  EXPECT_EQ(number<bool>(*frame, "flag"), true);
  EXPECT_EQ(number<std::uint8_t>(*frame, "small"), 200);
  EXPECT_EQ(number<std::int64_t>(*frame, "big"), -5);
  EXPECT_EQ(number<double>(*frame, "real"), -2.5);
  EXPECT_EQ(attribute<ffi::Scalar>(*frame, "small").dtype, ffi::DataType::u8);
  const auto& text = attribute<ffi::ByteSpan>(*frame, "text");
  EXPECT_EQ(std::string(text.data, text.size), "a \"b\"");
  const auto& list = attribute<ffi::Array>(*frame, "list");
  EXPECT_EQ(list.dtype, ffi::DataType::s32);
  const auto* const first = static_cast<const std::int32_t*>(list.data);
  EXPECT_THAT(std::vector(first, first + list.size), ElementsAre(7, 8));
  const auto& inner = attribute<ffi::Attributes>(*frame, "inner");
  EXPECT_EQ(inner.size, 1);
  EXPECT_EQ(std::string(inner.names[0]->data, inner.names[0]->size), "k");
  for (std::int64_t i = 1; i < frame->attributes.size; ++i) {  // handlers search the names
    const ffi::ByteSpan &a = *frame->attributes.names[i - 1], &b = *frame->attributes.names[i];
    EXPECT_LT(std::string(a.data, a.size), std::string(b.data, b.size));
  }
  *data<float>(result(*frame, 0)) = 1;
  return nullptr;
}

TEST(ForeignFunction, GetsAttributes) {
  offer("test.look", look);
  PJRT_LoadedExecutable* program = compile(R"(func.func @main() -> tensor<f32> {
    %0 = stablehlo.custom_call @test.look() {api_version = 4 : i32, backend_config = {text = "a \"b\"", flag = true,
      small = 200 : ui8, big = -5 : i64, real = -2.5 : f64, list = dense<[7, 8]> : tensor<2xi32>, inner = {k = 1 : i32}}}
      : () -> tensor<f32>
    return %0 : tensor<f32>
  })");
  PJRT_Buffer* y = execute(program, {});
  EXPECT_THAT(numbers<float>(y), ElementsAre(1));
  destroy(y);
  destroy(program);
}

// Returns the number that the caller attached to the launch.
ffi::Error* attached(ffi::CallFrame* frame) {
  const ffi::TypeId type{77};
  ffi::ContextGet get{.head = {sizeof(ffi::ContextGet)}, .context = frame->context, .type = &type};
  if (ffi::Error* error = frame->api->context_get(&get)) return error;
  *data<float>(result(*frame, 0)) = *static_cast<float*>(get.data);
  return nullptr;
}

TEST(ForeignFunction, GetsWhatTheCallerAttached) {
  offer("test.attached", attached);
  // In a loop, because that is a program of its own.
  PJRT_LoadedExecutable* program = compile(R"(func.func @main() -> tensor<f32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %start = stablehlo.constant dense<0.0> : tensor<f32>
    %0:2 = stablehlo.while(%i = %zero, %sum = %start) : tensor<i32>, tensor<f32> cond {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.custom_call @test.attached() {api_version = 4 : i32, has_side_effect = true} : () -> tensor<f32>
      %3 = stablehlo.add %sum, %2 : tensor<f32>
      stablehlo.return %1, %3 : tensor<i32>, tensor<f32>
    }
    return %0#1 : tensor<f32>
  })");
  float number = 21;
  PJRT_ExecuteContext_Create_Args made{.struct_size = PJRT_ExecuteContext_Create_Args_STRUCT_SIZE};
  succeed(api().PJRT_ExecuteContext_Create(&made));
  Addition add{.struct_size = sizeof(Addition), .context = made.context, .type_id = 77, .data = &number};
  succeed(extension().user_data_add(&add));
  PJRT_Buffer* y = execute(program, {}, nullptr, nullptr, {}, made.context);
  PJRT_ExecuteContext_Destroy_Args gone{.struct_size = PJRT_ExecuteContext_Destroy_Args_STRUCT_SIZE,
                                        .context = made.context};
  succeed(api().PJRT_ExecuteContext_Destroy(&gone));
  EXPECT_THAT(numbers<float>(y), ElementsAre(42));
  destroy(y);
  destroy(program);
}

int calls = 0;
ffi::Error* count(ffi::CallFrame*) {
  ++calls;
  return nullptr;
}

TEST(ForeignFunction, RunsInLoopsForItsEffect) {
  offer("test.count", count);
  PJRT_LoadedExecutable* program = compile(R"(func.func @main() -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.while(%i = %zero) : tensor<i32> cond {
      %four = stablehlo.constant dense<4> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      stablehlo.custom_call @test.count(%i) {api_version = 4 : i32, has_side_effect = true} : (tensor<i32>) -> ()
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
    return %0 : tensor<i32>
  })");
  PJRT_Event* complete = nullptr;
  PJRT_Buffer* y = execute(program, {}, nullptr, &complete);
  await(complete);
  EXPECT_EQ(calls, 4);
  destroy(y);
  destroy(program);
}

TEST(ForeignFunction, IsNotCalledForMatricesWithoutElements) {
  calls = 0;
  offer("lapack_test", count);
  PJRT_LoadedExecutable* program = compile(R"(func.func @main(%x: tensor<0x0xf32>) -> tensor<i32> {
    %0:2 = stablehlo.custom_call @lapack_test(%x) {api_version = 4 : i32} : (tensor<0x0xf32>) -> (tensor<0x0xf32>, tensor<i32>)
    return %0#1 : tensor<i32>
  })");
  PJRT_Buffer* x = array<float>({}, PJRT_Buffer_Type_F32, {0, 0});
  PJRT_Buffer* info = execute(program, {x});
  EXPECT_THAT(numbers<int>(info), ElementsAre(0));
  EXPECT_EQ(calls, 0);
  for (PJRT_Buffer* buffer : {x, info}) destroy(buffer);
  destroy(program);
}

ffi::Error* refuse(ffi::CallFrame* frame) {
  ffi::ErrorCreate args{.head = {sizeof(ffi::ErrorCreate)},
                        .message = "the matrix is singular",
                        .code = ffi::ErrorCode::invalid_argument};
  return frame->api->error_create(&args);
}

// Runs a program without arguments, which fails, and returns what its event says.
std::string failure_of(PJRT_LoadedExecutable* program) {
  PJRT_Event* complete = nullptr;
  PJRT_Buffer* y = execute(program, {}, nullptr, &complete);
  PJRT_Event_Await_Args wait{.struct_size = PJRT_Event_Await_Args_STRUCT_SIZE, .event = complete};
  const std::string message = failure(api().PJRT_Event_Await(&wait)).message;
  PJRT_Event_Destroy_Args gone{.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE, .event = complete};
  succeed(api().PJRT_Event_Destroy(&gone));
  destroy(y);
  return message;
}

ffi::Future* new_future(const ffi::Api& api) {
  ffi::FutureCreate args{.head = {sizeof(ffi::FutureCreate)}, .future = nullptr};
  EXPECT_EQ(api.future_create(&args), nullptr);
  return args.future;
}

ffi::Error* end_later(ffi::CallFrame* frame) {
  frame->future = new_future(*frame->api);
  std::thread([api = frame->api, future = frame->future, y = data<float>(result(*frame, 0))] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    *y = 7;
    ffi::FutureSetAvailable args{{sizeof(ffi::FutureSetAvailable)}, future};
    api->future_set_available(&args);
  }).detach();
  return nullptr;
}

ffi::Error* fail_later(ffi::CallFrame* frame) {
  frame->future = new_future(*frame->api);
  ffi::ErrorCreate wrong{.head = {sizeof(ffi::ErrorCreate)}, .message = "too late", .code = ffi::ErrorCode::unknown};
  ffi::FutureSetError args{{sizeof(ffi::FutureSetError)}, frame->future, frame->api->error_create(&wrong)};
  frame->api->future_set_error(&args);
  return nullptr;
}

TEST(ForeignFunction, MayEndLater) {
  offer("test.later", end_later);
  offer("test.too_late", fail_later);
  const auto calling = [](const char* name) {
    return compile(std::string("func.func @main() -> tensor<f32> { %0 = stablehlo.custom_call @") + name +
                   "() {api_version = 4 : i32} : () -> tensor<f32> return %0 : tensor<f32> }");
  };
  PJRT_LoadedExecutable* program = calling("test.later");
  PJRT_Buffer* y = execute(program, {});
  EXPECT_THAT(numbers<float>(y), ElementsAre(7));
  destroy(y);
  destroy(program);
  program = calling("test.too_late");
  EXPECT_THAT(failure_of(program), HasSubstr("test.too_late: too late"));
  destroy(program);
}

std::uintptr_t status_without_stream = 0;

ffi::Error* ask_for_a_stream(ffi::CallFrame* frame) {
  ffi::Unused args{{sizeof(ffi::Unused)}};
  ffi::Error* const wrong = frame->api->stream_get(&args);
  std::memcpy(&status_without_stream, static_cast<const void*>(wrong), sizeof(status_without_stream));
  return wrong;
}

// jaxlib reads it so in the property `stream` of a buffer callback's context.
TEST(ForeignFunction, GetsErrorsThatBeginWithAStatusOfAbseil) {
  offer("test.stream", ask_for_a_stream);
  PJRT_LoadedExecutable* program = compile(R"(func.func @main() -> tensor<f32> {
    %0 = stablehlo.custom_call @test.stream() {api_version = 4 : i32} : () -> tensor<f32>
    return %0 : tensor<f32>
  })");
  EXPECT_THAT(failure_of(program), HasSubstr("no streams"));
  constexpr std::uintptr_t is_inline = 1;
  EXPECT_EQ(status_without_stream, static_cast<std::uintptr_t>(ffi::ErrorCode::unimplemented) << 2 | is_inline);
  destroy(program);
}

TEST(ForeignFunction, TellsWhyItFails) {
  offer("test.refuse", refuse);
  PJRT_LoadedExecutable* program = compile(R"(func.func @main() -> tensor<f32> {
    %0 = stablehlo.custom_call @test.refuse() {api_version = 4 : i32} : () -> tensor<f32>
    return %0 : tensor<f32>
  })");
  EXPECT_THAT(failure_of(program), HasSubstr("test.refuse: the matrix is singular"));
  destroy(program);
}

// JAX attaches its functions of Python, and expects their errors from the call.
TEST(ForeignFunction, HasRunWhenTheCallReturnsIfTheCallerAttachedSomething) {
  offer("test.refuse", refuse);
  PJRT_LoadedExecutable* program = compile(R"(func.func @main() -> tensor<f32> {
    %0 = stablehlo.custom_call @test.refuse() {api_version = 4 : i32} : () -> tensor<f32>
    return %0 : tensor<f32>
  })");
  PJRT_ExecuteContext_Create_Args made{.struct_size = PJRT_ExecuteContext_Create_Args_STRUCT_SIZE};
  succeed(api().PJRT_ExecuteContext_Create(&made));
  Failure wrong;
  EXPECT_EQ(execute(program, {}, &wrong, nullptr, {}, made.context), nullptr);
  EXPECT_THAT(wrong.message, HasSubstr("test.refuse: the matrix is singular"));
  PJRT_ExecuteContext_Destroy_Args gone{.struct_size = PJRT_ExecuteContext_Destroy_Args_STRUCT_SIZE,
                                        .context = made.context};
  succeed(api().PJRT_ExecuteContext_Destroy(&gone));
  destroy(program);
}

TEST(ForeignFunction, IsNamedIfItIsMissing) {
  Failure wrong;
  compile(R"(func.func @main() -> tensor<f32> {
    %0 = stablehlo.custom_call @test.missing() {api_version = 4 : i32} : () -> tensor<f32>
    return %0 : tensor<f32>
  })",
          &wrong);
  EXPECT_EQ(wrong.code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_THAT(wrong.message, HasSubstr("custom_call @test.missing: weft has no such function"));
}

}  // namespace

}  // namespace weft::test
