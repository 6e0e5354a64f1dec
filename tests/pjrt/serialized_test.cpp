// Executables as bytes, which later processes load.
#include <string>
#include <tests/pjrt/plugin_client.h>
#include <vector>

#include <gmock/gmock.h>

namespace weft::test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string serialize(PJRT_LoadedExecutable* program) {
  PJRT_LoadedExecutable_GetExecutable_Args get{.struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
                                               .loaded_executable = program};
  succeed(api().PJRT_LoadedExecutable_GetExecutable(&get));
  PJRT_Executable_Serialize_Args args{.struct_size = PJRT_Executable_Serialize_Args_STRUCT_SIZE,
                                      .executable = get.executable};
  succeed(api().PJRT_Executable_Serialize(&args));
  std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_executable_deleter(args.serialized_executable);
  PJRT_Executable_Destroy_Args gone{.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                    .executable = get.executable};
  succeed(api().PJRT_Executable_Destroy(&gone));
  return bytes;
}

PJRT_LoadedExecutable* load(const std::string& bytes, Failure* wrong = nullptr, const std::string& options = "") {
  PJRT_Executable_DeserializeAndLoad_Args args{.struct_size = PJRT_Executable_DeserializeAndLoad_Args_STRUCT_SIZE,
                                               .client = client(),
                                               .serialized_executable = bytes.data(),
                                               .serialized_executable_size = bytes.size(),
                                               .overridden_serialized_compile_options = options.data(),
                                               .overridden_serialized_compile_options_size = options.size()};
  const Failure result = failure(api().PJRT_Executable_DeserializeAndLoad(&args));
  if (wrong)
    *wrong = result;
  else
    EXPECT_EQ(result.message, "");
  return args.loaded_executable;
}

int device_of_result(PJRT_LoadedExecutable* program) {
  PJRT_LoadedExecutable_AddressableDevices_Args args{
      .struct_size = PJRT_LoadedExecutable_AddressableDevices_Args_STRUCT_SIZE, .executable = program};
  succeed(api().PJRT_LoadedExecutable_AddressableDevices(&args));
  for (int id = 0; id < device_count; ++id)
    if (device(id) == args.addressable_devices[0]) return id;
  return -1;
}

TEST(SerializedExecutable, ComputesTheSame) {
  PJRT_LoadedExecutable* program =
      compile(contents("tests/ir/bytecode/inputs/composites.1.17.0.mlir.bc"), nullptr, "mlir", options_for({3}));
  const std::string bytes = serialize(program);
  destroy(program);
  PJRT_LoadedExecutable* loaded = load(bytes);
  EXPECT_EQ(device_of_result(loaded), 3);
  PJRT_Buffer* x = array<float>({1, 2, 3, 4}, PJRT_Buffer_Type_F32, {4});
  PJRT_Buffer* y = execute(loaded, {x});
  EXPECT_THAT(numbers<float>(y), ElementsAre(2, 8, 18, 32));
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
  EXPECT_EQ(serialize(loaded), bytes);
  destroy(loaded);
  PJRT_LoadedExecutable* elsewhere = load(bytes, nullptr, options_for({6}));
  EXPECT_EQ(device_of_result(elsewhere), 6);
  destroy(elsewhere);
}

TEST(SerializedExecutable, IsRefusedIfItIsDamaged) {
  PJRT_LoadedExecutable* program = compile(contents("tests/ir/bytecode/inputs/composites.1.17.0.mlir.bc"));
  const std::string bytes = serialize(program);
  destroy(program);
  Failure wrong;
  for (std::size_t cut = 0; cut < bytes.size(); cut += 7) {
    load(bytes.substr(0, cut), &wrong);
    EXPECT_EQ(wrong.code, PJRT_Error_Code_INVALID_ARGUMENT) << cut;
  }
  std::string changed = bytes;
  changed.back() ^= 1;
  load(changed, &wrong);
  EXPECT_THAT(wrong.message, HasSubstr("is damaged"));
  load(
      "\x7f"
      "ELF",
      &wrong);
  EXPECT_THAT(wrong.message, HasSubstr("no executable"));
}

}  // namespace

}  // namespace weft::test
