// Arrays in the memory of the caller, and callers that look at the memory of arrays.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tests/pjrt/plugin_client.h>
#include <vector>

#include <gmock/gmock.h>

namespace weft::test {

namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t elements = 1 << 16;

// Memory of the caller, as aligned as weft's own.
struct alignas(64) Numbers {
  float at[elements + 16] = {};
  std::span<const float> from(std::size_t first) const { return {at + first, elements}; }
};

struct ZeroCopy : testing::Test {
  std::unique_ptr<Numbers> numbers_of_caller = std::make_unique<Numbers>();
  PJRT_Event* done = nullptr;

  ZeroCopy() { std::ranges::fill(numbers_of_caller->at, 1.0F); }
  PJRT_Buffer* lend(std::size_t first = 0) {
    return array_of(numbers_of_caller->from(first), PJRT_Buffer_Type_F32, {elements}, {}, &done);
  }
};

bool is_ready(PJRT_Event* event) {
  PJRT_Event_IsReady_Args args{.struct_size = PJRT_Event_IsReady_Args_STRUCT_SIZE, .event = event};
  succeed(api().PJRT_Event_IsReady(&args));
  return args.is_ready;
}

bool is_on_cpu(PJRT_Buffer* buffer) {
  PJRT_Buffer_IsOnCpu_Args args{.struct_size = PJRT_Buffer_IsOnCpu_Args_STRUCT_SIZE, .buffer = buffer};
  succeed(api().PJRT_Buffer_IsOnCpu(&args));
  return args.is_on_cpu;
}

PJRT_LoadedExecutable* compile_on_array(std::string body, std::string attributes = "") {
  return compile("func.func @main(%x: tensor<65536xf32>" + attributes + ") -> tensor<65536xf32> {\n" + body +
                 "\n  return %0 : tensor<65536xf32>\n}");
}

TEST_F(ZeroCopy, UsesTheMemoryThatTheCallerLendsUntilTheArrayEnds) {
  PJRT_Buffer* x = lend();
  EXPECT_EQ(address(x), numbers_of_caller->at);
  EXPECT_FALSE(is_ready(done));
  destroy(x);
  await(done);
}

TEST_F(ZeroCopy, CopiesWhatIsNotAlignedAndWhatIsSmall) {
  PJRT_Buffer* x = lend(1);
  await(done);
  EXPECT_NE(address(x), numbers_of_caller->at + 1);
  EXPECT_THAT(numbers<float>(x), Each(1));
  PJRT_Buffer* y = array_of(numbers_of_caller->from(0).first(2), PJRT_Buffer_Type_F32, {2}, {}, &done);
  EXPECT_TRUE(is_ready(done));
  await(done);
  EXPECT_NE(address(y), numbers_of_caller->at);
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
}

TEST_F(ZeroCopy, NeverWritesToMemoryThatItHasBorrowed) {
  PJRT_LoadedExecutable* program =
      compile_on_array("  %0 = stablehlo.add %x, %x : tensor<65536xf32>", " {tf.aliasing_output = 0 : i32}");
  PJRT_Buffer* x = lend();
  PJRT_Buffer* y = execute(program, {x});
  EXPECT_TRUE(is_deleted(x));
  destroy(x);
  EXPECT_THAT(numbers<float>(y), Each(2));
  EXPECT_THAT(numbers_of_caller->at, Each(1));
  destroy(y);
  await(done);
  destroy(program);
}

// The result of the first program might be the borrowed memory itself, which nothing else holds when the second one takes it.
TEST_F(ZeroCopy, NeverWritesToBorrowedMemoryThatAProgramPassesOn) {
  PJRT_LoadedExecutable* pass =
      compile_on_array("  %0 = stablehlo.reshape %x : (tensor<65536xf32>) -> tensor<65536xf32>");
  PJRT_LoadedExecutable* program =
      compile_on_array("  %0 = stablehlo.add %x, %x : tensor<65536xf32>", " {tf.aliasing_output = 0 : i32}");
  PJRT_Buffer* x = lend();
  PJRT_Buffer* y = execute(pass, {x});
  destroy(x);
  PJRT_Buffer* z = execute(program, {y});
  destroy(y);
  EXPECT_THAT(numbers<float>(z), Each(2));
  EXPECT_THAT(numbers_of_caller->at, Each(1));
  destroy(z);
  await(done);
  for (PJRT_LoadedExecutable* executable : {pass, program}) destroy(executable);
}

TEST_F(ZeroCopy, MakesViewsOfMemory) {
  int calls = 0;
  std::vector<int64_t> dims = {elements};
  PJRT_Client_CreateViewOfDeviceBuffer_Args args{
      .struct_size = PJRT_Client_CreateViewOfDeviceBuffer_Args_STRUCT_SIZE,
      .client = client(),
      .device_buffer_ptr = numbers_of_caller->at + 1,
      .dims = dims.data(),
      .num_dims = dims.size(),
      .element_type = PJRT_Buffer_Type_F32,
      .on_delete_callback = [](void*, void* argument) { ++*static_cast<int*>(argument); },
      .on_delete_callback_arg = &calls};
  succeed(api().PJRT_Client_CreateViewOfDeviceBuffer(&args));
  EXPECT_EQ(address(args.buffer), numbers_of_caller->at + 1);
  EXPECT_THAT(numbers<float>(args.buffer), Each(1));
  EXPECT_EQ(calls, 0);
  destroy(args.buffer);
  EXPECT_EQ(calls, 1);
  args.device_buffer_ptr = reinterpret_cast<std::byte*>(numbers_of_caller->at) + 1;
  EXPECT_THAT(failure(api().PJRT_Client_CreateViewOfDeviceBuffer(&args)).message,
              HasSubstr("is not aligned to 4 bytes"));
  args.device_buffer_ptr = numbers_of_caller->at;
  args.element_type = PJRT_Buffer_Type_C64;
  EXPECT_EQ(failure(api().PJRT_Client_CreateViewOfDeviceBuffer(&args)).code, PJRT_Error_Code_UNIMPLEMENTED);
}

TEST_F(ZeroCopy, LetsOthersLookAtArrays) {
  PJRT_Buffer* x = array<float>({1, 2}, PJRT_Buffer_Type_F32, {2});
  PJRT_Buffer* y = array<std::complex<float>>({{1, 2}, {3, 4}}, PJRT_Buffer_Type_C64, {2});
  EXPECT_TRUE(is_on_cpu(x));
  EXPECT_TRUE(is_on_cpu(y));
  const auto* const seen = static_cast<const float*>(address(x));
  EXPECT_THAT(std::vector(seen, seen + 2), ElementsAre(1, 2));
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
}

}  // namespace

}  // namespace weft::test
