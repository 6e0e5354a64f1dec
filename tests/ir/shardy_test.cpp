// Reads Shardy's meshes and shardings from attributes in text.
#include <weft/ir/text/shardy.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const Mesh two_by_four{{"x", 2}, {"y", 4}};

TEST(Shardy, Meshes) {
  EXPECT_EQ(parse_mesh(R"(<["x"=2, "y"=4]>)"), two_by_four);
  EXPECT_EQ(parse_mesh(R"(#sdy.mesh<["x"=2, "y"=4]>)"), two_by_four);
  EXPECT_EQ(parse_mesh("mesh<[]>"), Mesh());
  EXPECT_EQ(parse_mesh(R"(<["x"=2, "y"=4]> {stablehlo.mesh = 1})"), two_by_four);  // as JAX writes it
  EXPECT_EQ(parse_mesh(R"(<["x"=2], device_ids=[0, 1]>)"), (Mesh{{"x", 2}}));
  const Mesh turned = parse_mesh(R"(<["x"=3], device_ids=[1, 2, 0]>)");
  EXPECT_NE(turned, (Mesh{{"x", 3}}));
  EXPECT_TRUE(turned.has_axes_of({{"x", 3}}));
  for (const auto& [device, place] : {std::pair(0, 2), std::pair(1, 0), std::pair(2, 1)})
    EXPECT_EQ(turned.coordinate(device, 0), place);
  for (const auto& [ids, wrong] : {std::pair("0, 0", "names device 0 twice"), std::pair("0, 2", "names device 2"),
                                   std::pair("0", "names 1 of 2"), std::pair("-1, 0", "")})
    EXPECT_THAT([ids = ids] { parse_mesh(concat(R"(<["x"=2], device_ids=[)", ids, "]>)")); },
                ThrowsMessage<Error>(HasSubstr(wrong)));
  EXPECT_THAT([] { parse_mesh(R"(<["x"=two]>)"); }, ThrowsMessage<Error>(HasSubstr("expected a number, got 'two'")));
  EXPECT_THAT([] { parse_mesh(R"(<["x"=2)"); }, ThrowsMessage<Error>(HasSubstr("got end of text")));
}

TEST(Shardy, MeshesAreNoOtherAttributes) {
  for (const std::string attribute : {"5", R"(#sdy.sharding<@mesh, [{"x"}]>)", R"(#sdy<manual_axes{"x"}>)"})
    EXPECT_THAT(
        [&] {
          parse(concat(R"("sdy.mesh"() <{mesh = )", attribute, R"(, sym_name = "mesh"}> : () -> ()
func.func @main() { return })"));
        },
        ThrowsMessage<Error>(HasSubstr(concat("sdy.mesh: expected a mesh, got ", attribute))));
}

TEST(Shardy, Shardings) {
  const auto read = [](std::string_view text, int rank) { return concat(parse_sharding(text, two_by_four, rank)); };
  EXPECT_EQ(read(R"(#sdy.sharding<@mesh, [{"x", "y"}, {}]>)", 2), R"([{"x", "y"}, {}])");
  EXPECT_EQ(read(R"(<@mesh, [{"y", ?}p1, {?}], replicated={"x"}>)", 2), R"([{"y"}, {}])");
  EXPECT_EQ(read(R"(<@mesh, [{}], unreduced={"x"}>)", 1), R"([{}], unreduced={"x"})");
  EXPECT_EQ(read("<@mesh, []>", 0), "[]");
  EXPECT_THAT([&] { read(R"(<@mesh, [{"z"}]>)", 1); }, ThrowsMessage<Error>(HasSubstr("has no axis 'z'")));
  EXPECT_THAT([&] { read(R"(<@mesh, [{"x"}]>)", 2); },
              ThrowsMessage<Error>(HasSubstr("has 1 dimensions, the tensor has 2")));
  EXPECT_THAT([&] { read(R"(<@mesh, [{"y":(1)2}]>)", 1); }, ThrowsMessage<Error>(HasSubstr("has no part y:(1)2")));
  EXPECT_THAT([&] { read(R"(<@mesh, [{"x")", 1); }, ThrowsMessage<Error>(HasSubstr("got end of text")));
}

TEST(Shardy, OpenDimensionsOfAConstraintKeepTheAxesOfTheValue) {
  const Sharding rows(two_by_four, {{0}, {}}), both(two_by_four, {{0, 1}, {}}), columns(two_by_four, {{}, {1}});
  const auto make = [](std::string_view constraint, const Sharding& held) {
    return concat(constrained(constraint, held));
  };
  EXPECT_EQ(make("<@mesh, [{?}, {}]>", rows), R"([{"x"}, {}])");
  EXPECT_EQ(make("<@mesh, [{}, {?}]>", rows), "[{}, {}]");
  EXPECT_EQ(make(R"(<@mesh, [{"x", ?}, {}]>)", both), R"([{"x", "y"}, {}])");
  EXPECT_EQ(make(R"(<@mesh, [{"y", ?}, {}]>)", both), R"([{"y"}, {}])");
  // Another dimension, or the list of axes that hold copies, has the axis already.
  EXPECT_EQ(make(R"(<@mesh, [{?}, {"y"}]>)", both), R"([{"x"}, {"y"}])");
  EXPECT_EQ(make(R"(<@mesh, [{?}, {?}], replicated={"y"}>)", columns), "[{}, {}]");
  EXPECT_EQ(make(R"(<@mesh, [{?}, {?}], unreduced={"x"}>)", columns), R"([{}, {"y"}], unreduced={"x"})");
}

// The axis of size 12 is cut after 2 and after 6.
TEST(Shardy, PartsOfAnAxisAreAxesOfTheirOwn) {
  const auto with = [](const char* constraint) {
    return parse(concat(R"(sdy.mesh @mesh = <["x"=12, "y"=2]>
func.func @main(%a: tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(2)3}]>})
    -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
  %0 = sdy.sharding_constraint %a <@mesh, [{"y", )",
                        constraint, R"(}]> : tensor<24xf32>
  return %0 : tensor<24xf32>
})"));
  };
  const auto declared = declared_shardings(*with(R"("x":(6)2)"));
  ASSERT_TRUE(declared);
  const Mesh mesh{{"x:(1)2", 2}, {"x:(2)3", 3}, {"x:(6)2", 2}, {"y", 2}};
  EXPECT_EQ(declared->mesh, mesh);
  EXPECT_EQ(declared->inputs[0], Sharding(mesh, {{1}}));
  EXPECT_EQ(declared->outputs[0], Sharding(mesh, {{0, 1, 2, 3}}));
  EXPECT_EQ(parse_sharding(R"(<@mesh, [{"x":(1)6}]>)", mesh, 1), Sharding(mesh, {{0, 1}}));
  EXPECT_THAT([&] { declared_shardings(*with(R"("x":(4)3)")); },
              ThrowsMessage<Error>(HasSubstr("has no part that ends at 6 after one that ends at 4")));
  EXPECT_THAT([&] { declared_shardings(*with(R"("x":(0)3)")); }, ThrowsMessage<Error>(HasSubstr("has no positions")));
}

std::optional<DeclaredShardings> declared_on(const char* mesh, const char* other, const char* parameter,
                                             const char* result) {
  return declared_shardings(*parse(concat("sdy.mesh @mesh = ", mesh, "\nsdy.mesh @other = ", other, R"(
func.func @main(%a: tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@mesh, )",
                                          parameter, R"(>})
    -> (tensor<24x24xf32> {sdy.sharding = #sdy.sharding<@other, )",
                                          result, R"(>}) {
  return %a : tensor<24x24xf32>
})")));
}

TEST(Shardy, MeshesWithDifferentAxesHaveACommonOne) {
  using Alias = Mesh::Axis::Alias;
  const auto flat = declared_on(R"(<["x"=2, "y"=4]>)", R"(<["x"=8]>)", R"([{"x"}, {"y"}])", R"([{}, {"x"}])");
  const Mesh mesh{{"x", 2, {Alias{"other", "x:(1)2"}}}, {"y", 4, {Alias{"other", "x:(2)4"}}}};
  EXPECT_EQ(flat->mesh, mesh);
  EXPECT_EQ(flat->inputs[0], Sharding(mesh, {{0}, {1}}));
  EXPECT_EQ(flat->outputs[0], Sharding(mesh, {{}, {0, 1}}));
  EXPECT_EQ(parse_sharding(R"(<@other, [{"x":(2)4}]>)", mesh, 1), Sharding(mesh, {{1}}));
  EXPECT_THAT([&] { parse_sharding(R"(<@other, [{"y"}]>)", mesh, 1); }, ThrowsMessage<Error>(HasSubstr("no axis 'y'")));

  // Both are cut, and an axis of one device is an axis of its own.
  const auto crossed =
      declared_on(R"(<["x"=2, "y"=6]>)", R"(<["a"=4, "b"=1, "c"=3]>)", R"([{"y"}, {"x"}])", R"([{"c", "b"}, {"a"}])");
  ASSERT_EQ(crossed->mesh.axes().size(), 4);
  EXPECT_EQ(crossed->inputs[0], Sharding(crossed->mesh, {{1, 2}, {0}}));
  EXPECT_EQ(crossed->outputs[0], Sharding(crossed->mesh, {{2, 3}, {0, 1}}));
  EXPECT_EQ(crossed->inputs[0]->local_type(Type(DType::f32, {24, 24})), Type(DType::f32, {4, 12}));
  EXPECT_EQ(crossed->outputs[0]->local_type(Type(DType::f32, {24, 24})), Type(DType::f32, {8, 6}));

  // What is on a mesh of one device is whole on all devices of the other one.
  const auto one = declared_on(R"(<["i"=1]>)", R"(<["i"=4]>)", R"([{"i"}, {}])", R"([{"i"}, {}])");
  EXPECT_EQ(one->mesh.devices(), 4);
  EXPECT_EQ(one->inputs[0]->shards(0), 1);
  EXPECT_EQ(one->outputs[0]->shards(0), 4);

  // The order of the devices is that of each mesh.
  const auto turned = declared_on(R"(<["x"=2, "y"=2]>)", R"(<["a"=4], device_ids=[0, 2, 1, 3]>)", R"([{"x"}, {"y"}])",
                                  R"([{"a"}, {}])");
  EXPECT_EQ(turned->inputs[0]->shard(0, 1), 0);
  EXPECT_EQ(turned->outputs[0]->shard(0, 1), 2);

  EXPECT_THAT([&] { declared_on(R"(<["x"=2, "y"=3]>)", R"(<["a"=3, "b"=2]>)", R"([{"x"}, {}])", R"([{"a"}, {}])"); },
              ThrowsMessage<UnsupportedError>(
                  HasSubstr("mesh (x=2, y=3) and other (a=3, b=2), whose axes have no parts in common")));
  EXPECT_THAT([&] { declared_on(R"(<["x"=2]>)", R"(<["a"=4]>)", R"([{"x"}, {}])", R"([{"a"}, {}])"); },
              ThrowsMessage<UnsupportedError>(HasSubstr("have no parts in common")));
}

TEST(Shardy, DeclaredByAFunction) {
  const auto function = parse(R"(sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<4xf32>)
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  const auto declared = declared_shardings(*function);
  ASSERT_TRUE(declared);
  EXPECT_EQ(declared->mesh, two_by_four);
  EXPECT_EQ(declared->inputs, (std::vector<std::optional<Sharding>>{Sharding(two_by_four, {{0}}), std::nullopt}));
  EXPECT_EQ(declared->outputs, (std::vector<std::optional<Sharding>>{Sharding(two_by_four, {{1}})}));
  EXPECT_FALSE(declared_shardings(*parse("func.func @main() { return }")));
}

}  // namespace
}  // namespace weft::ir
