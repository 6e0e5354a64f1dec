#include <atomic>
#include <complex>
#include <string>
#include <tests/pjrt/plugin_client.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft::test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* twice = R"(func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})";

TEST(Plugin, HasAPlatform) {
  EXPECT_EQ(api().pjrt_api_version.major_version, PJRT_API_MAJOR);
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

std::string text_of(PJRT_LoadedExecutable* program) {
  PJRT_LoadedExecutable_GetExecutable_Args get{.struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
                                               .loaded_executable = program};
  succeed(api().PJRT_LoadedExecutable_GetExecutable(&get));
  PJRT_Program found{.struct_size = PJRT_Program_STRUCT_SIZE};
  PJRT_Executable_OptimizedProgram_Args args{.struct_size = PJRT_Executable_OptimizedProgram_Args_STRUCT_SIZE,
                                             .executable = get.executable,
                                             .program = &found};
  succeed(api().PJRT_Executable_OptimizedProgram(&args));
  std::string text(found.code_size, '\0');
  found.code = text.data();
  succeed(api().PJRT_Executable_OptimizedProgram(&args));
  PJRT_Executable_Destroy_Args gone{.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                    .executable = get.executable};
  succeed(api().PJRT_Executable_Destroy(&gone));
  return text;
}

TEST(Plugin, ShowsProgramsWithTheirArgumentsAndResults) {
  using Number = std::complex<float>;
  PJRT_LoadedExecutable* program =
      compile(R"(func.func @main(%x: tensor<2xcomplex<f32>>, %s: tensor<2xf32>) -> tensor<2xcomplex<f32>> {
    %0 = stablehlo.complex %s, %s : tensor<2xcomplex<f32>>
    %1 = stablehlo.multiply %x, %0 : tensor<2xcomplex<f32>>
    return %1 : tensor<2xcomplex<f32>>
  })");
  const std::string text = text_of(program);
  destroy(program);
  EXPECT_THAT(text, HasSubstr("@main(%arg0: tensor<2xcomplex<f32>>, %arg1: tensor<2xf32>) -> (tensor<2xcomplex<f32>>"));
  program = compile(text);
  PJRT_Buffer* x = array<Number>({{1, 2}, {0, 3}}, PJRT_Buffer_Type_C64, {2});
  PJRT_Buffer* s = array<float>({1, 2}, PJRT_Buffer_Type_F32, {2});
  PJRT_Buffer* y = execute(program, {x, s});
  EXPECT_THAT(numbers<Number>(y), ElementsAre(Number(-1, 3), Number(-6, 6)));
  for (PJRT_Buffer* buffer : {x, s, y}) destroy(buffer);
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
  const std::string misspelt = "\x3a\x07\x0a\x05xlb_b",
                    of_xla = "\x3a\x07\x0a\x05xla_b";  // field 7, with the names as field 1
  compile(twice, &wrong, "mlir", misspelt);
  EXPECT_EQ(wrong.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_THAT(wrong.message, HasSubstr("No such compile option: 'xlb_b'"));
  destroy(compile(twice, nullptr, "mlir", of_xla));
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
  PJRT_Buffer* complex = array<std::complex<float>>({{1, 2}, {3, 4}}, PJRT_Buffer_Type_C64, {2});
  const auto* const numbers_seen = static_cast<const std::complex<float>*>(address(complex));
  EXPECT_THAT(std::vector(numbers_seen, numbers_seen + 2),
              ElementsAre(std::complex<float>(1, 2), std::complex<float>(3, 4)));
  EXPECT_EQ(address(complex), numbers_seen);
  destroy(complex);
}

TEST(Plugin, TellsWhatAProgramCosts) {
  PJRT_LoadedExecutable* program =
      compile(R"(func.func @main(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  })");
  PJRT_LoadedExecutable_GetExecutable_Args get{.struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
                                               .loaded_executable = program};
  succeed(api().PJRT_LoadedExecutable_GetExecutable(&get));
  PJRT_Executable_GetCostAnalysis_Args args{.struct_size = PJRT_Executable_GetCostAnalysis_Args_STRUCT_SIZE,
                                            .executable = get.executable};
  succeed(api().PJRT_Executable_GetCostAnalysis(&args));
  ASSERT_EQ(args.num_properties, 2u);
  EXPECT_EQ(std::string(args.properties[0].name, args.properties[0].name_size), "flops");
  EXPECT_FLOAT_EQ(args.properties[0].float_value, 2 * 8 * 16 * 4);
  EXPECT_EQ(std::string(args.properties[1].name, args.properties[1].name_size), "bytes accessed");
  EXPECT_FLOAT_EQ(args.properties[1].float_value, 4 * (8 * 16 + 16 * 4 + 8 * 4));
  PJRT_Executable_Destroy_Args gone{.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                    .executable = get.executable};
  succeed(api().PJRT_Executable_Destroy(&gone));
  destroy(program);
}

// XLA leaves out windows that are partly outside, and StableHLO only their elements outside. JAX means what XLA does.
TEST(Plugin, ScattersWholeWindows) {
  PJRT_LoadedExecutable* program =
      compile(R"(func.func @main(%x: tensor<4xi32>, %at: tensor<4x1xi32>) -> tensor<4xi32> {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.constant dense<0> : tensor<i32>
    %updates = stablehlo.constant dense<10> : tensor<4x2xi32>
    %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<4xi32> cond {
      %1 = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = "stablehlo.scatter"(%y, %at, %updates) ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %3 = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %3 : tensor<i32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0],
                                                         index_vector_dim = 1>}
        : (tensor<4xi32>, tensor<4x1xi32>, tensor<4x2xi32>) -> tensor<4xi32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<4xi32>
    }
    return %0#1 : tensor<4xi32>
  })");
  PJRT_Buffer* x = array<int>({1, 2, 3, 4}, PJRT_Buffer_Type_S32, {4});
  PJRT_Buffer* at = array<int>({3, -1, 2, 0}, PJRT_Buffer_Type_S32, {4, 1});
  PJRT_Buffer* y = execute(program, {x, at});
  EXPECT_THAT(numbers<int>(y), ElementsAre(11, 12, 13, 14));
  for (PJRT_Buffer* buffer : {x, at, y}) destroy(buffer);
  destroy(program);
}

// Programs with narrow elements are interpreted. Each element takes a byte.
TEST(Plugin, ComputesWithNarrowElements) {
  PJRT_LoadedExecutable* program =
      compile(R"(func.func @main(%x: tensor<3xi4>, %y: tensor<3xf8E4M3FN>) -> tensor<3xi4> {
    %0 = stablehlo.convert %y : (tensor<3xf8E4M3FN>) -> tensor<3xi4>
    %1 = stablehlo.add %x, %0 : tensor<3xi4>
    return %1 : tensor<3xi4>
  })");
  PJRT_Buffer* x = array<signed char>({7, 0x0d, 2}, PJRT_Buffer_Type_S4, {3});                // 7, -3, 2
  PJRT_Buffer* y = array<unsigned char>({0x38, 0x40, 0xb8}, PJRT_Buffer_Type_F8E4M3FN, {3});  // 1, 2, -1
  PJRT_Buffer* sum = execute(program, {x, y});
  EXPECT_THAT(numbers<signed char>(sum), ElementsAre(-8, -1, 1));
  for (PJRT_Buffer* buffer : {x, y, sum}) destroy(buffer);
  destroy(program);
}

TEST(Plugin, PassesTokensOn) {
  PJRT_LoadedExecutable* program = compile(R"(func.func @main(%t: !stablehlo.token) -> !stablehlo.token {
    %0 = stablehlo.after_all %t : !stablehlo.token
    return %0 : !stablehlo.token
  })");
  PJRT_Buffer* number = array<char>({0}, PJRT_Buffer_Type_PRED, {});  // stands for the first token
  PJRT_Buffer* first = execute(program, {number});
  PJRT_Buffer* second = execute(program, {first});
  PJRT_Buffer_ReadyEvent_Args ready{.struct_size = PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE, .buffer = second};
  succeed(api().PJRT_Buffer_ReadyEvent(&ready));
  await(ready.event);
  for (PJRT_Buffer* buffer : {number, first, second}) destroy(buffer);
  destroy(program);
}

// The threads of the device are not there in a process that was forked.
TEST(Plugin, RefusesWorkInForkedProcesses) {
  client();
  const pid_t child = fork();
  if (child == 0) {
    Failure wrong;
    compile(twice, &wrong);
    _exit(wrong.message.find("this process was forked") == std::string::npos ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  destroy(compile(twice));  // goes on here
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

}  // namespace weft::test
