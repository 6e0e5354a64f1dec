// weft conformance: programs do not affect each other's outcomes, and the counts are correct.
#include <fstream>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/base/error.h>

namespace weft::cli {
namespace {

using testing::HasSubstr;

constexpr const char* modes[] = {"--interpret", "--compiled", "--fast"};

void write(const std::filesystem::path& path, std::string_view text) { std::ofstream(path) << text; }

// Returns a program that checks a sum.
std::string check_sum(std::string_view check, std::string_view expected) {
  return concat("func.func @main() {\n  %a = stablehlo.constant dense<[1.5, 2.5]> : tensor<2xf32>\n",
                "  %s = stablehlo.add %a, %a : tensor<2xf32>\n  %e = stablehlo.constant dense<", expected,
                "> : tensor<2xf32>\n  stablehlo.custom_call @", check,
                "(%s, %e) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()\n  return\n}\n");
}

nlohmann::json conformance(const std::filesystem::path& folder, std::vector<std::string> more, int exit_code) {
  std::vector<std::string> arguments = {"conformance", folder, "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = weft(arguments);
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(Conformance, CountsEveryOutcome) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "deeper");
  write(folder / "a.mlir", check_sum("check.expect_eq", "[3.0, 5.0]"));
  write(folder / "b.mlir", check_sum("check.expect_close", "[3.0, 5.00001]"));
  write(folder / "deeper" / "c.mlir", "// a comment\n// -----\n" + check_sum("check.expect_close", "[3.0, 5.000001]") +
                                          "// -----\n" + check_sum("check.expect_almost_eq", "[3.0, 5.0009]"));
  write(folder / "d.mlir", "func.func @main() {\n  stablehlo.bogus\n  return\n}");
  write(folder / "e.mlir", "func.func @main() {\n  stablehlo.add %a %a\n  return\n}");
  write(folder / "f.mlir", "func.func @main() { return }");
  write(folder / "g.mlir", check_sum("elsewhere", "[3.0, 5.0]"));
  write(folder / "h.txt", "no program");
  for (const char* mode : modes) {
    SCOPED_TRACE(mode);
    const auto report = conformance(folder.path(), {mode, "--jobs", "3"}, 1);
    EXPECT_EQ(report["programs"], 8);
    EXPECT_EQ(report["passed"], 4);  // including the program that checks nothing
    EXPECT_EQ(report["failed"], 2);
    EXPECT_EQ(report["unsupported"], 2);
    EXPECT_EQ(report["crashed"], 0);
    const nlohmann::json unsupported = {{"stablehlo.bogus", 1}, {"custom_call @elsewhere", 1}};
    EXPECT_EQ(report["unsupported_by_feature"], unsupported);
    ASSERT_EQ(report["failures"].size(), 2u);
    EXPECT_EQ(report["failures"][0]["place"], (folder / "b.mlir").string() + ":1");
    EXPECT_THAT(report["failures"][0]["reason"].get<std::string>(), HasSubstr("element 1 of tensor<2xf32> is 5"));
    EXPECT_THAT(report["failures"][1]["reason"].get<std::string>(), HasSubstr("2:20: stablehlo.add: expected"));
  }
}

TEST(Conformance, SumsOfNarrowFloatsAreRoundedAfterEveryStep) {
  const TemporaryFolder folder;
  write(folder / "cumsum.mlir", R"(
func.func @main() {
  %x = stablehlo.constant dense<[256.0, 1.0, 1.0]> : tensor<3xbf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %s = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3>, padding = dense<[[2, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %c = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %c : tensor<bf16>
  }) : (tensor<3xbf16>, tensor<bf16>) -> tensor<3xbf16>
  check.expect_eq_const %s, dense<[256.0, 256.0, 256.0]> : tensor<3xbf16>
  return
})");
  for (const char* mode : {"--interpret", "--compiled"}) EXPECT_EQ(conformance(folder.path(), {mode}, 0)["passed"], 1);
}

TEST(Conformance, WhatOnlyTheInterpreterKnowsIsInterpretedAndCounted) {
  const TemporaryFolder folder;
  write(folder / "parallel.mlir", R"(
func.func private @id() -> tensor<ui32> {
  %0 = stablehlo.replica_id : tensor<ui32>
  return %0 : tensor<ui32>
}
func.func @main() {
  %0:2 = "interpreter.run_parallel"() {programs = [[@id], [@id]]} : () -> (tensor<ui32>, tensor<ui32>)
  check.expect_eq_const %0#1, dense<1> : tensor<ui32>
  return
})");
  write(folder / "sum.mlir", check_sum("check.expect_eq", "[3.0, 5.0]"));
  for (const char* mode : modes) {
    const auto report = conformance(folder.path(), {mode}, 0);
    EXPECT_EQ(report["passed"], 2) << mode;
    EXPECT_EQ(report["passed_with_interpreter"], std::string_view(mode) == "--interpret" ? 0 : 1) << mode;
  }
}

TEST(Conformance, NarrowTypesAreCompiled) {
  const TemporaryFolder folder;
  write(folder / "narrow.mlir", R"(
func.func @main() {
  %a = stablehlo.constant dense<[7, -8]> : tensor<2xi4>
  %s = stablehlo.add %a, %a : tensor<2xi4>
  check.expect_eq_const %s, dense<[-2, 0]> : tensor<2xi4>
  return
})");
  for (const char* mode : modes) {
    const auto report = conformance(folder.path(), {mode}, 0);
    EXPECT_EQ(report["passed"], 1) << mode;
    EXPECT_EQ(report["passed_with_interpreter"], 0) << mode;
  }
}

TEST(Conformance, AFileIsRunAlone) {
  const TemporaryFolder folder;
  write(folder / "a.mlir", check_sum("check.expect_eq", "[3.0, 5.0]"));
  write(folder / "b.mlir", check_sum("check.expect_eq", "[3.0, 5.00001]"));
  EXPECT_EQ(conformance(folder / "a.mlir", {}, 0)["programs"], 1);
  EXPECT_EQ(weft({"conformance", folder / "c"}).err,
            "error: cannot read " + (folder / "c").string() + ": No such file or directory\n");
}

TEST(Conformance, AProgramWithoutEndIsACrash) {
  const TemporaryFolder folder;
  write(folder / "loop.mlir", R"(
func.func @main() {
  %c = stablehlo.constant dense<1> : tensor<i32>
  %r = stablehlo.while(%a = %c) : tensor<i32> cond {
    %t = stablehlo.compare EQ, %a, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    stablehlo.return %a : tensor<i32>
  }
  check.expect_eq_const %r, dense<1> : tensor<i32>
  return
})");
  for (const char* mode : modes) {
    const auto report = conformance(folder.path(), {mode, "--time-limit", "1"}, 1);
    EXPECT_EQ(report["crashed"], 1) << mode;
    EXPECT_THAT(report["failures"][0]["reason"].get<std::string>(), HasSubstr("took more than 1 s"));
  }
}

TEST(Conformance, PassingIsSuccess) {
  const TemporaryFolder folder;
  write(folder / "a.mlir", check_sum("check.expect_eq", "[3.0, 5.0]"));
  const Outcome outcome = weft({"conformance", folder.path()});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("1 programs: 1 passed, 0 failed, 0 unsupported, 0 crashed"));
}

TEST(Conformance, BadUse) {
  const TemporaryFolder folder;
  const auto check = [&](std::vector<std::string> arguments, int exit_code, const char* message) {
    const Outcome outcome = weft(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << message;
    EXPECT_THAT(outcome.err, testing::MatchesRegex("error: [^\n]+\n"));
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  check({"conformance"}, 2, "DIR is required");
  check({"conformance", folder.path(), "--interpret", "--fast"}, 2, "--interpret");
  check({"conformance", folder.path(), "--jobs", "0"}, 2, "--jobs must");
  check({"conformance", folder / "missing"}, 1, "No such file");
  check({"conformance", folder.path()}, 1, "holds no *.mlir files");
}

}  // namespace
}  // namespace weft::cli
