// Days that are generated, and the same days as files: equal samples from any position, by any number of workers.
#include <fstream>
#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <apps/ranking/day_folder.h>
#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/temporary_folder.h>

namespace weft::ranking {
namespace {

using testing::AllOf;
using testing::HasSubstr;

RankingConfig small_days() {
  RankingConfig config;
  config.days = 3;
  config.day_samples = 1234;
  config.seed = 5;
  return config;
}

void write(const std::filesystem::path& folder, const RankingConfig& config, bool compressed, int workers = 1) {
  write_days(folder, config, compressed, workers, [] { return true; });
}

std::vector<CriteoSample> read_all(const Days& days, std::int64_t count, StreamPosition from = {}) {
  std::vector<CriteoSample> all;
  const auto stream = days.open(from);
  while (const auto make = stream->next(count)) {
    const Samples made = make();
    all.insert(all.end(), made.samples.begin(), made.samples.end());
  }
  return all;
}

TEST(Days, FilesHaveTheGeneratedSamples) {
  const TemporaryFolder folder;
  const RankingConfig config = small_days();
  const DaysOfRun generated = generated_days(config);
  const std::vector<CriteoSample> expected = read_all(*generated.train, 100);
  ASSERT_EQ(std::ssize(expected), 2 * 1234);
  EXPECT_TRUE(read_all(*generated.train, 999) == expected);
  for (const bool compressed : {false, true}) {
    const std::filesystem::path days = folder / (compressed ? "compressed" : "plain");
    write(days, config, compressed);
    const DaysOfRun files = open_days(days, config, false);
    EXPECT_EQ(files.train->count_samples([](std::int64_t) {}), 2 * 1234);
    EXPECT_TRUE(read_all(*files.train, 100) == expected);
    EXPECT_TRUE(read_all(*files.held_out, 100) == read_all(*generated.held_out, 77));
    EXPECT_EQ(files.train->rule().value().probability(expected[0]), PlantedRule(5).probability(expected[0]));
  }
}

TEST(Days, GoOnFromAnyPosition) {
  const TemporaryFolder folder;
  const RankingConfig config = small_days();
  write(folder / "plain", config, false);
  write(folder / "compressed", config, true);
  const DaysOfRun plain = open_days(folder / "plain", config, false),
                  compressed = open_days(folder / "compressed", config, false), generated = generated_days(config);
  const std::vector<CriteoSample> all = read_all(*generated.train, 100);
  for (const Days* days : {plain.train.get(), compressed.train.get(), generated.train.get()})
    for (const std::int64_t before : {1, 1233, 1234, 1500, 2468}) {
      const auto stream = days->open({});
      stream->next(before)();
      const std::vector<CriteoSample> rest = read_all(*days, 100, stream->position());
      EXPECT_TRUE(std::ranges::equal(rest, std::span(all).subspan(before))) << before;
    }
}

TEST(Days, HaveTheSameBytesForTheSameSeedAndAnyNumberOfWorkers) {
  const TemporaryFolder folder;
  RankingConfig config = small_days();
  config.day_samples = 25'000;  // several chunks
  for (const bool compressed : {false, true}) {
    const std::string suffix = compressed ? ".gz" : "";
    write(folder / ("one" + suffix), config, compressed, 0);
    write(folder / ("three" + suffix), config, compressed, 3);
    for (const char* day : {"day_0", "day_1", "day_2"})
      EXPECT_TRUE(read_file(folder / ("one" + suffix) / (day + suffix)) ==
                  read_file(folder / ("three" + suffix) / (day + suffix)));
  }
  config.seed = 6;
  write(folder / "other", config, false);
  EXPECT_FALSE(read_file(folder / "one" / "day_0") == read_file(folder / "other" / "day_0"));
  EXPECT_FALSE(read_file(folder / "one" / "day_0") == read_file(folder / "one" / "day_1"));
}

TEST(Days, AreSortedByTheirNumbers) {
  const TemporaryFolder folder;
  const RankingConfig config = small_days();
  write(folder / "days", config, false);
  std::filesystem::rename(folder / "days" / "day_0", folder / "days" / "day_2.tsv.gz.part");  // not a day
  std::filesystem::rename(folder / "days" / "day_2", folder / "days" / "day_10.tsv");
  std::ofstream(folder / "days" / "day_9").close();
  const DaysOfRun files = open_days(folder / "days", config, false);
  EXPECT_EQ(files.train->count_samples([](std::int64_t) {}), 1234) << "days 1 and 9, of which 9 is empty";
  EXPECT_TRUE(read_all(*files.held_out, 100) == read_all(*generated_days(config).held_out, 100));
}

TEST(Days, FoldersThatCannotBeUsed) {
  const TemporaryFolder folder;
  const RankingConfig config = small_days();
  const auto opening = [&](const std::filesystem::path& path, std::int64_t held_out = 1) {
    RankingConfig other = config;
    other.held_out = held_out;
    return error_of([&] { open_days(path, other, false); });
  };
  EXPECT_THAT(opening(folder / "none"), AllOf(HasSubstr("none"), HasSubstr("No such file")));
  EXPECT_THAT(opening(folder.path()), HasSubstr("it has no days, which are files named day_0, day_1.gz"));
  write(folder / "days", config, true);
  EXPECT_THAT(opening(folder / "days", 3), HasSubstr("it has 3 days, of which 3 are held out"));
  EXPECT_THAT(error_of([&] { write(folder / "days", config, false); }), HasSubstr("it has some already"));
  std::ofstream(folder / "days" / "day_1").close();
  EXPECT_THAT(opening(folder / "days"), AllOf(HasSubstr("has the day 1 twice"), HasSubstr("day_1.gz")));
  std::filesystem::remove(folder / "days" / "day_1");
  write_file(folder / "days" / "rule.json", "{\"version\": 9, \"seed\": 1}");
  EXPECT_THAT(opening(folder / "days"), AllOf(HasSubstr("rule.json"), HasSubstr("version 9 is unknown")));
}

TEST(Days, MalformedLines) {
  const TemporaryFolder folder;
  const RankingConfig config = small_days();
  write(folder / "days", config, false);
  std::string text = read_file(folder / "days" / "day_1");
  std::size_t at = 0;
  for (int line = 1; line < 500; ++line) at = text.find('\n', at) + 1;
  write_file(folder / "days" / "day_1", text.substr(0, at) + "a line\n" + text.substr(at) + "0\t1");
  const DaysOfRun strict = open_days(folder / "days", config, false);
  EXPECT_THAT(error_of([&] { read_all(*strict.train, 100); }),
              HasSubstr((folder / "days" / "day_1").string() + ", line 500: the label must be 0 or 1, got 'a line'"));
  const DaysOfRun tolerant = open_days(folder / "days", config, true);
  EXPECT_TRUE(read_all(*tolerant.train, 100) == read_all(*generated_days(config).train, 100));
  std::int64_t skipped = 0;
  const auto stream = tolerant.train->open({});
  while (const auto make = stream->next(1000)) {
    const Samples made = make();
    if (skipped == 0 && made.skipped > 0) {
      EXPECT_THAT(made.first_skipped, HasSubstr("line 500: the label"));
    }
    skipped += made.skipped;
  }
  EXPECT_EQ(skipped, 2);
}

// Averages over many samples that the rule makes follow the rule.
TEST(PlantedRule, IsWhatClicksFollow) {
  const PlantedRule rule(1);
  double expected = 0, clicked = 0, squared = 0;
  constexpr int count = 20'000;
  for (int i = 0; i < count; ++i) {
    const CriteoSample sample = rule.sample(0, i);
    const double p = rule.probability(sample);
    ASSERT_TRUE(p > 0 && p < 1);
    expected += p;
    squared += p * p;
    clicked += sample.clicked;
  }
  const double deviation = std::sqrt(expected - squared);
  EXPECT_NEAR(clicked, expected, 5 * deviation);
  EXPECT_GT(squared / count - (expected / count) * (expected / count), 0.03) << "probabilities differ much";
  EXPECT_NE(PlantedRule(2).probability(rule.sample(0, 0)), rule.probability(rule.sample(0, 0)));
}

}  // namespace
}  // namespace weft::ranking
