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
