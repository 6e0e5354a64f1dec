// Compiled collectives among logical devices of this process, compared with the interpreter, whose devices are threads.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/random.h>
#include <weft/compiler/on_mesh.h>
#include <weft/ir/text/text.h>
#include <weft/runtime/cpu/cpu_device.h>

#include "../run.h"
#include "tests/error_of.h"

namespace weft::compiler {
namespace {

using ir::Array;
using ir::Mesh;
using ir::Sharding;

// A program that every device runs, on its slice of dimension 0 of each input.
struct DeviceProgram {
  DeviceProgram(std::string_view text, std::int64_t devices) {
    divided.mesh = {{"d", devices}};
    divided.graph = ir::parse(text);
    for (const ir::Value input : divided.graph->inputs()) divided.inputs.push_back(by_rows(input.type()));
    for (const ir::Value output : divided.graph->outputs()) divided.outputs.push_back(by_rows(output.type()));
  }

  Sharding by_rows(Type type) const {
    std::vector<Sharding::Axes> dims(type.rank());
    dims[0] = {0};
    return {divided.mesh, std::move(dims)};
  }

  // Small numbers of either sign, whose sums of a few are exact in every dtype; with `spread`, of very different magnitude.
  std::vector<Array> some_inputs(bool spread = false) const {
    std::vector<Array> arrays;
    std::uint64_t state = 3;
    for (std::size_t i = 0; i < divided.inputs.size(); ++i) {
      Array& array = arrays.emplace_back(divided.inputs[i].whole_type(divided.graph->inputs()[i].type()));
      visit(array.dtype(), [&]<class T>(T) {
        for (T& x : array.data<T>()) {
          state = mix(state, 5);
          const double digit = static_cast<double>(state % 7) - (std::is_unsigned_v<T> ? 0 : 3);
          x = static_cast<T>(spread ? digit * std::ldexp(1.0, static_cast<int>(state >> 60)) / 3 : digit);
        }
      });
    }
    return arrays;
  }

  std::shared_ptr<const runtime::Executable> compiled(const Options& options = {}) const {
    return compile_for_mesh(divided, options);
  }
  std::vector<Array> run(const std::vector<Array>& arrays) const {
    return run_on_mesh(compiled(), runtime::cpu(), arrays);
  }
  std::vector<Array> interpreted(const std::vector<Array>& arrays) const { return interpret_on_mesh(divided, arrays); }

  Partitioned divided;
};

void expect_same(std::string_view text, std::int64_t devices) {
  const DeviceProgram program(text, devices);
  const auto inputs = program.some_inputs();
  EXPECT_EQ(program.run(inputs), program.interpreted(inputs)) << text;
}

constexpr const char* every_dtype[] = {"i1", "i8", "i64", "ui32", "f16", "bf16", "f32", "f64"};

std::string all_reduce(std::string_view dtype, std::string_view op, std::string_view groups, std::string_view type,
                       std::int64_t rows) {
  const std::string tensor = concat("tensor<", rows, "x5x", dtype, ">"), scalar = concat("tensor<", dtype, ">");
  return concat(
      "func.func @main(%x: ", tensor, ") -> ", tensor,
      " {\n  %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<", groups, "> : ", type,
      ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({\n  ^bb0(%a: ",
      scalar, ", %b: ", scalar, "):\n    %1 = stablehlo.", op, " %a, %b : ", scalar,
      "\n    stablehlo.return %1 : ", scalar, "\n  }) : (", tensor, ") -> ", tensor, "\n  return %0 : ", tensor, "\n}");
}

TEST(Collectives, AllReduceOfEveryDtypeAndBody) {
  for (const char* const dtype : every_dtype)
    for (const char* const op : {"add", "maximum", "minimum", "multiply"}) {
      expect_same(all_reduce(dtype, op, "[[0, 1, 2, 3, 4, 5]]", "tensor<1x6xi64>", 2), 6);
      expect_same(all_reduce(dtype, op, "[[0, 2, 4], [5, 3, 1]]", "tensor<2x3xi64>", 2), 6);
    }
  for (const char* const op : {"and", "or", "xor"})
    for (const char* const dtype : {"i1", "i8", "ui32"})
      expect_same(all_reduce(dtype, op, "[[0, 1, 2, 3, 4, 5]]", "tensor<1x6xi64>", 2), 6);
}

TEST(Collectives, GroupsOfDifferentSizes) {
  expect_same(all_reduce("i32", "add", "[[0, 1, 2, 3], [4, -1, -1, -1], [5, 6, -1, -1]]", "tensor<3x4xi64>", 1), 7);
}

// More elements than one piece, and a last piece that is shorter.
TEST(Collectives, AllReduceOfManyElements) {
  expect_same(all_reduce("f32", "add", "[[0, 1, 2]]", "tensor<1x3xi64>", 1237), 3);
  expect_same(all_reduce("bf16", "maximum", "[[0, 1, 2]]", "tensor<1x3xi64>", 1237), 3);
}

TEST(Collectives, ABodyOfSeveralOperations) {
  expect_same(R"(func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.abs %a : tensor<f32>
    %2 = stablehlo.abs %b : tensor<f32>
    %3 = stablehlo.maximum %1, %2 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
})",
              4);
}

// Neighbours are added first, then neighbouring sums; the sum of an odd number adds the last one at the end.
TEST(Collectives, SumsFollowABalancedTree) {
  for (const std::int64_t devices : {2, 3, 5, 6, 7, 8, 13}) {
    std::string all;
    for (std::int64_t d = 0; d < devices; ++d) all += concat(d ? ", " : "", d);
    const DeviceProgram program(
        all_reduce("f32", "add", concat("[[", all, "]]"), concat("tensor<1x", devices, "xi64>"), 1), devices);
    const auto inputs = program.some_inputs(true);
    const Array result = program.run(inputs)[0];
    const auto sums = result.data<float>();
    for (std::int64_t column = 0; column < 5; ++column) {
      std::vector<float> level;
      for (std::int64_t d = 0; d < devices; ++d) level.push_back(inputs[0].data<float>()[d * 5 + column]);
      while (level.size() > 1) {
        std::vector<float> next;
        for (std::size_t i = 0; i < level.size(); i += 2)
          next.push_back(i + 1 < level.size() ? level[i] + level[i + 1] : level[i]);
        level = next;
      }
      for (std::int64_t d = 0; d < devices; ++d) EXPECT_EQ(sums[d * 5 + column], level[0]) << devices << " devices";
    }
  }
}

// 256 + 1 rounds to 256 in bf16.
TEST(Collectives, SumsOf16BitFloatsAreRoundedOnce) {
  const DeviceProgram program(all_reduce("bf16", "add", "[[0, 1, 2, 3, 4, 5]]", "tensor<1x6xi64>", 1), 6);
  Array x(Type(DType::bf16, {6, 5}));
  for (std::size_t i = 0; i < 30; ++i) x.data<bfloat16>()[i] = bfloat16(i < 5 ? 256.0 : 1.0);
  const Array sums = program.run({x})[0];
  for (const bfloat16 sum : sums.data<bfloat16>()) EXPECT_EQ(double(sum), 260);  // 261 is halfway
}

TEST(Collectives, GatherAlongEachDimension) {
  for (const int dimension : {0, 1, 2}) {
    std::vector<int> to{2, 3, 4};
    to[dimension] *= 3;
    const std::string result = concat("tensor<", to[0], 'x', to[1], 'x', to[2], "xi16>");
    expect_same(
        concat("func.func @main(%x: tensor<2x3x4xi16>) -> ", result,
               " {\n  %0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = ", dimension,
               " : i64, replica_groups = dense<[[0, 2, 4], [5, 3, 1]]> : tensor<2x3xi64>, channel_handle = "
               "#stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> : (tensor<2x3x4xi16>) -> ",
               result, "\n  return %0 : ", result, "\n}"),
        6);
  }
}

TEST(Collectives, ScatterAlongEachDimension) {
  for (const int dimension : {0, 1, 2}) {
    std::vector<int> to{6, 3, 9};
    to[dimension] /= 3;
    const std::string result = concat("tensor<", to[0], 'x', to[1], 'x', to[2], "xf32>");
    expect_same(
        concat(
            "func.func @main(%x: tensor<6x3x9xf32>) -> ", result,
            " {\n  %0 = \"stablehlo.reduce_scatter\"(%x) <{scatter_dimension = ", dimension,
            " : i64, replica_groups = dense<[[0, 2, 4], [5, 3, 1]]> : tensor<2x3xi64>, channel_handle = "
            "#stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({\n  ^bb0(%a: tensor<f32>, %b: "
            "tensor<f32>):\n    %1 = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %1 : tensor<f32>\n  }) : "
            "(tensor<6x3x9xf32>) -> ",
            result, "\n  return %0 : ", result, "\n}"),
        6);
  }
}

TEST(Collectives, ExchangeAlongEachPairOfDimensions) {
  for (const int split : {0, 1, 2})
    for (const int concat_dimension : {0, 1, 2}) {
      std::vector<int> to{3, 6, 9};
      to[split] /= 3;
      to[concat_dimension] *= 3;
      const std::string result = concat("tensor<", to[0], 'x', to[1], 'x', to[2], "xf64>");
      expect_same(
          concat("func.func @main(%x: tensor<3x6x9xf64>) -> ", result,
                 " {\n  %0 = \"stablehlo.all_to_all\"(%x) <{split_dimension = ", split,
                 " : i64, concat_dimension = ", concat_dimension,
                 " : i64, split_count = 3 : i64, replica_groups = dense<[[0, 2, 4], [5, 3, 1]]> : tensor<2x3xi64>, "
                 "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<3x6x9xf64>) -> ",
                 result, "\n  return %0 : ", result, "\n}"),
          6);
    }
}

TEST(Collectives, WhoReceivesNothingHasZeros) {
  expect_same(R"(func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2], [3, 3]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
})",
              4);
}

TEST(Collectives, DevicesKnowTheirPosition) {
  const DeviceProgram program(R"(func.func @main(%x: tensor<1xui32>) -> tensor<1xui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  %1 = stablehlo.reshape %0 : (tensor<ui32>) -> tensor<1xui32>
  %2 = stablehlo.add %x, %1 : tensor<1xui32>
  return %2 : tensor<1xui32>
})",
                              4);
  EXPECT_EQ(program.run({Array::of<std::uint32_t>({4}, {10, 10, 10, 10})})[0],
            Array::of<std::uint32_t>({4}, {10, 11, 12, 13}));
}

constexpr std::string_view sum_in_a_loop =
    R"(func.func @main(%x: tensor<4xf32>, %n: tensor<1xi32>) -> tensor<4xf32> {
  %last = stablehlo.reshape %n : (tensor<1xi32>) -> tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %last : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %half = stablehlo.constant dense<0.5> : tensor<4xf32>
    %2 = "stablehlo.all_reduce"(%y) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %2, %half : tensor<4xf32>
    %4 = stablehlo.add %3, %x : tensor<4xf32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %5, %4 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
})";

TEST(Collectives, InLoops) {
  const DeviceProgram program(sum_in_a_loop, 4);
  auto inputs = program.some_inputs();
  for (const int rounds : {0, 1, 5}) {
    for (std::int32_t& n : inputs[1].data<std::int32_t>()) n = rounds;
    EXPECT_EQ(program.run(inputs), program.interpreted(inputs)) << rounds;
  }
  inputs[1].data<std::int32_t>()[2] = 3;
  EXPECT_THAT(error_of([&] { (void)program.run(inputs); }), testing::HasSubstr("disagree on whether to go on"));
}

TEST(Collectives, InBranches) {
  const DeviceProgram program(R"(func.func @main(%x: tensor<4xf32>, %p: tensor<1xi1>) -> tensor<4xf32> {
  %0 = stablehlo.reshape %p : (tensor<1xi1>) -> tensor<i1>
  %1 = "stablehlo.if"(%0) ({
    %2 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }, {
    %3 = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %3 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
})",
                              4);
  auto inputs = program.some_inputs();
  for (const bool chosen : {true, false}) {
    for (bool& p : inputs[1].data<bool>()) p = chosen;
    EXPECT_EQ(program.run(inputs), program.interpreted(inputs)) << chosen;
  }
  inputs[1].data<bool>()[1] = true;
  EXPECT_THAT(error_of([&] { (void)program.run(inputs); }), testing::HasSubstr("choose different branches"));
}

TEST(Collectives, ThatDoNotFitTheMeshAreRefused) {
  const auto refused = [](const std::string& text, std::int64_t devices) {
    return error_of([&] { (void)DeviceProgram(text, devices).compiled(); });
  };
  const std::string all_of_four = all_reduce("f32", "add", "[[0, 1, 2, 3]]", "tensor<1x4xi64>", 1);
  EXPECT_THAT(refused(all_of_four, 2), testing::HasSubstr("there is no replica 1, partition 0"));
  EXPECT_THAT(refused(all_of_four, 8), testing::HasSubstr("of 8 devices only 4 are in a group"));
}

// A device is no thread, so any number of devices runs on one, with as many launches ahead as the device allows.
TEST(Collectives, ManyDevicesOnOneThread) {
  const test::Threads one(1);
  std::string all;
  for (int d = 0; d < 64; ++d) all += concat(d ? ", " : "", d);
  const DeviceProgram program(all_reduce("f32", "maximum", concat("[[", all, "]]"), "tensor<1x64xi64>", 1), 64);
  const auto inputs = program.some_inputs();
  const auto executable = program.compiled();
  std::vector<runtime::BufferPtr> buffers{
      runtime::cpu().upload(inputs[0].type(), inputs[0].bytes(), executable->input_layout(0))};
  for (int step = 0; step < 500; ++step) buffers = runtime::cpu().launch(executable, buffers);
  EXPECT_TRUE(std::ranges::equal(buffers[0]->bytes(), program.interpreted(inputs)[0].bytes()));
}

TEST(Collectives, GiveTheSameBitsForAnyNumberOfThreads) {
  for (const char* const dtype : {"f32", "bf16"}) {
    const DeviceProgram program(all_reduce(dtype, "add", "[[0, 1, 2, 3, 4, 5]]", "tensor<1x6xi64>", 9001), 6);
    const auto inputs = program.some_inputs(true);
    std::vector<std::vector<Array>> results;
    for (const int count : {1, 2, 7}) {
      const test::Threads threads(count);
      results.push_back(program.run(inputs));
    }
    EXPECT_EQ(results[1], results[0]) << dtype;
    EXPECT_EQ(results[2], results[0]) << dtype;
  }
}

// For simulations: no device waits for another one, and the results are of the same kind as real ones.
TEST(Collectives, OneDeviceRunsTheProgramAlone) {
  const DeviceProgram p(R"(func.func @main(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
    %g = "stablehlo.all_gather"(%x) <{all_gather_dim = 0, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
    %s = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %g, %s : tensor<8xf32>, tensor<4xf32>
  })",
                        2);
  Array x(p.divided.graph->inputs()[0].type());
  for (std::size_t i = 0; i < 4; ++i) x.data<float>()[i] = static_cast<float>(i + 1);
  const auto results = test::run(compile(*p.divided.graph, {.devices = 2, .stands_for = 1}), {{x}});
  EXPECT_THAT(results[0].data<float>(), testing::ElementsAre(1, 2, 3, 4, 1, 2, 3, 4));
  EXPECT_THAT(results[1].data<float>(), testing::ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace weft::compiler
