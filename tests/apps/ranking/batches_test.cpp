// Batches: their contents, that workers change nothing, the end of the days, and days that cannot be read further.
#include <apps/ranking/batches.h>

#include <cmath>
#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <apps/ranking/day_folder.h>
#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/temporary_folder.h>
#include <weft/data/gzip.h>

namespace weft::ranking {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// Samples i = 0 to `count` - 1 with the first number i, and the first id 16 i + 3; all else is missing.
std::string counted_lines(std::int64_t count) {
  std::string text;
  for (std::int64_t i = 0; i < count; ++i) {
    CriteoSample sample{.clicked = i % 3 == 0};
    sample.numbers[0] = static_cast<std::int32_t>(i);
    sample.ids[0] = static_cast<std::uint32_t>(16 * i + 3);
    print_sample(sample, text);
  }
  return text;
}

// Tables that have as many rows each.
std::vector<std::int64_t> all(std::int64_t rows) { return std::vector<std::int64_t>(CriteoSample::id_count, rows); }

class Batches : public testing::Test {
 protected:
  FileDays days(const std::vector<std::string>& texts, bool tolerant = false) {
    std::vector<std::filesystem::path> files;
    for (const std::string& text : texts) {
      files.push_back(folder / concat("day_", files.size()));
      write_file(files.back(), text);
    }
    return {files, std::nullopt, tolerant};
  }
  static std::vector<float> numbers(const LoadedBatch& batch) {
    std::vector<float> first;
    const std::vector<float> all = batch.tensors.numbers.to_vector<float>();
    for (std::size_t i = 0; i < all.size(); i += CriteoSample::number_count)
      first.push_back(std::round(std::expm1(all[i])));
    return first;
  }
  TemporaryFolder folder;
};

TEST_F(Batches, HaveRowsNumbersLabelsAndWeights) {
  const FileDays five = days({counted_lines(5)});
  BatchReader reader(five, {.batch = 3, .rows = all(20), .repeat = false});
  const LoadedBatch first = reader.next().value(), second = reader.next().value();
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(first.tensors.ids.keys().size(), 26u);
  const std::vector<std::int64_t> rows = first.tensors.ids.values().to_vector<std::int64_t>();
  ASSERT_EQ(rows.size(), 26u * 3);
  EXPECT_THAT(std::vector(rows.begin(), rows.begin() + 4), ElementsAre(3, 19, 35 % 20, 0));
  EXPECT_THAT(numbers(first), ElementsAre(0, 1, 2));
  EXPECT_THAT(first.tensors.labels.to_vector<float>(), ElementsAre(1, 0, 0));
  EXPECT_THAT(first.tensors.weights.to_vector<float>(), ElementsAre(1, 1, 1));
  // Two samples are left: the batch keeps its shapes.
  EXPECT_THAT(numbers(second), ElementsAre(3, 4, 0));
  EXPECT_THAT(second.tensors.labels.to_vector<float>(), ElementsAre(1, 0, 0));
  EXPECT_THAT(second.tensors.weights.to_vector<float>(), ElementsAre(1, 1, 0));
  EXPECT_THAT(second.clicked, ElementsAre(true, false));
}

TEST_F(Batches, GoOnAcrossDaysAndPasses) {
  const FileDays two = days({counted_lines(3), counted_lines(2)});
  BatchReader reader(two, {.batch = 2, .rows = all(50)});
  EXPECT_THAT(numbers(*reader.next()), ElementsAre(0, 1));
  EXPECT_THAT(numbers(*reader.next()), ElementsAre(2, 0));
  const LoadedBatch last = *reader.next();
  EXPECT_THAT(numbers(last), ElementsAre(1, 0));
  EXPECT_EQ(last.next.epoch, 0);
  const LoadedBatch next = *reader.next();
  EXPECT_THAT(numbers(next), ElementsAre(0, 1));
  EXPECT_EQ(next.next.epoch, 1);
  BatchReader resumed(two, {.batch = 2, .rows = all(50), .from = next.next});
  EXPECT_THAT(numbers(*resumed.next()), ElementsAre(2, 0));
}

TEST_F(Batches, AreTheSameForAnyNumberOfWorkers) {
  RankingConfig config;
  config.day_samples = 3001;
  config.days = 3;
  write_days(folder / "days", config, true, 1, [] { return true; });
  const DaysOfRun files = open_days(folder / "days", config, false), generated = generated_days(config);
  const auto expect_same = [](const LoadedBatch& a, const LoadedBatch& b) {
    EXPECT_EQ(a.tensors.ids.values().to_vector<std::int64_t>(), b.tensors.ids.values().to_vector<std::int64_t>());
    EXPECT_EQ(a.tensors.numbers.to_vector<float>(), b.tensors.numbers.to_vector<float>());
    EXPECT_EQ(a.tensors.labels.to_vector<float>(), b.tensors.labels.to_vector<float>());
    EXPECT_EQ(a.rule, b.rule);
    EXPECT_EQ(a.next.epoch, b.next.epoch);
    EXPECT_EQ(a.next.in_days.day, b.next.in_days.day);
    EXPECT_EQ(a.next.in_days.lines, b.next.in_days.lines);
  };
  const auto options = [](int workers) {
    return BatchOptions{.batch = 16, .rows = all(1000), .workers = workers, .with_rule = true};
  };
  BatchReader none(*generated.train, options(0)), one(*files.train, options(1)), four(*files.train, options(4)),
      four_generated(*generated.train, options(4));
  for (int i = 0; i < 500; ++i) {  // into the second pass
    const LoadedBatch batch = *none.next();
    EXPECT_EQ(batch.rule.size(), batch.clicked.size());
    expect_same(batch, *one.next());
    expect_same(batch, *four.next());
    expect_same(batch, *four_generated.next());
  }
}

TEST_F(Batches, NameTheBatchThatCannotBeLoaded) {
  std::string text = counted_lines(6);
  text.replace(text.find("\t4\t"), 3, "\tx\t");
  const FileDays six = days({text});
  for (const int workers : {0, 1, 3}) {
    BatchReader reader(six, {.batch = 2, .rows = all(50), .workers = workers, .first_step = 10});
    EXPECT_THAT(numbers(*reader.next()), ElementsAre(0, 1));
    EXPECT_THAT(numbers(*reader.next()), ElementsAre(2, 3));
    EXPECT_THAT(error_of([&] { reader.next(); }), AllOf(HasSubstr("cannot load batch 12: "),
                                                        HasSubstr("day_0, line 5: number 1 must be a whole number")));
  }
  const FileDays tolerant = days({text}, true);
  BatchReader reader(tolerant, {.batch = 3, .rows = all(50)});
  reader.next();
  const LoadedBatch second = *reader.next();
  EXPECT_EQ(second.skipped, 1);
  EXPECT_THAT(second.first_skipped, HasSubstr("day_0, line 5: number 1"));
  EXPECT_THAT(numbers(second), ElementsAre(3, 5, 0));
  EXPECT_THAT(second.tensors.weights.to_vector<float>(), ElementsAre(1, 1, 0));
}

TEST_F(Batches, EndAtATruncatedFile) {
  const std::string compressed = data::gzip(counted_lines(50'000));
  const FileDays cut = days({compressed.substr(0, compressed.size() / 2)});
  for (const int workers : {0, 1, 4}) {
    BatchReader reader(cut, {.batch = 1000, .rows = all(50), .workers = workers});
    std::int64_t loaded = 0;
    const std::string error = error_of([&] {
      while (true) reader.next(), ++loaded;
    });
    EXPECT_GT(loaded, 10);
    EXPECT_THAT(error, AllOf(HasSubstr(concat("cannot load batch ", loaded, ": ")), HasSubstr("day_0 is truncated")));
    EXPECT_THAT(error_of([&] { reader.next(); }), HasSubstr("day_0 is truncated")) << "and no batch after it";
  }
  std::string prose;
  for (int i = 0; i < 200; ++i) prose += "a line of something else\n";
  const FileDays other = days({prose}, true);
  BatchReader of_prose(other, {.batch = 150, .rows = all(50)});
  EXPECT_THAT(error_of([&] { of_prose.next(); }),
              AllOf(HasSubstr("none of its 150 lines is a sample"), HasSubstr("day_0, line 1: the label must be")));
  const FileDays empty = days({""});
  BatchReader reader(empty, {.batch = 2, .rows = all(50)});
  EXPECT_THAT(error_of([&] { reader.next(); }), HasSubstr("the days have no samples"));
}

}  // namespace
}  // namespace weft::ranking
