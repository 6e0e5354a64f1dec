// Uses the plugin as JAX does: loads the library and calls the functions of its table.
#include <array>
#include <atomic>
#include <complex>
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <pjrt_c_api.h>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const PJRT_Api& api() {
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

Failure failure(PJRT_Error* error) {
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

void succeed(PJRT_Error* error) { EXPECT_EQ(failure(error).message, ""); }

PJRT_Client* client() {
  PJRT_Client_Create_Args args{.struct_size = PJRT_Client_Create_Args_STRUCT_SIZE};
  succeed(api().PJRT_Client_Create(&args));
  return args.client;
}

// Compiles a program; `wrong` gets the reason if it is refused.
PJRT_LoadedExecutable* compile(std::string code, Failure* wrong = nullptr, std::string format = "mlir") {
  PJRT_Program program{.struct_size = PJRT_Program_STRUCT_SIZE,
                       .code = code.data(),
                       .code_size = code.size(),
                       .format = format.data(),
                       .format_size = format.size()};
  PJRT_Client_Compile_Args args{
      .struct_size = PJRT_Client_Compile_Args_STRUCT_SIZE, .client = client(), .program = &program};
  const Failure result = failure(api().PJRT_Client_Compile(&args));
  if (wrong)
    *wrong = result;
  else
    EXPECT_EQ(result.message, "");
  return args.executable;
}

std::string contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
PJRT_Buffer* array(const std::vector<T>& data, PJRT_Buffer_Type type, std::vector<int64_t> dims,
                   std::vector<int64_t> strides = {}) {
  PJRT_Client_BufferFromHostBuffer_Args args{.struct_size = PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE,
                                             .client = client(),
                                             .data = data.data(),
                                             .type = type,
                                             .dims = dims.data(),
                                             .num_dims = dims.size(),
                                             .byte_strides = strides.empty() ? nullptr : strides.data(),
                                             .num_byte_strides = strides.size()};
  succeed(api().PJRT_Client_BufferFromHostBuffer(&args));
  PJRT_Event_Destroy_Args done{.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE, .event = args.done_with_host_buffer};
  succeed(api().PJRT_Event_Destroy(&done));
  return args.buffer;
}

void await(PJRT_Event* event) {
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

void destroy(PJRT_Buffer* buffer) {
  PJRT_Buffer_Destroy_Args args{.struct_size = PJRT_Buffer_Destroy_Args_STRUCT_SIZE, .buffer = buffer};
  succeed(api().PJRT_Buffer_Destroy(&args));
}

void destroy(PJRT_LoadedExecutable* executable) {
  PJRT_LoadedExecutable_Destroy_Args args{.struct_size = PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE,
                                          .executable = executable};
  succeed(api().PJRT_LoadedExecutable_Destroy(&args));
}

// Runs a program of one result. `complete` gets the event of the run; the arguments in `kept` are not donated.
PJRT_Buffer* execute(PJRT_LoadedExecutable* executable, std::vector<PJRT_Buffer*> arguments, Failure* wrong = nullptr,
                     PJRT_Event** complete = nullptr, std::vector<int64_t> kept = {}) {
  PJRT_Buffer* result = nullptr;
  PJRT_Buffer** results = &result;
  PJRT_Buffer* const* all = arguments.data();
  PJRT_ExecuteOptions options{.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE,
                              .non_donatable_input_indices = kept.data(),
                              .num_non_donatable_input_indices = kept.size()};
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

constexpr const char* twice = R"(func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})";

TEST(Plugin, HasOneDevice) {
  EXPECT_EQ(api().pjrt_api_version.major_version, PJRT_API_MAJOR);
  PJRT_Client_Devices_Args devices{.struct_size = PJRT_Client_Devices_Args_STRUCT_SIZE, .client = client()};
  succeed(api().PJRT_Client_Devices(&devices));
  EXPECT_EQ(devices.num_devices, 1u);
  PJRT_Client_PlatformName_Args name{.struct_size = PJRT_Client_PlatformName_Args_STRUCT_SIZE, .client = client()};
  succeed(api().PJRT_Client_PlatformName(&name));
  EXPECT_EQ(std::string(name.platform_name, name.platform_name_size), "weft");
}

TEST(Plugin, TellsWhichVersionsItReads) {
  PJRT_Plugin_Attributes_Args args{.struct_size = PJRT_Plugin_Attributes_Args_STRUCT_SIZE};
  succeed(api().PJRT_Plugin_Attributes(&args));
  ASSERT_GE(args.num_attributes, 1u);
  EXPECT_EQ(std::string(args.attributes[0].name, args.attributes[0].name_size), "stablehlo_current_version");
  EXPECT_THAT(std::vector(args.attributes[0].int64_array_value, args.attributes[0].int64_array_value + 3),
              ElementsAre(1, 20, 0));
}

TEST(Plugin, RunsBytecode) {
  PJRT_LoadedExecutable* program = compile(contents("tests/ir/bytecode/inputs/composites.1.17.0.mlir.bc"));
  PJRT_Buffer* x = array<float>({1, 2, 3, 4}, PJRT_Buffer_Type_F32, {4});
  PJRT_Event* complete = nullptr;
  PJRT_Buffer* y = execute(program, {x}, nullptr, &complete);
  await(complete);
  EXPECT_THAT(numbers<float>(y), ElementsAre(2, 8, 18, 32));
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
  destroy(program);
}

TEST(Plugin, TakesArraysInAnyOrder) {
  PJRT_LoadedExecutable* program = compile(twice);
  PJRT_Buffer* x = array<float>({1, 2, 3, 4}, PJRT_Buffer_Type_F32, {2, 2}, {4, 8});  // columns
  PJRT_Buffer* y = execute(program, {x});
  EXPECT_THAT(numbers<float>(y), ElementsAre(2, 6, 4, 8));
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
  destroy(program);
}

TEST(Plugin, KeepsComplexNumbersTogether) {
  using Number = std::complex<float>;
  PJRT_LoadedExecutable* program = compile(R"(func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
    %0 = stablehlo.multiply %x, %x : tensor<2xcomplex<f32>>
    return %0 : tensor<2xcomplex<f32>>
  })");
  PJRT_Buffer* x = array<Number>({{1, 2}, {0, 3}}, PJRT_Buffer_Type_C64, {2});
  PJRT_Buffer* y = execute(program, {x});
  EXPECT_THAT(numbers<Number>(y), ElementsAre(Number(-3, 4), Number(-9, 0)));
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
  destroy(program);
}

TEST(Plugin, TellsWhyItRefuses) {
  Failure wrong;
  const std::string bytes = contents("tests/ir/bytecode/inputs/composites.1.17.0.mlir.bc");
  compile(bytes.substr(0, 300), &wrong);
  EXPECT_EQ(wrong.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(wrong.message, HasSubstr("byte "));
  compile(twice, &wrong, "hlo");
  EXPECT_EQ(wrong.code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_THAT(wrong.message, HasSubstr("programs of the format hlo are not supported"));
  compile("func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 1.0>>) { return }", &wrong);
  EXPECT_NE(wrong.code, PJRT_Error_Code_OK);
  PJRT_Client_DmaMap_Args map{.struct_size = PJRT_Client_DmaMap_Args_STRUCT_SIZE};
  const Failure missing = failure(api().PJRT_Client_DmaMap(&map));
  EXPECT_EQ(missing.code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_THAT(missing.message, HasSubstr("PJRT_Client_DmaMap is not implemented"));
}

TEST(Plugin, ChecksArguments) {
  PJRT_LoadedExecutable* program = compile(twice);
  Failure wrong;
  execute(program, {}, &wrong);
  EXPECT_THAT(wrong.message, HasSubstr("takes 1 arrays, got 0"));
  PJRT_Buffer* x = array<float>({1, 2}, PJRT_Buffer_Type_F32, {2});
  execute(program, {x}, &wrong);
  EXPECT_EQ(wrong.code, PJRT_Error_Code_INVALID_ARGUMENT);
  PJRT_Buffer_Delete_Args deleted{.struct_size = PJRT_Buffer_Delete_Args_STRUCT_SIZE, .buffer = x};
  succeed(api().PJRT_Buffer_Delete(&deleted));
  execute(program, {x}, &wrong);
  EXPECT_THAT(wrong.message, HasSubstr("the array was deleted or donated"));
  destroy(x);
  destroy(program);
}

TEST(Plugin, CallsBackWhenArraysAreThere) {
  PJRT_LoadedExecutable* program = compile(twice);
  PJRT_Buffer* x = array<float>({1, 2, 3, 4}, PJRT_Buffer_Type_F32, {2, 2});
  PJRT_Buffer* y = execute(program, {x});
  PJRT_Buffer_ReadyEvent_Args ready{.struct_size = PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE, .buffer = y};
  succeed(api().PJRT_Buffer_ReadyEvent(&ready));
  std::atomic<int> calls = 0;
  PJRT_Event_OnReady_Args on{.struct_size = PJRT_Event_OnReady_Args_STRUCT_SIZE,
                             .event = ready.event,
                             .callback =
                                 [](PJRT_Error* error, void* calls_made) {
                                   succeed(error);
                                   auto& count = *static_cast<std::atomic<int>*>(calls_made);
                                   count = 1;
                                   count.notify_all();
                                 },
                             .user_arg = &calls};
  succeed(api().PJRT_Event_OnReady(&on));
  PJRT_Event_Destroy_Args gone{.struct_size = PJRT_Event_Destroy_Args_STRUCT_SIZE, .event = ready.event};
  succeed(api().PJRT_Event_Destroy(&gone));  // the callback comes nevertheless
  calls.wait(0);
  EXPECT_EQ(calls, 1);
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
  destroy(program);
}

TEST(Plugin, ShowsItsBytes) {
  PJRT_Buffer* x = array<float>({1, 2, 3}, PJRT_Buffer_Type_F32, {3});
  PJRT_Buffer_IncreaseExternalReferenceCount_Args more{
      .struct_size = PJRT_Buffer_IncreaseExternalReferenceCount_Args_STRUCT_SIZE, .buffer = x};
  succeed(api().PJRT_Buffer_IncreaseExternalReferenceCount(&more));
  PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args bytes{
      .struct_size = PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args_STRUCT_SIZE, .buffer = x};
  succeed(api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&bytes));
  const auto* const seen = static_cast<const float*>(bytes.device_memory_ptr);
  EXPECT_THAT(std::vector(seen, seen + 3), ElementsAre(1, 2, 3));
  destroy(x);
  PJRT_Buffer* complex = array<std::complex<float>>({{1, 2}}, PJRT_Buffer_Type_C64, {1});
  bytes.buffer = complex;
  EXPECT_THAT(failure(api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&bytes)).message, HasSubstr("complex"));
  destroy(complex);
}

bool is_deleted(PJRT_Buffer* buffer) {
  PJRT_Buffer_IsDeleted_Args args{.struct_size = PJRT_Buffer_IsDeleted_Args_STRUCT_SIZE, .buffer = buffer};
  succeed(api().PJRT_Buffer_IsDeleted(&args));
  return args.is_deleted;
}

const void* address(PJRT_Buffer* buffer) {
  PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args args{
      .struct_size = PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args_STRUCT_SIZE, .buffer = buffer};
  succeed(api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer(&args));
  return args.device_memory_ptr;
}

// Overwrites its first argument, and may use the memory of the second.
constexpr const char* donating =
    R"(func.func @main(%x: tensor<2x2xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<4xf32> {jax.buffer_donor = true},
                       %z: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.reshape %y : (tensor<4xf32>) -> tensor<2x2xf32>
  %1 = stablehlo.add %x, %0 : tensor<2x2xf32>
  %2 = stablehlo.add %1, %z : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
})";

struct Donation : testing::Test {
  PJRT_LoadedExecutable* program = compile(donating);
  PJRT_Buffer* x = array<float>({1, 2, 3, 4}, PJRT_Buffer_Type_F32, {2, 2});
  PJRT_Buffer* y = array<float>({10, 20, 30, 40}, PJRT_Buffer_Type_F32, {4});
  PJRT_Buffer* z = array<float>({100, 100, 100, 100}, PJRT_Buffer_Type_F32, {2, 2});
  ~Donation() override {
    for (PJRT_Buffer* buffer : {x, y, z}) destroy(buffer);
    destroy(program);
  }
};

TEST_F(Donation, UsesTheMemoryOfArguments) {
  const void* const memory[] = {address(x), address(y)};
  PJRT_Buffer* sum = execute(program, {x, y, z});
  EXPECT_THAT(numbers<float>(sum), ElementsAre(111, 122, 133, 144));
  EXPECT_THAT(memory, testing::Contains(address(sum)));
  EXPECT_TRUE(is_deleted(x));
  EXPECT_TRUE(is_deleted(y));
  EXPECT_FALSE(is_deleted(z));
  Failure wrong;
  execute(program, {x, y, z}, &wrong);
  EXPECT_THAT(wrong.message, HasSubstr("the array was deleted or donated"));
  destroy(sum);
}

TEST_F(Donation, SparesArgumentsThatTheCallerKeeps) {
  PJRT_Buffer* sum = execute(program, {x, y, z}, nullptr, nullptr, {0, 1});
  EXPECT_THAT(numbers<float>(sum), ElementsAre(111, 122, 133, 144));
  EXPECT_THAT(numbers<float>(x), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(numbers<float>(y), ElementsAre(10, 20, 30, 40));
  destroy(sum);
}

TEST_F(Donation, SparesWhatOthersStillSee) {
  PJRT_Buffer_CopyToMemory_Args copy{.struct_size = PJRT_Buffer_CopyToMemory_Args_STRUCT_SIZE, .buffer = x};
  succeed(api().PJRT_Buffer_CopyToMemory(&copy));
  PJRT_Buffer_IncreaseExternalReferenceCount_Args more{
      .struct_size = PJRT_Buffer_IncreaseExternalReferenceCount_Args_STRUCT_SIZE, .buffer = y};
  succeed(api().PJRT_Buffer_IncreaseExternalReferenceCount(&more));
  const auto* const seen = static_cast<const float*>(address(y));
  PJRT_Buffer* sum = execute(program, {x, y, z});
  EXPECT_THAT(numbers<float>(sum), ElementsAre(111, 122, 133, 144));
  EXPECT_THAT(numbers<float>(copy.dst_buffer), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(std::vector(seen, seen + 4), ElementsAre(10, 20, 30, 40));
  PJRT_Buffer_DecreaseExternalReferenceCount_Args less{
      .struct_size = PJRT_Buffer_DecreaseExternalReferenceCount_Args_STRUCT_SIZE, .buffer = y};
  succeed(api().PJRT_Buffer_DecreaseExternalReferenceCount(&less));
  for (PJRT_Buffer* buffer : {copy.dst_buffer, sum}) destroy(buffer);
}

TEST_F(Donation, TakesNothingIfTheCallIsRefused) {
  Failure wrong;
  execute(program, {x, y, y}, &wrong);  // y is no longer there when it is the last argument
  EXPECT_THAT(wrong.message, HasSubstr("the array was deleted or donated"));
  execute(program, {x, z, y}, &wrong);  // of the wrong types
  EXPECT_THAT(wrong.message, HasSubstr("tensor<2x2xf32>, expected tensor<4xf32>"));
  EXPECT_THAT(numbers<float>(x), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(numbers<float>(y), ElementsAre(10, 20, 30, 40));
  EXPECT_THAT(numbers<float>(z), ElementsAre(100, 100, 100, 100));
}

TEST_F(Donation, CountsInTheMemoryOfPrograms) {
  PJRT_LoadedExecutable_GetExecutable_Args get{.struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
                                               .loaded_executable = program};
  succeed(api().PJRT_LoadedExecutable_GetExecutable(&get));
  PJRT_Executable_GetCompiledMemoryStats_Args stats{
      .struct_size = PJRT_Executable_GetCompiledMemoryStats_Args_STRUCT_SIZE, .executable = get.executable};
  succeed(api().PJRT_Executable_GetCompiledMemoryStats(&stats));
  EXPECT_EQ(stats.argument_size_in_bytes, 48);
  EXPECT_EQ(stats.output_size_in_bytes, 16);
  EXPECT_EQ(stats.alias_size_in_bytes, 16);
  PJRT_Executable_Destroy_Args gone{.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                    .executable = get.executable};
  succeed(api().PJRT_Executable_Destroy(&gone));
}

TEST(Plugin, IsUsedByManyThreads) {
  PJRT_LoadedExecutable* program = compile(twice);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        PJRT_Buffer* x = array<float>(std::vector<float>(4, t + i), PJRT_Buffer_Type_F32, {2, 2});
        PJRT_Buffer* y = execute(program, {x});
        EXPECT_EQ(numbers<float>(y), std::vector<float>(4, 2 * (t + i)));
        for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
      }
    });
  for (std::thread& thread : threads) thread.join();
  destroy(program);
}

}  // namespace
