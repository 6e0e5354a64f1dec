// The host's part of tables that are larger than memory: which rows are in memory, reading those that a batch needs ahead of its step, and
// writing those that leave. Rows of one width share a file and a matrix in memory. Thread-safe. Internal to stored_tables.h.
//
// A step exchanges rows by a host function in its program, which gets the rows that leave and returns those that come. So rows leave with
// the update of the step before, whatever else runs at that time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <weft/base/file.h>
#include <weft/base/status.h>
#include <weft/embed/row_cache.h>
#include <weft/embed/row_file.h>
#include <weft/ir/host_function.h>

namespace weft::embed {

// The rows of all tables of one width, one table after the other.
struct StoredGroup {
  std::int64_t width = 0, rows = 0;
  std::int64_t slots = 0;               // rows in memory
  std::vector<std::size_t> parts = {};  // bytes of a row, then of the row of each state
  std::function<void(std::int64_t row, std::span<std::byte> values)> initial = {};  // makes a row for the first time

  std::string name() const { return concat("rows_", width); }
  std::size_t record_bytes() const;
};

struct StoredRowStats {
  std::uint64_t ids = 0;                          // in all batches
  std::uint64_t misses = 0;                       // rows that were not in memory
  std::uint64_t rows_read = 0, rows_written = 0;  // of the files
};

class StoredRows {
 public:
  // Opens the folder, which is created if it does not exist. `tables` describes the configuration; a folder of another one is refused.
  // Throws Error if another process has the folder.
  StoredRows(std::filesystem::path folder, std::string tables, std::vector<StoredGroup> groups);
  ~StoredRows();
  StoredRows(const StoredRows&) = delete;
  StoredRows& operator=(const StoredRows&) = delete;

  struct Prepared {
    std::int64_t batch = 0;                              // its number, unique in this process
    std::vector<std::vector<std::int64_t>> slots = {};   // of each group: those whose rows change
    std::vector<std::vector<std::int64_t>> coming = {};  // and the rows that come there
  };
  // Replaces the rows that a batch needs, of each group, by their slots, and reads those that are not in memory. Throws Error if they do not
  // all fit there.
  Prepared prepare(std::span<std::vector<std::int64_t>> rows);
  // Forgets batches that were prepared and not exchanged. No other thread may prepare one meanwhile.
  void discard_prepared();

  // Called by the program of the step. Inputs: the number of the batch, and for each group, the rows and states that leave. Outputs: those
  // that come.
  static void exchange(const ir::HostCall& call);

  // The bytes of all slots of a group: of rows, then of each state.
  using Matrices = std::vector<std::span<const std::byte>>;
  // Writes what has changed since the last time to the files. Returns the number of this state, and which records of each group make it up.
  // Every batch that a step has exchanged must have ended.
  std::int64_t write_back(std::span<const Matrices> groups);
  const RowFile::Versions& versions(std::size_t group) const { return groups_[group].file.versions(); }
  // Says that a checkpoint refers to what write_back() returned last: its records are kept until the next time.
  void saved();
  // Goes on from a state that a checkpoint refers to. Throws Error if the files have another one.
  void restore(std::int64_t state, std::vector<RowFile::Versions> versions);
  // Begins with initial rows. Throws Error if the files have a state that a checkpoint may refer to.
  void begin();

  StoredRowStats stats() const;

 private:
  struct Group {
    StoredGroup what;
    RowFile file;
    RowCache cache;
    std::vector<std::int64_t> in_memory;  // the row in each slot after the last exchange
    // Rows that will leave with a batch that was prepared, by the number of the batch.
    std::unordered_map<std::int64_t, std::int64_t> leaving = {};
    struct Left {
      std::shared_ptr<const std::vector<std::byte>> records;
      std::size_t at;  // where the record begins
    };
    std::unordered_map<std::int64_t, Left> left = {};  // rows that have left and are not written yet
  };
  struct Planned {
    std::int64_t batch = 0;
    struct Rows {
      std::vector<RowCache::Move> moves;  // `out` is none if the file has the row as it is
      std::vector<std::byte> records;     // of the rows that come
      std::vector<std::size_t> late;  // of the moves: their records are not read, because these rows are still to leave
    };
    std::vector<Rows> groups = {};
  };

  void exchange_rows(const ir::HostCall& call);
  void take_leaving(Group& group, const Planned& plan, std::size_t g, std::span<const ir::HostInput> inputs);
  void give_coming(Group& group, Planned::Rows& rows, std::span<const ir::HostOutput> outputs);
  void place(Group& group, Planned& plan, std::vector<std::int64_t>& rows, std::vector<std::size_t>& to_read);
  static void read(const Group& group, std::span<const RowFile::Wanted> rows);
  static bool find_left(const Group& group, std::int64_t row, std::span<std::byte> record);
  void write_left(const std::stop_token& stop);
  void write_left_of(Group& group, std::unique_lock<std::mutex>& lock);
  void wait_until_written(std::unique_lock<std::mutex>& lock);
  void forget_planned();
  void write_header(std::int64_t saved, std::optional<std::int64_t> written);
  void before_write();
  void require_no_failure() const;

  const std::filesystem::path folder_;
  const std::string tables_;
  FolderLock lock_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Group> groups_;
  std::deque<std::shared_ptr<Planned>> planned_;  // batches that were prepared and not exchanged, in order
  std::int64_t exchanged_ = -1;                   // the last batch that was
  std::int64_t written_back_ = -1;                // rows that no later batch needed are in the files
  std::size_t left_bytes_ = 0;
  std::int64_t saved_ = 0;  // the state that a checkpoint refers to; 0: none
  std::optional<std::int64_t> written_ =
      {};  // the state that write_back() returned, as long as nothing was written since
  bool has_begun_ = false;
  Status failure_ = {};  // of the thread that writes
  StoredRowStats stats_ = {};
  std::jthread writer_;  // last, so that it ends first
};

}  // namespace weft::embed
