// Batches of samples for a model, loaded ahead of their use by worker threads. Their order and contents do not depend
// on the number of workers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <apps/ranking/sample_stream.h>
#include <weft/data/prefetch.h>
#include <weft/embed/jagged.h>
#include <weft/embed/stored_tables.h>
#include <weft/tensor/tensor.h>

namespace weft::ranking {

// A batch always has the same shapes: samples that are missing at the end of the days, and malformed ones that were
// skipped, are filled with zeros and have the weight 0. So nothing is left out, and one program serves all batches.
struct RankingBatch {
  embed::KeyedJaggedTensor ids;                      // rows of the tables C1 to C26
  Tensor numbers;                                    // [batch, 13]: log(1 + number)
  Tensor labels, weights;                            // [batch]
  std::optional<embed::StoredFeatures> stored = {};  // the ids, if the tables are in files
  void fields(auto&& field) {
    field("ids", ids);
    field("numbers", numbers);
    field("labels", labels);
    field("weights", weights);
    field("stored", stored);
  }
};

// The name of an id's feature, which is also that of its table: C1 to C26.
std::string id_feature(std::size_t index);

// Where a reader stands that reads the days again and again.
struct ReaderPosition {
  std::int64_t epoch = 0;
  StreamPosition in_days = {};
};

struct LoadedBatch {
  RankingBatch tensors;
  std::vector<bool> clicked = {};  // of the samples, without those that are missing
  std::vector<double> rule = {};   // the probabilities by the rule, if it is known and asked for
  std::int64_t skipped = 0;        // malformed lines
  std::string first_skipped = {};
  ReaderPosition next = {};  // where the next batch begins
};

struct BatchOptions {
  std::int64_t batch = 1;
  std::vector<std::int64_t> rows;  // of each table: an id looks up the row id % rows, and a missing id row 0
  int workers = 1;                 // threads that make batches; 0: they are made when requested
  bool repeat = true;              // begins again at the end of the days
  bool with_rule = false;
  std::int64_t first_step = 0;  // the number of the first batch, for messages
  ReaderPosition from = {};
  // Divides a batch among devices, if given; workers call it.
  std::function<RankingBatch(RankingBatch)> divide = {};
};

class BatchReader {
 public:
  // The days must live as long as the reader.
  BatchReader(const Days& days, BatchOptions options);
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;
  ~BatchReader();

  // Returns the next batch; nullopt at the end of the days, unless they repeat. Blocks until it is loaded. Throws
  // Error, which names the batch, if it could not be; batches after it are not loaded either.
  std::optional<LoadedBatch> next();

 private:
  class Order;
  std::unique_ptr<Order> order_;
  data::Prefetch<std::optional<LoadedBatch>> batches_;
};

}  // namespace weft::ranking
