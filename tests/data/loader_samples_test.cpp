// Loaders of datasets that load samples instead of batches.
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/data/loader.h>

namespace weft::data {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Numbers = std::vector<std::int64_t>;

// Samples that take longer to load the earlier they are requested.
struct SlowSquares {
  std::int64_t count;
  std::int64_t size() const { return count; }
  std::int64_t operator[](std::int64_t sample) const {
    if (sample % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
    return sample * sample;
  }
};
const auto collate = [](std::span<const std::int64_t> samples) { return Numbers(samples.begin(), samples.end()); };

std::vector<Numbers> batches_of(const auto& loader, std::int64_t epoch) {
  std::vector<Numbers> all;
  for (const Numbers& batch : loader.epoch(epoch)) all.push_back(batch);
  return all;
}

TEST(LoaderOfSamples, TheSameBatchesWhateverTheWorkers) {
  const SlowSquares squares{50};
  for (const bool shuffle : {false, true}) {
    const Loader alone(squares, collate, {.batch = 4, .shuffle = shuffle, .seed = 9});
    const std::vector<Numbers> expected = batches_of(alone, 2);
    EXPECT_EQ(expected.size(), 13u);
    EXPECT_EQ(expected.back().size(), 2u);
    EXPECT_EQ(expected[1] == (Numbers{16, 25, 36, 49}), !shuffle);
    for (const int workers : {1, 2, 5}) {
      const Loader loader(squares, collate,
                          {.batch = 4, .shuffle = shuffle, .workers = workers, .ahead = 3, .seed = 9});
      EXPECT_EQ(batches_of(loader, 2), expected) << workers;
      EXPECT_EQ(batches_of(loader, 3) == expected, !shuffle) << workers;
    }
  }
}

TEST(LoaderOfSamples, DropsTheLast) {
  const SlowSquares squares{10};
  const Loader loader(squares, collate, {.batch = 4, .shuffle = false, .drop_last = true, .workers = 2});
  EXPECT_EQ(loader.batches(), 2);
  EXPECT_EQ(batches_of(loader, 0).size(), 2u);
}

struct EndsEarly {
  std::int64_t size() const { return 20; }
  std::int64_t operator[](std::int64_t sample) const {
    if (sample == 9) throw std::out_of_range("the file ends");
    return sample;
  }
};

TEST(LoaderOfSamples, ErrorsNameTheSampleAndComeInOrder) {
  const EndsEarly broken;
  for (const int workers : {0, 1, 3}) {
    const Loader loader(broken, collate, {.batch = 4, .shuffle = false, .workers = workers});
    std::size_t made = 0;
    try {
      for (const Numbers& batch : loader.epoch(0)) made += batch.size();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "Loader: sample 9: the file ends");
      EXPECT_THROW(std::rethrow_if_nested(error), std::out_of_range);
    }
    EXPECT_EQ(made, 8u) << workers;
  }
  const auto refuse = [](std::span<const std::int64_t> samples) {
    require(samples[0] < 4, "too large");
    return Numbers();
  };
  const Loader loader(broken, refuse, {.batch = 4, .shuffle = false, .workers = 1});
  EXPECT_THAT([&] { batches_of(loader, 0); },
              ThrowsMessage<Error>(HasSubstr("collating samples 4 and 3 more: too large")));
}

TEST(LoaderOfSamples, EndsItsWorkersWhenAnEpochIsLeft) {
  struct Counted {
    std::atomic<int>& running;
    std::int64_t size() const { return 1000; }
    std::int64_t operator[](std::int64_t sample) const {
      ++running;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --running;
      return sample;
    }
  };
  std::atomic<int> running = 0;
  const Counted counted{running};
  const Loader loader(counted, collate, {.batch = 2, .shuffle = false, .workers = 3, .ahead = 4});
  for (int i = 0; i < 5; ++i) {
    for (const Numbers& batch : loader.epoch(i)) {
      EXPECT_EQ(batch[0], 0);
      break;
    }
    EXPECT_EQ(running, 0);
  }
}

TEST(LoaderOfSamples, AnEpochThatIsLeftDoesNotFinishItsBatches) {
  struct Slow {
    std::atomic<std::int64_t>& made;
    std::int64_t size() const { return 40'000; }
    std::int64_t operator[](std::int64_t sample) const {
      if (sample >= 20'000) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ++made;
      }
      return sample;
    }
  };
  std::atomic<std::int64_t> made = 0;
  const Slow slow{made};
  const Loader loader(slow, collate, {.batch = 20'000, .shuffle = false, .workers = 1});
  for (const Numbers& batch : loader.epoch(0)) {
    EXPECT_EQ(batch.size(), 20'000u);
    while (made == 0) std::this_thread::yield();  // the second batch is being loaded
    break;
  }
  EXPECT_LT(made, 20'000);
}

// Neither samples nor batches need to be default-constructible.
TEST(LoaderOfSamples, BatchesNeedNoDefault) {
  struct Count {
    explicit Count(std::size_t samples) : number(samples) {}
    std::size_t number;
  };
  const SlowSquares squares{10};
  const Loader loader(squares, [](std::span<const std::int64_t> samples) { return Count(samples.size()); },
                      {.batch = 4, .shuffle = false, .workers = 1});
  std::vector<std::size_t> counts;
  for (const Count& count : loader.epoch(0)) counts.push_back(count.number);
  EXPECT_EQ(counts, (std::vector<std::size_t>{4, 4, 2}));
}

TEST(LoaderOfSamples, Mistakes) {
  const SlowSquares squares{10};
  EXPECT_THAT([&] { Loader(squares, collate, {.batch = 0}); },
              ThrowsMessage<Error>(HasSubstr("the batch must be positive")));
  EXPECT_THAT([&] { Loader(squares, collate, {.workers = -1}); }, ThrowsMessage<Error>(HasSubstr("workers")));
  EXPECT_THAT([&] { Loader(squares, collate, {.ahead = 0}); }, ThrowsMessage<Error>(HasSubstr("ahead")));
}

}  // namespace
}  // namespace weft::data
