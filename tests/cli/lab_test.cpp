// weft lab: the figures that do not depend on the machine, and the format of all output.
#include <algorithm>
#include <tests/cli/command.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/base/temporary_folder.h>

namespace weft::cli {
namespace {

using nlohmann::json;

json run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "lab");
  arguments.emplace_back("--json");
  const Outcome outcome = weft(std::move(arguments));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

double gap(const json& report, std::size_t bar) { return report["bars"][bar]["gap_us_p50"]; }

TEST(LabOverlap, OnASimulatedDeviceEveryFigureIsExplained) {
  const std::vector<std::string> arguments{"overlap", "--model", "mlp", "--simulate-us", "1000", "--steps", "10"};
  const json report = run(arguments);
  EXPECT_EQ(run(arguments), report) << "the same in every run";
  ASSERT_EQ(report["bars"].size(), 4u);
  const char* const names[] = {"lock-at-collect", "early-walk", "early-placeholders", "logical-ids"};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(report["bars"][i]["name"], names[i]);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(gap(report, i), gap(report, i - 1));
  EXPECT_EQ(gap(report, 3), 0);
  EXPECT_EQ(report["bars"][3]["steps_per_s"], 1000);
  EXPECT_EQ(report["steady_state_over_max_host_device"], 1);
  std::vector<std::uint64_t> nodes;
  for (const json& entry : report["gap_by_nodes"]) {
    nodes.push_back(entry["nodes"]);
    EXPECT_EQ(entry["gap_us"], 0);
  }
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_NEAR(static_cast<double>(nodes[2]), 100'000, 1000);
}

TEST(LabOverlap, MeasuresTheCpu) {
  const json report = run({"overlap", "--model", "mlp", "--steps", "3"});
  for (const json& bar : report["bars"]) {
    EXPECT_GT(bar["record_us"], 0);
    EXPECT_GT(bar["sync_us"], 0);
    EXPECT_GT(bar["steps_per_s"], 0);
    EXPECT_GE(bar["gap_us_p99"], bar["gap_us_p50"]);
  }
  EXPECT_GT(report["nodes"], 100);
}

TEST(LabRecompile, CountsWhatWasCompiled) {
  const json report = run({"recompile", "--train-steps", "5", "--eval-steps", "5"});
  EXPECT_GE(report["eval"]["before_compiles"], 5);
  EXPECT_LE(report["eval"]["after_compiles"], 3);
  EXPECT_LE(report["train"]["after_compiles"], 3);
  EXPECT_GT(report["train"]["before_compiles"], report["train"]["after_compiles"]);
  EXPECT_TRUE(report["hints"].is_array());
}

TEST(LabMesh, TellsWhatABatchSizeSpendsItsStepOn) {
  const TemporaryFolder folder;
  const json report =
      run({"mesh", "--batch", "3", "--steps", "2", "--top", "100000", "--output", folder.path().string()});
  EXPECT_EQ(report["parameters"], 10'670'602);
  EXPECT_EQ(report["devices"], 1);
  ASSERT_EQ(report["runs"].size(), 1u);
  const json& one = report["runs"][0];
  EXPECT_EQ(one["batch"], 3);
  EXPECT_EQ(one["steps"], 2);
  EXPECT_GT(one["images_per_s"], 0);
  EXPECT_GT(one["loss"], 0);
  EXPECT_GT(one["compile_s"], 0);
  EXPECT_LT(one["compile_s"], one["first_step_s"]) << "the compiler's part of the first step";
  const json& ops = one["ops"];
  for (std::size_t rank = 1; rank < ops.size(); ++rank) EXPECT_LE(ops[rank]["self_ns"], ops[rank - 1]["self_ns"]);
  EXPECT_EQ(ops[0]["program"], "train_step");
  EXPECT_EQ(ops[0]["text"].get<std::string>().substr(0, 1), "%");
  // Which fusion takes the most time depends on the machine, but it must be the first one in the table.
  const auto first_fusion = std::ranges::find_if(
      ops, [](const json& op) { return op["category"].get<std::string>().find("fusion") != std::string::npos; });
  ASSERT_NE(first_fusion, ops.end());
  EXPECT_EQ(one["largest_fusion"]["name"], (*first_fusion)["name"]);
  EXPECT_NE(one["largest_fusion"]["shape"].get<std::string>().find("]: "), std::string::npos) << one["largest_fusion"];
  EXPECT_TRUE(std::ranges::any_of(ops, [](const json& op) {
    return op["text"].get<std::string>().find("[3,65,") != std::string::npos;
  })) << "activations of a batch of 3, of 65 tokens each";
  EXPECT_TRUE(std::filesystem::exists(folder / "batch-3" / "report.html"));
}

TEST(LabMesh, DividesTheBatchAmongDevices) {
  const json report = run({"mesh", "--devices", "2", "--batch", "4", "--steps", "1", "--top", "100000"});
  EXPECT_EQ(report["devices"], 2);
  const json& one = report["runs"][0];
  EXPECT_GT(one["collectives"], 0);
  // Every gradient is added once, except for the small ones that depend on each other; a ring of 2 sends what it adds.
  EXPECT_NEAR(one["bytes_per_device"].get<double>() / (4 * 10'670'602.0), 1, 0.01);
  EXPECT_GT(one["all_reduce_share"], 0);
  EXPECT_LT(one["all_reduce_share"], 1);
  EXPECT_TRUE(std::ranges::any_of(one["ops"], [](const json& op) {
    return op["text"].get<std::string>().find("[2,65,") != std::string::npos;
  })) << "each device has half of the batch";
}

TEST(LabMesh, ComparesWaysToTrain) {
  const json report = run({"mesh", "--devices", "2", "--batch", "2", "4", "--steps", "1", "--top", "0", "--variants"});
  ASSERT_EQ(report["variants"].size(), 5u);
  const json &in_turn = report["variants"][0], &beside = report["variants"][1];
  EXPECT_EQ(in_turn["name"], "overlap off");
  EXPECT_EQ(in_turn["exposed_share"], 1);
  EXPECT_EQ(beside["name"], "overlap on");
  EXPECT_EQ(beside["batch"], 4);
  EXPECT_LE(beside["exposed_share"], 1);
  EXPECT_LE(beside["collectives"], 8);
  EXPECT_EQ(beside["bytes_per_device"], report["runs"][1]["bytes_per_device"]);
  EXPECT_TRUE(report.contains("crossover_batch"));
  const json &layers = report["variants"][3], &halves = report["variants"][4];
  EXPECT_EQ(halves["collectives"].get<int>(), 2 * layers["collectives"].get<int>());
}

// The figures that depend on times are not checked; those that follow from the division are.
TEST(LabMesh, SimulatesAMeshOfAnySize) {
  const json report = run({"mesh", "--simulate", "1024", "--batch", "1", "--steps", "1", "--link-gb", "50"});
  const double parameters = 10'670'602;
  EXPECT_EQ(report["parameters"], parameters);
  EXPECT_EQ(report["link"]["gb_s"], 50);
  ASSERT_EQ(report["steps"].size(), 4u);
  const json &data = report["steps"][0], &zero1 = report["steps"][1], &zero3 = report["steps"][2],
             &layers = report["steps"][3];
  for (const json& step : report["steps"]) {
    EXPECT_EQ(step["devices"], 1024);
    EXPECT_EQ(step["batch"], 1024);
    EXPECT_GT(step["collectives"], 0);
    EXPECT_GT(step["predicted"]["step_ms"], 0);
    EXPECT_GE(step["predicted"]["exposed_share"], 0);
    EXPECT_LE(step["predicted"]["exposed_share"], 1);
  }
  EXPECT_EQ(data["mesh"], "data=1024");
  EXPECT_NEAR(data["bytes_per_device"].get<double>() / (2 * 4 * parameters), 1, 0.01);
  EXPECT_EQ(data["formula_bytes"], 12 * parameters);
  EXPECT_EQ(zero1["mesh"], "replica=8, data=128") << "384 does not divide by 1,024";
  for (const json* step : {&data, &zero1, &zero3})
    EXPECT_NEAR((*step)["state_bytes"].get<double>() / (*step)["formula_bytes"].get<double>(), 1, 0.02)
        << (*step)["layout"];
  EXPECT_LT(zero3["peak_bytes"], data["peak_bytes"]);
  EXPECT_EQ(layers["mesh"], "data=128, model=8");
  EXPECT_LT(layers["state_bytes"], data["state_bytes"]);
}

TEST(LabMesh, ComparesWhatItPredictsWithWhatItMeasures) {
  const json report = run({"mesh", "--simulate", "2", "--compare", "1", "2", "--batch", "1", "--steps", "1"});
  ASSERT_EQ(report["compared"].size(), 5u) << "one device has one layout";
  for (const json& step : report["compared"]) {
    EXPECT_GT(step["predicted"]["step_ms"], 0);
    EXPECT_GT(step["measured"]["step_ms"], 0);
    EXPECT_TRUE(step.contains("residual"));
  }
  EXPECT_EQ(report["compared"][0]["collectives"], 0);
  EXPECT_EQ(weft({"lab", "mesh", "--compare", "2"}).exit_code, 2) << "it needs --simulate";
  EXPECT_EQ(weft({"lab", "mesh", "--simulate", "2", "--batch", "1", "2"}).exit_code, 2);
}

TEST(LabMesh, RefusesBatchesThatDoNotDivide) {
  const Outcome outcome = weft({"lab", "mesh", "--devices", "3", "--batch", "16"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("16 rows do not divide among the 3 devices"), std::string::npos) << outcome.err;
  EXPECT_EQ(weft({"lab", "mesh", "--batch", "0"}).exit_code, 2);
}

TEST(Lab, RefusesWhatItDoesNotHave) {
  EXPECT_EQ(weft({"lab"}).exit_code, 2);
  EXPECT_EQ(weft({"lab", "overlap", "--model", "gpt"}).exit_code, 2);
  EXPECT_EQ(weft({"lab", "overlap", "--simulate-us", "-1"}).exit_code, 2);
  EXPECT_EQ(weft({"lab", "overlap", "--model", "bert-base", "--width", "100"}).exit_code, 1);
}

}  // namespace
}  // namespace weft::cli
