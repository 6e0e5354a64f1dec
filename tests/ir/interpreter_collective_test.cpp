// Tests programs of several processes: which processes meet, transfers, and that no process waits forever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using I32 = std::int32_t;

// Runs @main of a module that also has these functions.
std::vector<Array> run(const std::string& functions, const std::string& main) {
  return interpret(*parse(functions + "\nfunc.func @main" + main), {});
}

// Returns a program @f with one operand and one result, vectors of `in` and `out` elements.
std::string collective(std::string_view op, int in, int out, std::string_view attributes, std::string_view body = "") {
  return concat("func.func private @f(%x: tensor<", in, "xi32>) -> tensor<", out, "xi32> {\n%0 = \"stablehlo.", op,
                "\"(%x) ", body, " {", attributes, "} : (tensor<", in, "xi32>) -> tensor<", out,
                "xi32>\nreturn %0 : tensor<", out, "xi32> }");
}

constexpr const char* sum = R"(({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %s = stablehlo.add %a, %b : tensor<i32>
  stablehlo.return %s : tensor<i32> }))";

// Runs @f on the grid with the inputs [1, 2], [3, 4]...
std::vector<Array> on_grid(const std::string& function, std::string_view programs, int count, int out) {
  std::string main = "() -> (", types_in, types_out, names, used;
  for (int i = 0; i < count; ++i) {
    const char* comma = i > 0 ? ", " : "";
    types_in += concat(comma, "tensor<2xi32>");
    types_out += concat(comma, "tensor<", out, "xi32>");
    names += concat("%c", i, " = stablehlo.constant dense<[", 2 * i + 1, ", ", 2 * i + 2, "]> : tensor<2xi32>\n");
    used += concat(comma, "%c", i);
  }
  std::string results;
  for (int i = 0; i < count; ++i) results += concat(i > 0 ? ", " : "", count > 1 ? concat("%r#", i) : "%r");
  return run(function, concat("() -> (", types_out, ") {\n", names, "%r", count > 1 ? concat(":", count) : "",
                              " = \"interpreter.run_parallel\"(", used, ") {programs = ", programs, "} : (", types_in,
                              ") -> (", types_out, ")\nreturn ", results, " : ", types_out, " }"));
}

TEST(Collectives, GatherReduceAndScatterAmongReplicas) {
  const auto gathered = on_grid(
      collective("all_gather", 2, 4, "all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>"),
      "[[@f], [@f]]", 2, 4);
  EXPECT_EQ(gathered[0], Array::of<I32>({4}, {3, 4, 1, 2}));
  EXPECT_EQ(gathered[1], gathered[0]);
  const auto reduced =
      on_grid(collective("all_reduce", 2, 2, "replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>", sum),
              "[[@f], [@f], [@f]]", 3, 2);
  EXPECT_EQ(reduced[0], Array::of<I32>({2}, {6, 8}));
  EXPECT_EQ(reduced[1], Array::of<I32>({2}, {3, 4}));
  const auto scattered =
      on_grid(collective("reduce_scatter", 2, 1,
                         "scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>", sum),
              "[[@f], [@f]]", 2, 1);
  EXPECT_EQ(scattered[0], Array::of<I32>({1}, {4}));
  EXPECT_EQ(scattered[1], Array::of<I32>({1}, {6}));
}

// Reduces several operands at once, each at its requested root.
TEST(Collectives, ReducesToRoots) {
  const auto reduce = [](std::string_view roots) {
    return concat(R"(func.func private @f(%x: tensor<2xi32>) -> tensor<4xi32> {
      %n = stablehlo.negate %x : tensor<2xi32>
      %roots = stablehlo.constant dense<)",
                  roots, R"(> : tensor<2xi32>
      %0:2 = "stablehlo.collective_reduce"(%x, %n, %roots) )",
                  sum, R"( {
        replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, has_dynamic_root = true
      } : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
      %1 = stablehlo.concatenate %0#0, %0#1, dim = 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
      return %1 : tensor<4xi32> })");
  };
  const auto reduced = on_grid(reduce("[0, 1]"), "[[@f], [@f]]", 2, 4);
  EXPECT_EQ(reduced[0], Array::of<I32>({4}, {0, 0, -4, -6}));
  EXPECT_EQ(reduced[1], Array::of<I32>({4}, {4, 6, 0, 0}));
  EXPECT_THAT([&] { on_grid(reduce("[0, 2]"), "[[@f], [@f]]", 2, 4); },
              ThrowsMessage<Error>(HasSubstr("collective_reduce: there is no root 2 in a group of 2")));
}

TEST(Collectives, ChannelsMakeGroupsReachAcrossPartitions) {
  const std::string channel = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>";
  const auto everywhere =
      on_grid(collective("all_reduce", 2, 2, "replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>" + channel, sum),
              "[[@f, @f], [@f, @f]]", 4, 2);
  EXPECT_EQ(everywhere[1], Array::of<I32>({2}, {4, 6}));  // on both partitions of replica 0
  EXPECT_EQ(everywhere[2], Array::of<I32>({2}, {12, 14}));
  const auto by_number = on_grid(
      collective("all_reduce", 2, 2,
                 "replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, use_global_device_ids" + channel, sum),
      "[[@f, @f], [@f, @f]]", 4, 2);
  EXPECT_EQ(by_number[0], Array::of<I32>({2}, {8, 10}));
  EXPECT_EQ(by_number[1], Array::of<I32>({2}, {8, 10}));
}

TEST(Collectives, ARingOfPairs) {
  const auto passed = on_grid(
      collective("collective_permute", 2, 2, "source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>"),
      "[[@f], [@f], [@f]]", 3, 2);
  EXPECT_EQ(passed[0], Array::of<I32>({2}, {5, 6}));
  EXPECT_EQ(passed[1], Array::of<I32>({2}, {1, 2}));
  EXPECT_EQ(passed[2], Array::of<I32>({2}, {3, 4}));
}

TEST(Collectives, ProcessesKnowWhoTheyAre) {
  const auto ids = run(R"(func.func private @f() -> (tensor<ui32>, tensor<ui32>) {
      %0 = stablehlo.replica_id : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      return %0, %1 : tensor<ui32>, tensor<ui32> })",
                       R"(() -> (tensor<ui32>, tensor<ui32>) {
      %0:4 = "interpreter.run_parallel"() {programs = [[@f, @f]]} : () -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
      return %0#2, %0#3 : tensor<ui32>, tensor<ui32> })");
  EXPECT_EQ(ids[0], Array::scalar<std::uint32_t>(0));
  EXPECT_EQ(ids[1], Array::scalar<std::uint32_t>(1));
}

TEST(Collectives, AFailureEndsTheWaitingOfAll) {
  // The second replica fails; the first one waits for it.
  const std::string functions = R"(
    func.func private @waits(%x: tensor<2xi32>) -> tensor<2xi32> {
      %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2xi32>) -> tensor<2xi32>
      %1 = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
      return %1 : tensor<2xi32> }
    func.func private @fails(%x: tensor<2xi32>) -> tensor<2xi32> {
      stablehlo.custom_call @nobody.knows(%x) {has_side_effect = true} : (tensor<2xi32>) -> ()
      return %x : tensor<2xi32> })";
  EXPECT_THAT([&] { on_grid(functions, "[[@waits], [@fails]]", 2, 2); },
              ThrowsMessage<Error>("custom_call @nobody.knows: weft has no such function; only a C++ program that "
                                   "registers it with weft::custom_op can run it"));
}

TEST(Collectives, WaitingForNobodyIsAnError) {
  const std::string functions = R"(
    func.func private @waits(%x: tensor<2xi32>) -> tensor<2xi32> {
      %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
      return %0 : tensor<2xi32> }
    func.func private @leaves(%x: tensor<2xi32>) -> tensor<2xi32> {
      return %x : tensor<2xi32> })";
  EXPECT_THAT([&] { on_grid(functions, "[[@waits], [@leaves]]", 2, 2); },
              ThrowsMessage<Error>(HasSubstr("every process that still runs waits for another")));
  EXPECT_THAT(
      [&] {
        on_grid(collective("all_gather", 2, 4,
                           "all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"),
                "[[@f]]", 1, 4);
      },
      ThrowsMessage<Error>(
          HasSubstr("all_gather: there is no replica 1, partition 0, the program runs on 1 replicas")));
}

TEST(Collectives, ProbesAreWhatTheLoopSaw) {
  const std::string text = R"(func.func @main() {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %0 = interpreter.probe %c, probe_id = "a" : tensor<i32>
      %1 = stablehlo.add %0, %0 : tensor<i32>
      %2 = interpreter.probe %1, probe_id = "a" : tensor<i32>
      check.expect_serialized_eq %c, probe_id = "a" : tensor<i32>
      check.expect_serialized_eq %1, probe_id = "a", iter = ITERATION : tensor<i32>
      return })";
  const auto at = [&](const char* iteration) {
    std::string with = text;
    with.replace(with.find("ITERATION"), 9, iteration);
    interpret(*parse(with), {});
  };
  EXPECT_NO_THROW(at("1"));
  EXPECT_THAT([&] { at("0"); },
              ThrowsMessage<Error>(HasSubstr("probe a saw tensor<i32> [3], expected tensor<i32> [6]")));
  EXPECT_THAT([&] { at("2"); }, ThrowsMessage<Error>(HasSubstr("there are 2 values")));
}

}  // namespace
}  // namespace weft::ir
