// Embedding tables that are larger than memory: their rows are in files, with the state of the optimizer, and memory holds those that were
// used last. A step gets the rows of its batch, and others leave. The results have the same bits as those of an EmbeddingBagCollection.
//
//   embed::StoredEmbeddingBagCollection tables(configs, {.folder = "tables", .load_factor = 0.25});
//   optim::Adagrad optimizer(model, {.lr = 0.05});
//   tables.keep(optimizer.state());
//   const auto train_step = compile([&](const embed::StoredFeatures& features, const Tensor& clicks) {
//     const embed::KeyedTensor pooled = tables(tables.exchange(features));
//     ...
//   });
//   data::Prefetch<Batch> batches([&](std::int64_t i) { return Batch{tables.prepare(read_ids(i)), ...}; }, {.workers = 1});
//
// prepare() reads rows from the files, on any thread: a loader does it for the next batches while a step runs. Rows that leave are written
// by a thread of the collection. A checkpoint refers to the files: save() writes what they lack.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <vector>

#include <weft/embed/embedding_bags.h>
#include <weft/embed/jagged.h>
#include <weft/embed/keyed_tensor.h>
#include <weft/embed/stored_rows.h>
#include <weft/tensor/module.h>
#include <weft/tensor/parameter_ref.h>

namespace weft::record {
class Call;
}

namespace weft::embed {

struct StoredTablesOptions {
  std::filesystem::path folder =
      {};                    // for the files: twice the bytes of all rows and their state, as far as they were trained
  double load_factor = 0.2;  // the share of the rows that memory holds
  bool is_weighted = false;  // features have weights
};

// A batch whose rows have been read: an argument of the step.
class StoredFeatures {
 public:
  std::int64_t batch() const { return features_.batch(); }

  void fields(auto&& field) {
    field("features", features_);
    field("number", number_);
    field("slots", slots_);
    field("counters", counters_);
  }

 private:
  friend class StoredEmbeddingBagCollection;
  KeyedJaggedTensor features_;    // with slots instead of ids
  Tensor number_;                 // i64 [1], of the batch
  std::vector<Tensor> slots_;     // i64, of each group: those whose rows change
  std::vector<Tensor> counters_;  // i64, of tables of 16 bits: where the random bits of the rows that come begin
};

// A batch whose rows are in memory.
class ResidentFeatures {
  friend class StoredEmbeddingBagCollection;
  explicit ResidentFeatures(KeyedJaggedTensor features) : features_(std::move(features)) {}
  KeyedJaggedTensor features_;
};

class StoredEmbeddingBagCollection : public Layer {
 public:
  // The configuration is that of an EmbeddingBagCollection, with tables of f32, f16 or bf16 that are updated by rows and have no init_fn;
  // initial rows are the same as its. Throws Error for another one, and if the folder has other tables or is used by another process.
  StoredEmbeddingBagCollection(std::vector<EmbeddingBagConfig> tables, StoredTablesOptions options,
                               std::source_location where = std::source_location::current());
  StoredEmbeddingBagCollection(StoredEmbeddingBagCollection&&) noexcept;
  ~StoredEmbeddingBagCollection();

  // Has the states of an optimizer come and go with the rows: optimizer.state(). To be called before the first batch, for each optimizer that
  // trains these tables; with an empty list if none does.
  void keep(const std::vector<NamedParameter>& states, std::source_location where = std::source_location::current());

  // Reads the rows that a batch needs and are not in memory. To be called for one batch after the other, in the order in which steps use
  // them. Throws Error for an id that is no row, naming feature and sample, and if memory does not hold all rows of the batch.
  StoredFeatures prepare(const KeyedJaggedTensor& features,
                         std::source_location where = std::source_location::current());
  // Opens the files, which the first batch does otherwise, and begins with the rows of the checkpoint that was loaded, or initial ones.
  // Throws Error if the files have other rows.
  void open(std::source_location where = std::source_location::current());
  // Forgets batches that were prepared and that no step has used. No other thread may prepare one meanwhile.
  void discard_prepared();

  // Brings the rows of a batch into memory, once for each batch. The launch fails if a batch that was prepared earlier has not been used.
  ResidentFeatures exchange(const StoredFeatures& features,
                            std::source_location where = std::source_location::current());
  // Returns the pooled rows of all features, as EmbeddingBagCollection does.
  KeyedTensor operator()(const ResidentFeatures& features,
                         std::source_location where = std::source_location::current()) const;

  // Writes all rows to the files and calls `save_checkpoint`, which is to save state_dict of the model and the optimizer. If it returns, the
  // files keep what the checkpoint refers to until the next save. The process may be killed at any time: the last checkpoint is
  // complete. A checkpoint that is saved otherwise cannot be loaded.
  void save(const std::function<void()>& save_checkpoint);

  const std::vector<EmbeddingBagConfig>& configs() const { return configs_; }
  StoredRowStats stats() const;

  void fields(auto&& field) {
    for (Group& group : groups_) field(group.name, group.rows);
    for (Group& group : groups_) field("versions." + group.name, group.versions);
    field("state", state_);
    field("keys", keys_);
  }

 private:
  // Tables of one width.
  struct Group {
    std::string name;
    std::int64_t width = 0;
    std::int64_t slots = 0;
    Parameter rows = {};      // of all slots
    Parameter versions = {};  // u8, of the file
    Parameter counters = {};  // i64, of all slots of tables of 16 bits; follows from the rows, and so is not saved
    std::vector<ParameterRef> states = {};
  };
  struct Place {
    std::size_t group = 0;
    std::int64_t first_row = 0;  // of the table in its group
  };

  StoredRows& stored();
  void restore_if_loaded();
  void open(const record::Call& call);
  std::vector<Tensor> parts(const Group& group) const;
  std::vector<std::int64_t> counters_of(std::size_t group, std::span<const std::int64_t> rows) const;

  std::vector<EmbeddingBagConfig> configs_;
  StoredTablesOptions options_;
  std::vector<Group> groups_;
  std::vector<Place> places_;  // of each table
  std::vector<std::string> output_keys_;
  std::vector<std::int64_t> output_widths_;
  Parameter state_;                     // i64: which rows the files have; 0: those in memory are newer
  Parameter keys_;                      // u64: of the initial rows of each table
  Tensor known_keys_;                   // another one is in keys_ after a checkpoint was loaded
  bool knows_states_ = false;           // keep() was called
  std::unique_ptr<StoredRows> stored_;  // null before the first batch
};

}  // namespace weft::embed
