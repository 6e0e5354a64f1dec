// The description of a compiled program: shapes, operands, source lines, work, and the sources of dimensions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/compiler/compiler.h>
#include <weft/compiler/describe_program.h>
#include <weft/ir/builder.h>
#include <weft/ir/text/text.h>
#include <weft/runtime/hlo_text.h>

namespace weft {
namespace {

using runtime::Instruction;
using runtime::Numbers;
using runtime::ProgramDescription;
using testing::ElementsAre;

constexpr const char* step = R"(
func.func @step(%x: tensor<64x48xf32>, %w: tensor<48x32xf32>, %c: tensor<i32>) -> (tensor<32xf32>, tensor<64x32xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x48xf32>, tensor<48x32xf32>) -> tensor<64x32xf32> loc("mlp.up"("step.cpp":7:0))
  %1 = stablehlo.tanh %0 : tensor<64x32xf32> loc("mlp"("step.cpp":8:0))
  %2 = stablehlo.exponential %1 : tensor<64x32xf32> loc("mlp"("step.cpp":9:0))
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x32xf32>, tensor<f32>) -> tensor<32xf32> loc("loss"("step.cpp":10:0))
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %4:2 = stablehlo.while(%i = %c, %y = %3) : tensor<i32>, tensor<32xf32> cond {
    %5 = stablehlo.compare LT, %i, %c5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    %6 = stablehlo.add %i, %c1 : tensor<i32>
    %7 = stablehlo.sine %y : tensor<32xf32>
    stablehlo.return %6, %7 : tensor<i32>, tensor<32xf32>
  }
  return %4#1, %0 : tensor<32xf32>, tensor<64x32xf32>
}
)";

class Description : public testing::Test {
 protected:
  Description() : executable_(compiler::compile(*ir::parse(step))), program_(executable_->describe()) {}

  // Returns the first thunk whose instruction has that opcode.
  std::size_t thunk(std::string_view opcode) const {
    for (std::size_t i = 0; i < executable_->thunks.size(); ++i)
      if (program_.of_thunk(i)->opcode == opcode) return i;
    ADD_FAILURE() << "there is no " << opcode;
    return 0;
  }
  const Instruction& runs(std::string_view opcode) const { return *program_.of_thunk(thunk(opcode)); }
  const Instruction& entry(std::uint32_t index) const { return program_.entry()->instructions[index]; }

  const std::shared_ptr<const runtime::Executable> executable_;
  const ProgramDescription program_;
};

TEST_F(Description, EveryThunkRunsTheInstructionOfItsName) {
  ASSERT_EQ(program_.thunks.size(), executable_->thunks.size());
  for (std::size_t i = 0; i < executable_->thunks.size(); ++i)
    EXPECT_EQ(program_.of_thunk(i)->name, runtime::hlo_name(executable_->thunks[i]->info.name));
}

TEST_F(Description, AProductHasShapesOperandsPlaceAndWork) {
  const Instruction& dot = runs("dot");
  EXPECT_THAT(dot.shape.types, ElementsAre(Type(DType::f32, {64, 32})));
  EXPECT_FALSE(dot.shape.is_tuple);
  ASSERT_EQ(dot.operands.size(), 2u);
  EXPECT_EQ(entry(dot.operands[0]).opcode, "parameter");
  EXPECT_EQ(entry(dot.operands[1]).parameter, 1u);
  EXPECT_THAT(entry(dot.operands[1]).shape.types, ElementsAre(Type(DType::f32, {48, 32})));
  EXPECT_THAT(*dot.attribute<Numbers>("lhs_contracting_dims"), ElementsAre(1));
  EXPECT_THAT(*dot.attribute<Numbers>("rhs_contracting_dims"), ElementsAre(0));
  EXPECT_EQ(dot.attribute<std::int64_t>("lhs_contracting_dims"), nullptr);
  EXPECT_EQ(dot.scope, "mlp.up");
  EXPECT_EQ(dot.source(), "step.cpp:7");
  EXPECT_THAT(dot.dims, ElementsAre("input 0 dim 0", "input 1 dim 1"));
  EXPECT_EQ(executable_->thunks[thunk("dot")]->info.flops, 2.0 * 64 * 48 * 32);
}

TEST_F(Description, AFusionCallsWhatIsFused) {
  const Instruction& fusion = runs("fusion");
  EXPECT_EQ(*fusion.attribute<std::string>("kind"), "kInput");
  EXPECT_EQ(fusion.source(), "step.cpp:10");
  EXPECT_THAT(fusion.dims, ElementsAre("input 1 dim 1"));
  ASSERT_EQ(fusion.operands.size(), 1u);
  EXPECT_EQ(&entry(fusion.operands[0]), &runs("dot"));
  const runtime::Computation& fused = *program_.fused(fusion);
  std::string opcodes;
  for (const Instruction& i : fused.instructions) opcodes += i.opcode + ' ';
  EXPECT_EQ(opcodes, "parameter tanh exponential constant reduce ");
  const Instruction& sum = fused.instructions[fused.root];
  EXPECT_EQ(sum.opcode, "reduce");
  EXPECT_EQ(sum.scope, "loss");
  EXPECT_THAT(*sum.attribute<Numbers>("dimensions"), ElementsAre(0));
  ASSERT_EQ(sum.calls.size(), 1u);
  EXPECT_EQ(program_.computations[sum.calls[0]].instructions.size(), 3u);
  EXPECT_THAT(fused.instructions[1].dims, ElementsAre("input 0 dim 0", "input 1 dim 1"));
}

TEST_F(Description, ALoopTakesATupleAndCallsItsRegions) {
  const Instruction& loop = runs("while");
  EXPECT_TRUE(loop.shape.is_tuple);
  EXPECT_THAT(loop.shape.types, ElementsAre(Type(DType::i32, {}), Type(DType::f32, {32})));
  ASSERT_EQ(loop.operands.size(), 1u);
  EXPECT_EQ(entry(loop.operands[0]).opcode, "tuple");
  ASSERT_EQ(loop.calls.size(), 2u);
  const runtime::Computation &condition = program_.computations[loop.calls[0]],
                             &body = program_.computations[loop.calls[1]];
  EXPECT_EQ(condition.instructions[condition.root].opcode, "compare");
  EXPECT_EQ(*condition.instructions[condition.root].attribute<std::string>("direction"), "LT");
  EXPECT_EQ(body.instructions[body.root].opcode, "tuple");
  const Instruction& result = entry(entry(program_.entry()->root).operands[0]);
  EXPECT_EQ(result.opcode, "get-tuple-element");
  EXPECT_EQ(*result.attribute<std::int64_t>("index"), 1);
  EXPECT_THAT(result.dims, ElementsAre("input 1 dim 1"));
}

TEST(DescriptionOfGraphs, EachCopyOfAnInputHasANameOfItsOwn) {
  const auto executable =
      compiler::compile(*ir::parse("func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
                                   "  return %x, %x : tensor<4xf32>, tensor<4xf32>\n}\n"));
  const ProgramDescription program = executable->describe();
  ASSERT_EQ(program.thunks.size(), 2u);
  EXPECT_EQ(executable->thunks[0]->info.name, executable->thunks[1]->info.name);
  EXPECT_EQ(hlo_line(program, *program.entry(), *program.of_thunk(0)), "%copy.0 = f32[4]{0} copy(%parameter.1)");
  EXPECT_EQ(hlo_line(program, *program.entry(), *program.of_thunk(1)), "%copy.2 = f32[4]{0} copy(%parameter.1)");
}

TEST(DescriptionOfGraphs, LargeConstantsAreLeftOut) {
  ir::Graph graph;
  const std::vector<std::byte> bytes(400);
  const ir::Value a = ir::constant(graph, {Type(DType::f32, {2}), std::span(bytes).first(8)}),
                  b = ir::constant(graph, {Type(DType::f32, {100}), bytes});
  graph.set_outputs({a, b});
  const auto few = compiler::describe_program(graph, {}, 16), all = compiler::describe_program(graph);
  EXPECT_EQ(few.entry()->instructions[0].literal->size(), 8u);
  EXPECT_FALSE(few.entry()->instructions[1].literal);
  EXPECT_EQ(all.entry()->instructions[1].literal->size(), 400u);
}

// Returns the sources of the dimensions of a program's only result.
std::vector<std::string> dims_of(const std::string& body, const std::string& type) {
  const auto graph = ir::parse(concat("func.func @main(%x: tensor<512x6xf32>, %w: tensor<6x4xf32>) -> tensor<", type,
                                      "> {\n", body, "\n  return %r : tensor<", type, ">\n}\n"));
  const ProgramDescription program = compiler::describe_program(*graph);
  return program.entry()->instructions[program.entry()->root].dims;
}

constexpr const char* cut = "%c = stablehlo.slice %x [0:256, 0:6] : (tensor<512x6xf32>) -> tensor<256x6xf32>\n";

TEST(DimSources, DimensionsAreFollowedToTheInputs) {
  EXPECT_THAT(dims_of("%d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<512x6xf32>, "
                      "tensor<6x4xf32>) -> tensor<512x4xf32>\n"
                      "%t = stablehlo.transpose %d, dims = [1, 0] : (tensor<512x4xf32>) -> tensor<4x512xf32>\n"
                      "%r = stablehlo.reshape %t : (tensor<4x512xf32>) -> tensor<2048xf32>",
                      "2048xf32"),
              ElementsAre("input 1 dim 1 * input 0 dim 0"));
  EXPECT_THAT(dims_of("%r = stablehlo.reshape %x : (tensor<512x6xf32>) -> tensor<2x256x6xf32>", "2x256x6xf32"),
              ElementsAre("input 0 dim 0 / 256", "input 0 dim 0 / 2", "input 0 dim 1"));
  EXPECT_THAT(dims_of(concat(cut,
                             "%r = stablehlo.concatenate %x, %c, dim = 0 : (tensor<512x6xf32>, "
                             "tensor<256x6xf32>) -> tensor<768x6xf32>"),
                      "768x6xf32"),
              ElementsAre("input 0 dim 0 + slice of input 0 dim 0", "input 0 dim 1"));
  EXPECT_THAT(dims_of("%o = stablehlo.slice %x [0:1, 0:6] : (tensor<512x6xf32>) -> tensor<1x6xf32>\n"
                      "%r = stablehlo.broadcast_in_dim %o, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<8x6xf32>",
                      "8x6xf32"),
              ElementsAre("broadcast to 8", "input 0 dim 1"));
  EXPECT_THAT(
      dims_of("%s = stablehlo.constant dense<[1, 2]> : tensor<2xui64>\n"
              "%o, %b = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, "
              "tensor<512x6xui32>)\n"
              "%f = stablehlo.convert %b : (tensor<512x6xui32>) -> tensor<512x6xf32>\n"
              "%r = stablehlo.multiply %f, %x : tensor<512x6xf32>",
              "512x6xf32"),
      ElementsAre("input 0 dim 0", "input 0 dim 1"));
  EXPECT_THAT(dims_of("%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                      "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : "
                      "(tensor<512x6xf32>, tensor<f32>) -> tensor<6xf32>",
                      "6xf32"),
              ElementsAre("input 0 dim 1"));
}

TEST(DimSources, SizesThatNoInputHas) {
  EXPECT_THAT(dims_of("%r = stablehlo.constant dense<0.0> : tensor<3x6xf32>", "3x6xf32"),
              ElementsAre("broadcast to 3", "broadcast to 6"));
  EXPECT_THAT(dims_of("%r = stablehlo.iota dim = 0 : tensor<3xf32>", "3xf32"), ElementsAre("constant 3"));
  EXPECT_THAT(dims_of("%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                      "%b = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<512x6xf32>\n"
                      "%r = stablehlo.add %b, %x : tensor<512x6xf32>",
                      "512x6xf32"),
              ElementsAre("input 0 dim 0", "input 0 dim 1"));
  EXPECT_THAT(
      dims_of(concat(cut, "%r = stablehlo.bitcast_convert %c : (tensor<256x6xf32>) -> tensor<256x6xi32>"), "256x6xi32"),
      ElementsAre("slice of input 0 dim 0", "input 0 dim 1"));
}

}  // namespace
}  // namespace weft
