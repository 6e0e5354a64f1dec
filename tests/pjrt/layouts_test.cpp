// The extension through which JAX learns the order of elements in memory.
#include <cstddef>
#include <cstdint>
#include <pjrt_c_api.h>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugin_client.h"

namespace weft::test::layouts {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Layout;

// The functions' arguments, as XLA's header declares them.
struct DestroyArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  Layout* layout;
};
struct SerializeArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  Layout* layout;
  const char* bytes;
  std::size_t size;
  void* holder;
  void (*delete_holder)(void*);
};
struct DefaultArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  std::size_t rank;
  Layout* layout;
};
struct BufferArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  Layout* layout;
};
struct ExecutableArgs {
  std::size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  std::size_t count;
  Layout** layouts;
};

struct Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*destroy)(DestroyArgs*);
  PJRT_Error* (*serialize)(SerializeArgs*);
  PJRT_Error* (*client_default)(DefaultArgs*);
  PJRT_Error* (*of_buffer)(BufferArgs*);
  PJRT_Error* (*topology_default)(DefaultArgs*);
  PJRT_Error* (*of_results)(ExecutableArgs*);
  PJRT_Error* (*of_parameters)(ExecutableArgs*);
};

const Extension& extension() {
  const PJRT_Extension_Base* at = api().extension_start;
  while (at && at->type != PJRT_Extension_Type_Layouts) at = at->next;
  if (!at) throw std::runtime_error("there is no layouts extension");
  EXPECT_EQ(at->struct_size, sizeof(Extension));
  return *reinterpret_cast<const Extension*>(at);
}

std::string text_of(Layout* layout) {
  SerializeArgs args{.struct_size = sizeof(SerializeArgs), .layout = layout};
  succeed(extension().serialize(&args));
  const std::string text(args.bytes, args.size);
  args.delete_holder(args.holder);
  return text;
}

std::vector<std::string> texts_of(PJRT_Error* (*function)(ExecutableArgs*), PJRT_Executable* executable) {
  ExecutableArgs args{.struct_size = sizeof(ExecutableArgs), .executable = executable};
  succeed(function(&args));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < args.count; ++i) texts.push_back(text_of(args.layouts[i]));
  return texts;
}

TEST(Layouts, OfArraysAreRowMajor) {
  const std::vector<int64_t> dims = {2, 1, 3};
  DefaultArgs usual{.struct_size = sizeof(DefaultArgs),
                    .client = client(),
                    .type = PJRT_Buffer_Type_F32,
                    .dims = dims.data(),
                    .rank = dims.size()};
  succeed(extension().client_default(&usual));
  EXPECT_EQ(text_of(usual.layout), "{2,1,0}");
  DestroyArgs gone{.struct_size = sizeof(DestroyArgs), .layout = usual.layout};
  succeed(extension().destroy(&gone));

  PJRT_Buffer* x = array<float>({1, 2, 3, 4, 5, 6}, PJRT_Buffer_Type_F32, dims);
  BufferArgs of_buffer{.struct_size = sizeof(BufferArgs), .buffer = x};
  succeed(extension().of_buffer(&of_buffer));
  EXPECT_EQ(text_of(of_buffer.layout), "{2,1,0}");
  PJRT_Buffer_GetMemoryLayout_Args memory{.struct_size = PJRT_Buffer_GetMemoryLayout_Args_STRUCT_SIZE, .buffer = x};
  succeed(api().PJRT_Buffer_GetMemoryLayout(&memory));
  ASSERT_EQ(memory.layout.type, PJRT_Buffer_MemoryLayout_Type_Tiled);
  const auto& tiled = memory.layout.tiled;
  EXPECT_THAT(std::vector(tiled.minor_to_major, tiled.minor_to_major + tiled.minor_to_major_size),
              ElementsAre(2, 1, 0));
  destroy(x);
}

// A transposed result is row-major as well; a complex argument is one array.
TEST(Layouts, OfProgramsAreRowMajor) {
  PJRT_LoadedExecutable* program = compile(R"(
    func.func @main(%x: tensor<2x3xf32>, %z: tensor<4xcomplex<f32>>, %s: tensor<f32> {mhlo.layout_mode = "{}"})
        -> (tensor<3x2xf32> {mhlo.layout_mode = "auto"}, tensor<4xcomplex<f32>> {mhlo.layout_mode = "default"}) {
      %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
      return %t, %z : tensor<3x2xf32>, tensor<4xcomplex<f32>>
    })");
  PJRT_LoadedExecutable_GetExecutable_Args get{.struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
                                               .loaded_executable = program};
  succeed(api().PJRT_LoadedExecutable_GetExecutable(&get));
  EXPECT_THAT(texts_of(extension().of_parameters, get.executable), ElementsAre("{1,0}", "{0}", "{}"));
  EXPECT_THAT(texts_of(extension().of_results, get.executable), ElementsAre("{1,0}", "{0}"));
  PJRT_Executable_Destroy_Args gone{.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                    .executable = get.executable};
  succeed(api().PJRT_Executable_Destroy(&gone));
  destroy(program);
}

TEST(Layouts, OfOtherOrdersAreRefused) {
  Failure wrong;
  compile(R"(
    func.func @main(%x: tensor<2x3xf32> {mhlo.layout_mode = "{1,0}"}, %y: tensor<2x3xf32> {mhlo.layout_mode = "{0,1}"})
        -> tensor<2x3xf32> {
      return %x : tensor<2x3xf32>
    })",
          &wrong);
  EXPECT_EQ(wrong.code, PJRT_Error_Code_UNIMPLEMENTED);
  EXPECT_THAT(wrong.message,
              HasSubstr(R"(argument 1 asks for the layout "{0,1}"; weft keeps every array in row-major)"));
}

}  // namespace

}  // namespace weft::test::layouts
