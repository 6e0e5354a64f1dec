#include <weft/embed/stored_rows.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/json.h>
#include <weft/base/trace.h>

namespace weft::embed {

namespace {

constexpr const char* header_name = "tables.json";
// A step waits while more bytes than this have left memory and are not written.
constexpr std::size_t most_left_bytes = std::size_t{256} << 20;

// The tables that prepared a batch, by its number.
struct Registry {
  std::mutex mutex;
  std::map<std::int64_t, StoredRows*> by_batch;
  std::atomic<std::int64_t> next = 0;

  static Registry& instance() {
    static Registry registry;
    return registry;
  }
};

// Returns a number that no other state of any folder has, so that a checkpoint is never loaded with rows of another run.
std::int64_t new_state() {
  std::random_device device;
  return std::uniform_int_distribution<std::int64_t>(1, std::numeric_limits<std::int64_t>::max())(device);
}

// Moves the parts of a record, of which each lies in a matrix of its own, in row `index`.
template <class Move>
void for_each_part(const StoredGroup& group, std::size_t index, Move move) {
  std::size_t at = 0;
  for (std::size_t part = 0; part < group.parts.size(); ++part) {
    move(part, index * group.parts[part], at, group.parts[part]);
    at += group.parts[part];
  }
}

}  // namespace

std::size_t StoredGroup::record_bytes() const {
  std::size_t bytes = 0;
  for (const std::size_t part : parts) bytes += part;
  return bytes;
}

StoredRows::StoredRows(std::filesystem::path folder, std::string tables, std::vector<StoredGroup> groups)
    : folder_((make_folder(folder), std::move(folder))), tables_(std::move(tables)), lock_(folder_) {
  remove_temporaries(folder_);
  if (const auto header = folder_ / header_name; std::filesystem::exists(header)) {
    const nlohmann::json root = parse_json(read_file(header));
    const JsonValue value(root, header_name);
    if (value.at("format").text() != "weft stored tables") fail(header.string(), " does not describe stored tables");
    const std::string known = value.at("tables").text();
    require(known == tables_, "the folder ", folder_.string(), " has the tables ", known, ", not ", tables_,
            ": choose another folder");
    saved_ = value.at("saved").integer<std::int64_t>(0);
    if (value.has("written")) written_ = value.at("written").integer<std::int64_t>(1);
  }
  for (StoredGroup& group : groups) {
    RowFile file(folder_ / concat(group.name(), ".records"), group.rows, group.record_bytes());
    RowCache cache(group.rows, group.slots);
    std::vector<std::int64_t> in_memory(group.slots, RowCache::none);
    groups_.push_back({std::move(group), std::move(file), std::move(cache), std::move(in_memory)});
  }
  writer_ = std::jthread([this](const std::stop_token& stop) { write_left(stop); });
}

StoredRows::~StoredRows() {
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  std::erase_if(registry.by_batch, [this](const auto& entry) { return entry.second == this; });
}

void StoredRows::begin() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(has_begun_, true)) return;
  require(saved_ == 0 && !written_, "the folder ", folder_.string(),
          " has the rows of a checkpoint: load it before the first batch, or remove the folder to begin anew");
  write_header(0, std::nullopt);
}

void StoredRows::write_header(std::int64_t saved, std::optional<std::int64_t> written) {
  nlohmann::json root{{"format", "weft stored tables"}, {"tables", tables_}, {"saved", saved}};
  if (written) root["written"] = *written;
  write_file(folder_ / header_name, print_json(root, 2));
  saved_ = saved;
  written_ = written;
}

// Before a record of a state that no checkpoint is known to have is overwritten.
void StoredRows::before_write() {
  if (written_) write_header(saved_, std::nullopt);
}

void StoredRows::require_no_failure() const { require(failure_.ok(), "stored tables: ", failure_.reason()); }

bool StoredRows::find_left(const Group& group, std::int64_t row, std::span<std::byte> record) {
  const auto found = group.left.find(row);
  if (found == group.left.end()) return false;
  std::copy_n(found->second.records->begin() + static_cast<std::ptrdiff_t>(found->second.at), record.size(),
              record.begin());
  return true;
}

// Reads records from the file, or makes them for the first time. States begin with zeros.
void StoredRows::read(const Group& group, std::span<const RowFile::Wanted> rows) {
  std::vector<RowFile::Wanted> in_file;
  for (const RowFile::Wanted& wanted : rows)
    if (group.file.has(wanted.row)) in_file.push_back(wanted);
  group.file.read(in_file);
  for (const RowFile::Wanted& wanted : rows) {
    if (group.file.has(wanted.row)) continue;
    std::ranges::fill(wanted.to, std::byte{});
    group.what.initial(wanted.row, wanted.to.first(group.what.parts[0]));
  }
}

// Decides which rows come and leave. `to_read` receives the moves whose records are to be read from the file.
void StoredRows::place(Group& group, Planned& plan, std::vector<std::int64_t>& rows,
                       std::vector<std::size_t>& to_read) {
  Planned::Rows& planned = plan.groups.emplace_back();
  planned.moves = group.cache.place(rows, plan.batch);
  const std::size_t bytes = group.what.record_bytes();
  planned.records.resize(planned.moves.size() * bytes);
  for (std::size_t i = 0; i < planned.moves.size(); ++i) {
    RowCache::Move& move = planned.moves[i];
    if (group.leaving.contains(move.in)) {
      planned.late.push_back(i);
    } else if (!find_left(group, move.in, std::span(planned.records).subspan(i * bytes, bytes))) {
      to_read.push_back(i);
    }
    if (move.out_used <= written_back_) move.out = RowCache::none;
  }
  for (const RowCache::Move& move : planned.moves)
    if (move.out != RowCache::none) group.leaving[move.out] = plan.batch;
}

StoredRows::Prepared StoredRows::prepare(std::span<std::vector<std::int64_t>> rows) {
  const trace::Scope scope("embed", "read rows");
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::int64_t slots = groups_[g].cache.slots();
    if (std::ssize(rows[g]) <= slots) continue;
    std::vector<std::int64_t> distinct = rows[g];
    std::ranges::sort(distinct);
    const std::int64_t count = std::ranges::unique(distinct).begin() - distinct.begin();
    require(count <= slots, "stored tables: a batch needs ", count, " rows of width ", groups_[g].what.width,
            ", and memory holds ", slots, ": raise load_factor, or make batches smaller");
  }
  const auto plan = std::make_shared<Planned>();
  std::vector<std::vector<std::size_t>> to_read(groups_.size());
  {
    const std::lock_guard lock(mutex_);
    require_no_failure();
    Registry& registry = Registry::instance();
    const std::lock_guard registry_lock(registry.mutex);
    plan->batch = registry.next++;
    registry.by_batch[plan->batch] = this;
    planned_.push_back(plan);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      place(groups_[g], *plan, rows[g], to_read[g]);
      stats_.ids += rows[g].size();
      stats_.misses += plan->groups[g].moves.size();
      stats_.rows_read += to_read[g].size();
    }
  }
  Prepared prepared{.batch = plan->batch};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    Planned::Rows& planned = plan->groups[g];
    const std::size_t bytes = group.what.record_bytes();
    std::vector<RowFile::Wanted> wanted;
    for (const std::size_t i : to_read[g])
      wanted.push_back({planned.moves[i].in, std::span(planned.records).subspan(i * bytes, bytes)});
    read(group, wanted);
    std::vector<std::int64_t>& slots = prepared.slots.emplace_back();
    std::vector<std::int64_t>& coming = prepared.coming.emplace_back();
    for (const RowCache::Move& move : planned.moves) {
      slots.push_back(move.slot);
      coming.push_back(move.in);
    }
  }
  return prepared;
}

void StoredRows::exchange(const ir::HostCall& call) {
  const std::int64_t batch = call.inputs[0].data<std::int64_t>()[0];
  StoredRows* rows = nullptr;
  {
    Registry& registry = Registry::instance();
    const std::lock_guard lock(registry.mutex);
    const auto found = registry.by_batch.find(batch);
    require(found != registry.by_batch.end(),
            "stored tables: rows of a batch were exchanged twice, or it was discarded: prepare it again");
    rows = found->second;
  }
  rows->exchange_rows(call);
}

void StoredRows::exchange_rows(const ir::HostCall& call) {
  const std::int64_t batch = call.inputs[0].data<std::int64_t>()[0];
  std::unique_lock lock(mutex_);
  require_no_failure();
  require(
      !planned_.empty() && planned_.front()->batch == batch,
      "stored tables: a batch that was prepared earlier has not been used: use batches in the order in which they were "
      "prepared, or call discard_prepared()");
  changed_.wait(lock, [&] { return left_bytes_ <= most_left_bytes || !failure_.ok(); });
  require_no_failure();
  const std::shared_ptr<Planned> plan = planned_.front();
  planned_.pop_front();
  {
    Registry& registry = Registry::instance();
    const std::lock_guard registry_lock(registry.mutex);
    registry.by_batch.erase(batch);
  }
  std::size_t at = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const std::size_t parts = groups_[g].what.parts.size();
    take_leaving(groups_[g], *plan, g, call.inputs.subspan(1 + at, parts));
    give_coming(groups_[g], plan->groups[g], call.outputs.subspan(at, parts));
    at += parts;
  }
  exchanged_ = batch;
  changed_.notify_all();
}

void StoredRows::take_leaving(Group& group, const Planned& plan, std::size_t g, std::span<const ir::HostInput> inputs) {
  const std::size_t bytes = group.what.record_bytes();
  const std::vector<RowCache::Move>& moves = plan.groups[g].moves;
  std::size_t count = 0;
  for (const RowCache::Move& move : moves) count += move.out != RowCache::none ? 1 : 0;
  const auto records = std::make_shared<std::vector<std::byte>>(count * bytes);
  std::size_t to = 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const std::int64_t row = moves[i].out;
    if (row == RowCache::none) continue;
    for_each_part(group.what, i, [&](std::size_t part, std::size_t from, std::size_t within, std::size_t size) {
      std::memcpy(records->data() + to + within, inputs[part].bytes + from, size);
    });
    if (group.left.insert_or_assign(row, Group::Left{records, to}).second) left_bytes_ += bytes;
    if (const auto leaving = group.leaving.find(row); leaving != group.leaving.end() && leaving->second == plan.batch)
      group.leaving.erase(leaving);
    to += bytes;
  }
  for (const RowCache::Move& move : moves) group.in_memory[move.slot] = move.in;
}

void StoredRows::give_coming(Group& group, Planned::Rows& rows, std::span<const ir::HostOutput> outputs) {
  const std::size_t bytes = group.what.record_bytes();
  for (const std::size_t i : rows.late) {
    const std::span record = std::span(rows.records).subspan(i * bytes, bytes);
    if (find_left(group, rows.moves[i].in, record)) continue;
    const RowFile::Wanted wanted{rows.moves[i].in, record};
    read(group, std::span(&wanted, 1));
  }
  for (std::size_t i = 0; i < rows.moves.size(); ++i)
    for_each_part(group.what, i, [&](std::size_t part, std::size_t to, std::size_t within, std::size_t size) {
      std::memcpy(outputs[part].bytes + to, rows.records.data() + i * bytes + within, size);
    });
}

void StoredRows::write_left(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return left_bytes_ > 0 && failure_.ok(); })) try {
      before_write();
      for (Group& group : groups_) write_left_of(group, lock);
      changed_.notify_all();
    } catch (const Error& error) {
      if (!lock.owns_lock()) lock.lock();
      failure_ = Status::failed(error.what());
      changed_.notify_all();
    }
}

void StoredRows::write_left_of(Group& group, std::unique_lock<std::mutex>& lock) {
  std::vector<std::pair<std::int64_t, Group::Left>> rows(group.left.begin(), group.left.end());
  if (rows.empty()) return;
  const std::size_t bytes = group.what.record_bytes();
  lock.unlock();
  std::ranges::sort(rows, {}, &std::pair<std::int64_t, Group::Left>::first);
  for (const auto& [row, left] : rows) group.file.write(row, std::span(*left.records).subspan(left.at, bytes));
  lock.lock();
  stats_.rows_written += rows.size();
  for (const auto& [row, left] : rows) {
    const auto found = group.left.find(row);
    if (found == group.left.end() || found->second.records != left.records) continue;  // it has left once more
    group.left.erase(found);
    left_bytes_ -= bytes;
  }
}

void StoredRows::wait_until_written(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return left_bytes_ == 0 || !failure_.ok(); });
  require_no_failure();
}

std::int64_t StoredRows::write_back(std::span<const Matrices> matrices) {
  const trace::Scope scope("embed", "write rows back");
  begin();
  std::unique_lock lock(mutex_);
  wait_until_written(lock);
  before_write();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    std::vector<std::byte> record(group.what.record_bytes());
    std::vector<std::pair<std::int64_t, std::size_t>> changed;  // row and slot
    for (std::size_t slot = 0; slot < group.in_memory.size(); ++slot) {
      const std::int64_t row = group.in_memory[slot], at = static_cast<std::int64_t>(slot);
      if (row == RowCache::none || (group.cache.row(at) == row && group.cache.used(at) <= written_back_)) continue;
      changed.emplace_back(row, slot);
    }
    std::ranges::sort(changed);
    for (const auto& [row, slot] : changed) {
      for_each_part(group.what, slot, [&](std::size_t part, std::size_t from, std::size_t within, std::size_t size) {
        std::memcpy(record.data() + within, matrices[g][part].data() + from, size);
      });
      group.file.write(row, record);
    }
    stats_.rows_written += changed.size();
    group.file.sync();
  }
  written_back_ = exchanged_;
  write_header(saved_, new_state());
  return *written_;
}

void StoredRows::saved() {
  const std::lock_guard lock(mutex_);
  require(written_.has_value(), "stored tables: rows were exchanged since they were written back: save in between");
  write_header(*written_, std::nullopt);
  for (Group& group : groups_) group.file.protect();
}

void StoredRows::forget_planned() {
  Registry& registry = Registry::instance();
  const std::lock_guard lock(registry.mutex);
  for (const auto& plan : planned_) registry.by_batch.erase(plan->batch);
  planned_.clear();
  for (Group& group : groups_) {
    group.leaving.clear();
    group.cache.reset(group.in_memory);
  }
}

void StoredRows::discard_prepared() {
  const std::lock_guard lock(mutex_);
  forget_planned();
}

void StoredRows::restore(std::int64_t state, std::vector<RowFile::Versions> versions) {
  std::unique_lock lock(mutex_);
  wait_until_written(lock);
  require(state > 0,
          "stored tables: the checkpoint was saved without its rows: save it within save(), which writes them");
  require(state == saved_ || state == written_, "stored tables: the folder ", folder_.string(),
          " does not have the rows of this checkpoint: only the last checkpoint can be loaded, with the folder that it "
          "was saved with");
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].file.restore(std::move(versions[g]));
    std::ranges::fill(groups_[g].in_memory, RowCache::none);
  }
  forget_planned();
  has_begun_ = true;
  write_header(state, std::nullopt);
}

StoredRowStats StoredRows::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace weft::embed
