// Measures lookup, pooling and update of embedding tables in one compiled step, against plain loops that only move the same rows:
// random rows of the tables are read and their sums written; then, for each row that occurs, the gradients of its bags are read, and
// the row of the table and of its state is read and written.
// Usage: sparse TABLES ROWS WIDTH BATCH IDS OPTIMIZER SECONDS [FILE]. Each sample has IDS ids for each table, distributed as by Zipf with
// exponent 1.05. OPTIMIZER is sgd, adagrad, row_wise_adagrad or adam. FILE receives the ids (i64 by table, sample, position) for peers.
// Prints {"step_ms", "lookup_ms", "rows_ms", "rows_gb_per_s", "ids", "distinct", "compiles"}.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include <sys/mman.h>

#include <weft/runtime/parallel.h>
#include <weft/weft.h>

namespace {

using namespace weft;
using Numbers = std::vector<std::int64_t>;

struct Sizes {
  std::int64_t tables, rows, width, batch, ids;
  std::int64_t all_ids() const { return tables * batch * ids; }
};

// Ids by table, sample and position. Frequent ids are scattered over the table, in other places of each table.
Numbers zipf_ids(const Sizes& s) {
  std::vector<double> sums(s.rows);
  double sum = 0;
  for (std::int64_t i = 0; i < s.rows; ++i) sums[i] = sum += std::pow(static_cast<double>(i + 1), -1.05);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> share(0, sum);
  Numbers ids(s.all_ids());
  for (std::int64_t i = 0; i < s.all_ids(); ++i) {
    const std::int64_t rank = std::ranges::lower_bound(sums, share(random)) - sums.begin(),
                       table = i / (s.batch * s.ids);
    ids[i] = (std::min(rank, s.rows - 1) * 40503 + table * 7919) % s.rows;
  }
  return ids;
}

template <class F>
double best_ms(double seconds, F&& run) {
  run();
  run();
  double best = 1e9, spent = 0;
  while (spent < seconds) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best = std::min(best, took);
    spent += took;
  }
  return best * 1e3;
}

// Floats in huge pages, as weft's own memory is.
class Floats {
 public:
  explicit Floats(std::int64_t count) {
    constexpr std::size_t page = std::size_t{1} << 21;
    const std::size_t bytes = (count * sizeof(float) + page - 1) / page * page;
    at_.reset(static_cast<float*>(std::aligned_alloc(page, bytes)));
    madvise(at_.get(), bytes, MADV_HUGEPAGE);
    std::fill_n(at_.get(), bytes / sizeof(float), 0.01f);
  }
  float* get() const { return at_.get(); }

 private:
  struct Free {
    void operator()(float* at) const { std::free(at); }
  };
  std::unique_ptr<float, Free> at_;
};

// The plain loops. `state` is the number of floats of state for each row.
class PlainRows {
 public:
  PlainRows(const Sizes& sizes, const Numbers& ids, std::int64_t state)
      : s_(sizes),
        ids_(ids),
        state_width_(state),
        rows_(s_.tables * s_.rows * s_.width),
        states_(std::max<std::int64_t>(1, s_.tables * s_.rows * state)),
        pooled_(s_.batch * s_.tables * s_.width),
        gradient_(s_.batch * s_.tables * s_.width) {
    // The bags of each row that occurs, row by row.
    for (std::int64_t t = 0; t < s_.tables; ++t) {
      std::vector<std::pair<std::int64_t, std::int64_t>> of_table;
      for (std::int64_t i = 0; i < s_.batch * s_.ids; ++i)
        of_table.emplace_back(ids_[t * s_.batch * s_.ids + i], i / s_.ids);
      std::ranges::stable_sort(of_table, {}, [](const auto& pair) { return pair.first * 40503 % 65537; });
      for (const auto& [id, sample] : of_table) {
        const std::int64_t row = t * s_.rows + id;
        if (distinct_.empty() || distinct_.back() != row) {
          distinct_.push_back(row);
          first_.push_back(std::ssize(bags_));
        }
        bags_.push_back(sample * s_.tables + t);
      }
    }
    first_.push_back(std::ssize(bags_));
  }

  void run() {
    const std::int64_t width = s_.width, per_table = s_.batch * s_.ids;
    runtime::parallel_for(s_.batch, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; b += 16)
        for (std::int64_t t = 0; t < s_.tables; ++t)
          for (std::int64_t sample = b; sample < std::min(end, b + 16); ++sample) {
            const std::int64_t first = t * per_table + sample * s_.ids;
            float* const to = pooled_.get() + (sample * s_.tables + t) * width;
            for (std::int64_t i = first; i < first + s_.ids; ++i) {
              load(rows_.get() + (t * s_.rows + ids_[std::min(i + 12, t * per_table + per_table - 1)]) * width);
              const float* const row = rows_.get() + (t * s_.rows + ids_[i]) * width;
              if (i == first)
                std::memcpy(to, row, width * sizeof(float));
              else
                for (std::int64_t c = 0; c < width; ++c) to[c] += row[c];
            }
          }
    });
    runtime::parallel_for(std::ssize(distinct_), 256, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> sum(width);
      for (std::int64_t k = begin; k < end; ++k) {
        if (const std::int64_t ahead = k + 8; ahead < end) {
          load(rows_.get() + distinct_[ahead] * width);
          if (state_width_ > 0) __builtin_prefetch(states_.get() + distinct_[ahead] * state_width_);
          if (state_width_ > 1) load(states_.get() + distinct_[ahead] * state_width_);
          load(gradient_.get() + bags_[first_[ahead]] * width);
        }
        std::ranges::fill(sum, 0.f);
        for (std::int64_t i = first_[k]; i < first_[k + 1]; ++i) {
          const float* const gradient = gradient_.get() + bags_[i] * width;
          for (std::int64_t c = 0; c < width; ++c) sum[c] += gradient[c];
        }
        float* const row = rows_.get() + distinct_[k] * width;
        for (std::int64_t c = 0; c < width; ++c) row[c] -= 1e-6f * sum[c];
        float* const state = states_.get() + distinct_[k] * state_width_;
        for (std::int64_t c = 0; c < state_width_; ++c) state[c] += sum[c % width];
      }
    });
  }

  std::int64_t distinct() const { return std::ssize(distinct_); }
  // Returns the bytes of all rows that are read and written, and of the pooled rows.
  double bytes() const {
    const double row = static_cast<double>(s_.width) * sizeof(float),
                 state = static_cast<double>(state_width_) * sizeof(float);
    const double bags = static_cast<double>(s_.batch * s_.tables), ids = static_cast<double>(s_.all_ids());
    return ids * row + bags * row + ids * row + static_cast<double>(distinct()) * 2 * (row + state);
  }

 private:
  void load(const float* row) const {
    for (std::int64_t c = 0; c < s_.width; c += 16) __builtin_prefetch(row + c);
  }

  Sizes s_;
  Numbers ids_, distinct_, first_, bags_;
  std::int64_t state_width_;
  Floats rows_, states_, pooled_, gradient_;
};

std::unique_ptr<optim::Optimizer> make_optimizer(const std::string& name, embed::EmbeddingBagCollection& tables) {
  if (name == "sgd") return std::make_unique<optim::SGD>(tables, optim::SGDOptions{.lr = 0.01});
  if (name == "adagrad") return std::make_unique<optim::Adagrad>(tables, optim::AdagradOptions{.lr = 0.01});
  if (name == "adam") return std::make_unique<optim::Adam>(tables, optim::AdamOptions{.lr = 0.01});
  return std::make_unique<optim::RowWiseAdagrad>(tables, optim::RowWiseAdagradOptions{.lr = 0.01});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 8) {
    std::fprintf(stderr,
                 "usage: sparse TABLES ROWS WIDTH BATCH IDS sgd|adagrad|row_wise_adagrad|adam SECONDS [FILE]\n");
    return 2;
  }
  const auto number = [&](int i) { return std::strtoll(argv[i], nullptr, 10); };
  const Sizes s{number(1), number(2), number(3), number(4), number(5)};
  const std::string name = argv[6];
  const double seconds = std::strtod(argv[7], nullptr);
  const Numbers ids = zipf_ids(s);
  if (argc > 8)
    std::ofstream(argv[8], std::ios::binary).write(reinterpret_cast<const char*>(ids.data()), std::ssize(ids) * 8);

  double rows_ms = 0, bytes = 0;
  std::int64_t distinct = 0;
  {
    const std::int64_t state = name == "sgd"                ? 0
                               : name == "row_wise_adagrad" ? 1
                               : name == "adagrad"          ? s.width
                                                            : 2 * s.width;
    PlainRows plain(s, ids, state);
    rows_ms = best_ms(seconds, [&] { plain.run(); });
    bytes = plain.bytes();
    distinct = plain.distinct();
  }

  std::vector<embed::EmbeddingBagConfig> configs;
  std::vector<std::string> keys;
  for (std::int64_t t = 0; t < s.tables; ++t) {
    keys.push_back("f" + std::to_string(t));
    configs.push_back({.num_embeddings = s.rows,
                       .embedding_dim = s.width,
                       .name = "t" + std::to_string(t),
                       .feature_names = {keys.back()}});
  }
  embed::EmbeddingBagCollection tables(std::move(configs));
  const auto optimizer = make_optimizer(name, tables);
  const embed::KeyedJaggedTensor features(keys, ids, Numbers(s.tables * s.batch, s.ids));
  const Tensor gradient = randn({s.batch, s.tables * s.width}) * 1e-3;
  weft::sync();
  const auto lookup = compile([&](const embed::KeyedJaggedTensor& looked_up) { return tables(looked_up).values(); });
  const auto step = compile([&](const embed::KeyedJaggedTensor& looked_up, const Tensor& cotangent) {
    const Tensor pooled = tables(looked_up).values();
    std::vector<Tensor> rows;
    for (const Parameter* table : optimizer->parameters()) rows.push_back(*table);
    optimizer->step(vjp({&pooled, 1}, {&cotangent, 1}, rows));
    return pooled;
  });
  const double lookup_ms = best_ms(seconds, [&] { lookup(features).buffer()->wait(); });
  const double step_ms = best_ms(seconds, [&] { step(features, gradient).buffer()->wait(); });
  std::printf(
      "{\"step_ms\": %.4g, \"lookup_ms\": %.4g, \"rows_ms\": %.4g, \"rows_gb_per_s\": %.4g, \"ids\": %lld, "
      "\"distinct\": %lld, "
      "\"compiles\": %d}\n",
      step_ms, lookup_ms, rows_ms, bytes / rows_ms / 1e6, static_cast<long long>(s.all_ids()),
      static_cast<long long>(distinct), static_cast<int>(step.explain().compiles));
  return 0;
}
