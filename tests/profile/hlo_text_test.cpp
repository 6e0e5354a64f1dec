#include <weft/profile/hlo_text.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/profile/graph_view.h>
#include <weft/profile/provenance.h>

namespace weft::profile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* text = R"(HloModule step, entry_computation_layout={(f32[8,6]{1,0}, f32[6,4]{1,0})->f32[32]{0}}

%fused_computation.1 (p.1: f32[8,4]) -> f32[4,8] {
  %p.1 = f32[8,4]{1,0} parameter(0)
  %tanh.2 = f32[8,4]{1,0} tanh(%p.1), metadata={op_name="mlp.up" source_file="a \"b\".cpp" source_line=7}
  ROOT %transpose.3 = f32[4,8]{0,1} transpose(%tanh.2), dimensions={1,0}
}

ENTRY %step (x: f32[8,6], w: f32[6,4]) -> f32[32] {
  %x = f32[8,6]{1,0} parameter(0)
  %w = f32[6,4]{1,0} parameter(1)
  %dot_general.2 = f32[8,4]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %fusion.5 = f32[4,8]{1,0} fusion(%dot_general.2), kind=kLoop, calls=%fused_computation.1, metadata={op_name="mlp" source_file="main.cpp" source_line=12}
  ROOT %reshape.9 = f32[32]{0} reshape(%fusion.5)
}
)";

TEST(HloText, IsTakenApart) {
  const HloModule module = parse_hlo(text);
  EXPECT_EQ(module.name, "step");
  ASSERT_EQ(module.computations.size(), 2u);
  ASSERT_NE(module.entry(), nullptr);
  EXPECT_EQ(module.entry()->name, "step");
  const HloInstruction& fusion = *module.instruction("fusion.5");
  EXPECT_EQ(fusion.shape, "f32[4,8]{1,0}");
  EXPECT_EQ(fusion.opcode, "fusion");
  EXPECT_THAT(fusion.operands, ElementsAre("dot_general.2"));
  EXPECT_THAT(fusion.calls, ElementsAre("fused_computation.1"));
  EXPECT_EQ(fusion.attributes, "kind=kLoop, calls=%fused_computation.1");
  EXPECT_EQ(fusion.scope, "mlp");
  EXPECT_EQ(fusion.source, "main.cpp:12");
  EXPECT_FALSE(fusion.is_root);
  EXPECT_TRUE(module.instruction("reshape.9")->is_root);
  EXPECT_EQ(module.instruction("tanh.2"), nullptr);  // of another computation
  EXPECT_EQ(module.computation("fused_computation.1")->instructions[1].operands[0], "p.1");
}

TEST(HloText, WrongTextIsRefusedWithItsLine) {
  try {
    parse_hlo("HloModule a\n\nwhat is this\n");
    FAIL();
  } catch (const Error& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("line 3"));
  }
  EXPECT_THROW(parse_hlo("ENTRY %a () -> f32[] {\n  %b = f32[] add\n}\n"), Error);
  EXPECT_TRUE(parse_hlo("").computations.empty());
}

TEST(HloText, NamesOfThunksBecomeNamesOfHlo) {
  EXPECT_EQ(hlo_name("dot_general+bias.12"), "dot_general_bias.12");
  EXPECT_EQ(hlo_name("fusion.3"), "fusion.3");
}

std::string dims_of(const HloModule& module, const char* name) {
  const Provenance provenance(module);
  std::string all;
  for (const std::string& dim : provenance.of(*module.instruction(name))) all += dim + "; ";
  return all;
}

TEST(Provenance, DimensionsAreFollowedToTheInputs) {
  const HloModule module = parse_hlo(text);
  EXPECT_EQ(dims_of(module, "dot_general.2"), "input 0 dim 0; input 1 dim 1; ");
  EXPECT_EQ(dims_of(module, "fusion.5"), "input 1 dim 1; input 0 dim 0; ");  // through what is fused
  EXPECT_EQ(dims_of(module, "reshape.9"), "input 1 dim 1 * input 0 dim 0; ");
}

TEST(Provenance, ReshapesConcatenationsAndReductions) {
  const HloModule module = parse_hlo(R"(HloModule m
ENTRY %m (x: f32[512,6]) -> f32[6] {
  %x = f32[512,6]{1,0} parameter(0)
  %split.1 = f32[2,256,6]{2,1,0} reshape(%x)
  %cut.2 = f32[256,6]{1,0} slice(%x), slice={[0:256], [0:6]}
  %both.3 = f32[768,6]{1,0} concatenate(%x, %cut.2), dimensions={0}
  %c.4 = f32[] constant(0)
  %wide.5 = f32[3,6]{1,0} broadcast(%c.4), dimensions={}
  ROOT %sum.6 = f32[6]{0} reduce(%both.3, %c.4), dimensions={0}, to_apply=%add
}
)");
  EXPECT_EQ(dims_of(module, "split.1"), "input 0 dim 0 / 256; input 0 dim 0 / 2; input 0 dim 1; ");
  EXPECT_EQ(dims_of(module, "cut.2"), "slice of input 0 dim 0; input 0 dim 1; ");
  EXPECT_EQ(dims_of(module, "both.3"), "input 0 dim 0 + slice of input 0 dim 0; input 0 dim 1; ");
  EXPECT_EQ(dims_of(module, "wide.5"), "broadcast to 3; broadcast to 6; ");
  EXPECT_EQ(dims_of(module, "sum.6"), "input 0 dim 1; ");
}

TEST(GraphView, ShowsWhatIsNear) {
  const HloModule module = parse_hlo(text);
  const std::string near = graph_text(module, {.around = "%reshape.9", .distance = 1});
  EXPECT_THAT(near, HasSubstr("2 of 5 operations"));
  EXPECT_THAT(near, HasSubstr("%fusion.5 = f32[4,8] fusion(%dot_general.2)  # mlp, main.cpp:12\n    dims: 4 = input 1 "
                              "dim 1; 8 = input 0 dim 0\n"));
  EXPECT_THAT(near, Not(HasSubstr("parameter")));
  EXPECT_THAT(near, Not(HasSubstr("tanh")));
  EXPECT_THAT(graph_text(module, {.expand = true}), HasSubstr("    | %tanh.2 = f32[8,4] tanh(%p.1)"));
  EXPECT_THROW(graph_text(module, {.around = "nothing"}), Error);
}

TEST(GraphView, CountsWhatItDraws) {
  const HloModule module = parse_hlo(text);
  EXPECT_EQ(graph_size(module, {}), 5u);
  EXPECT_EQ(graph_size(module, {.expand = true}), 8u);
  EXPECT_EQ(graph_size(module, {.around = "dot_general.2", .distance = 1, .expand = true}), 7u);
}

TEST(GraphView, DotQuotesNames) {
  const std::string dot = graph_dot(parse_hlo(text), {.expand = true});
  EXPECT_THAT(dot, HasSubstr("\"dot_general.2\" -> \"fusion.5\""));
  EXPECT_THAT(dot, HasSubstr("\"fusion.5/p.1\" -> \"fusion.5/tanh.2\""));
  EXPECT_THAT(dot, HasSubstr("subgraph \"cluster fusion.5/\""));
}

}  // namespace
}  // namespace weft::profile
