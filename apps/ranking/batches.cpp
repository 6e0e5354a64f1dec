#include <apps/ranking/batches.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include <weft/base/error.h>
#include <weft/tensor/creation.h>

namespace weft::ranking {

namespace {

// So many malformed lines, with no sample between them, are not tolerated.
constexpr std::int64_t too_many_malformed = 100;

std::vector<std::string> names_of_ids() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < CriteoSample::id_count; ++i) names.push_back(id_feature(i));
  return names;
}

RankingBatch make_batch(const std::vector<CriteoSample>& samples, const BatchOptions& options) {
  constexpr std::int64_t number_count = CriteoSample::number_count, id_count = CriteoSample::id_count;
  const std::int64_t batch = options.batch;
  std::vector<std::int64_t> ids(id_count * batch);
  std::vector<float> numbers(number_count * batch), labels(batch), weights(batch);
  for (std::int64_t s = 0; s < std::ssize(samples); ++s) {
    const CriteoSample& sample = samples[s];
    for (std::int64_t i = 0; i < id_count; ++i) ids[i * batch + s] = sample.ids[i].value_or(0) % options.rows[i];
    for (std::int64_t i = 0; i < number_count; ++i)
      numbers[s * number_count + i] = std::log1p(static_cast<float>(std::max(0, sample.numbers[i].value_or(0))));
    labels[s] = sample.clicked ? 1.f : 0.f;
    weights[s] = 1;
  }
  return {.ids = {names_of_ids(), std::move(ids), std::vector<std::int64_t>(id_count * batch, 1)},
          .numbers = from_vector(std::move(numbers), {batch, number_count}),
          .labels = from_vector(std::move(labels), {batch}),
          .weights = from_vector(std::move(weights), {batch})};
}

}  // namespace

std::string id_feature(std::size_t index) { return concat('C', index + 1); }

// Takes lines from the days in the order of the batches, whichever worker comes first.
class BatchReader::Order {
 public:
  Order(const Days& days, BatchOptions options)
      : days_(days), options_(std::move(options)), at_(options_.from), stream_(days.open(at_.in_days)) {}

  std::optional<LoadedBatch> make(std::int64_t index) {
    try {
      const Taken taken = take(index);
      if (!taken.make) return std::nullopt;
      Samples samples = taken.make();
      if (samples.samples.empty() && samples.skipped >= too_many_malformed)
        fail("none of its ", samples.skipped, " lines is a sample, so these days seem to have another format; ",
             samples.first_skipped);
      LoadedBatch made{.tensors = make_batch(samples.samples, options_),
                       .skipped = samples.skipped,
                       .first_skipped = std::move(samples.first_skipped),
                       .next = taken.next};
      for (const CriteoSample& sample : samples.samples) made.clicked.push_back(sample.clicked);
      if (const auto rule = days_.rule(); rule && options_.with_rule)
        for (const CriteoSample& sample : samples.samples) made.rule.push_back(rule->probability(sample));
      if (options_.divide) made.tensors = options_.divide(std::move(made.tensors));
      return made;
    } catch (const Error& error) {
      fail("cannot load batch ", options_.first_step + index, ": ", error.what());
    }
  }

 private:
  struct Taken {
    std::function<Samples()> make;
    ReaderPosition next;
  };

  Taken take(std::int64_t index) {
    std::unique_lock lock(mutex_);
    turn_came_.wait(lock, [&] { return turn_ == index; });
    Taken taken;
    try {
      if (failure_) std::rethrow_exception(failure_);
      taken.make = stream_->next(options_.batch);
      if (!taken.make && options_.repeat) {
        ++at_.epoch;
        stream_ = days_.open({});
        taken.make = stream_->next(options_.batch);
        require(bool(taken.make), "the days have no samples");
      }
      at_.in_days = stream_->position();
      taken.next = at_;
    } catch (...) {
      failure_ = std::current_exception();
      pass_turn();
      throw;
    }
    pass_turn();
    return taken;
  }
  void pass_turn() {
    ++turn_;
    turn_came_.notify_all();
  }

  const Days& days_;
  BatchOptions options_;
  std::mutex mutex_;
  std::condition_variable turn_came_;
  std::int64_t turn_ = 0;       // the batch whose lines are taken next
  std::exception_ptr failure_;  // why no more lines can be taken
  ReaderPosition at_;
  std::unique_ptr<SampleStream> stream_;
};

BatchReader::BatchReader(const Days& days, BatchOptions options)
    : order_(std::make_unique<Order>(days, options)),
      batches_([order = order_.get()](std::int64_t index) { return order->make(index); },
               {.workers = options.workers, .ahead = std::max(2, 2 * options.workers)}) {}

BatchReader::~BatchReader() = default;

std::optional<LoadedBatch> BatchReader::next() { return batches_.next(); }

}  // namespace weft::ranking
