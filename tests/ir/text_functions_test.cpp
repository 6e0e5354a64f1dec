// Calls, captures, composites, locations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/place_text.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::HasSubstr;

std::vector<std::string_view> op_names(const Graph& graph) {
  std::vector<std::string_view> names;
  for (const Node* n : graph.nodes())
    if (n->op != &ops::parameter) names.push_back(n->op->name);
  return names;
}

TEST(TextFunctions, CallsBecomeWhatTheyCall) {
  const Module module = parse_module(R"(
    func.func @main(%a: tensor<f32>) -> tensor<f32> {
      %0:2 = call @twice(%a) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
      %1 = func.call @neg(%0#1) : (tensor<f32>) -> tensor<f32>
      return %1 : tensor<f32>
    }
    func.func private @twice(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
      %0 = stablehlo.add %x, %x : tensor<f32>
      %1 = call @neg(%0) : (tensor<f32>) -> tensor<f32>
      return %x, %1 : tensor<f32>, tensor<f32>
    }
    func.func private @neg(%x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.negate %x : tensor<f32>
      return %0 : tensor<f32>
    })");
  ASSERT_EQ(module.functions.size(), 1u);
  EXPECT_THAT(op_names(*module.main()), testing::ElementsAre("add", "negate", "negate"));
}

TEST(TextFunctions, PublicFunctionsAreKeptInOrder) {
  const Module module =
      parse_module("func.func @g() { return } func.func private @h() { return } func.func @f() { return }");
  ASSERT_EQ(module.functions.size(), 2u);
  EXPECT_EQ(module.functions[0]->name, "g");
  EXPECT_EQ(module.functions[1]->name, "f");
  EXPECT_THROW(module.main(), Error);
}

TEST(TextFunctions, BranchesCaptureAsOperands) {
  const auto graph = parse(R"(
    func.func @main(%p: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.if"(%p) ({
        %1 = stablehlo.add %b, %a : tensor<4xf32>
        stablehlo.return %1 : tensor<4xf32>
      }, {
        stablehlo.return %a : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  const Node& node = *graph->nodes().back();
  ASSERT_EQ(node.operands.size(), 3u);
  EXPECT_EQ(node.operand(1), graph->inputs()[2]);
  EXPECT_EQ(node.operand(2), graph->inputs()[1]);
  EXPECT_EQ(node.regions[1]->outputs()[0], node.regions[1]->inputs()[1]);
}

TEST(TextFunctions, LoopsCarryWhatTheyCapture) {
  const auto graph = parse(R"(
    func.func @main(%i: tensor<i32>, %limit: tensor<i32>) -> tensor<i32> {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0 = stablehlo.while(%j = %i) : tensor<i32> cond {
        %p = stablehlo.compare LT, %j, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %k = stablehlo.add %j, %one : tensor<i32>
        stablehlo.return %k : tensor<i32>
      }
      return %0 : tensor<i32>
    })");
  const Node& loop = *graph->nodes().back();
  ASSERT_EQ(loop.operands.size(), 2u);
  EXPECT_EQ(loop.operand(1), graph->inputs()[1]);
  EXPECT_THAT(op_names(*loop.regions[1]), testing::ElementsAre("constant", "add"));
  EXPECT_EQ(loop.regions[1]->outputs()[1], loop.regions[1]->inputs()[1]);
  EXPECT_EQ(graph->outputs()[0], (Value{graph->nodes().back(), 0}));
}

TEST(TextFunctions, BodiesCopyConstantsAndTakeScalarsAsInputs) {
  const std::string before = R"(
    func.func @main(%a: tensor<4xf32>, %z: tensor<f32>) {
      %half = stablehlo.constant dense<0.5> : tensor<f32>
      %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.multiply %x, )";
  const std::string after = R"( : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      return
    })";
  const auto graph = parse(before + "%half" + after);
  EXPECT_THAT(op_names(*graph->nodes().back()->regions[0]), testing::ElementsAre("constant", "multiply"));
  EXPECT_EQ(parse(before + "%z" + after)->nodes().back()->operands.size(), 4u);
}

TEST(TextFunctions, CompositesKeepTheirDecomposition) {
  const char* const text = R"(
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.composite "weft.twice" %a {composite_attributes = {n = 2 : i64}, decomposition = @f, version = 1 : i32}
           : (tensor<4xf32>) -> tensor<4xf32>
      %1 = "stablehlo.composite"(%0) <{name = "weft.twice", decomposition = @f}> : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.add %a, %a : tensor<4xf32>
      return %0 : tensor<4xf32>
    })";
  const auto graph = parse(text);
  const Node& first = *graph->nodes()[1];
  EXPECT_EQ(first.attributes<CompositeAttributes>().name, "weft.twice");
  EXPECT_THAT(op_names(*first.regions[0]), testing::ElementsAre("add"));
  EXPECT_EQ(first.regions[0], graph->nodes()[2]->regions[0]);

  const std::string printed = print(*graph);
  EXPECT_THAT(printed, HasSubstr("func.func private @weft.twice.impl("));
  EXPECT_EQ(printed.find(".impl_1"), printed.npos);
  EXPECT_TRUE(structurally_equal(*parse(printed), *graph));
}

TEST(TextFunctions, DifferentDecompositionsOfOneNameAreDifferentFunctions) {
  Graph graph;
  const Type type(DType::f32, {4});
  Value x = graph.add_input(type);
  const auto twice =
      make_graph(std::array{type}, [](Graph&, std::span<const Value> v) { return std::vector{add(v[0], v[0])}; });
  const auto squared =
      make_graph(std::array{type}, [](Graph&, std::span<const Value> v) { return std::vector{multiply(v[0], v[0])}; });
  for (const auto& body : {twice, squared, twice}) x = composite("test.twice", std::array{x}, body)[0];
  graph.set_outputs({x});
  const std::string printed = print(graph);
  EXPECT_THAT(printed, HasSubstr("private @test.twice.impl("));
  EXPECT_THAT(printed, HasSubstr("private @test.twice.impl_1("));
  EXPECT_TRUE(structurally_equal(*parse(printed), graph));
}

TEST(TextFunctions, ShardingIsKeptAndChangesNothing) {
  const auto graph = parse(R"(
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[8]<=[8]}"} : (tensor<4xf32>) -> tensor<4xf32>
      %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<4xf32>
      return %1 : tensor<4xf32>
    })");
  EXPECT_THAT(op_names(*graph), testing::ElementsAre("sharding", "sharding_constraint"));
  EXPECT_THAT(print(*graph), HasSubstr("{mhlo.sharding = \"{devices=[8]<=[8]}\"}"));
  EXPECT_THAT(print(*graph), HasSubstr("<{sharding = #sdy.sharding<@mesh, [{\"x\"}]>}>"));
  const Array x = Array::of<float>({4}, {1, -2, 3, -4});
  const Array y = interpret(*graph, {&x, 1})[0];
  EXPECT_TRUE(std::ranges::equal(y.data<float>(), x.data<float>()));
}

TEST(TextFunctions, AliasesThatMakeMuchTextOutOfLittleAreRefused) {
  std::string text = "#a0 = #other<\"" + std::string(1000, 'x') + "\">\n";
  for (int i = 1; i < 40; ++i) text += concat("#a", i, " = #other<#a", i - 1, ", #a", i - 1, ">\n");
  EXPECT_THAT([&] { parse(text + "func.func @f(%x: tensor<f32> {jax.much = #a39}) { return }"); },
              testing::ThrowsMessage<Error>(HasSubstr("the attribute is too long after its aliases are expanded")));
  EXPECT_THAT(
      [] { parse("#a = #other<#b>\n#b = #other<#a>\nfunc.func @f(%x: tensor<f32> {jax.much = #a}) { return }"); },
      testing::ThrowsMessage<Error>(HasSubstr("an alias refers to itself")));
}

TEST(TextFunctions, ChecksWithConstantsAreChecks) {
  const auto graph = parse(R"(
    func.func @main(%a: tensor<2xi32>) {
      check.expect_eq_const %a, dense<[1, 2]> : tensor<2xi32>
      return
    })");
  EXPECT_THAT(op_names(*graph), testing::ElementsAre("constant", "custom_call"));
  EXPECT_EQ(graph->nodes().back()->attributes<CustomCallAttributes>().target, "check.expect_eq");
}

TEST(TextFunctions, LocationsAreKept) {
  const auto graph = parse(R"(
    #loc1 = loc("a b.py":7:3 to :9)
    func.func @main(%a: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.negate %a : tensor<f32> loc("x.cpp":12:0)
      %1 = stablehlo.negate %0 : tensor<f32> loc("blocks.3.attention"("y.cpp":13:4))
      %2 = stablehlo.negate %1 : tensor<f32> loc(#loc2)
      %3 = stablehlo.negate %2 : tensor<f32> loc(fused<{a = "b>"}>[#loc, "z.cpp":14:4])
      %4 = stablehlo.negate %3 : tensor<f32> loc(unknown)
      return %4 : tensor<f32>
    }
    #loc = loc(unknown)
    #loc2 = loc("jit(f)/neg"(callsite("inner"(#loc1) at "outer"("main.py":1:1))))
  )");
  const auto at = [&](std::size_t i) { return graph->nodes()[i]->location; };
  EXPECT_STREQ(at(1).file, "x.cpp");
  EXPECT_EQ(at(1).line, 12u);
  EXPECT_STREQ(at(2).scope, "blocks.3.attention");
  EXPECT_EQ(at(2).line, 13u);
  EXPECT_STREQ(at(3).scope, "jit(f)/neg");
  EXPECT_STREQ(at(3).file, "a b.py");
  EXPECT_EQ(at(3).line, 7u);
  EXPECT_STREQ(at(4).file, "z.cpp");
  EXPECT_STREQ(at(5).file, "");

  const auto again = parse(print(*graph, {.locations = true}));
  for (std::size_t i = 0; i < graph->nodes().size(); ++i) {
    const Location a = graph->nodes()[i]->location, b = again->nodes()[i]->location;
    EXPECT_STREQ(a.file, b.file);
    EXPECT_STREQ(a.scope, b.scope);
    EXPECT_EQ(a.line, b.line);
  }
}

TEST(TextFunctions, InputsHaveTheNamesThatTheirLocationsTell) {
  const auto graph = parse(R"(
    func.func @main(%a: tensor<f32> loc("params['w']"), %b: tensor<complex<f32>> loc(#z), %c: tensor<f32>, %d: tensor<f32> loc("x.py":3:0))
        -> tensor<f32> {
      return %a : tensor<f32>
    }
    #z = loc("z"))");
  EXPECT_THAT(graph->input_names, testing::ElementsAre("params['w']", "z", "z", "", ""));
  EXPECT_EQ(input_name(*graph, 0), "params['w']");
  EXPECT_EQ(input_name(*graph, 4), "input 4");
  EXPECT_EQ(input_name(*graph, 9), "input 9");
  const auto again = parse(print(*graph, {.locations = true}));
  EXPECT_EQ(again->input_names, graph->input_names);
}

TEST(TextFunctions, WithoutAFileInItsLocationAnOperationIsAtItsLine) {
  const auto graph = parse_module(R"(
    func.func @main(%a: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.negate %a : tensor<f32>
      %1 = stablehlo.negate %0 : tensor<f32> loc("x.cpp":12:0)
      %2 = stablehlo.negate %1 : tensor<f32> loc("block")
      %3 = func.call @twice(%2) : (tensor<f32>) -> tensor<f32>
      return %3 : tensor<f32>
    }
    func.func private @twice(%a: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %a, %a : tensor<f32>
      return %0 : tensor<f32>
    })",
                                  {}, 101, "model.mlir")
                         .main();
  const auto at = [&](std::size_t i) { return graph->nodes()[i]->location; };
  EXPECT_STREQ(at(1).file, "model.mlir");
  EXPECT_EQ(at(1).line, 103u);
  EXPECT_STREQ(at(2).file, "x.cpp");
  EXPECT_EQ(at(2).line, 12u);
  EXPECT_STREQ(at(3).file, "model.mlir");
  EXPECT_STREQ(at(3).scope, "block");
  EXPECT_EQ(at(3).line, 105u);
  EXPECT_EQ(at(4).line, 110u);
}

TEST(TextFunctions, SectionsKnowTheirLines) {
  const auto sections = split_sections("func.func @f() { return }\n// -----\n\nnonsense\n");
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(parse_module(sections[0].text).main()->name, "f");
  try {
    parse_module(sections[1].text, {}, sections[1].first_line);
    FAIL();
  } catch (const Error& wrong) {
    EXPECT_STREQ(wrong.what(), "4:1: expected a function or a module, got 'nonsense'");
  }
}

}  // namespace
}  // namespace weft::ir
