// weft train ranking: its output, that runs which are stopped go on with the same bits, and what it says about bad data
// and options.
#include <csignal>
#include <fstream>
#include <tests/cli/checkpoint_files.h>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/data/gzip.h>
#include <weft/train/checkpoint.h>

namespace weft::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

Arguments joined(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// Two days for training, of 10 batches together (the last one is not full), and a held-out one.
Arguments tiny_ranking(const Arguments& more) {
  return joined({"train", "ranking", "--rows", "300", "--width", "4", "--bottom", "8", "--top", "8", "--batch", "64",
                 "--days", "3", "--day-samples", "300"},
                more);
}

class TrainRanking : public testing::Test {
 protected:
  json train(const Arguments& arguments) {
    const Outcome outcome = weft(joined(arguments, {"--json"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }
  void expect_same(const std::string& a, const std::string& b) {
    EXPECT_TRUE(checkpoint_files(folder / a) == checkpoint_files(folder / b)) << a << " " << b;
  }
  void expect_refused(const Arguments& arguments, int exit_code, const testing::Matcher<const std::string&>& message) {
    const Outcome outcome = weft(joined({"train", "ranking"}, arguments));
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, testing::MatchesRegex("error: [^\n]+\n"));
    EXPECT_THAT(outcome.err, message);
  }
  // Writes the days of the tiny runs.
  std::string write_days(const std::string& name, const Arguments& more = {}) {
    EXPECT_EQ(weft(tiny_ranking(joined({"--write-data", folder / name}, more))).exit_code, 0);
    return folder / name;
  }
  static Arguments on_days(const std::string& days, const Arguments& more) {
    return joined({"train", "ranking", "--rows", "300", "--width", "4", "--bottom", "8", "--top", "8", "--batch", "64",
                   "--data", days},
                  more);
  }
  // Replaces a line of a plain file, counted from 1.
  static void replace_line(const std::filesystem::path& file, int number, const std::string& line) {
    std::string text = read_file(file);
    std::size_t begin = 0;
    for (int i = 1; i < number; ++i) begin = text.find('\n', begin) + 1;
    write_file(file, text.replace(begin, text.find('\n', begin) - begin, line));
  }

  TemporaryFolder folder;
};

TEST_F(TrainRanking, LearnsTheRuleInOnePass) {
  const json report = train({"train", "ranking", "--rows", "5000", "--days", "2", "--day-samples", "150000", "--batch",
                             "512", "--evaluate", "20000"});
  EXPECT_EQ(report["steps"], 293);
  EXPECT_EQ(report["passes"], 1);
  EXPECT_EQ(report["recompiles"], 0);
  EXPECT_EQ(report["skipped_lines"], 0);
  EXPECT_EQ(report["held_out_samples"], 20000);
  EXPECT_GT(report["auc"], 0.78);
  EXPECT_LT(report["auc"], report["auc_of_rule"]);
  EXPECT_LT(report["normalised_entropy"], 0.85);
  EXPECT_GT(report["parameters"], 26 * 5000 * 16);
  for (const char* key : {"first_loss", "final_loss", "val_loss", "samples_per_s", "step_ms_p50", "compile_ms",
                          "compiles", "click_share", "peak_bytes_planned"})
    EXPECT_GT(report[key], 0) << key;
}

TEST_F(TrainRanking, ResumesBitForBit) {
  const std::string plain = write_days("plain"), compressed = write_days("compressed", {"--gzip"});
  const std::vector<std::pair<Arguments, Arguments>> runs = {
      {tiny_ranking({}), {}},
      {on_days(plain, {}), {"--data", plain}},
      {on_days(compressed, {}), {"--data", compressed}},
      {tiny_ranking({"--mesh", "data=2"}), {"--mesh", "data=2"}},
      {tiny_ranking({"--mesh", "data=2", "--sharding", "column_wise"}),
       {"--mesh", "data=2", "--sharding", "column_wise"}},
      {tiny_ranking({"--mesh", "data=2", "--sharding", "row_wise", "--zero", "1"}),
       {"--mesh", "data=2", "--sharding", "row_wise", "--zero", "1"}}};
  std::vector<json> reports;
  for (const auto& [begin, go_on] : runs) {
    SCOPED_TRACE(testing::PrintToString(begin));
    const Arguments schedule = {"--decay-steps", "24", "--warmup", "2"};
    const json whole = train(joined(joined(begin, schedule), {"--steps", "24", "--save", folder / "whole"}));
    train(joined(joined(begin, schedule), {"--steps", "7", "--save", folder / "parts", "--workers", "3"}));
    train(joined({"train", "ranking", "--steps", "13", "--resume", folder / "parts", "--workers", "0"}, go_on));
    const json rest = train(joined({"train", "ranking", "--steps", "24", "--resume", folder / "parts"}, go_on));
    expect_same("whole", "parts");
    for (const char* key : {"final_loss", "val_loss", "auc", "auc_of_rule", "passes"}) EXPECT_EQ(rest[key], whole[key]);
    EXPECT_EQ(rest["passes"], 3);
    reports.push_back(whole);
    std::filesystem::remove_all(folder / "whole");
    std::filesystem::remove_all(folder / "parts");
  }
  // Files hold what is generated.
  for (const char* key : {"final_loss", "val_loss", "auc", "auc_of_rule"}) {
    EXPECT_EQ(reports[0][key], reports[1][key]);
    EXPECT_EQ(reports[0][key], reports[2][key]);
  }
}

// The planner would give every device a copy of such small tables, so that no rows are exchanged.
TEST_F(TrainRanking, ExactSchedulesHaveTheSameBits) {
  json base = json::object();
  for (const std::string schedule : {"base", "sparse_dist", "fused_sparse_dist", "exact", "semi_sync"}) {
    const json report =
        train(tiny_ranking({"--mesh", "data=2", "--sharding", "table_wise", "--schedule", schedule, "--steps", "12",
                            "--save-every", "5", "--val-every", "4", "--save", folder / schedule}));
    EXPECT_EQ(report["steps"], 12);
    EXPECT_EQ(report["recompiles"], 0) << schedule;
    EXPECT_EQ(report["schedule"], schedule);
    EXPECT_GE(report["peak_bytes_planned"], base.value("peak_bytes_planned", 1)) << schedule;
    // The exact one may be any of the others.
    EXPECT_THAT(report["ahead"].get<std::string>(),
                HasSubstr(schedule == "base"    ? "nothing ahead"
                          : schedule == "exact" ? "  predicted: fused_sparse_dist takes"
                                                : "while a step runs"));
    EXPECT_EQ(report["val_losses"].size(), 3);
    if (schedule == "base") {
      base = report;
    } else if (schedule == "semi_sync") {
      EXPECT_NE(report["final_loss"], base["final_loss"]);
    } else {
      EXPECT_EQ(report["val_losses"], base["val_losses"]) << schedule;
      expect_same("base", schedule);
    }
  }
}

TEST_F(TrainRanking, KeepsTheStepsBeforeABatchThatCannotBeLoaded) {
  const std::string broken = write_days("broken");
  replace_line(folder / "broken" / "day_0", 4 * 64 + 10, "1\tno sample");  // in batch 4
  const std::string mended = write_days("mended");
  replace_line(folder / "mended" / "day_0", 4 * 64 + 10, "1" + std::string(39, '\t'));
  for (const Arguments& mesh : {Arguments{}, Arguments{"--mesh", "data=2", "--schedule", "exact"}}) {
    const Arguments run = joined({"--steps", "9", "--save", folder / "ck"}, mesh);
    const Outcome outcome = weft(on_days(broken, run));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(
        outcome.last_line(),
        AllOf(HasSubstr("error: cannot load batch 4: "), HasSubstr("day_0, line 266: number 1 must be a whole number"),
              HasSubstr("--tolerant skips such lines"), HasSubstr("the steps before it are saved: --resume")));
    EXPECT_EQ(train::open_checkpoint(folder / "ck").step, 4);
    const Arguments go_on = joined({"train", "ranking", "--resume", folder / "ck"}, mesh);
    const json rest = train(joined(go_on, {"--data", broken, "--tolerant", "--save", folder / "other"}));
    EXPECT_EQ(rest["steps"], 9);
    EXPECT_EQ(rest["skipped_lines"], 1);
    EXPECT_EQ(train(joined(go_on, {"--data", mended}))["steps"], 9);
    std::filesystem::remove_all(folder / "ck");
  }
  const json tolerant = train(on_days(broken, {"--tolerant", "--steps", "20"}));
  EXPECT_EQ(tolerant["skipped_lines"], 2) << "once in each pass";
  EXPECT_EQ(tolerant["passes"], 2);
}

TEST_F(TrainRanking, SavesOnASignal) {
  Command command(
      tiny_ranking({"--steps", "1000000", "--log-every", "1", "--save", folder / "ck", "--mesh", "data=2"}));
  ASSERT_TRUE(command.said("train 3/"));
  command.signal(SIGINT);
  const Outcome outcome = command.wait();
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  const std::int64_t step = train::open_checkpoint(folder / "ck").step;
  EXPECT_THAT(outcome.out, HasSubstr(concat("stopped at step ", step, ",")));
  const Arguments go_on = {"train",    "ranking",     "--steps", std::to_string(step + 1),
                           "--resume", folder / "ck", "--mesh",  "data=2"};
  EXPECT_EQ(weft(go_on).exit_code, 0);
}

TEST_F(TrainRanking, RefusesDataThatCannotBeUsed) {
  const std::string days = write_days("days"), compressed = write_days("compressed", {"--gzip"});
  expect_refused({"--data", folder / "none"}, 1, HasSubstr("none: No such file"));
  expect_refused({"--data", folder.path()}, 1, HasSubstr("it has no days"));
  expect_refused({"--data", days, "--held-out", "3"}, 1, HasSubstr("it has 3 days, of which 3 are held out"));
  write_file(folder / "compressed" / "day_0.gz", read_file(folder / "compressed" / "day_0.gz").substr(0, 4000));
  expect_refused({"--data", compressed}, 1, AllOf(HasSubstr("day_0.gz is truncated"), HasSubstr("fetch or make")));
  EXPECT_EQ(train(tiny_ranking({"--write-data", folder / "more"}))["samples"], 900);
  EXPECT_THAT(weft(tiny_ranking({"--write-data", folder / "yet more"})).out,
              HasSubstr("3 days of 300 samples are in " + (folder / "yet more").string()));
  expect_refused({"--write-data", days}, 1, HasSubstr("it has some already"));
}

TEST_F(TrainRanking, GoesOnWhereverTheTablesLie) {
  train(tiny_ranking({"--steps", "3", "--save", folder / "ck", "--mesh", "data=2", "--sharding", "row_wise"}));
  std::vector<double> losses;
  for (const Arguments& layout : {Arguments{"--mesh", "data=2", "--sharding", "row_wise"}, Arguments{},
                                  Arguments{"--mesh", "data=4", "--sharding", "table_wise"}}) {
    std::filesystem::copy(folder / "ck", folder / "copy", std::filesystem::copy_options::recursive);
    const json done = train(joined({"train", "ranking", "--resume", folder / "copy", "--steps", "6"}, layout));
    losses.push_back(done.at("final_loss"));
    std::filesystem::remove_all(folder / "copy");
  }
  for (const double loss : losses) EXPECT_NEAR(loss, losses[0], 1e-5);
}

TEST_F(TrainRanking, RefusesCheckpointsOfOtherRuns) {
  const std::string days = write_days("days");
  const auto resume = [&](const Arguments& more) { return joined({"--resume", folder / "ck"}, more); };
  train(tiny_ranking({"--steps", "2", "--save", folder / "ck", "--mesh", "data=2"}));
  expect_refused(
      resume({"--mesh", "data=2", "--width", "8"}), 1,
      AllOf(HasSubstr("cannot resume: width is 4 in the checkpoint"), HasSubstr("and 8 in the command line")));
  expect_refused(resume({"--mesh", "data=2", "--data", days}), 1,
                 HasSubstr("was trained on generated days: leave out --data"));
  expect_refused(resume({"--mesh", "data=3"}), 1, HasSubstr("batch: 64 rows do not divide among the 3 devices"));
  expect_refused(resume({"--steps", "1"}), 1, HasSubstr("has done 2 steps, more than --steps 1"));
  std::filesystem::remove_all(folder / "ck");
  // A row has a state for each piece of its columns.
  train(tiny_ranking({"--steps", "2", "--save", folder / "ck", "--mesh", "data=2", "--sharding", "column_wise"}));
  expect_refused(resume({}), 1, HasSubstr("was saved with --mesh data=2 --sharding column_wise: give the same"));
  std::filesystem::remove_all(folder / "ck");
  train(on_days(days, {"--steps", "2", "--save", folder / "ck"}));
  expect_refused(resume({}), 1, HasSubstr("was trained on other days: name their folder with --data"));
  std::filesystem::remove_all(folder / "ck");
  ASSERT_EQ(weft(train_tiny(write_text(folder / "text"), {"--steps", "1", "--save", folder / "ck"})).exit_code, 0);
  expect_refused(resume({}), 1, HasSubstr("is not of weft train ranking: "));
}

TEST_F(TrainRanking, TablesInFilesHaveTheBitsOfTablesInMemory) {
  const Arguments run = tiny_ranking({"--steps", "24", "--val-every", "10", "--save-every", "7"});
  const json in_memory = train(joined(run, {"--save", folder / "memory"}));
  EXPECT_EQ(in_memory["stored_tables"], nullptr);
  for (const std::string schedule : {"base", "prefetch", "exact"}) {
    const json stored = train(joined(run, {"--table-folder", folder / ("tables_" + schedule), "--load-factor", "0.25",
                                           "--schedule", schedule, "--save", folder / schedule}));
    for (const char* key : {"first_loss", "final_loss", "val_losses", "auc", "normalised_entropy", "parameters"})
      EXPECT_EQ(stored[key], in_memory[key]) << schedule << " " << key;
    EXPECT_EQ(stored["recompiles"], 0);
    const json& rows = stored["stored_tables"];
    EXPECT_GT(rows["hit_rate"], 0.5);
    EXPECT_LT(rows["hit_rate"], 1);
    EXPECT_GT(rows["rows_read"], 0);
    EXPECT_GT(rows["rows_written"], 0);
  }
  const Outcome told = weft(tiny_ranking({"--steps", "3", "--table-folder", folder / "told", "--load-factor", "0.5"}));
  EXPECT_THAT(told.out,
              testing::ContainsRegex("tables in [^ ]*told: [0-9.]+ % of the ids of the steps had their rows in memory, "
                                     "[0-9]+ rows were read and [0-9]+ written"));
}

TEST_F(TrainRanking, TablesInFilesGoOnBitForBitAfterAKill) {
  const Arguments run = tiny_ranking({"--decay-steps", "60", "--warmup", "2"});
  const Arguments stored = {"--table-folder", folder / "tables"};
  const json whole = train(joined(run, {"--steps", "60"}));
  {
    Command command(joined(joined(run, stored), {"--load-factor", "0.25", "--steps", "1000000", "--save-every", "3",
                                                 "--log-every", "1", "--save", folder / "ck"}));
    ASSERT_TRUE(command.said("train 11/"));
    command.signal(SIGKILL);
    EXPECT_EQ(command.wait().exit_code, 128 + SIGKILL);
  }
  const std::int64_t saved = train::open_checkpoint(folder / "ck").step;
  EXPECT_GE(saved, 9);
  EXPECT_EQ(saved % 3, 0);
  if (saved > 48) GTEST_SKIP() << "the process was killed late, at step " << saved;
  const Arguments go_on = joined({"train", "ranking", "--resume", folder / "ck"}, stored);
  train(joined(go_on, {"--steps", std::to_string(saved + 5)}));
  const json rest = train(joined(go_on, {"--steps", "60"}));
  for (const char* key : {"final_loss", "val_loss", "auc", "passes"}) EXPECT_EQ(rest[key], whole[key]) << key;
}

TEST_F(TrainRanking, RefusesTablesInFilesThatCannotBeUsed) {
  const Arguments stored = {"--table-folder", folder / "tables", "--load-factor", "0.25"};
  expect_refused({"--load-factor", "0.5"}, 2, HasSubstr("about the tables of --table-folder, which is missing"));
  expect_refused({"--load-factor", "1.5"}, 2, HasSubstr("--load-factor must lie in (0, 1], got 1.5"));
  expect_refused({"--table-folder", folder / "tables"}, 2, HasSubstr("--table-folder needs --load-factor, the share"));
  expect_refused(joined(stored, {"--mesh", "data=2"}), 2,
                 HasSubstr("--table-folder, whose tables are on one device, does not go together with --mesh"));
  expect_refused(joined(stored, {"--schedule", "semi_sync"}), 2,
                 HasSubstr("with tables in files, it must be base, prefetch or exact"));
  expect_refused({"--schedule", "prefetch"}, 2,
                 HasSubstr("reads rows of tables in files: give --table-folder and --load-factor"));
  EXPECT_THAT(weft(tiny_ranking({"--table-folder", folder / "small", "--load-factor", "0.001"})).last_line(),
              HasSubstr("and memory holds 8: raise load_factor, or make batches smaller"));

  train(tiny_ranking(joined(stored, {"--steps", "2", "--save", folder / "ck"})));
  expect_refused({"--resume", folder / "ck"}, 1, HasSubstr("are in files: name their folder with --table-folder"));
  expect_refused({"--resume", folder / "ck", "--table-folder", folder / "others"}, 1,
                 HasSubstr("others does not have the rows of this checkpoint"));
  const Outcome anew = weft(tiny_ranking(joined(stored, {"--steps", "2"})));
  EXPECT_EQ(anew.exit_code, 1);
  EXPECT_THAT(anew.last_line(), AllOf(HasSubstr("tables has the rows of a checkpoint"), HasSubstr("--resume")));
  train(tiny_ranking({"--steps", "2", "--save", folder / "memory"}));
  expect_refused({"--resume", folder / "memory", "--table-folder", folder / "others"}, 1,
                 HasSubstr("are in it: leave out --table-folder"));
}

TEST_F(TrainRanking, RefusesWhatMakesNoRun) {
  expect_refused(
      {"--schedule", "fast"}, 2,
      HasSubstr("--schedule must be base, sparse_dist, fused_sparse_dist, prefetch, exact or semi_sync, got fast"));
  expect_refused({"--sharding", "grid"}, 2, HasSubstr("--sharding must be auto, data_parallel, table_wise"));
  expect_refused({"--mesh", "model=2"}, 2,
                 HasSubstr("--mesh: batches and tables are divided along the axis data alone"));
  expect_refused({"--mesh", "data=2,model=2"}, 2, HasSubstr("along the axis data alone"));
  expect_refused({"--mesh", "data=3", "--batch", "64"}, 2, HasSubstr("63 and 66 rows do"));
  expect_refused({"--rows", "0"}, 2, HasSubstr("--rows must be a number, or one for each table, from 1 to"));
  expect_refused({"--bottom", "64,x"}, 2,
                 HasSubstr("--bottom must be widths with commas, such as 64,32, from 1 to 1048576, got '64,x'"));
  expect_refused({"--days", "2", "--held-out", "2"}, 2, HasSubstr("--days must be more than the held-out ones"));
  expect_refused({"--days", "1", "--steps", "3"}, 2, HasSubstr("--days must be more than the held-out ones"));
  expect_refused({"--gzip"}, 2, HasSubstr("--gzip compresses the files of --write-data"));
  expect_refused({"--tolerant"}, 2, HasSubstr("--tolerant is about the lines of --data"));
  expect_refused({"--data", "x", "--days", "3"}, 2, HasSubstr("--data does not go together with --days"));
  expect_refused({"--write-data", "x", "--save", "y"}, 2, HasSubstr("--write-data does not go together with --save"));
  expect_refused({"--workers", "-1"}, 2, HasSubstr("--workers"));
  expect_refused({"--rows", "4294967296", "--width", "1024", "--steps", "1"}, 1,
                 AllOf(HasSubstr("not enough memory"), HasSubstr("lower --rows, --width, --batch or the layers")));
}

}  // namespace
}  // namespace weft::cli
