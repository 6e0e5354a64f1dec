// The manifest of a checkpoint: it is read back as printed, and invalid manifests are rejected with weft's own
// messages.
#include <weft/train/manifest.h>

#include <string>
#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::train {
namespace {

using testing::HasSubstr;

Manifest sample() {
  Manifest manifest;
  manifest.step = 7;
  manifest.config = {{"lr", 0.5}, {"layers", std::int64_t{2}}, {"tied", true}, {"file", "a.txt"}};
  manifest.files["model"] = {part_file_name("model", 7, std::string(32, 'a')), 12, std::string(32, 'a')};
  return manifest;
}

TEST(Manifest, RoundTrip) {
  const Manifest manifest = sample(), again = parse_manifest(print_manifest(manifest));
  EXPECT_EQ(again.step, 7);
  EXPECT_EQ(again.config, manifest.config);
  EXPECT_EQ(again.files.at("model").name, manifest.files.at("model").name);
  EXPECT_EQ(again.files.at("model").bytes, 12u);
}

TEST(Manifest, TextThatIsNotUtf8IsReplaced) {
  Manifest manifest = sample();
  manifest.config["file"] = "a\xff.txt";
  EXPECT_EQ(std::get<std::string>(parse_manifest(print_manifest(manifest)).config.at("file")), "a\uFFFD.txt");
}

TEST(Manifest, WhatIsNoneIsRefusedInOurWords) {
  const auto refusal = [](const std::string& text) { return error_of([&] { parse_manifest(text); }); };
  EXPECT_THAT(refusal("{"), HasSubstr("it is not JSON (byte "));
  EXPECT_THAT(refusal(std::string(1'000'000, '[')), HasSubstr("nested more than 64 deep"));
  EXPECT_EQ(refusal("[]"), "it is not the manifest of a checkpoint");
  EXPECT_EQ(refusal(R"({"format":7})"), "it is not the manifest of a checkpoint");
  EXPECT_EQ(refusal(R"({"format":"weft checkpoint"})"), "'the manifest' has no member 'version'");
  EXPECT_EQ(refusal(R"({"format":"weft checkpoint","version":"1"})"),
            "its format has version \"1\", this weft reads version 1");
  EXPECT_EQ(refusal(R"({"format":"weft checkpoint","version":1,"xxh128":1})"), "'xxh128' must be a text, is 1");
  EXPECT_EQ(refusal(R"({"format":"weft checkpoint","version":1,"xxh128":""})"),
            "it is damaged: its digest does not match");
}

}  // namespace
}  // namespace weft::train
