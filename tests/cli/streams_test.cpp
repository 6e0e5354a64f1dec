// The output on each stream, and streams that are closed, full or abandoned by their reader.
#include <csignal>
#include <tests/cli/command.h>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace weft::cli {
namespace {

using testing::HasSubstr;

TEST(Streams, JsonIsAllThatStandardOutputGets) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  const Outcome outcome = weft(train_tiny(text, {"--json", "--sample", "8", "--save", folder / "ck"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(outcome.out.find('\n'), outcome.out.size() - 1);
  for (const char* key : {"steps", "parameters", "first_loss", "final_loss", "val_loss", "tokens_per_s", "step_ms_p50",
                          "compile_ms", "compiles", "peak_bytes_planned", "peak_bytes_in_use", "peak_rss_bytes",
                          "record_us_per_step", "nodes_per_step"})
    EXPECT_TRUE(report.at(key).is_number()) << key;
  EXPECT_EQ(report.at("checkpoint"), (folder / "ck").string());
  EXPECT_THAT(outcome.err, HasSubstr("train 20/20  loss "));
}

TEST(Streams, FullOrClosedStandardOutputIsAnErrorAfterTheSave) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  const auto full = [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  const auto closed = [] { ::close(STDOUT_FILENO); };
  for (const std::function<void()>& stream : {std::function<void()>(full), std::function<void()>(closed)}) {
    const Outcome outcome = weft(train_tiny(text, {"--save", folder / "ck"}), stream);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.last_line(), "error: cannot write to the standard output");
    EXPECT_EQ(weft(train_tiny(text, {"--resume", folder / "ck"})).exit_code, 0);
  }
}

TEST(Streams, HelpOnAFullStandardOutputIsAnError) {
  const auto full = [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  for (const char* flag : {"--help", "--version"}) {
    const Outcome outcome = weft({flag}, full);
    EXPECT_EQ(outcome.exit_code, 1) << flag;
    EXPECT_EQ(outcome.last_line(), "error: cannot write to the standard output") << flag;
  }
}

TEST(Streams, ReaderThatGoesAwayDoesNotEndTheTraining) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  const auto without_reader = [] {
    int ends[2];
    if (::pipe(ends) != 0) ::_exit(126);
    ::close(ends[0]);
    ::dup2(ends[1], STDERR_FILENO);
  };
  EXPECT_EQ(weft(train_tiny(text, {"--save", folder / "ck"}), without_reader).exit_code, 0);
  EXPECT_EQ(weft(train_tiny(text, {"--resume", folder / "ck"})).exit_code, 0);
}

TEST(Streams, KnobsAsTableAndAsJson) {
  const auto with_threads = [] { ::setenv("WEFT_NUM_THREADS", "3", 1); };
  EXPECT_THAT(weft({"knobs"}, with_threads).out, testing::ContainsRegex("WEFT_NUM_THREADS +3 +threads"));
  const auto table = nlohmann::json::parse(weft({"knobs", "--json"}, with_threads).out);
  EXPECT_EQ(table.at("WEFT_NUM_THREADS").at("value"), "3");
}

TEST(Streams, AKnobWithoutAMeaningIsRefusedByEveryCommand) {
  const auto refusal = [](const char* variable, const char* value) {
    const Outcome wrong = weft({"opt", "--list-passes"}, [&] { ::setenv(variable, value, 1); });
    EXPECT_EQ(wrong.exit_code, 2) << variable;
    return wrong.err;
  };
  EXPECT_EQ(refusal("WEFT_NUM_THREADS", "many"),
            "error: WEFT_NUM_THREADS: expected a whole number, at least 0, got 'many'\n");
  EXPECT_EQ(refusal("WEFT_FUSE", "yes"), "error: WEFT_FUSE: expected 0 or 1, got 'yes'\n");
  EXPECT_EQ(refusal("WEFT_CACHE_BYTES", "1q"),
            "error: WEFT_CACHE_BYTES: expected a whole number, at least 0, got '1q'\n");
  EXPECT_EQ(refusal("WEFT_BACKEND", "gpu"),
            "error: WEFT_BACKEND: 'gpu' is not a backend: use compiled (or standard), eager or interpreter\n");
  EXPECT_EQ(refusal("WEFT_DISABLED_PASSES", "simplify,zz"), "error: WEFT_DISABLED_PASSES: there is no pass named zz\n");
  EXPECT_EQ(refusal("WEFT_TRUSTED_KEYS", "zz"),
            "error: WEFT_TRUSTED_KEYS: expected keys of 64 hexadecimal digits, got 'zz'\n");
  const std::string key(64, 'A');
  EXPECT_EQ(refusal("WEFT_TRUSTED_KEYS", (key + "," + key.substr(1)).c_str()),
            "error: WEFT_TRUSTED_KEYS: expected keys of 64 hexadecimal digits, got '" + key.substr(1) + "'\n");
  EXPECT_EQ(weft({"opt", "--list-passes"}, [&] { ::setenv("WEFT_TRUSTED_KEYS", (key + ",").c_str(), 1); }).exit_code,
            0);
}

TEST(Streams, UnknownVariablesAndLogChannelsAreWarnedOfOnce) {
  const auto wrong = [] {
    ::setenv("WEFT_NUM_THREAD", "1", 1);
    ::setenv("WEFT_COLOUR", "1", 1);
    ::setenv("WEFT_LOGS", "recompile", 1);
    ::setenv("WEFT_PEERS_PYTHON", "python3", 1);
  };
  const TemporaryFolder folder;
  for (const auto& arguments :
       {std::vector<std::string>{"knobs"}, {"opt", "--list-passes"}, train_tiny(write_text(folder / "text"))}) {
    const std::string err = weft(arguments, wrong).err;
    const auto times = [&](std::string_view line) {
      std::size_t count = 0;
      for (auto at = err.find(line); at != err.npos; at = err.find(line, at + 1)) ++count;
      return count;
    };
    EXPECT_EQ(times("[warnings] WEFT_NUM_THREAD is not a knob; did you mean WEFT_NUM_THREADS?\n"), 1u) << err;
    EXPECT_EQ(times("[warnings] WEFT_COLOUR is not a knob; the nearest is WEFT_"), 1u) << err;
    EXPECT_EQ(times("there is no channel 'recompile'; did you mean 'recompiles'?"), 1u) << err;
    EXPECT_EQ(times("[warnings]"), 3u) << err;
  }
}

TEST(Streams, HelpSaysWhatFollowsFromTheNumberOfSteps) {
  for (const char* model : {"text", "captioner"}) {
    const std::string help = weft({"train", model, "--help"}).out;
    // CLI11 prints [VALUE] or =VALUE, depending on its version.
    EXPECT_THAT(help, testing::ContainsRegex("--warmup INTEGER *.a tenth of --steps, at most the preset's 100"));
    EXPECT_THAT(help, testing::ContainsRegex("--decay-steps INTEGER *.--steps"));
  }
}

TEST(Streams, SummariesEndWithAChartOfTheLosses) {
  const TemporaryFolder folder;
  const Outcome outcome = weft(train_tiny(write_text(folder / "text"), {"--val-every", "5"}));
  EXPECT_THAT(outcome.out, HasSubstr("20 steps\n"));
  EXPECT_THAT(outcome.out, testing::EndsWith(". training loss   o validation loss\n"));
  const Outcome json = weft(train_tiny(folder / "text", {"--val-every", "5", "--json"}));
  const auto losses = nlohmann::json::parse(json.out).at("val_losses");
  ASSERT_EQ(losses.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(losses[i][0], 5 * (i + 1));
}

}  // namespace
}  // namespace weft::cli
