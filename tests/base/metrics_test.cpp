#include <weft/base/metrics.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace weft::metrics {
namespace {

constinit Counter test_counter("TestCounter");
constinit Counter unused_counter("UnusedCounter");
constinit Metric test_time("TestTime");
constinit Metric test_bytes("TestBytes", Unit::bytes);
constinit Metric test_window("TestWindow", Unit::count);

MetricValue value_of(const Metric& metric) {
  const auto all = snapshot().metrics;
  return *std::ranges::find(all, metric.name(), &MetricValue::name);
}

TEST(Metrics, CountersCount) {
  test_counter.add();
  test_counter.add(4);
  EXPECT_EQ(test_counter.value(), 5u);
  EXPECT_THAT(report(), testing::HasSubstr("Counter: TestCounter\n  Value: 5\n"));
  EXPECT_THAT(report(), testing::Not(testing::HasSubstr(unused_counter.name())));
  clear();
  EXPECT_EQ(test_counter.value(), 0u);
}

TEST(Metrics, PercentilesAreNearestRanks) {
  for (std::uint64_t i = 1; i <= 100; ++i) test_time.add(101 - i);
  const auto value = value_of(test_time);
  EXPECT_EQ(value.count, 100u);
  EXPECT_EQ(value.total, 5050u);
  for (const auto& [percent, at] : value.percentiles) EXPECT_EQ(static_cast<double>(at), percent);
  clear();
  EXPECT_EQ(value_of(test_time).count, 0u);
  EXPECT_TRUE(value_of(test_time).percentiles.empty());
}

TEST(Metrics, PercentilesForgetWhatLeftTheWindow) {
  for (std::size_t i = 0; i < Metric::window; ++i) test_window.add(1'000'000);
  for (std::size_t i = 0; i < Metric::window; ++i) test_window.add(3);
  const auto value = value_of(test_window);
  EXPECT_EQ(value.count, 2 * Metric::window);
  EXPECT_EQ(value.total, Metric::window * 1'000'003);
  EXPECT_EQ(value.percentiles.front().second, 3u);
  EXPECT_EQ(value.percentiles.back().second, 3u);
}

TEST(Metrics, ReportsAsPyTorchXla) {
  clear();
  test_time.add(61'002'003'004);
  test_bytes.add(1536);
  EXPECT_THAT(
      report(),
      testing::HasSubstr(
          "Metric: TestTime\n  TotalSamples: 1\n  Accumulator: 01m01s002ms003.004us\n  Percentiles: 1%=01m01s"));
  EXPECT_THAT(report(), testing::HasSubstr("Metric: TestBytes\n  TotalSamples: 1\n  Accumulator: 1.5 KiB\n"));
}

TEST(Metrics, JsonHoldsTheSame) {
  clear();
  test_counter.add(2);
  test_time.add(8);
  test_time.add(4);
  const auto read = nlohmann::json::parse(json());
  EXPECT_EQ(read["counters"]["TestCounter"], 2);
  const auto& time = read["metrics"]["TestTime"];
  EXPECT_EQ(time["unit"], "ns");
  EXPECT_EQ(time["count"], 2);
  EXPECT_EQ(time["total"], 12);
  EXPECT_EQ(time["percentiles"]["50"], 4);
  EXPECT_EQ(time["percentiles"]["99"], 8);
}

TEST(Metrics, NothingIsLostBetweenThreads) {
  clear();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 1000; ++i) {
        test_counter.add();
        test_bytes.add(2);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(test_counter.value(), 4000u);
  EXPECT_EQ(value_of(test_bytes).count, 4000u);
  EXPECT_EQ(value_of(test_bytes).total, 8000u);
}

TEST(Metrics, ATimerAddsOneSample) {
  clear();
  {
    const Timer timer(test_time);
  }
  EXPECT_EQ(value_of(test_time).count, 1u);
}

TEST(Metrics, AreFoundByName) {
  clear();
  EXPECT_FALSE(metric("TestTime"));
  EXPECT_FALSE(metric("NoSuchMetric"));
  EXPECT_EQ(counter("NoSuchCounter"), 0u);
  test_time.add(3);
  test_time.add(9);
  test_counter.add(2);
  EXPECT_EQ(metric("TestTime")->count, 2u);
  EXPECT_EQ(metric("TestTime")->total, 12u);
  EXPECT_EQ(metric("TestTime")->greatest, 9u);
  EXPECT_EQ(counter("TestCounter"), 2u);
}

TEST(Metrics, RatesAreOfTheTimeBetweenTheFirstValueAndTheLast) {
  clear();
  test_bytes.add(1000);
  EXPECT_EQ(metric("TestBytes")->rate, 0);  // one value has no rate
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  test_bytes.add(50);
  const auto value = *metric("TestBytes");
  EXPECT_GT(value.rate, 0);
  EXPECT_LE(value.rate, 500);
  EXPECT_DOUBLE_EQ(value.value_rate, 50 * value.rate);
  EXPECT_THAT(report(), testing::HasSubstr(" / second\n  Rate: "));
}

TEST(Metrics, CountersCanBeNamedWhenTheProgramRuns) {
  std::string name = "custom_call::";
  Counter& counted = named_counter(name + "sort_on_host");
  name = "gone";
  counted.add(3);
  named_counter("custom_call::sort_on_host").add();
  EXPECT_EQ(counter("custom_call::sort_on_host"), 4u);
}

TEST(Metrics, PrometheusReadsThem) {
  clear();
  test_time.add(8);
  test_time.add(4);
  test_counter.add(2);
  named_counter("custom_call::a\"b").add();
  const std::string text = prometheus();
  EXPECT_THAT(text, testing::HasSubstr("# TYPE weft_test_time_ns summary\n"));
  EXPECT_THAT(text, testing::HasSubstr("weft_test_time_ns{quantile=\"0.5\"} 4\n"));
  EXPECT_THAT(text, testing::HasSubstr("weft_test_time_ns_sum 12\nweft_test_time_ns_count 2\n"));
  EXPECT_THAT(text, testing::HasSubstr("# TYPE weft_test_counter_total counter\nweft_test_counter_total 2\n"));
  EXPECT_THAT(text, testing::HasSubstr("weft_custom_call__a_b_total 1\n"));
}

}  // namespace
}  // namespace weft::metrics
