#include <weft/data/loader.h>

#include <algorithm>
#include <memory>
#include <ranges>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>

namespace weft::data {
namespace {

using Samples = std::vector<std::int64_t>;

struct Squares {
  std::int64_t count;
  std::int64_t size() const { return count; }
  std::pair<Samples, Samples> batch(std::span<const std::int64_t> samples) const {
    Samples squares;
    for (const std::int64_t s : samples) squares.push_back(s * s);
    return {Samples(samples.begin(), samples.end()), squares};
  }
};

TEST(Loader, EverySampleOnceInEveryEpoch) {
  const Squares squares{103};
  for (const int workers : {0, 1, 3}) {
    const Loader loader(squares, {.batch = 10, .workers = workers, .seed = 5});
    EXPECT_EQ(loader.batches(), 11);
    std::set<Samples> orders;
    for (int epoch = 0; epoch < 3; ++epoch) {
      Samples seen;
      for (auto [samples, results] : loader.epoch(epoch)) {
        EXPECT_EQ(samples.size(), seen.size() < 100 ? 10u : 3u);
        for (std::size_t i = 0; i < samples.size(); ++i) EXPECT_EQ(results[i], samples[i] * samples[i]);
        seen.insert(seen.end(), samples.begin(), samples.end());
      }
      EXPECT_EQ(seen, loader.order(epoch)) << workers;
      orders.insert(seen);
      std::ranges::sort(seen);
      EXPECT_EQ(seen.size(), 103u);
      for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<std::int64_t>(i));
    }
    EXPECT_EQ(orders.size(), 3u);
  }
}

TEST(Loader, OrderFollowsFromSeedAndEpoch) {
  const Squares squares{50};
  const Loader a(squares, {.seed = 1}), b(squares, {.workers = 0, .seed = 1}), c(squares, {.seed = 2});
  EXPECT_EQ(a.order(3), b.order(3));
  EXPECT_NE(a.order(3), c.order(3));
  EXPECT_EQ(Loader(squares, {.shuffle = false}).order(7)[20], 20);
}

TEST(Loader, BeginsWhereARunWasStopped) {
  const Squares squares{20};
  const Loader loader(squares, {.batch = 4});
  std::vector<Samples> whole, rest;
  for (auto [samples, results] : loader.epoch(2)) whole.push_back(samples);
  for (auto [samples, results] : loader.epoch(2, 3)) rest.push_back(samples);
  EXPECT_EQ(rest, std::vector<Samples>(whole.begin() + 3, whole.end()));
  for (auto batch : loader.epoch(2, 5)) ADD_FAILURE() << batch.first.size();
}

TEST(Loader, DropsTheLastAndCanBeLeftEarly) {
  const Squares squares{19};
  const Loader loader(squares, {.batch = 4, .drop_last = true, .workers = 2});
  EXPECT_EQ(loader.batches(), 4);
  for (auto [samples, results] : loader.epoch(0)) {
    EXPECT_EQ(samples.size(), 4u);
    break;
  }
}

TEST(Loader, ABatchStaysUntilTheIteratorGoesOn) {
  const Squares squares{12};
  for (const int workers : {0, 2}) {
    const Loader loader(squares, {.batch = 4, .shuffle = false, .workers = workers});
    auto epoch = loader.epoch(0);
    static_assert(std::ranges::input_range<decltype(epoch)>);
    auto it = epoch.begin();
    EXPECT_EQ((*it).first, (Samples{0, 1, 2, 3}));
    EXPECT_EQ((*it).second, (Samples{0, 1, 4, 9}));
    ++it;
    ++it;  // skip a batch without reading it
    EXPECT_EQ((*it).first, (Samples{8, 9, 10, 11}));
    EXPECT_FALSE(it == epoch.end());
    it++;
    EXPECT_TRUE(it == epoch.end());
  }
}

// A batch that is move-only and not default-constructible.
struct Unique {
  explicit Unique(std::int64_t sample) : value(std::make_unique<std::int64_t>(sample)) {}
  std::unique_ptr<std::int64_t> value;
};
struct Uniques {
  std::int64_t size() const { return 5; }
  Unique batch(std::span<const std::int64_t> samples) const { return Unique(samples.front()); }
};

TEST(Loader, BatchesNeedOnlyBeMovable) {
  const Uniques uniques;
  for (const int workers : {0, 2}) {
    const Loader loader(uniques, {.shuffle = false, .workers = workers, .ahead = 3});
    auto epoch = loader.epoch(0);
    static_assert(std::ranges::input_range<decltype(epoch)>);
    Samples seen;
    for (auto batch : epoch) seen.push_back(*batch.value);
    EXPECT_EQ(seen, (Samples{0, 1, 2, 3, 4}));
  }
}

TEST(Loader, WalkedItselfItGoesOnToTheNextEpoch) {
  const Squares squares{10};
  auto walked = loader(squares, {.batch = 3, .workers = 2, .seed = 3});
  for (int epoch = 0; epoch < 3; ++epoch) {
    Samples seen;
    for (auto [samples, results] : walked) seen.insert(seen.end(), samples.begin(), samples.end());
    EXPECT_EQ(seen, walked.order(epoch));
  }
  for (auto [samples, results] : walked) {
    EXPECT_EQ(samples.size(), 3u);
    break;  // the next iteration is another epoch
  }
  const Samples fourth = walked.order(4);
  EXPECT_EQ((*walked.begin()).first, (Samples{fourth[0], fourth[1], fourth[2]}));
  std::size_t seen = 0;
  for (auto [samples, results] : loader(squares, {.batch = 4})) seen += samples.size();
  EXPECT_EQ(seen, 10u);
}

struct Broken {
  std::int64_t size() const { return 8; }
  int batch(std::span<const std::int64_t> samples) const {
    require(samples.front() != 4, "sample 4 cannot be read");
    return 1;
  }
};

TEST(Loader, Mistakes) {
  const Squares none{0};
  EXPECT_THAT([&] { Loader loader(none); }, testing::ThrowsMessage<Error>("Loader: 0 samples make no batch of 1"));
  const Broken broken;
  const Loader loader(broken, {.shuffle = false});
  int made = 0;
  EXPECT_THAT(
      [&] {
        for (const int batch : loader.epoch(0)) made += batch;
      },
      testing::ThrowsMessage<Error>("sample 4 cannot be read"));
  EXPECT_EQ(made, 4);
  auto epoch = loader.epoch(0, 4);
  auto it = epoch.begin();
  EXPECT_THROW(*it, Error);
  EXPECT_THROW(*it, Error) << "the same batch";
  EXPECT_EQ(*++it, 1);
}

}  // namespace
}  // namespace weft::data
