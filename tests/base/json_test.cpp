// JSON from untrusted files: whatever is wrong is reported by one Error of weft's.
#include <weft/base/json.h>

#include <cstdint>
#include <string>
#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using testing::HasSubstr;

TEST(Json, ValuesAreParsedAndPrinted) {
  const std::string text = R"({"a":[1,-2,0.5,true,null,"x"],"b":{}})";
  EXPECT_EQ(print_json(parse_json(text)), text);
  EXPECT_EQ(parse_json("[]"), nlohmann::json::array());
  EXPECT_EQ(parse_json(R"({"a":1,"a":2})").at("a"), 2);
  EXPECT_EQ(print_json(nlohmann::json("bad \xff")), "\"bad \uFFFD\"");
}

TEST(Json, WhatIsNoJsonIsRefusedWithItsByte) {
  EXPECT_EQ(error_of([] { parse_json("[1,"); }), "it is not JSON (byte 4)");
  for (const char* text : {"", "[1] 2", "{\"a\"}", "1e999", "\"\xff\"", "nul"})
    EXPECT_THAT(error_of([&] { parse_json(text); }), HasSubstr("it is not JSON (byte ")) << text;
}

TEST(Json, NestingIsLimited) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(print_json(parse_json(nested(64))), nested(64));
  EXPECT_EQ(error_of([&] { parse_json(nested(65)); }), "its JSON is nested more than 64 deep");
  EXPECT_EQ(error_of([&] { parse_json(std::string(10'000'000, '[')); }), "its JSON is nested more than 64 deep");
}

TEST(Json, ValuesAreReadAsTheirTypes) {
  const nlohmann::json root = parse_json(R"({"name":"x","size":7,"parts":[1,2],"ratio":0.5,"is_set":true})");
  const JsonValue value(root);
  EXPECT_EQ(value.at("name").text(), "x");
  EXPECT_EQ(value.at("size").integer<std::uint8_t>(), 7);
  EXPECT_EQ(value.at("size").number(), 7.0);
  EXPECT_TRUE(value.at("is_set").boolean());
  std::vector<int> parts;
  value.at("parts").read(parts);
  EXPECT_EQ(parts, (std::vector{1, 2}));
  EXPECT_FALSE(value.has("nothing"));
  EXPECT_FALSE(value.at("name").has("nothing"));
}

TEST(Json, WhatIsOfAnotherKindIsNamed) {
  const nlohmann::json root =
      parse_json(R"({"name":3,"size":"x","big":300,"negative":-1,"real":1.5,"huge":18446744073709551615,"list":{}})");
  const JsonValue value(root, "the file");
  const auto refusal = [&](auto&& read) { return error_of([&] { read(value); }); };
  EXPECT_EQ(refusal([](auto v) { v.at("none"); }), "'the file' has no member 'none'");
  EXPECT_EQ(refusal([](auto v) { v.at("name").at("x"); }), "'name' must be an object, is 3");
  EXPECT_EQ(refusal([](auto v) { v.at("name").text(); }), "'name' must be a text, is 3");
  EXPECT_EQ(refusal([](auto v) { v.at("size").number(); }), "'size' must be a number, is a text");
  EXPECT_EQ(refusal([](auto v) { v.at("list").list(); }), "'list' must be a list, is an object");
  const std::string byte = "must be a whole number from 0 to 255, is ";
  EXPECT_EQ(refusal([](auto v) { v.at("big").template integer<std::uint8_t>(); }), "'big' " + byte + "300");
  EXPECT_EQ(refusal([](auto v) { v.at("negative").template integer<std::uint8_t>(); }), "'negative' " + byte + "-1");
  EXPECT_EQ(refusal([](auto v) { v.at("real").template integer<std::uint8_t>(); }), "'real' " + byte + "1.5");
  EXPECT_THAT(refusal([](auto v) { v.at("huge").template integer<std::int64_t>(); }),
              HasSubstr("'huge' must be a whole"));
}

}  // namespace
}  // namespace weft
