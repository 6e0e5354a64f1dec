// Descriptions of programs, stored in a recording and shown as graphs.
#include <tests/profile/describe.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/base/json.h>
#include <weft/profile/description_json.h>
#include <weft/profile/graph_view.h>
#include <weft/runtime/hlo_text.h>

namespace weft::profile {
namespace {

using testing::HasSubstr;
using testing::Not;

ProgramDescription step() {
  const Computation fused{"fused_computation.1",
                          {parameter("p.1", {8, 4}, 0),
                           {.name = "tanh.2",
                            .opcode = "tanh",
                            .shape = array({8, 4}),
                            .operands = {0},
                            .scope = "mlp.up",
                            .file = "a.cpp"},
                           {.name = "transpose.3",
                            .opcode = "transpose",
                            .shape = array({4, 8}),
                            .operands = {1},
                            .attributes = {{"dimensions", Numbers{1, 0}}}}},
                          2};
  ProgramDescription made =
      with_entry({parameter("x", {8, 6}, 0),
                  parameter("w", {6, 4}, 1),
                  {.name = "dot.2",
                   .opcode = "dot",
                   .shape = array({8, 4}),
                   .operands = {0, 1},
                   .attributes = {{"lhs_contracting_dims", Numbers{1}}, {"rhs_contracting_dims", Numbers{0}}},
                   .dims = {"input 0 dim 0", "input 1 dim 1"}},
                  {.name = "fusion.5",
                   .opcode = "fusion",
                   .shape = array({4, 8}),
                   .operands = {2},
                   .calls = {0},
                   .attributes = {{"kind", "kLoop"}},
                   .scope = "mlp",
                   .file = "main.cpp",
                   .line = 12,
                   .dims = {"input 1 dim 1", "input 0 dim 0"}},
                  {.name = "reshape.9", .opcode = "reshape", .shape = array({32}), .operands = {3}}},
                 {fused});
  made.thunks = {2, 3, 4};
  return made;
}

// A program with every part that an instruction may have.
ProgramDescription one_of_each() {
  const Instruction add{.name = "add.1", .opcode = "add", .shape = array({}), .operands = {0, 1}};
  const Computation region{"region.1", {parameter("a", {}, 0), parameter("b", {}, 1), add}, 2};
  const std::vector<std::byte> half = {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x3f}};
  return with_entry({parameter("x", {1, 5, 5, 2}, 0),
                     {.name = "half", .opcode = "constant", .shape = array({}), .literal = half},
                     {.name = "large", .opcode = "constant", .shape = array({100})},
                     {.name = "convolution.3",
                      .opcode = "convolution",
                      .shape = array({1, 3, 3, 2}),
                      .operands = {0, 0},
                      .window = {{{3, 3}, {1, 1}, {0, 1, 0, 0}, {}, {2, 2}, {}}},
                      .convolution = {{{0, 3, 1, 2}, {2, 3, 0, 1}, {0, 3, 1, 2}}},
                      .attributes = {{"feature_group_count", std::int64_t{1}}}},
                     {.name = "slice.4",
                      .opcode = "slice",
                      .shape = array({1, 2}),
                      .operands = {3},
                      .attributes = {{"slice", std::vector<Numbers>{{0, 1, 1}, {2, 6, 2}}}}},
                     {.name = "pad.5",
                      .opcode = "pad",
                      .shape = array({4, 2}),
                      .operands = {4, 1},
                      .attributes = {{"padding", std::vector<Numbers>{{1, 2, 0}, {0, 0, 0}}}}},
                     {.name = "custom-call.6",
                      .opcode = "custom-call",
                      .shape = {.types = {f32({2}), Type(DType::i32, {}), Type(DType::boolean, {3})}, .is_tuple = true},
                      .operands = {5},
                      .calls = {0},
                      .attributes = {{"custom_call_target", "f", true}, {"custom_call_has_side_effect", true}},
                      .scope = "a \"b\"\n",
                      .file = "a.cpp",
                      .line = 7}},
                    {region});
}

ProgramDescription read_back(const ProgramDescription& program) {
  const nlohmann::json json = parse_json(print_json(to_json(program)));
  return description_from(JsonValue(json));
}

TEST(Description, HloTextIsItsPrint) {
  EXPECT_EQ(hlo_text(one_of_each()),
            R"(HloModule main, entry_computation_layout={(f32[1,5,5,2]{3,2,1,0})->(f32[2]{0}, s32[], pred[3]{0})}

%region.1 (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add.1 = f32[] add(%a, %b)
}

ENTRY %main (x: f32[1,5,5,2]{3,2,1,0}) -> (f32[2]{0}, s32[], pred[3]{0}) {
  %x = f32[1,5,5,2]{3,2,1,0} parameter(0)
  %half = f32[] constant(0.5)
  %large = f32[100]{0} constant({...})
  %convolution.3 = f32[1,3,3,2]{3,2,1,0} convolution(%x, %x), window={size=3x3 stride=1x1 pad=0_1x0_0 rhs_dilate=2x2}, dim_labels=b01f_01io->b01f, feature_group_count=1
  %slice.4 = f32[1,2]{1,0} slice(%convolution.3), slice={[0:1:1], [2:6:2]}
  %pad.5 = f32[4,2]{1,0} pad(%slice.4, %half), padding=1_2_0x0_0_0
  ROOT %custom-call.6 = (f32[2]{0}, s32[], pred[3]{0}) custom-call(%pad.5), custom_call_target="f", custom_call_has_side_effect=true, to_apply=%region.1, metadata={op_name="a \"b\"\012" source_file="a.cpp" source_line=7}
}
)");
}

TEST(Description, ARecordingKeepsAllOfIt) {
  for (const ProgramDescription& program : {step(), one_of_each()}) {
    const ProgramDescription again = read_back(program);
    EXPECT_EQ(to_json(again), to_json(program));
    EXPECT_EQ(hlo_text(again), hlo_text(program));
    EXPECT_EQ(graph_text(again, {.expand = true}), graph_text(program, {.expand = true}));
    EXPECT_EQ(again.thunks, program.thunks);
  }
}

TEST(Description, ThunksAndFusionsLeadToWhatTheyAre) {
  const ProgramDescription program = step();
  EXPECT_EQ(program.entry()->name, "main");
  const Instruction& fusion = *program.of_thunk(1);
  EXPECT_EQ(fusion.name, "fusion.5");
  EXPECT_EQ(fusion.source(), "main.cpp:12");
  EXPECT_EQ(program.of_thunk(3), nullptr);
  EXPECT_EQ(program.fused(fusion)->name, "fused_computation.1");
  EXPECT_EQ(program.fused(*program.of_thunk(0)), nullptr);
  EXPECT_EQ(*program.of_thunk(0)->attribute<Numbers>("lhs_contracting_dims"), Numbers{1});
  EXPECT_EQ(program.of_thunk(0)->attribute<Numbers>("lhs_batch_dims"), nullptr);
  EXPECT_EQ(ProgramDescription().entry(), nullptr);
}

TEST(Description, NamesOfThunksBecomeNamesOfHlo) {
  EXPECT_EQ(runtime::hlo_name("dot_general+bias.12"), "dot_general_bias.12");
  EXPECT_EQ(runtime::hlo_name("fusion.3"), "fusion.3");
}

TEST(GraphView, ShowsWhatIsNear) {
  const std::string near = graph_text(step(), {.around = "%reshape.9", .distance = 1});
  EXPECT_THAT(near, HasSubstr("2 of 5 operations"));
  EXPECT_THAT(near,
              HasSubstr("%fusion.5 = f32[4,8] fusion(%dot.2)  # mlp, main.cpp:12\n    dims: 4 = input 1 dim 1; 8 = "
                        "input 0 dim 0\n"));
  EXPECT_THAT(near, Not(HasSubstr("parameter")));
  EXPECT_THAT(near, Not(HasSubstr("tanh")));
  EXPECT_THAT(graph_text(step(), {.expand = true}), HasSubstr("    | %tanh.2 = f32[8,4] tanh(%p.1)"));
  EXPECT_THROW(graph_text(step(), {.around = "nothing"}), Error);
}

TEST(GraphView, CountsWhatItDraws) {
  EXPECT_EQ(graph_size(step(), {}), 5u);
  EXPECT_EQ(graph_size(step(), {.expand = true}), 8u);
  EXPECT_EQ(graph_size(step(), {.around = "dot.2", .distance = 1, .expand = true}), 7u);
}

TEST(GraphView, DotQuotesNames) {
  const std::string dot = graph_dot(step(), {.expand = true});
  EXPECT_THAT(dot, HasSubstr("\"dot.2\" -> \"fusion.5\""));
  EXPECT_THAT(dot, HasSubstr("\"fusion.5/p.1\" -> \"fusion.5/tanh.2\""));
  EXPECT_THAT(dot, HasSubstr("subgraph \"cluster fusion.5/\""));
}

}  // namespace
}  // namespace weft::profile
