// Measures training steps of the model of `weft train ranking` (apps/ranking), on batches that are in memory before.
// Usage: ranking_step FOLDER ROWS WIDTH BATCH SECONDS   (FOLDER was written by `weft train ranking --write-data`)
// Prints {"step_ms": median}.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include <apps/ranking/batches.h>
#include <apps/ranking/day_folder.h>
#include <apps/ranking/ranking_trainer.h>

namespace {

using namespace weft::ranking;

double median_ms(const RankingConfig& config, const char* folder, double seconds) {
  using Clock = std::chrono::steady_clock;
  constexpr int different_batches = 8, warm_up = 3;
  const DaysOfRun days = open_days(folder, config, false);
  BatchReader reader(*days.train, {.batch = config.batch, .rows = config.table_rows(), .workers = 0});
  std::vector<RankingBatch> batches;
  for (int i = 0; i < different_batches; ++i) batches.push_back(reader.next()->tensors);
  RankingTrainer trainer(config, {}, {});
  std::vector<double> times;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; std::chrono::duration<double>(Clock::now() - begin).count() < seconds || i < 2 * warm_up; ++i) {
    const Clock::time_point start = Clock::now();
    trainer.step(batches[i % different_batches], config.lr)->get();
    if (i >= warm_up) times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + std::ssize(times) / 2);
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: ranking_step FOLDER ROWS WIDTH BATCH SECONDS\n");
    return 2;
  }
  RankingConfig config;
  config.rows = argv[2];
  config.width = std::atoi(argv[3]);
  config.batch = std::atoi(argv[4]);
  config.clip = 0;
  try {
    std::printf("{\"step_ms\": %.4g}\n", median_ms(config, argv[1], std::atof(argv[5])));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ranking_step: %s\n", error.what());
    return 1;
  }
}
