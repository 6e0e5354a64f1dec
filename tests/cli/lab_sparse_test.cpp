// weft lab sparse: the format of its output, and what does not depend on the machine.
#include <tests/cli/command.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weft::cli {
namespace {

using nlohmann::json;

TEST(LabSparse, ComparesSchedulesAndTheirBits) {
  const Outcome outcome = weft({"lab", "sparse", "--tables", "4", "--rows", "100", "--width", "8", "--batch", "16",
                                "--ids", "3", "--hidden", "8", "--layers", "2", "--steps", "2", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  const char* const names[] = {"base", "sparse_dist", "fused_sparse_dist", "prefetch", "semi_sync", "best_exact"};
  ASSERT_EQ(report["rows"].size(), std::size(names));
  double least = 1e9;
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const json& row = report["rows"][i];
    EXPECT_EQ(row["schedule"], names[i]);
    const bool is_stale = row["schedule"] == "semi_sync";
    EXPECT_EQ(row["bitwise_equal_to_sequential"], !is_stale);
    EXPECT_EQ(row["stale"], is_stale ? json({{"tables", 1}}) : json::object());
    for (const char* key : {"step_ms_p50", "step_ms_p90", "peak_bytes", "ratio_to_sparse_dist"})
      EXPECT_GT(row[key], 0) << key;
    EXPECT_GE(row["simulated_ms"].get<double>(), 0.9999 * row["critical_path_ms"].get<double>());
    if (!is_stale) least = std::min(least, row["critical_path_ms"].get<double>());
  }
  EXPECT_EQ(report["critical_path_ms"], least);
  for (const char* key : {"sequential_ms", "bound_ms"}) EXPECT_GT(report[key], 0) << key;
  ASSERT_EQ(report["cases"].size(), 4U);
  for (const json& one : report["cases"]) EXPECT_EQ(one["bitwise_equal_to_sequential"], true) << one;
  EXPECT_EQ(report["cases"][3]["told"], "batch 4 cannot be read");
}

TEST(LabSparse, FullSizesAreAllOrNothing) {
  const Outcome wrong = weft({"lab", "sparse", "--size", "full", "--rows", "10"});
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_THAT(wrong.err, testing::HasSubstr("leave out --rows"));
}

TEST(LabSparse, DrawsWhatSchedulesDo) {
  const Outcome outcome = weft({"lab", "sparse", "--tables", "2", "--rows", "50", "--width", "4", "--batch", "8",
                                "--ids", "2", "--hidden", "4", "--layers", "1", "--steps", "2"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::ContainsRegex("  compute +[0-9.]{100}\n"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("  communication +[0-9.]{100}\n"));
}

}  // namespace
}  // namespace weft::cli
