#include <weft/embed/id_map.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <weft/base/hash.h>
#include <weft/tensor/creation.h>

namespace weft::embed {

IdMap::IdMap(std::string name, IdMapOptions options) : name_(std::move(name)), options_(options) {
  require(options_.rows > 0, "IdMap: table \"", name_, "\" has ", options_.rows, " rows");
  require(options_.probes > 0, "IdMap: an id of table \"", name_, "\" may have ", options_.probes, " rows");
  require(options_.keeps > 0, "IdMap: table \"", name_, "\" keeps the ids of ", options_.keeps,
          " batches; those of the batch that is mapped are always kept, so at least 1");
  options_.probes = std::min(options_.probes, options_.rows);
  for (auto* of_rows : {&ids_, &last_batch_, &counts_}) of_rows->resize(options_.rows);
}

std::int64_t IdMap::first_row(std::int64_t id) const {
  const std::uint64_t hash = mix(options_.seed + 1, static_cast<std::uint64_t>(id));
  return static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(options_.rows));
}

std::int64_t IdMap::row_at(std::int64_t first, std::int64_t probe) const {
  const std::int64_t row = first + probe;
  return row < options_.rows ? row : row - options_.rows;
}

double IdMap::score(std::int64_t row) const {
  switch (options_.eviction) {
    case Eviction::lru: return static_cast<double>(last_batch_[row]);
    case Eviction::lfu: return static_cast<double>(counts_[row]);
    case Eviction::distance_lfu:
      return static_cast<double>(counts_[row]) /
             std::pow(static_cast<double>(batch_ - last_batch_[row]), options_.decay);
  }
  __builtin_unreachable();
}

// A row that has had an id is never without one again, so an id is not behind the first free row.
IdMap::Place IdMap::place_of(std::int64_t id) const {
  const std::int64_t first = first_row(id);
  std::int64_t least = -1;
  for (std::int64_t probe = 0; probe < options_.probes; ++probe) {
    const std::int64_t row = row_at(first, probe);
    if (last_batch_[row] == 0) return {row, false};
    if (ids_[row] == id) return {row, true};
    if (last_batch_[row] > batch_ - options_.keeps) continue;
    if (least < 0 || score(row) < score(least)) least = row;
  }
  return {least, false};
}

std::vector<std::int64_t> IdMap::map(std::span<const std::int64_t> ids, std::vector<std::int64_t>& evicted,
                                     bool is_same_batch) {
  if (!is_same_batch || batch_ == 0) ++batch_;
  std::vector<std::int64_t> rows;
  rows.reserve(ids.size());
  for (const std::int64_t id : ids) {
    const auto [row, has_id] = place_of(id);
    if (row < 0) {
      require(options_.no_row != NoRow::error, "IdMap: id ", id, " of table \"", name_, "\" finds no row: the ",
              options_.probes, " that it may have belong to ids of the last ", options_.keeps,
              " batches: give the table more rows than its ", options_.rows,
              ", or let such ids be skipped or share a row (no_row)");
      rows.push_back(options_.no_row == NoRow::skip ? -1 : first_row(id));
      continue;
    }
    if (!has_id) {
      if (last_batch_[row] == 0) {
        ++used_;
      } else {
        ++evictions_;
        evicted.push_back(row);
      }
      ids_[row] = id;
      counts_[row] = 0;
    }
    last_batch_[row] = batch_;
    ++counts_[row];
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::int64_t> IdMap::find(std::span<const std::int64_t> ids) const {
  std::vector<std::int64_t> rows;
  rows.reserve(ids.size());
  for (const std::int64_t id : ids) {
    const auto [row, has_id] = place_of(id);
    rows.push_back(has_id ? row : -1);
  }
  return rows;
}

StateDict IdMap::state() const {
  const auto of_rows = [&](const std::vector<std::int64_t>& x) { return from_vector(x, {options_.rows}); };
  return {{name_ + ".ids", of_rows(ids_)},
          {name_ + ".last_batch", of_rows(last_batch_)},
          {name_ + ".counts", of_rows(counts_)},
          {name_ + ".batch", from_vector(std::vector{batch_, evictions_}, {2})}};
}

void IdMap::load(const StateDict& state) {
  const auto read = [&](const char* what, std::int64_t count) {
    const auto found = state.find(name_ + '.' + what);
    require(found != state.end(), "IdMap: the state has no ", name_, '.', what);
    require(found->second.type() == Type(DType::i64, {count}), "IdMap: ", found->first, " is ", found->second.type(),
            ", expected ", Type(DType::i64, {count}), ": the table has another number of rows");
    return found->second.to_vector<std::int64_t>();
  };
  std::array all{read("ids", options_.rows), read("last_batch", options_.rows), read("counts", options_.rows)};
  const auto numbers = read("batch", 2);
  std::tie(ids_, last_batch_, counts_) = std::tie(all[0], all[1], all[2]);
  batch_ = numbers[0];
  evictions_ = numbers[1];
  used_ = options_.rows - std::ranges::count(last_batch_, 0);
}

}  // namespace weft::embed
