// Checks that programs that StableHLO's specification forbids are rejected, including attributes that weft reads and drops. Each
// table starts with valid programs, followed by programs that are wrong in one place, with a part of the expected message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::HasSubstr;

std::string verify_error(const std::string& text) {
  try {
    parse_module(text);
  } catch (const Error& wrong) {
    return wrong.what();
  }
  return {};
}

// Returns a program with operations on a vector, a matrix, integers, an image with its kernel, and a token.
std::string program_of(std::string_view operations) {
  return concat(R"(func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
    func.func @main(%a: tensor<4xf32>, %m: tensor<4x6xf32>, %i: tensor<4xi32>, %x: tensor<1x8x8x3xf32>,
                    %k: tensor<3x3x3x2xf32>, %t: !stablehlo.token, %s: tensor<f32>) {
)",
                operations, "\nreturn }");
}

// Fills the hole $ in the text of an operation.
std::string with_hole_filled(std::string_view text, std::string_view hole) {
  const auto at = text.find('$');
  return concat(text.substr(0, at), hole, text.substr(at + 1));
}

struct Wrong {
  std::string_view hole, message;
};

void expect(std::string_view text, std::initializer_list<std::string_view> right, std::initializer_list<Wrong> wrong) {
  for (const std::string_view hole : right)
    EXPECT_EQ(verify_error(program_of(with_hole_filled(text, hole))), "") << hole;
  for (const Wrong& w : wrong) {
    const std::string error = verify_error(program_of(with_hole_filled(text, w.hole)));
    EXPECT_THAT(error, HasSubstr(w.message)) << w.hole;
    EXPECT_THAT(error, testing::Not(HasSubstr("\n")));
  }
}

TEST(TextVerify, ReplicaGroups) {
  const std::string sum = R"(({ ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32> }))";
  expect(R"("stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, $} : (tensor<4xf32>) -> tensor<8xf32>)",
         {"replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
          "replica_groups = dense<[[3, 1], [0, 2]]> : tensor<2x2xi64>", "replica_groups = dense<> : tensor<0x0xi64>",
          "replica_groups = dense<[[0]]> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, "
          "type = 1>"},
         {{"replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>",
           "stablehlo.all_gather: replica_groups name process 0 twice"},
          {"replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>", "name process 2 but not process 1"},
          {"replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>", "name process -1"},
          {"replica_groups = dense<[[0, -7]]> : tensor<1x2xi64>", "name process -7"},
          {"replica_groups = dense<[0, 1]> : tensor<2xi64>", "expected dense<...> of rank 2 for replica_groups"}});
  expect(
      concat(R"("stablehlo.all_reduce"(%a) )", sum, " {$} : (tensor<4xf32>) -> tensor<4xf32>"),
      {"replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>"},
      {{"replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>", "stablehlo.all_reduce: replica_groups name process -2"},
       {"replica_groups = dense<[[1, 2]]> : tensor<1x2xi64>", "name process 2 but not process 0"}});
  expect(concat(R"("stablehlo.reduce_scatter"(%a) )", sum,
                " {scatter_dimension = 0 : i64, $} : (tensor<4xf32>) -> tensor<2xf32>"),
         {"replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"},
         {{"replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>", "name process -1"},
          {"replica_groups = dense<[[0, 5]]> : tensor<1x2xi64>", "name process 5 but not process 1"}});
  expect(concat(R"("stablehlo.collective_reduce"(%a) )", sum,
                " {replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>, $} : (tensor<4xf32>) -> tensor<4xf32>"),
         {"use_global_device_ids, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"},
         {{"use_global_device_ids", "stablehlo.collective_reduce: use_global_device_ids needs a channel_handle"}});
  expect(
      R"("stablehlo.all_to_all"(%m) {split_dimension = 1 : i64, concat_dimension = 0 : i64, $} : (tensor<4x6xf32>) -> tensor<8x3xf32>)",
      {"split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"},
      {{"split_count = 2 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>",
        "stablehlo.all_to_all: split_count 2 must be the number of processes in each of the replica_groups, which is "
        "3"},
       {"split_count = 2 : i64, replica_groups = dense<> : tensor<0x2xi64>", "which is 0"}});
  expect(R"("stablehlo.collective_broadcast"(%a) {$} : (tensor<4xf32>) -> tensor<4xf32>)",
         {"replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>"},
         {{"replica_groups = dense<[[2, -1]]> : tensor<1x2xi64>", "name process -1"}});
  expect(R"("stablehlo.collective_permute"(%a) {$} : (tensor<4xf32>) -> tensor<4xf32>)",
         {"source_target_pairs = dense<> : tensor<0x2xi64>"},
         {{"source_target_pairs = dense<> : tensor<0x3xi64>", "source_target_pairs must have two columns, got 3"}});
}

TEST(TextVerify, NothingIsGatheredOrScatteredOfNothing) {
  EXPECT_THAT(verify_error(R"(func.func @main(%x: tensor<0x2xf32>) {
      "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
          : (tensor<0x2xf32>) -> tensor<0x2xf32>
      return })"),
              HasSubstr("stablehlo.all_gather: dimension 0 must not be empty"));
}

TEST(TextVerify, Channels) {
  const auto handle = [](int number, int type) {
    return concat("channel_handle = #stablehlo.channel_handle<handle = ", number, ", type = ", type, ">");
  };
  expect(
      R"("stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = $, use_global_device_ids} : (tensor<4xf32>) -> tensor<8xf32>)",
      {"dense<[[0, 1]]> : tensor<1x2xi64>, " + handle(1, 0)},
      {{"dense<[[0, 1]]> : tensor<1x2xi64>",
        "use_global_device_ids needs a channel_handle with a positive handle, got 0"},
       {"dense<[[0, 1]]> : tensor<1x2xi64>, " + handle(-1, 0), "a positive handle, got -1"},
       {"dense<> : tensor<0x0xi64>, " + handle(1, 0),
        "use_global_device_ids needs replica_groups that are not empty"}});
  expect(R"("stablehlo.send"(%a, %t) {$} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token)",
         {handle(1, 1), handle(1, 2) + ", is_host_transfer = true"},
         {{handle(1, 2), "stablehlo.send: the type of channel_handle must be 1 where is_host_transfer is false, got 2"},
          {handle(1, 3) + ", is_host_transfer = true", "must be 2 where is_host_transfer is true, got 3"}});
  expect(R"("stablehlo.recv"(%t) {$} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token))",
         {handle(1, 1), handle(1, 3) + ", is_host_transfer = true"},
         {{handle(1, 2) + ", is_host_transfer = true", "must be 3 where is_host_transfer is true, got 2"}});
  expect(
      R"("stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (!stablehlo.token) -> ($!stablehlo.token))",
      {"", "tensor<f32>, "}, {{"!stablehlo.token, ", "only the last result may be a token"}});
  expect(R"("stablehlo.infeed"(%t) {$} : (!stablehlo.token) -> (tensor<4xf32>, tensor<i32>, !stablehlo.token))",
         {"", "layout = [[0], []]"},
         {{"layout = [[0]]", "layout has 1 entries for 3 results, the last of which is the token"},
          {"layout = [0, []]", "layout must be a list"},
          {"layout = [[[]], []]", "layout must be a list of integers, got []"}});
}

TEST(TextVerify, ResultAccuracy) {
  expect("%0 = stablehlo.tanh %a {result_accuracy = #stablehlo.result_accuracy<$>} : tensor<4xf32>",
         {"atol = 1.0e-5, rtol = 0.0, ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>",
          "atol = 0.0, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<HIGHEST>"},
         {{"atol = 0.0, rtol = 0.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<DEFAULT>",
           "stablehlo.tanh: result_accuracy of mode DEFAULT must have tolerances of 0: atol, rtol and ulps"},
          {"atol = 0.0, rtol = 1.0e-3, ulps = 0, mode = #stablehlo.result_accuracy_mode<HIGHEST>", "of mode HIGHEST"},
          {"atol = -1.0, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>",
           "atol of result_accuracy must not be negative, got -1.0"},
          {"atol = 0.0, rtol = 0.0, ulps = -3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>",
           "ulps of result_accuracy"},
          {"atol = 0.0, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<EXACT>",
           "must be DEFAULT, HIGHEST or TOLERANCE"},
          {"atol = 0.0, rtol = 0.0, ulps = 0", "result_accuracy needs the field mode"}});
}

TEST(TextVerify, PrecisionAndAlgorithmOfProducts) {
  expect(
      "%0 = stablehlo.dot_general %m, %m, contracting_dims = [1] x [1]$ : (tensor<4x6xf32>, tensor<4x6xf32>) -> "
      "tensor<4x4xf32>",
      {"", ", precision = [DEFAULT, HIGHEST]", ", precision = [HIGH]",
       ", algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
       "lhs_component_count = 1, "
       "rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>"},
      {{", precision = [DEFAULT, DEFAULT, DEFAULT]",
        "stablehlo.dot_general: precision_config has 3 entries for two operands"},
       {", precision = [DEFAULT, LOW]", "precision_config must contain DEFAULT, HIGH or HIGHEST, got LOW"},
       {", algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, "
        "lhs_component_count = 3, "
        "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>",
        "no hardware is known to have the algorithm f32 x f32 in f32"},
       {", algorithm = <lhs_precision_type = f32, rhs_precision_type = f32>",
        "algorithm needs the field accumulation_type"}});
  const std::string text =
      R"("stablehlo.dot_general"(%m, %m) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1],
      rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision HIGH>], algorithm = #stablehlo.dot_algorithm<
      lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1,
      rhs_component_count = $, num_primitive_operations = 1, allow_imprecise_accumulation = false>}
      : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>)";
  expect(text, {},
         {{"1", "precision_config must be DEFAULT beside an algorithm"},
          {"0", "rhs_component_count of algorithm must be positive, got 0"}});
}

TEST(TextVerify, CustomCalls) {
  expect(
      R"(%0 = "stablehlo.custom_call"(%m, %t) {call_target_name = "f", $} : (tensor<4x6xf32>, !stablehlo.token) -> tensor<4xf32>)",
      {"operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<0> : "
       "tensor<1xindex>]",
       "api_version = 4 : i32, backend_config = {a = 1 : i64}", "api_version = 2 : i32, backend_config = \"a\"",
       "called_computations = [@f]"},
      {{"operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>]",
        "stablehlo.custom_call: operand_layouts needs result_layouts beside it"},
       {"operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>]",
        "operand_layouts has 1 entries for 2 values"},
       {"operand_layouts = [dense<[1, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<0> : "
        "tensor<1xindex>]",
        "operand_layouts must order the dimensions of tensor<4x6xf32>, got dense<[1, 1]>"},
       {"operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<0> : "
        "tensor<1xindex>]",
        "operand_layouts must order the dimensions of !stablehlo.token"},
       {"operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[1, "
        "0]> : tensor<2xindex>]",
        "result_layouts must order the dimensions of tensor<4xf32>"},
       {"api_version = 4 : i32, backend_config = \"a\"",
        "backend_config must be a dictionary where api_version is 4, got \"a\""},
       {"backend_config = {}", "backend_config must be a string where api_version is 1"},
       {"api_version = 9 : i32", "api_version must be a number from 0 to 4, got 9"},
       {"called_computations = [\"f\"]", "called_computations must name functions, got \"f\""}});
}

TEST(TextVerify, OutputsAliasOperandsOfTheirType) {
  expect(R"(%0 = "stablehlo.custom_call"(%m, %a) {call_target_name = "f", output_operand_aliases =
      [#stablehlo.output_operand_alias<$, operand_tuple_indices = []>]} : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4xf32>)",
         {"output_tuple_indices = [], operand_index = 1"},
         {{"output_tuple_indices = [], operand_index = 2",
           "operand_index 2 of output_operand_aliases is not one of 2 operands"},
          {"output_tuple_indices = [0], operand_index = 1",
           "output_tuple_indices of output_operand_aliases must name one of 1 results"},
          {"output_tuple_indices = [], operand_index = 0",
           "output_operand_aliases cannot pair an operand tensor<4x6xf32> with a result tensor<4xf32>"}});
}

TEST(TextVerify, Composites) {
  expect(
      R"(%0 = "stablehlo.composite"(%a) {name = "$", decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>)",
      {"a.b", "A1_.b_c.$d", "a.1"},
      {{"a", "stablehlo.composite: the name must be of the form namespace.name, in letters, digits and _, got \"a\""},
       {"", "of the form namespace.name"},
       {"a.", "of the form namespace.name"},
       {".a", "of the form namespace.name"},
       {"a..b", "of the form namespace.name"},
       {"1a.b", "of the form namespace.name"},
       {"a$.b", "of the form namespace.name"},
       {"a.b-c", "of the form namespace.name"}});
  expect(R"(%0 = "stablehlo.composite"(%a) {name = "a.b", decomposition = @f, $} : (tensor<4xf32>) -> tensor<4xf32>)",
         {"version = 2 : i32, composite_attributes = {k = 1 : i64}"},
         {{"version = \"2\"", "version must be an integer, got \"2\""},
          {"composite_attributes = [1]", "composite_attributes must be a dictionary, got [1]"}});
}

TEST(TextVerify, Map) {
  expect(R"(%0 = "stablehlo.map"(%m) ({ ^bb0(%p: tensor<f32>):
      %q = stablehlo.abs %p : tensor<f32>
      stablehlo.return %q : tensor<f32> }) {$} : (tensor<4x6xf32>) -> tensor<4x6xf32>)",
         {"dimensions = array<i64: 0, 1>"},
         {{"dimensions = array<i64: 1, 0>",
           "stablehlo.map: dimensions must be all 2 of the operands, in order, got array<i64: 1, 0>"},
          {"dimensions = array<i64: 0>", "dimensions must be all 2"},
          {"dimensions = array<i64: 0, 1, 2>", "dimensions must be all 2"},
          {"", "expected the attribute dimensions"}});
  expect(R"(%0 = "stablehlo.map"(%a) ({ ^bb0(%p: tensor<$f32>):
      %q = stablehlo.constant dense<1.0> : tensor<f32>
      stablehlo.return %q : tensor<f32> }) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>)",
         {""}, {{"4x", "stablehlo.map: the body must take numbers of rank 0 and return one"}});
}

TEST(TextVerify, Convolutions) {
  expect(
      R"(%0 = stablehlo.convolution(%x, %k) dim_numbers = $, window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64}
      : (tensor<1x8x8x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x6x6x2xf32>)",
      {"[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"},
      {{"[b, 0, 1, f]x[0, 1, i, i]->[b, 0, 1, f]", "i is given twice"},
       {"[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]", "the spatial dimension 0 is given twice"},
       {"[b, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "expected the spatial dimension 0"},
       {"[b, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]", "expected f among the dimensions"},
       {"[b, 0, 1, f]x[0, 1, i]->[b, 0, 1, f]", "expected o among the dimensions"}});
  expect(
      R"(%0 = "stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
      feature_group_count = 1 : i64, batch_group_count = 1 : i64, $} : (tensor<1x8x8x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x6x6x2xf32>)",
      {"padding = dense<0> : tensor<2x2xi64>", "precision_config = [#stablehlo<precision HIGH>]"},
      {{"padding = dense<0> : tensor<4xi64>", "expected dense<...> of shape Nx2 for padding"},
       {"padding = dense<0> : tensor<1x4xi64>", "expected dense<...> of shape Nx2 for padding"},
       {"padding = dense<0> : tensor<1x2x2xi64>", "expected dense<...> of shape Nx2 for padding"},
       {"window_strides = dense<1> : tensor<1x2xi64>", "expected dense<...> of rank 1 for window_strides"},
       {"precision_config = [#stablehlo<precision HALF>]",
        "stablehlo.convolution: precision_config must contain DEFAULT"}});
  EXPECT_THAT(verify_error(R"(func.func @main(%x: tensor<1x8x8x3xi32>, %k: tensor<3x3x3x2xi64>) {
      %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
          {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x8x8x3xi32>, tensor<3x3x3x2xi64>) -> tensor<1x6x6x2xi64>
      return })"),
              HasSubstr("stablehlo.convolution: the operands must have one element type"));
}

TEST(TextVerify, AttributesAreKnownAndGivenOnce) {
  expect(
      R"(%0 = "stablehlo.dot_general"(%m, %m) {dot_dimension_numbers = #stablehlo.dot<$>} : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x4xf32>)",
      {"lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],"},
      {{"lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], transposed = [0]",
        "#stablehlo.dot has no field transposed"},
       {"lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [1]",
        "the field lhs_contracting_dimensions is given twice"}});
  expect(
      R"(%0 = "stablehlo.transpose"(%m) {$} : (tensor<4x6xf32>) -> tensor<6x4xf32>)",
      {"permutation = array<i64: 1, 0>"},
      {{"permutation = array<i64: 1, 0>, permutation = array<i64: 1, 0>", "the attribute permutation is given twice"}});
  EXPECT_THAT(verify_error("module attributes {a.b = #stablehlo.gather<offset = [0]>} {}"),
              HasSubstr("#stablehlo.gather has no field offset"));
}

TEST(TextVerify, TypesAreThoseThatAreWritten) {
  expect(R"("stablehlo.abs"(%a) : (tensor<4xf32>) -> $)", {"tensor<4xf32>"},
         {{"()", "stablehlo.abs: has 1 results, but the number of result types is 0"}});
  expect("%0 = call @f(%a) : (tensor<4xf32>) -> $", {"tensor<4xf32>"},
         {{"tensor<4xi32>", "func.call: the result types do not fit those of @f"}});
  expect("%0 = stablehlo.clamp %s, $, %s : tensor<f32>", {"%s"},
         {{"%a", "stablehlo.clamp: %a is tensor<4xf32>, not tensor<f32>"}});
  expect("%0 = stablehlo.clamp $, %a, %a : tensor<4xf32>", {"%a"},
         {{"%s", "stablehlo.clamp: %s is tensor<f32>, not tensor<4xf32>"}});
}

TEST(TextVerify, WindowsOfSelectAndScatter) {
  expect(R"(%0 = "stablehlo.select_and_scatter"(%a, %a, %s) ({ ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1> }, { ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32> }) {$} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>)",
         {"window_dimensions = array<i64: 1>"},
         {{"", "stablehlo.select_and_scatter: window_dimensions [] needs 1 entries"}});
}

TEST(TextVerify, BranchesTakeNothing) {
  expect(R"(%p = stablehlo.constant dense<true> : tensor<i1>
      %0 = "stablehlo.if"($) ({ ^bb0(%q: tensor<4xf32>): stablehlo.return %a : tensor<4xf32> },
                              { ^bb0(%q: tensor<4xf32>): stablehlo.return %a : tensor<4xf32> }) : (tensor<i1>) -> tensor<4xf32>)",
         {},
         {{"%p, %a", "stablehlo.if: takes one operand, got 2"}, {"%p", "stablehlo.if: a branch takes no arguments"}});
}

TEST(TextVerify, ShapesHaveOneDimension) {
  expect(R"(%d = stablehlo.constant dense<[$]> : tensor<1x2xi32>
      %0 = "stablehlo.dynamic_reshape"(%a, %d) : (tensor<4xf32>, tensor<1x2xi32>) -> tensor<2x2xf32>)",
         {}, {{"[2, 2]", "stablehlo.dynamic_reshape: %d must be of rank 1, got tensor<1x2xi32>"}});
}

TEST(TextVerify, DynamicBroadcastsAndScans) {
  expect(R"(%d = stablehlo.constant dense<[4, 6]> : tensor<2xi32>
      %0 = "stablehlo.dynamic_broadcast_in_dim"(%m, %d) {broadcast_dimensions = array<i64: 0, 1>, $}
      : (tensor<4x6xf32>, tensor<2xi32>) -> tensor<4x6xf32>)",
         {"known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>"},
         {{"known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>",
           "must be one of 2 and named once"},
          {"known_expanding_dimensions = array<i64: 2>", "dimension 2 of known_expanding_dimensions"}});
  expect(R"(%0, %1 = chlo.scan (%m) inits (%s) dimension = 0 attributes {scan_dim_size = $ : i64} {
      ^bb0(%p: tensor<6xf32>, %q: tensor<f32>):
        stablehlo.return %p, %q : tensor<6xf32>, tensor<f32>
      } : (tensor<4x6xf32>, tensor<f32>) -> (tensor<4x6xf32>, tensor<f32>))",
         {"4"}, {{"3", "chlo.scan: scan_dim_size must be the size of dimension 0 of tensor<4x6xf32>, got 3"}});
}

TEST(TextVerify, ProgramsForSeveralDevicesAreRefusedInOneSentence) {
  const std::string_view sentence =
      " is part of a program that is already split among devices; weft runs only programs that it splits itself, as "
      "their sdy.shardings say";
  expect(
      "%0 = $(%m) : (tensor<4x6xf32>) -> tensor<2x6xf32>", {},
      {{"\"sdy.replicated_to_unreduced\"", concat("'sdy.replicated_to_unreduced'", sentence)},
       {"stablehlo.custom_call @SPMDFullToShardShape", concat("stablehlo.custom_call @SPMDFullToShardShape", sentence)},
       {"stablehlo.custom_call @SPMDShardToFullShape", sentence},
       {"stablehlo.custom_call @xla.sdy.GlobalToLocalShape", sentence}});
  expect(
      R"(%0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = $} : (tensor<4xf32>) -> tensor<8xf32>)",
      {},
      {{R"(#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>)",
        concat("replica_groups of a mesh", sentence)}});
}

}  // namespace
}  // namespace weft::ir
