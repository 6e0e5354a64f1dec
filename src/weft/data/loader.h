// Mini-batches of a dataset, in another order in every epoch, made ahead of their use.
//   struct Digits {
//     std::int64_t size() const;                                               // how many samples
//     std::pair<Tensor, Tensor> batch(std::span<const std::int64_t> samples) const;  // any type; called by several threads
//   };
//   data::Loader loader(digits, {.batch = 64, .workers = 2});
//   for (int epoch = 0; epoch < 10; ++epoch)
//     for (auto [images, labels] : loader.epoch(epoch)) ...
// The order is a pure function of seed and epoch: a resumed run begins an epoch where it likes, and there is no state to save.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
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

  // The batches of an epoch, to be walked once.
  class Epoch {
   public:
    class Iterator {
     public:
      using iterator_category = std::input_iterator_tag;
      using value_type = Batch;
      using difference_type = std::ptrdiff_t;
      explicit Iterator(Epoch* epoch) : epoch_(epoch) {}
      Batch operator*() const { return epoch_->batches_.next(); }
      Iterator& operator++() {
        ++epoch_->done_;
        return *this;
      }
      bool operator==(std::default_sentinel_t) const { return epoch_->done_ == epoch_->count_; }

     private:
      Epoch* epoch_;
    };
    Iterator begin() { return Iterator(this); }
    std::default_sentinel_t end() const { return {}; }

   private:
    friend Loader;
    Epoch(const Loader& loader, std::int64_t number, std::int64_t first)
        : samples_(loader.order(number)),
          count_(loader.batches()),
          done_(first),
          batches_(
              [this, &loader](std::int64_t index) {
                if (index >= count_) return Batch{};  // made ahead of the end
                const auto size = static_cast<std::size_t>(loader.options_.batch);
                const std::size_t start = static_cast<std::size_t>(index) * size;
                const std::span<const std::int64_t> all = samples_;
                return loader.dataset_.batch(all.subspan(start, std::min(size, all.size() - start)));
              },
              {loader.options_.workers, loader.options_.ahead, first}) {}

    std::vector<std::int64_t> samples_;
    std::int64_t count_, done_;
    Prefetch<Batch> batches_;
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
