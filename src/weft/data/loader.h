// Mini-batches of a dataset, in another order in every epoch, made ahead of their use.
//   struct Digits {
//     std::int64_t size() const;                                               // how many samples
//     std::pair<Tensor, Tensor> batch(std::span<const std::int64_t> samples) const;  // any type; called by several threads
//   };                                  // may take a std::stop_token, too: whether its epoch was left before the batch was made
//   data::Loader loader(digits, {.batch = 64, .workers = 2});
//   for (int epoch = 0; epoch < 10; ++epoch)
//     for (auto [images, labels] : loader.epoch(epoch)) ...
// The order is a pure function of seed and epoch: a resumed run begins an epoch where it likes, and there is no state to save.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
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
  std::int64_t batch = 1;
  bool shuffle = true;
  bool drop_last = false;  // leave out a last batch that is smaller: all batches of one shape are one program
  int workers = 1;         // threads that make batches; 0: they are made when asked for
  int ahead = 2;           // batches made ahead
  std::uint64_t seed = 0;
};

template <class Dataset>
class Loader {
 public:
  using Batch = decltype(std::declval<const Dataset&>().batch(std::span<const std::int64_t>()));

  // The dataset must live as long as the loader.
  explicit Loader(const Dataset& dataset, LoaderOptions options = {}) : dataset_(dataset), options_(options) {
    require(options.batch > 0, "Loader: the batch must be positive, got ", options.batch);
    require(batches() > 0, "Loader: ", dataset.size(), " samples make no batch of ", options.batch);
  }

  std::int64_t batches() const {  // in an epoch
    const std::int64_t size = dataset_.size(), batch = options_.batch;
    return options_.drop_last ? size / batch : (size + batch - 1) / batch;
  }

  // The samples of an epoch, in order.
  std::vector<std::int64_t> order(std::int64_t epoch) const {
    std::vector<std::int64_t> samples(static_cast<std::size_t>(dataset_.size()));
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
                const auto size = static_cast<std::size_t>(loader.options_.batch);
                const std::size_t start = static_cast<std::size_t>(index) * size;
                const std::span<const std::int64_t> all = samples_;
                const auto samples = all.subspan(start, std::min(size, all.size() - start));
                if constexpr (requires { loader.dataset_.batch(samples, left_.get_token()); })
                  return loader.dataset_.batch(samples, left_.get_token());
                else
                  return loader.dataset_.batch(samples);
              },
              {.workers = loader.options_.workers, .ahead = loader.options_.ahead, .first = first, .end = count_}) {}

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

 private:
  const Dataset& dataset_;
  LoaderOptions options_;
};

}  // namespace weft::data
