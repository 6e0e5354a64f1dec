// Mini-batches of a dataset, in a different order in every epoch, loaded ahead of their use by worker threads.
//   for (auto [images, labels] : data::loader(digits, {.batch = 64, .workers = 2})) ...
//
// A dataset has size(). It either loads whole batches, of any type:
//   std::pair<Tensor, Tensor> batch(std::span<const std::int64_t> samples) const;
// which may also take a std::stop_token that tells whether the epoch was left early; or it loads samples, as PyTorch's
// datasets do, and the loader is given a function that collates samples to a batch and decides on the padding
// (padding.h, padding_policy.h):
//   Digit operator[](std::int64_t sample) const;
//   data::Loader loader(digits, collate, {.batch = 64});              // collate(std::span<const Digit>)
// Several threads call these functions concurrently.
//
// Iterating over a loader runs its next epoch; epoch() runs the epoch with a given number and may start in the middle:
//   for (std::int64_t epoch = 0; epoch < 10; ++epoch)
//     for (auto [images, labels] : loader.epoch(epoch)) ...
// The order and content of the batches do not depend on the number of workers: the order is a pure function of seed and
// epoch, so there is no state to save. An exception in a worker is rethrown where its batch is requested; for a sample,
// or a batch collated from samples, as an Error that names it and nests the original. Leaving an epoch early stops its
// workers.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/base/error.h>
#include <weft/base/hash.h>
#include <weft/data/prefetch.h>

namespace weft::data {

struct LoaderOptions {
  std::int64_t batch = 1;  // samples per batch
  bool shuffle = true;
  bool drop_last = false;  // skip a smaller last batch, so that all batches have one shape and need one program
  int workers = 1;         // threads that load batches; 0: batches are loaded when requested
  int ahead = 2;           // batches loaded ahead, per worker
  std::uint64_t seed = 0;  // seed of the order
};

// Used instead of a collate function if the dataset loads whole batches itself.
struct WholeBatches {
  template <class Dataset>
  using Batch = decltype(std::declval<const Dataset&>().batch(std::span<const std::int64_t>()));
};

template <class Dataset, class Collate = WholeBatches>
class Loader {
  struct OfSamples {
    template <class Samples>
    using Sample = std::remove_cvref_t<decltype(std::declval<const Samples&>()[std::int64_t{}])>;
    template <class Samples>
    using Batch = std::invoke_result_t<const Collate&, std::span<const Sample<Samples>>>;
  };
  static constexpr bool makes_whole_batches = std::same_as<Collate, WholeBatches>;

 public:
  using Batch = typename std::conditional_t<makes_whole_batches, WholeBatches, OfSamples>::template Batch<Dataset>;

  // The dataset must live as long as the loader.
  explicit Loader(const Dataset& dataset, LoaderOptions options = {})
    requires std::same_as<Collate, WholeBatches>
      : Loader(dataset, WholeBatches(), options) {}
  Loader(const Dataset& dataset, Collate collate, LoaderOptions options = {})
      : dataset_(dataset), collate_(std::move(collate)), options_(options) {
    require(options.batch > 0, "Loader: the batch must be positive, got ", options.batch);
    require(options.workers >= 0, "Loader: workers must not be negative, got ", options.workers);
    require(options.ahead > 0, "Loader: ahead must be positive, got ", options.ahead);
    require(batches() > 0, "Loader: ", dataset.size(), " samples make no batch of ", options.batch);
  }
  Loader(const Loader&) = delete;  // deleted because epochs refer to the loader
  Loader& operator=(const Loader&) = delete;

  std::int64_t batches() const {  // per epoch
    const std::int64_t size = dataset_.size(), batch = options_.batch;
    return options_.drop_last ? size / batch : (size + batch - 1) / batch;
  }

  // Returns the samples of an epoch in order.
  std::vector<std::int64_t> order(std::int64_t epoch) const {
    std::vector<std::int64_t> samples(dataset_.size());
    std::iota(samples.begin(), samples.end(), std::int64_t{0});
    const std::uint64_t key = mix(options_.seed, epoch);
    if (options_.shuffle)
      for (std::size_t i = samples.size(); i > 1; --i) std::swap(samples[i - 1], samples[mix(key, i) % i]);
    return samples;
  }

  // The batches of an epoch, for a single iteration: a std::ranges::input_range. A batch is valid until the iterator
  // advances. A batch that cannot be copied may be moved out, as `for (auto batch : epoch)` does.
  class Epoch {
   public:
    class Iterator {
     public:
      using iterator_concept = std::input_iterator_tag;
      using value_type = Batch;
      using difference_type = std::ptrdiff_t;
      using reference = std::conditional_t<std::copy_constructible<Batch>, Batch&, Batch&&>;
      Iterator() = default;
      explicit Iterator(Epoch* epoch) : epoch_(epoch) {}
      reference operator*() const { return static_cast<reference>(epoch_->current()); }
      Iterator& operator++() {
        epoch_->advance();
        return *this;
      }
      void operator++(int) { ++*this; }
      bool operator==(std::default_sentinel_t) const { return epoch_->done_ == epoch_->count_; }

     private:
      Epoch* epoch_ = nullptr;
    };
    Iterator begin() { return Iterator(this); }
    std::default_sentinel_t end() const { return {}; }

    Epoch(const Epoch&) = delete;
    Epoch& operator=(const Epoch&) = delete;
    ~Epoch() { left_.request_stop(); }

   private:
    friend Loader;
    Epoch(const Loader& loader, std::int64_t number, std::int64_t first)
        : samples_(loader.order(number)),
          count_(loader.batches()),
          done_(first),
          batches_(
              [this, &loader](std::int64_t index) {
                const std::size_t size = loader.options_.batch;
                const std::size_t start = index * size;
                const std::span<const std::int64_t> all = samples_;
                return loader.make(all.subspan(start, std::min(size, all.size() - start)), left_.get_token());
              },
              {.workers = loader.options_.workers,
               .ahead = std::max(1, loader.options_.workers * loader.options_.ahead),
               .first = first,
               .end = count_}) {}

    Batch& current() {
      if (failure_) std::rethrow_exception(failure_);
      if (!current_) {
        try {
          current_.emplace(batches_.next());
        } catch (...) {
          failure_ = std::current_exception();
          throw;
        }
      }
      return *current_;
    }
    void advance() {
      if (!current_ && !failure_) batches_.skip();
      current_.reset();
      failure_ = nullptr;
      ++done_;
    }

    std::vector<std::int64_t> samples_;
    std::int64_t count_, done_;
    std::optional<Batch> current_;  // the batch with index done_, after it was requested
    std::exception_ptr failure_;    // the reason why there is none
    std::stop_source left_;
    Prefetch<Batch> batches_;  // last member, so that its workers end first
  };
  // Returns the epoch with this number, starting at batch `first`.
  Epoch epoch(std::int64_t number, std::int64_t first = 0) const {
    require(first >= 0 && first <= batches(), "Loader::epoch: batch ", first, " of ", batches());
    return Epoch(*this, number, first);
  }

  // Starts the next epoch, counted from 0, for a single iteration.
  typename Epoch::Iterator begin() {
    walked_.reset();
    walked_.reset(new Epoch(*this, next_epoch_++, 0));
    return walked_->begin();
  }
  std::default_sentinel_t end() const { return {}; }

 private:
  Batch make(std::span<const std::int64_t> samples, const std::stop_token& left) const {
    if constexpr (!makes_whole_batches)
      return collated(samples, left);
    else if constexpr (requires { dataset_.batch(samples, left); })
      return dataset_.batch(samples, left);
    else
      return dataset_.batch(samples);
  }

  Batch collated(std::span<const std::int64_t> samples, const std::stop_token& left) const {
    std::vector<typename OfSamples::template Sample<Dataset>> made;
    made.reserve(samples.size());
    for (const std::int64_t sample : samples) {
      require(!left.stop_requested(), "Loader: the epoch was left");  // nobody sees this error: the epoch was left
      made.push_back(with_place([&] { return dataset_[sample]; }, "Loader: sample ", sample));
    }
    return with_place([&] { return collate_(std::span(std::as_const(made))); }, "Loader: collating samples ",
                      samples.front(), " and ", samples.size() - 1, " more");
  }

  template <class... Place>
  static auto with_place(auto&& make, const Place&... place) {
    try {
      return make();
    } catch (const std::exception& error) {
      std::throw_with_nested(Error(concat(place..., ": ", error.what())));
    }
  }

  const Dataset& dataset_;
  Collate collate_;
  LoaderOptions options_;
  std::int64_t next_epoch_ = 0;
  std::unique_ptr<Epoch> walked_;  // the epoch that begin() started
};

// Makes a loader, to iterate over at once or to keep.
template <class Dataset>
Loader<Dataset> loader(const Dataset& dataset, LoaderOptions options = {}) {
  return Loader<Dataset>(dataset, options);
}
template <class Dataset, class Collate>
Loader<Dataset, Collate> loader(const Dataset& dataset, Collate collate, LoaderOptions options = {}) {
  return Loader<Dataset, Collate>(dataset, std::move(collate), options);
}

}  // namespace weft::data
