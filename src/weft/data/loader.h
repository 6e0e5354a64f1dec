// Mini-batches of a dataset, in another order in every epoch, made ahead of their use by threads of the loader's own.
//   for (auto [images, labels] : data::loader(digits, {.batch = 64, .workers = 2})) ...
//
// A dataset has size(), and either makes whole batches, of any type:
//   std::pair<Tensor, Tensor> batch(std::span<const std::int64_t> samples) const;
// which may take a std::stop_token, too, that says whether the epoch was left before the batch was made; or it makes samples, as
// PyTorch's do, and the loader is given a function that makes a batch of some of them, which decides on their padding, too
// (padding.h, padding_policy.h):
//   Digit operator[](std::int64_t sample) const;
//   data::Loader loader(digits, collate, {.batch = 64});              // collate(std::span<const Digit>)
// Several threads call these at a time.
//
// Walking a loader is its next epoch; epoch() is the one of a number, and may begin in the middle:
//   for (std::int64_t epoch = 0; epoch < 10; ++epoch)
//     for (auto [images, labels] : loader.epoch(epoch)) ...
// Batches come in the same order, with the same content, whatever the number of workers: the order is a pure function of seed and
// epoch, and there is no state to save. What a worker throws is thrown where its batch is asked for; for a sample, or a batch made of
// samples, as an Error that names it and has the original nested in it. Leaving an epoch early ends its workers.
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
  std::int64_t batch = 1;  // samples in one
  bool shuffle = true;
  bool drop_last = false;  // leave out a last batch that is smaller: all batches of one shape are one program
  int workers = 1;         // threads that make batches; 0: they are made when asked for
  int ahead = 2;           // batches made ahead, for each worker
  std::uint64_t seed = 0;  // of the order
};

// In place of a function that makes batches of samples: the dataset makes them itself.
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
  Loader(const Loader&) = delete;  // epochs refer to it
  Loader& operator=(const Loader&) = delete;

  std::int64_t batches() const {  // in an epoch
    const std::int64_t size = dataset_.size(), batch = options_.batch;
    return options_.drop_last ? size / batch : (size + batch - 1) / batch;
  }

  // The samples of an epoch, in order.
  std::vector<std::int64_t> order(std::int64_t epoch) const {
    std::vector<std::int64_t> samples(dataset_.size());
    std::iota(samples.begin(), samples.end(), std::int64_t{0});
    const std::uint64_t key = mix(options_.seed, static_cast<std::uint64_t>(epoch));
    if (options_.shuffle)
      for (std::size_t i = samples.size(); i > 1; --i) std::swap(samples[i - 1], samples[mix(key, i) % i]);
    return samples;
  }

  // The batches of an epoch, to be walked once: a std::ranges::input_range. A batch stays until the iterator goes on; one that
  // cannot be copied may be moved out of it, as `for (auto batch : epoch)` does.
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
                const std::size_t start = static_cast<std::size_t>(index) * size;
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
    std::optional<Batch> current_;  // of index done_, once it was asked for
    std::exception_ptr failure_;    // or why there is none
    std::stop_source left_;
    Prefetch<Batch> batches_;  // its workers end before the rest does
  };
  // From the batch `first` on.
  Epoch epoch(std::int64_t number, std::int64_t first = 0) const {
    require(first >= 0 && first <= batches(), "Loader::epoch: batch ", first, " of ", batches());
    return Epoch(*this, number, first);
  }

  // The next epoch, from 0 on, to be walked once.
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
      require(!left.stop_requested(), "Loader: the epoch was left");  // for nobody: its batches are gone
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
  std::unique_ptr<Epoch> walked_;  // what begin() began
};

// A loader to be walked where it is made, or kept.
template <class Dataset>
Loader<Dataset> loader(const Dataset& dataset, LoaderOptions options = {}) {
  return Loader<Dataset>(dataset, options);
}
template <class Dataset, class Collate>
Loader<Dataset, Collate> loader(const Dataset& dataset, Collate collate, LoaderOptions options = {}) {
  return Loader<Dataset, Collate>(dataset, std::move(collate), options);
}

}  // namespace weft::data
