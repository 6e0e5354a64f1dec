#include <string>
#include <tests/pjrt/plugin_client.h>
#include <vector>

#include <gmock/gmock.h>

namespace weft::test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Overwrites its first argument. It may use the memory of the second, but has no other output for it.
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
  const void* const memory = address(x);
  PJRT_Buffer* sum = execute(program, {x, y, z});
  EXPECT_THAT(numbers<float>(sum), ElementsAre(111, 122, 133, 144));
  EXPECT_EQ(memory, address(sum));
  EXPECT_TRUE(is_deleted(x));
  EXPECT_FALSE(is_deleted(y));
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
  execute(program, {x, y, x}, &wrong);  // x is no longer there when it is the last argument
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

}  // namespace

}  // namespace weft::test
