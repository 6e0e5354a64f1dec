// Checks that every form in which an operation may be written is read as the same graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::ElementsAre;

std::string in_main(const std::string& arguments, const std::string& body) {
  return "func.func @main(" + arguments + ") {\n" + body + "\nreturn\n}\n";
}

// Returns the last node of the function.
const Node& last(const Graph& graph) { return *graph.nodes().back(); }

struct Forms {
  const char* name;
  const char* arguments;
  std::vector<const char*> texts;
};

const Forms all_forms[] = {
    {"add",
     "%a: tensor<4xf32>, %b: tensor<4xf32>",
     {"%0 = stablehlo.add %a, %b : tensor<4xf32>",
      "%0 = stablehlo.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
      R"(%0 = "stablehlo.add"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)",
      R"("stablehlo.add"(%a, %b) {mhlo.frontend_attributes = {}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)"}},
    {"broadcast_in_dim",
     "%a: tensor<4xf32>",
     {"stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>",
      R"("stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>) -> tensor<3x4xf32>)",
      R"("stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<4xf32>) -> tensor<3x4xf32>)",
      R"("stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = dense<[1]> : tensor<1xi64>} : (tensor<4xf32>) -> tensor<3x4xf32>)"}},
    {"compare",
     "%a: tensor<4xi32>, %b: tensor<4xi32>",
     {"stablehlo.compare LT, %a, %b, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>",
      "stablehlo.compare  LT, %a, %b,  SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>",
      R"("stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>,
         compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>)"}},
    {"select",
     "%p: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>",
     {"stablehlo.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>",
      "stablehlo.select %p, %a, %b : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>",
      R"("stablehlo.select"(%p, %a, %b) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)"}},
    {"iota",
     "",
     {"stablehlo.iota dim = 1 : tensor<2x3xi32>",
      R"("stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xi32>)"}},
    {"slice",
     "%a: tensor<4x8xf32>",
     {"stablehlo.slice %a [0:4:2, 1:3] : (tensor<4x8xf32>) -> tensor<2x2xf32>",
      R"("stablehlo.slice"(%a) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 4, 3>, strides = array<i64: 2, 1>}>
         : (tensor<4x8xf32>) -> tensor<2x2xf32>)"}},
    {"pad",
     "%a: tensor<4xf32>, %z: tensor<f32>",
     {"stablehlo.pad %a, %z, low = [1], high = [-1], interior = [2] : (tensor<4xf32>, tensor<f32>) -> tensor<10xf32>",
      R"("stablehlo.pad"(%a, %z) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: -1>,
         interior_padding = array<i64: 2>}> : (tensor<4xf32>, tensor<f32>) -> tensor<10xf32>)"}},
    {"concatenate",
     "%a: tensor<4x1xf32>, %b: tensor<4x2xf32>",
     {"stablehlo.concatenate %a, %b, dim = 1 : (tensor<4x1xf32>, tensor<4x2xf32>) -> tensor<4x3xf32>",
      R"("stablehlo.concatenate"(%a, %b) <{dimension = 1 : i64}> : (tensor<4x1xf32>, tensor<4x2xf32>) -> tensor<4x3xf32>)"}},
    {"reduce_precision",
     "%a: tensor<4xf32>",
     {"stablehlo.reduce_precision %a, format = e5m10 : tensor<4xf32>",
      R"("stablehlo.reduce_precision"(%a) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : (tensor<4xf32>) -> tensor<4xf32>)"}},
    {"dot_general",
     "%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>",
     {R"(stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT],
         algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1,
         rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>)",
      R"("stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0],
         rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>,
         precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]}>
         : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>)"}},
    {"convolution",
     "%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>",
     {R"(stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
         window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]}
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>]}
         : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x8x4xf32>)",
      R"("stablehlo.convolution"(%x, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
         window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>,
         rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, feature_group_count = 1 : i64,
         batch_group_count = 1 : i64}> : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x8x4xf32>)",
      R"("stablehlo.convolution"(%x, %k) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0,
         input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2,
         kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0,
         output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>, window_strides = dense<[2, 1]> : tensor<2xi64>,
         padding = dense<[[1, 1], [0, 2]]> : tensor<2x2xi64>, lhs_dilation = dense<1> : tensor<2xi64>,
         rhs_dilation = dense<1> : tensor<2xi64>, window_reversal = dense<[false, true]> : tensor<2xi1>,
         feature_group_count = 1 : i64, batch_group_count = 1 : i64}
         : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x8x4xf32>)"}},
    {"reduce",
     "%a: tensor<4x8xf32>, %z: tensor<f32>",
     {"stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> "
      "tensor<4xf32>",
      R"(stablehlo.reduce(%a init: %z) across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
         reducer(%x: tensor<f32>, %y: tensor<f32>) {
           %s = stablehlo.add %x, %y : tensor<f32>
           stablehlo.return %s : tensor<f32>
         })",
      R"("stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 1>}> ({
         ^bb0(%x: tensor<f32>, %y: tensor<f32>):
           %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
           "stablehlo.return"(%s) : (tensor<f32>) -> ()
         }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>)"}},
    {"rng_bit_generator",
     "%s: tensor<2xui64>",
     {"%o, %b = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, "
      "tensor<4xui32>)",
      R"(%0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}>
         : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>))"}},
    {"optimization_barrier",
     "%a: tensor<f32>, %b: tensor<i32>",
     {"%0:2 = stablehlo.optimization_barrier %a, %b : tensor<f32>, tensor<i32>",
      R"(%0:2 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>))"}},
    {"erf",
     "%a: tensor<4xf32>",
     {"chlo.erf %a : tensor<4xf32> -> tensor<4xf32>", "chlo.erf %a : tensor<4xf32>",
      R"(stablehlo.custom_call @mhlo.erf(%a) {mhlo.attributes = {}, mhlo.version = 1 : i64}
         : (tensor<4xf32>) -> tensor<4xf32>)"}},
    {"stop_gradient",
     "%a: tensor<4xf32>",
     {"stablehlo.custom_call @weft.stop_gradient(%a) : (tensor<4xf32>) -> tensor<4xf32>",
      R"("stablehlo.custom_call"(%a) <{call_target_name = "weft.stop_gradient"}> : (tensor<4xf32>) -> tensor<4xf32>)"}},
    {"while",
     "%i: tensor<i32>, %x: tensor<4xf32>",
     {R"(%0:2 = stablehlo.while(%j = %i, %y = %x) : tensor<i32>, tensor<4xf32>
         cond {
           %p = stablehlo.compare LT, %j, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %p : tensor<i1>
         } do {
           %z = stablehlo.add %y, %y : tensor<4xf32>
           stablehlo.return %j, %z : tensor<i32>, tensor<4xf32>
         })",
      R"(%0:2 = "stablehlo.while"(%i, %x) ({
         ^bb0(%j: tensor<i32>, %y: tensor<4xf32>):
           %p = stablehlo.compare LT, %j, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %p : tensor<i1>
         }, {
         ^bb0(%j: tensor<i32>, %y: tensor<4xf32>):
           %z = stablehlo.add %y, %y : tensor<4xf32>
           stablehlo.return %j, %z : tensor<i32>, tensor<4xf32>
         }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>))"}},
};

TEST(TextForms, AllReadAsTheSameGraph) {
  for (const Forms& forms : all_forms) {
    SCOPED_TRACE(forms.name);
    std::shared_ptr<Graph> first;
    for (const char* text : forms.texts) {
      SCOPED_TRACE(text);
      const auto graph = parse(in_main(forms.arguments, text));
      EXPECT_EQ(last(*graph).op->name, forms.name);
      if (!first) first = graph;
      EXPECT_TRUE(structurally_equal(*graph, *first)) << print(*graph) << print(*first);
    }
  }
}

// JAX up to 0.8 called functions of MHLO where it writes composites now.
TEST(TextForms, CallsOfMhlo) {
  const char* const argument = "%a: tensor<4xf32>";
  const auto call = [&](const char* largest) {
    return in_main(argument,
                   concat("%0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = ",
                          largest, "}} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)"));
  };
  const auto top_k =
      parse(in_main(argument, "%0:2 = chlo.top_k(%a, k = 2) : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)"));
  EXPECT_TRUE(structurally_equal(*parse(call("true")), *top_k));
  EXPECT_TRUE(last(*parse(call("false"))).op == &ops::custom_call);
}

TEST(TextForms, ReadsAttributes) {
  const auto conv = parse(in_main(all_forms[10].arguments, all_forms[10].texts[0]));
  const auto& a = last(*conv).attributes<ConvolutionAttributes>();
  EXPECT_EQ(a.input_feature, 3);
  EXPECT_EQ(a.kernel_input_feature, 2);
  EXPECT_THAT(a.kernel_spatial, ElementsAre(0, 1));
  EXPECT_THAT(a.strides, ElementsAre(2, 1));
  EXPECT_THAT(a.padding, ElementsAre(1, 1, 0, 2));
  EXPECT_THAT(a.reversal, ElementsAre(0, 1));
}

TEST(TextForms, ReducerTakesArgumentsInPairs) {
  const auto graph = parse(in_main("%a: tensor<4xf32>, %b: tensor<4xi32>, %x: tensor<f32>, %y: tensor<i32>", R"(
    %0:2 = stablehlo.reduce(%a init: %x), (%b init: %y) across dimensions = [0]
        : (tensor<4xf32>, tensor<4xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
      reducer(%p: tensor<f32>, %r: tensor<f32>) (%q: tensor<i32>, %s: tensor<i32>) {
        %m = stablehlo.maximum %p, %r : tensor<f32>
        %n = stablehlo.minimum %q, %s : tensor<i32>
        stablehlo.return %m, %n : tensor<f32>, tensor<i32>
      })"));
  const Graph& body = *last(*graph).regions[0];
  ASSERT_EQ(body.inputs().size(), 4u);
  EXPECT_EQ(body.inputs()[0].dtype(), DType::f32);
  EXPECT_EQ(body.inputs()[1].dtype(), DType::i32);
  EXPECT_EQ(body.nodes()[4]->operand(1), body.inputs()[2]);
}

TEST(TextForms, BodiesOfOneOpAreShared) {
  const auto graph = parse(in_main(all_forms[11].arguments, all_forms[11].texts[2]));
  EXPECT_EQ(last(*graph).regions[0], reduction_body(ops::add, DType::f32).get());
}

TEST(TextForms, ModulesInEveryForm) {
  const char* const texts[] = {
      "func.func @main(%a: tensor<f32>) -> tensor<f32> { return %a : tensor<f32> }",
      "module { func.func public @main(%a: tensor<f32>) -> (tensor<f32>) { func.return %a : tensor<f32> } }",
      R"(#loc = loc(unknown)
         module @jit_f attributes {mhlo.num_partitions = 1 : i32, sdy.x = #sdy.sharding<@mesh, [{"x"}, {?}]>} {
           sdy.mesh @mesh = <["x"=2]>
           func.func public @main(%a: tensor<f32> {tf.aliasing_output = 0 : i32} loc("a")) -> (tensor<f32> {jax.result_info = ""}) {
             return %a : tensor<f32> loc(#loc1)
           } loc(#loc)
         } loc(#loc)
         #loc1 = loc("f"(#loc)))",
      R"("builtin.module"() <{sym_name = "m"}> ({
           "func.func"() <{function_type = (tensor<f32>) -> tensor<f32>, sym_name = "main"}> ({
           ^bb0(%a: tensor<f32>):
             "func.return"(%a) : (tensor<f32>) -> ()
           }) : () -> ()
         }) : () -> ())",
  };
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    const auto graph = parse(text);
    EXPECT_EQ(graph->name, "main");
    ASSERT_EQ(graph->inputs().size(), 1u);
    EXPECT_EQ(graph->outputs()[0], graph->inputs()[0]);
  }
}

TEST(TextForms, TypeAndAttributeAliases) {
  const auto graph = parse(R"(
    !t = tensor<2x3xf32>
    #permutation = array<i64: 1, 0>
    func.func @main(%a: !t) {
      "stablehlo.transpose"(%a) <{permutation = #permutation}> : (!t) -> tensor<3x2xf32>
      return
    })");
  EXPECT_THAT(last(*graph).attributes<TransposeAttributes>().permutation, ElementsAre(1, 0));
}

TEST(TextForms, OptionalAttributesMayBeMissing) {
  const auto graph = parse(in_main("%a: tensor<4x8xf32>, %z: tensor<f32>", R"(
    "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<3x7xf32>)"));
  EXPECT_TRUE(last(*graph).attributes<ReduceWindowAttributes>().window_strides.empty());
}

}  // namespace
}  // namespace weft::ir
