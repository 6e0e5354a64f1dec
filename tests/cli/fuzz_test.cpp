// weft fuzz and weft reduce as commands.
#include <fstream>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/base/file.h>

namespace weft::cli {
namespace {

using testing::HasSubstr;

TEST(Fuzz, CountsItsGraphs) {
  const Outcome outcome = weft({"fuzz", "--graphs", "25", "--seed", "1", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["graphs"], 25);
  EXPECT_EQ(report["seed"], 1);
  EXPECT_EQ(report["failed"], 0);
  EXPECT_GT(report["nodes"], 25);
  EXPECT_LT(report["unknown"], 0.5);
}

TEST(Reduce, SaysWhatWentWrongInItsOwnWords) {
  const TemporaryFolder folder;
  const auto file = folder / "right.mlir";
  std::ofstream(file) << "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                         "  %y = stablehlo.tanh %x : tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n";
  Outcome outcome = weft({"reduce", file.string(), "--seed", "3"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.last_line(), HasSubstr("no fault occurs with inputs of seed 3"));

  std::ofstream(file) << "func.func @main() {\n  return %x : tensor<f32>\n}\n";
  outcome = weft({"reduce", file.string()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.last_line(), HasSubstr("right.mlir:2:"));
}

}  // namespace
}  // namespace weft::cli
