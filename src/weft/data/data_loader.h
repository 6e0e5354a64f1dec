// PyTorch's DataLoader: a dataset of samples, and a function that makes a batch of some of them, on threads ahead of their use.
//   struct Digits {                                       // map-style: called by several threads
//     std::int64_t size() const;
//     Digit operator[](std::int64_t sample) const;
//   };
//   data::DataLoader loader(digits, collate, {.batch_size = 64, .shuffle = true, .num_workers = 2});
//   for (std::int64_t epoch = 0; epoch < 10; ++epoch)
//     for (auto [images, labels] : loader.epoch(epoch)) ...
//
// Batches come in the same order, with the same content, whatever the number of workers: the order is a pure function of seed and
// epoch. What a worker throws is thrown where its batch is asked for, as an Error that names the sample and has the original nested
// in it. Leaving an epoch early ends its workers, at their next sample. Datasets that make whole batches are for Loader
// (loader.h), on which this stands.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/base/error.h>
#include <weft/data/loader.h>

namespace weft::data {

struct DataLoaderOptions {
  std::int64_t batch_size = 1;
  bool shuffle = false;
  bool drop_last = false;   // leave out a last batch that is smaller
  int num_workers = 0;      // threads that make batches; 0: they are made when asked for
  int prefetch_factor = 2;  // batches made ahead, for each worker
  std::uint64_t seed = 0;   // of the order
};

template <class Dataset, class Collate>
class DataLoader {
 public:
  using Sample = std::remove_cvref_t<decltype(std::declval<const Dataset&>()[std::int64_t{}])>;
  using Batch = std::invoke_result_t<const Collate&, std::span<const Sample>>;

  // The dataset must live as long as the loader. `collate` is called by several threads.
  DataLoader(const Dataset& dataset, Collate collate, DataLoaderOptions options = {})
      : batches_{dataset, std::move(collate)}, loader_(batches_, loader_options(options)) {}
  DataLoader(const DataLoader&) = delete;  // the loader refers to the batches
  DataLoader& operator=(const DataLoader&) = delete;

  std::int64_t batches() const { return loader_.batches(); }  // in an epoch
  // The batches of an epoch, to be walked once, from the batch `first` on.
  auto epoch(std::int64_t number, std::int64_t first = 0) const { return loader_.epoch(number, first); }

 private:
  // The dataset as one of batches.
  struct Batches {
    std::int64_t size() const { return dataset.size(); }

    Batch batch(std::span<const std::int64_t> samples, const std::stop_token& left = {}) const {
      std::vector<Sample> made;
      made.reserve(samples.size());
      for (const std::int64_t sample : samples) {
        require(!left.stop_requested(), "DataLoader: the epoch was left");  // for nobody: its batches are gone
        made.push_back(with_place([&] { return dataset[sample]; }, "DataLoader: sample ", sample));
      }
      return with_place([&] { return collate(std::span<const Sample>(made)); }, "DataLoader: collating samples ",
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

    const Dataset& dataset;
    Collate collate;
  };

  static LoaderOptions loader_options(const DataLoaderOptions& options) {
    require(options.batch_size > 0, "DataLoader: batch_size must be positive, got ", options.batch_size);
    require(options.num_workers >= 0, "DataLoader: num_workers must not be negative, got ", options.num_workers);
    require(options.prefetch_factor > 0, "DataLoader: prefetch_factor must be positive, got ", options.prefetch_factor);
    return {.batch = options.batch_size,
            .shuffle = options.shuffle,
            .drop_last = options.drop_last,
            .workers = options.num_workers,
            .ahead = std::max(1, options.num_workers * options.prefetch_factor),
            .seed = options.seed};
  }

  Batches batches_;
  Loader<Batches> loader_;
};

}  // namespace weft::data
