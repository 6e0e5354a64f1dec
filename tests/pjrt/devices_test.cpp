// Several devices of one client: arrays on them, and programs for one or for all of them.
#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <tests/pjrt/plugin_client.h>
#include <vector>

#include <gmock/gmock.h>

namespace weft::test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

int id_of(PJRT_Device* device) {
  PJRT_Device_GetDescription_Args description{.struct_size = PJRT_Device_GetDescription_Args_STRUCT_SIZE,
                                              .device = device};
  succeed(api().PJRT_Device_GetDescription(&description));
  PJRT_DeviceDescription_Id_Args id{.struct_size = PJRT_DeviceDescription_Id_Args_STRUCT_SIZE,
                                    .device_description = description.device_description};
  succeed(api().PJRT_DeviceDescription_Id(&id));
  return id.id;
}

int device_of(PJRT_Buffer* buffer) {
  PJRT_Buffer_Device_Args args{.struct_size = PJRT_Buffer_Device_Args_STRUCT_SIZE, .buffer = buffer};
  succeed(api().PJRT_Buffer_Device(&args));
  return id_of(args.device);
}

PJRT_Memory* memory_of(PJRT_Device* device) {
  PJRT_Device_DefaultMemory_Args args{.struct_size = PJRT_Device_DefaultMemory_Args_STRUCT_SIZE, .device = device};
  succeed(api().PJRT_Device_DefaultMemory(&args));
  return args.memory;
}

PJRT_Buffer* array_on(int device_id, const std::vector<float>& data, std::vector<int64_t> dims) {
  return array_of(std::span(data), PJRT_Buffer_Type_F32, std::move(dims), {}, nullptr, device(device_id));
}

// Runs a program of one argument and one result on several devices; `arguments` has the array of each.
std::vector<PJRT_Buffer*> execute_on_all(PJRT_LoadedExecutable* executable, std::vector<PJRT_Buffer*> arguments) {
  std::vector<PJRT_Buffer*> results(arguments.size());
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer**> result_lists;
  for (std::size_t d = 0; d < arguments.size(); ++d) {
    argument_lists.push_back(&arguments[d]);
    result_lists.push_back(&results[d]);
  }
  std::vector<PJRT_Event*> events(arguments.size());
  PJRT_ExecuteOptions options{.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
  PJRT_LoadedExecutable_Execute_Args args{.struct_size = PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE,
                                          .executable = executable,
                                          .options = &options,
                                          .argument_lists = argument_lists.data(),
                                          .num_devices = arguments.size(),
                                          .num_args = 1,
                                          .output_lists = result_lists.data(),
                                          .device_complete_events = events.data()};
  succeed(api().PJRT_LoadedExecutable_Execute(&args));
  for (PJRT_Event* event : events) await(event);
  return results;
}

TEST(Devices, AreAsManyAsTheClientAskedFor) {
  PJRT_Client_Devices_Args devices{.struct_size = PJRT_Client_Devices_Args_STRUCT_SIZE, .client = client()};
  succeed(api().PJRT_Client_Devices(&devices));
  ASSERT_EQ(devices.num_devices, 8u);
  EXPECT_EQ(id_of(devices.devices[5]), 5);
  PJRT_Client_LookupDevice_Args missing{
      .struct_size = PJRT_Client_LookupDevice_Args_STRUCT_SIZE, .client = client(), .id = 8};
  EXPECT_THAT(failure(api().PJRT_Client_LookupDevice(&missing)).message, HasSubstr("weft has 8"));
  const std::string name = "devices";
  const PJRT_NamedValue other = option(name, 4);
  PJRT_Client_Create_Args args{
      .struct_size = PJRT_Client_Create_Args_STRUCT_SIZE, .create_options = &other, .num_options = 1};
  EXPECT_THAT(failure(api().PJRT_Client_Create(&args)).message, HasSubstr("8 devices already"));
}

TEST(Devices, HaveArraysThatCanBeMoved) {
  PJRT_Buffer* x = array_on(3, {1, 2}, {2});
  EXPECT_EQ(device_of(x), 3);
  PJRT_Buffer_CopyToMemory_Args copy{
      .struct_size = PJRT_Buffer_CopyToMemory_Args_STRUCT_SIZE, .buffer = x, .dst_memory = memory_of(device(6))};
  succeed(api().PJRT_Buffer_CopyToMemory(&copy));
  EXPECT_EQ(device_of(copy.dst_buffer), 6);
  destroy(x);
  EXPECT_THAT(numbers<float>(copy.dst_buffer), ElementsAre(1, 2));
  destroy(copy.dst_buffer);
}

std::string kind_of(PJRT_Memory* memory) {
  PJRT_Memory_Kind_Args args{.struct_size = PJRT_Memory_Kind_Args_STRUCT_SIZE, .memory = memory};
  succeed(api().PJRT_Memory_Kind(&args));
  return {args.kind, args.kind_size};
}

std::string memory_kind_of(PJRT_Buffer* buffer) {
  PJRT_Buffer_Memory_Args args{.struct_size = PJRT_Buffer_Memory_Args_STRUCT_SIZE, .buffer = buffer};
  succeed(api().PJRT_Buffer_Memory(&args));
  return kind_of(args.memory);
}

TEST(Devices, HaveMemoriesOfSeveralKinds) {
  std::set<int> ids;
  for (const int id : {1, 2}) {
    PJRT_Device_AddressableMemories_Args args{.struct_size = PJRT_Device_AddressableMemories_Args_STRUCT_SIZE,
                                              .device = device(id)};
    succeed(api().PJRT_Device_AddressableMemories(&args));
    std::vector<std::string> kinds;
    for (PJRT_Memory* memory : std::span(args.memories, args.num_memories)) {
      kinds.push_back(kind_of(memory));
      PJRT_Memory_Id_Args of{.struct_size = PJRT_Memory_Id_Args_STRUCT_SIZE, .memory = memory};
      succeed(api().PJRT_Memory_Id(&of));
      ids.insert(of.id);
    }
    EXPECT_THAT(kinds, ElementsAre("device", "pinned_host", "unpinned_host"));
    EXPECT_EQ(memory_of(device(id)), args.memories[0]);
  }
  EXPECT_EQ(ids.size(), 6u);

  PJRT_LoadedExecutable* program =
      compile(R"(func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32> {mhlo.memory_kind = "pinned_host"}) {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
              nullptr, "mlir", options_for({5}));
  PJRT_Buffer* x = array_on(5, {1, 2}, {2});
  PJRT_Buffer* y = execute(program, {x});
  EXPECT_EQ(memory_kind_of(x), "device");
  EXPECT_EQ(memory_kind_of(y), "pinned_host");
  EXPECT_EQ(device_of(y), 5);
  PJRT_Buffer_CopyToMemory_Args back{
      .struct_size = PJRT_Buffer_CopyToMemory_Args_STRUCT_SIZE, .buffer = y, .dst_memory = memory_of(device(5))};
  succeed(api().PJRT_Buffer_CopyToMemory(&back));
  EXPECT_EQ(memory_kind_of(back.dst_buffer), "device");
  EXPECT_THAT(numbers<float>(back.dst_buffer), ElementsAre(2, 4));
  for (PJRT_Buffer* buffer : {x, y, back.dst_buffer}) destroy(buffer);
  destroy(program);

  Failure wrong;
  compile(
      R"(func.func @main(%x: tensor<f32>) -> (tensor<f32> {mhlo.memory_kind = "sram"}) { return %x : tensor<f32> })",
      &wrong);
  EXPECT_THAT(wrong.message, HasSubstr("no memory of the kind \"sram\""));
}

TEST(Devices, RunAProgramForOneOfThem) {
  PJRT_LoadedExecutable* program = compile(R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  })",
                                           nullptr, "mlir", options_for({5}));
  PJRT_Buffer* x = array_on(5, {1, 2}, {2});
  PJRT_Buffer* y = execute(program, {x});
  EXPECT_EQ(device_of(y), 5);
  EXPECT_THAT(numbers<float>(y), ElementsAre(2, 4));
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
  destroy(program);
}

// The devices are not in the order of their numbers: the partition 0 is on device 7.
TEST(Devices, RunAProgramThatIsDividedAmongThem) {
  PJRT_LoadedExecutable* program = compile(R"(
    module @sums attributes {mhlo.num_partitions = 4 : i32} {
      sdy.mesh @mesh = <["x"=4]>
      func.func @main(%x: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<4x2xf32> {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
        %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
        %2 = stablehlo.multiply %x, %1 : tensor<4x2xf32>
        return %2 : tensor<4x2xf32>
      }
    })",
                                           nullptr, "mlir", options_for({7, 2, 1, 4}));
  std::vector<PJRT_Buffer*> x = {array_on(7, {1, 10}, {1, 2}), array_on(2, {2, 20}, {1, 2}),
                                 array_on(1, {3, 30}, {1, 2}), array_on(4, {4, 40}, {1, 2})};
  const std::vector<PJRT_Buffer*> y = execute_on_all(program, x);
  EXPECT_THAT(numbers<float>(y[0]), ElementsAre(10, 1000));
  EXPECT_THAT(numbers<float>(y[3]), ElementsAre(40, 4000));
  EXPECT_EQ(device_of(y[0]), 7);
  EXPECT_EQ(device_of(y[3]), 4);
  for (const auto& buffers : {x, y})
    for (PJRT_Buffer* buffer : buffers) destroy(buffer);
  destroy(program);
}

TEST(Devices, TakeTheMemoryOfDonatedShards) {
  PJRT_LoadedExecutable* program = compile(R"(
    module @twice attributes {mhlo.num_partitions = 2 : i32} {
      sdy.mesh @mesh = <["x"=2]>
      func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, tf.aliasing_output = 0 : i32})
          -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
        %0 = stablehlo.add %x, %x : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    })",
                                           nullptr, "mlir", options_for({0, 1}));
  std::vector<PJRT_Buffer*> x = {array_on(0, {1, 2}, {2}), array_on(1, {3, 4}, {2})};
  const void* const memory[] = {address(x[0]), address(x[1])};
  const std::vector<PJRT_Buffer*> y = execute_on_all(program, x);
  EXPECT_THAT(numbers<float>(y[1]), ElementsAre(6, 8));
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_EQ(address(y[d]), memory[d]);
    EXPECT_TRUE(is_deleted(x[d]));
  }
  for (const auto& buffers : {x, y})
    for (PJRT_Buffer* buffer : buffers) destroy(buffer);
  destroy(program);
}

// Programs with narrow elements are interpreted on all devices together.
TEST(Devices, InterpretNarrowElements) {
  PJRT_LoadedExecutable* program = compile(R"(
    module @narrow attributes {mhlo.num_partitions = 2 : i32} {
      sdy.mesh @mesh = <["x"=2]>
      func.func @main(%x: tensor<4xi4> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xi4> {
        %zero = stablehlo.constant dense<0> : tensor<i4>
        %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<4xi4>, tensor<i4>) -> tensor<i4>
        %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i4>) -> tensor<4xi4>
        %2 = stablehlo.subtract %x, %1 : tensor<4xi4>
        return %2 : tensor<4xi4>
      }
    })",
                                           nullptr, "mlir", options_for({3, 0}));
  const auto shard = [](int device_id, std::vector<signed char> data) {
    return array_of(std::span<const signed char>(data), PJRT_Buffer_Type_S4, {2}, {}, nullptr, device(device_id));
  };
  std::vector<PJRT_Buffer*> x = {shard(3, {1, 2}), shard(0, {3, -1})};
  const std::vector<PJRT_Buffer*> y = execute_on_all(program, x);
  EXPECT_THAT(numbers<signed char>(y[0]), ElementsAre(-4, -3));
  EXPECT_THAT(numbers<signed char>(y[1]), ElementsAre(-2, -6));
  EXPECT_EQ(device_of(y[1]), 0);
  for (const auto& buffers : {x, y})
    for (PJRT_Buffer* buffer : buffers) destroy(buffer);
  destroy(program);
}

// Each replica has arguments of its own; without groups, all of them meet.
TEST(Devices, RunReplicas) {
  PJRT_LoadedExecutable* program = compile(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>}>
        : (tensor<2xf32>) -> tensor<2xf32>
      %2 = stablehlo.replica_id : tensor<ui32>
      %3 = stablehlo.partition_id : tensor<ui32>
      %4 = stablehlo.subtract %2, %3 : tensor<ui32>
      %5 = stablehlo.convert %4 : (tensor<ui32>) -> tensor<f32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %7 = stablehlo.add %0, %1 : tensor<2xf32>
      %8 = stablehlo.multiply %7, %6 : tensor<2xf32>
      return %8 : tensor<2xf32>
    })",
                                           nullptr, "mlir", options_for({4, 1, 6}, true));
  std::vector<PJRT_Buffer*> x = {array_on(4, {1, 10}, {2}), array_on(1, {2, 20}, {2}), array_on(6, {3, 30}, {2})};
  const std::vector<PJRT_Buffer*> y = execute_on_all(program, x);
  EXPECT_THAT(numbers<float>(y[0]), ElementsAre(0, 0));
  EXPECT_THAT(numbers<float>(y[1]), ElementsAre(7, 70));
  EXPECT_THAT(numbers<float>(y[2]), ElementsAre(16, 160));
  EXPECT_EQ(device_of(y[2]), 6);
  PJRT_LoadedExecutable_GetExecutable_Args get{.struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
                                               .loaded_executable = program};
  succeed(api().PJRT_LoadedExecutable_GetExecutable(&get));
  PJRT_Executable_NumReplicas_Args replicas{.struct_size = PJRT_Executable_NumReplicas_Args_STRUCT_SIZE,
                                            .executable = get.executable};
  succeed(api().PJRT_Executable_NumReplicas(&replicas));
  EXPECT_EQ(replicas.num_replicas, 3u);
  PJRT_Executable_NumPartitions_Args partitions{.struct_size = PJRT_Executable_NumPartitions_Args_STRUCT_SIZE,
                                                .executable = get.executable};
  succeed(api().PJRT_Executable_NumPartitions(&partitions));
  EXPECT_EQ(partitions.num_partitions, 1u);
  PJRT_Executable_Destroy_Args gone{.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                    .executable = get.executable};
  succeed(api().PJRT_Executable_Destroy(&gone));
  for (const auto& buffers : {x, y})
    for (PJRT_Buffer* buffer : buffers) destroy(buffer);
  destroy(program);
}

// XLA's form: the shards of each dimension, and how many devices hold the same.
TEST(Devices, TellHowAProgramIsDivided) {
  PJRT_LoadedExecutable* program = compile(R"(
    module @rows attributes {mhlo.num_partitions = 4 : i32} {
      sdy.mesh @mesh = <["x"=2, "y"=2]>
      func.func @main(%x: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}, %z: tensor<2xf32>,
                      %u: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>},
                      %v: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"x", "y"}>})
          -> tensor<4x2xf32> {
        return %x : tensor<4x2xf32>
      }
    })",
                                           nullptr, "mlir", options_for({0, 1, 2, 3}));
  struct Args {
    std::size_t struct_size;
    PJRT_Extension_Base* extension_start;
    PJRT_Executable* executable;
    std::size_t count;
    const char* const* shardings;
    const std::size_t* sizes;
  };
  struct Extension {
    PJRT_Extension_Base base;
    PJRT_Error* (*parameters)(Args*);
  };
  const PJRT_Extension_Base* at = api().extension_start;
  while (at && at->type != PJRT_Extension_Type_Shardings) at = at->next;
  ASSERT_NE(at, nullptr);
  PJRT_LoadedExecutable_GetExecutable_Args get{.struct_size = PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE,
                                               .loaded_executable = program};
  succeed(api().PJRT_LoadedExecutable_GetExecutable(&get));
  Args args{.struct_size = sizeof(Args), .executable = get.executable};
  succeed(reinterpret_cast<const Extension*>(at)->parameters(&args));
  ASSERT_EQ(args.count, 4u);
  // type OTHER, grid 2 x 1 x 2, devices 0 2 1 3, the last dimension replicates
  EXPECT_EQ(std::string(args.shardings[0], args.sizes[0]),
            std::string("\x08\x03\x1a\x03\x02\x01\x02\x22\x04\x00\x02\x01\x03\x30\x01", 15));
  EXPECT_EQ(args.sizes[1], 0u);  // replicated
  // grid 2 x 2, devices 0 2 1 3, the last dimension is UNREDUCED
  EXPECT_EQ(std::string(args.shardings[2], args.sizes[2]),
            std::string("\x08\x03\x1a\x02\x02\x02\x22\x04\x00\x02\x01\x03\x42\x01\x06", 15));
  EXPECT_EQ(std::string(args.shardings[3], args.sizes[3]), "\x08\x06");  // UNREDUCED
  PJRT_Executable_Destroy_Args gone{.struct_size = PJRT_Executable_Destroy_Args_STRUCT_SIZE,
                                    .executable = get.executable};
  succeed(api().PJRT_Executable_Destroy(&gone));
  destroy(program);
}

TEST(Devices, MustBeEnoughForAProgram) {
  Failure wrong;
  compile("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }", &wrong, "mlir",
          options_for({0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_THAT(wrong.message, HasSubstr("there is no device 8"));
}

}  // namespace

}  // namespace weft::test
