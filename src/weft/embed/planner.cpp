#include <weft/embed/planner.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <weft/base/knobs.h>
#include <weft/base/process.h>
#include <weft/tensor/sharding.h>

namespace weft::embed {

namespace {

// What a table asks of a device that has some of its columns and rows.
struct TableCost {
  double ids;   // of a step, over all features
  double bags;  // of a step
  double rows, width, bytes_per_element;

  double table_bytes(double share_of_rows, double share_of_columns, double states) const {
    return rows * share_of_rows * width * share_of_columns * (bytes_per_element + 4 * states);
  }
  // The time for lookups and updates of a piece. `seen` are the ids that are looked at; some of them are looked up, and some updated.
  double seconds(double seen, double looked_up, double updated, double share_of_rows, double share_of_columns,
                 const PlannerOptions& o) const {
    const double piece_rows = rows * share_of_rows, columns = width * share_of_columns;
    const double row = columns * bytes_per_element, state = columns * 4 * o.states_per_element, gradient = columns * 4;
    // The expected number of different rows among ids that are spread evenly; each is read and written.
    const double touched = piece_rows * -std::expm1(-updated / piece_rows);
    const double share_in_memory = std::max(0.0, 1 - o.cache_bytes / (piece_rows * row));
    const double bytes = looked_up * row + updated * gradient + 2 * touched * (row + state);
    return seen / o.ids_per_s + share_in_memory * (looked_up + 2 * touched) / o.rows_per_s + bytes / o.row_bytes_per_s;
  }
  double pooled_bytes() const { return bags * width * 4; }
};

TableCost cost_of(const EmbeddingBagConfig& table, const PlannerOptions& options) {
  TableCost cost{.ids = 0,
                 .bags = static_cast<double>(options.batch) * static_cast<double>(table.feature_names.size()),
                 .rows = static_cast<double>(table.num_embeddings),
                 .width = static_cast<double>(table.embedding_dim),
                 .bytes_per_element = static_cast<double>(byte_size(table.data_type))};
  for (const std::string& feature : table.feature_names) {
    const auto known = options.ids_per_bag.find(feature);
    cost.ids += static_cast<double>(options.batch) * (known == options.ids_per_bag.end() ? 1 : known->second);
  }
  return cost;
}

// Adds up what tables cost on each device.
class Loads {
 public:
  Loads(const std::vector<EmbeddingBagConfig>& tables, const ShardingPlan& plan, const PlannerOptions& options)
      : options_(options), devices_(plan.devices()), host_(plan.devices_of_a_host()) {
    for (const EmbeddingBagConfig& table : tables) costs_.push_back(cost_of(table, options));
    for (const TableCost& cost : costs_) ids_ += cost.ids;
  }

  struct State {
    std::vector<DeviceLoad> devices;
    double work = 0;  // seconds of lookups and updates, of all devices
    std::map<double, std::vector<double>> pooled =
        {};             // bytes that each device pools for others, by the width of the rows
    double summed = 0;  // bytes of partial sums, on every device

    // Rows of one width are exchanged together, and all devices send what the fullest one has: slots are padded.
    double most_pooled() const {
      double bytes = 0;
      for (const auto& [width, of_devices] : pooled) bytes += std::ranges::max(of_devices);
      return bytes;
    }
    double replicated = 0;  // bytes of gradients that all devices get
    // Pooled rows of tables that are replicated, that are divided by rows, and of pieces that some devices have.
    double replicated_rows = 0, summed_rows = 0, rows_of_pieces = 0;
  };

  State state(const std::vector<TablePlacement>& placements) const {
    State state{.devices = std::vector<DeviceLoad>(devices_)};
    for (std::size_t t = 0; t < placements.size(); ++t) add(state, t, placements[t]);
    return state;
  }

  // Of devices that are even, each sends all but its own share.
  double exchange_seconds(const State& state) const {
    const double others = static_cast<double>(devices_ - 1) / static_cast<double>(devices_);
    const auto exchange = [&](double bytes) {
      return bytes > 0 && devices_ > 1 ? options_.link.seconds(bytes * others) : 0;
    };
    return 2 * exchange(state.most_pooled()) + 2 * exchange(state.summed) + exchange(state.replicated) +
           exchange(8 * ids_) + order_seconds(state);
  }
  double busy_seconds(const State& state) const {
    if (options_.devices_share_cpus()) return state.work;
    return std::ranges::max(state.devices, {}, &DeviceLoad::lookup_seconds).lookup_seconds;
  }
  double seconds(const State& state) const { return exchange_seconds(state) + busy_seconds(state); }
  double missing_bytes(const State& state) const {
    double missing = 0;
    if (options_.memory_bytes > 0)
      for (const DeviceLoad& device : state.devices)
        missing += std::max(0.0, device.table_bytes - options_.memory_bytes);
    return missing;
  }

 private:
  // The time for bringing pooled rows into the order of the features, and their gradients into that of the exchanges. Tables that are all
  // replicated, or all divided by rows, have the first already.
  double order_seconds(const State& state) const {
    const double devices = static_cast<double>(devices_), divided = state.rows_of_pieces + state.summed_rows;
    if (divided == 0) return 0;
    const bool has_several_orders = state.rows_of_pieces > 0 || state.replicated_rows > 0;
    const double forward = has_several_orders ? state.replicated_rows + divided : 0;
    const double backward = state.replicated_rows + state.rows_of_pieces + devices * state.summed_rows;
    const double seconds = (forward + backward) / options_.pooled_rows_per_s;
    return options_.devices_share_cpus() ? seconds : seconds / devices;
  }

  void add(State& state, std::size_t t, const TablePlacement& placement) const {
    const TableCost& cost = costs_[t];
    const auto put = [&](std::int64_t first, std::int64_t count, double seen, double looked_up, double updated,
                         double rows, double columns) {
      for (std::int64_t d = first; d < first + count; ++d) {
        DeviceLoad& device = state.devices[d];
        device.table_bytes += cost.table_bytes(rows, columns, options_.states_per_element);
        const double seconds = cost.seconds(seen, looked_up, updated, rows, columns, options_);
        device.lookup_seconds += seconds;
        state.work += seconds;
        ++device.pieces;
      }
    };
    const double all = static_cast<double>(devices_), host = static_cast<double>(host_);
    if (placement.sharding == TableSharding::data_parallel) {
      put(0, devices_, cost.ids / all + cost.ids, cost.ids / all, cost.ids, 1, 1);
      state.replicated += cost.pooled_bytes();
      state.replicated_rows += cost.bags;
      return;
    }
    if (placement.sharding == TableSharding::row_wise) {
      put(0, devices_, 2 * cost.ids, cost.ids / all, cost.ids / all, 1 / all, 1);
      state.summed += cost.pooled_bytes();
      state.summed_rows += cost.bags;
      return;
    }
    const bool by_rows =
        placement.sharding == TableSharding::table_row_wise || placement.sharding == TableSharding::grid;
    const double columns = 1 / static_cast<double>(placement.at.size());
    for (const std::int64_t at : placement.at) {
      const std::int64_t first = by_rows ? at * host_ : at, count = by_rows ? host_ : 1;
      const double share = by_rows ? 1 / host : 1;
      put(first, count, 2 * cost.ids, cost.ids * share, cost.ids * share, share, columns);
      std::vector<double>& pooled = state.pooled[cost.width * columns];
      pooled.resize(devices_);
      for (std::int64_t d = first; d < first + count; ++d) {
        pooled[d] += cost.pooled_bytes() * columns;
        state.rows_of_pieces += cost.bags;
      }
    }
  }

  const PlannerOptions& options_;
  std::int64_t devices_, host_;
  std::vector<TableCost> costs_;
  double ids_ = 0;
};

// Returns every placement of a table that has a reason: of pieces of columns, those that go to the devices with least to do.
std::vector<TablePlacement> candidates(const EmbeddingBagConfig& table, const ShardingPlan& plan,
                                       const PlannerOptions& options, const Loads::State& state) {
  const auto known = options.allowed.find(table.name);
  const auto is_allowed = [&](TableSharding kind) {
    return known == options.allowed.end() || std::ranges::count(known->second, kind) != 0;
  };
  const std::int64_t devices = plan.devices(), hosts = devices / plan.devices_of_a_host();
  std::vector<TablePlacement> found;
  const auto offer = [&](TableSharding kind, std::vector<std::int64_t> at) {
    if (is_allowed(kind)) found.push_back({kind, std::move(at)});
  };
  if (!table.sparse_update) return {{TableSharding::data_parallel}};
  offer(TableSharding::data_parallel, {});
  offer(TableSharding::row_wise, {});
  for (std::int64_t d = 0; d < devices; ++d) offer(TableSharding::table_wise, {d});
  std::vector<std::int64_t> idle(devices);  // devices with least to do first
  std::iota(idle.begin(), idle.end(), 0);
  std::ranges::stable_sort(idle, {}, [&](std::int64_t d) { return state.devices[d].lookup_seconds; });
  for (std::int64_t pieces = 2; pieces <= devices; ++pieces)
    if (table.embedding_dim % pieces == 0 && table.embedding_dim / pieces >= options.least_columns)
      offer(TableSharding::column_wise, {idle.begin(), idle.begin() + pieces});
  if (plan.axes.size() < 2) return found;
  for (std::int64_t h = 0; h < hosts; ++h) offer(TableSharding::table_row_wise, {h});
  for (std::int64_t pieces = 2; pieces <= hosts; ++pieces)
    if (table.embedding_dim % pieces == 0 && table.embedding_dim / pieces >= options.least_columns) {
      std::vector<std::int64_t> at(pieces);
      std::iota(at.begin(), at.end(), 0);
      offer(TableSharding::grid, std::move(at));
    }
  return found;
}

[[noreturn]] void fail_memory(const std::vector<EmbeddingBagConfig>& tables, const ShardingPlan& plan,
                              const PlannerOptions& options) {
  double all = 0, largest = 0;
  std::string name;
  for (const EmbeddingBagConfig& table : tables) {
    const double bytes = cost_of(table, options).table_bytes(1, 1, options.states_per_element);
    all += bytes;
    if (bytes > largest) {
      largest = bytes;
      name = table.name;
    }
  }
  const auto devices = static_cast<double>(plan.devices());
  const auto text = [](double bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); };
  fail("plan_tables: the tables and their states take ", text(all), ", the ", plan.devices(), " devices have ",
       text(options.memory_bytes * devices), "; the largest table, \"", name, "\", takes ", text(largest),
       ". It would fit on ", std::ceil(all / options.memory_bytes), " devices, or with ",
       text(std::ceil(all / devices)),
       " on each if tables may be divided by rows (allowed), or with fewer rows, narrower rows, 16-bit tables, or an "
       "optimizer with less state (RowWiseAdagrad)");
}

}  // namespace

compiler::Link PlannerOptions::default_link() { return compiler::Link::parse(knobs::link()); }

bool PlannerOptions::devices_share_cpus() const {
  return process_count() == 1 && (!link.leaves_cpus || link.is_throttled);
}

TablePlan predict_plan(const std::vector<EmbeddingBagConfig>& tables, const ShardingPlan& plan,
                       const PlannerOptions& options) {
  const Loads loads(tables, plan, options);
  Loads::State state = loads.state(plan.tables);
  const double busy = loads.busy_seconds(state), exchange = loads.exchange_seconds(state);
  return {.plan = plan,
          .tables = tables,
          .devices = std::move(state.devices),
          .busy_seconds = busy,
          .exchange_seconds = exchange};
}

namespace {

// Improves plans step by step.
class Search {
 public:
  Search(const std::vector<EmbeddingBagConfig>& tables, ShardingPlan& plan, const PlannerOptions& options)
      : tables_(tables), plan_(plan), options_(options), loads_(tables, plan, options), order_(tables.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::stable_sort(order_, std::greater(), [&](std::size_t t) {
      const TableCost cost = cost_of(tables[t], options);
      return cost.seconds(2 * cost.ids, cost.ids, cost.ids, 1, 1, options);
    });
  }

  // The less, the better: the bytes that do not fit into memory, then the seconds of a step, then how uneven the devices are.
  using Score = std::array<double, 3>;
  Score score() const {
    const Loads::State state = loads_.state(plan_.tables);
    double squares = 0;
    for (const DeviceLoad& device : state.devices) squares += device.lookup_seconds * device.lookup_seconds;
    return {loads_.missing_bytes(state), loads_.seconds(state), squares};
  }

  // Gives each table the best of its candidates of this kind, or of any kind that it may have if there is none. Throws Error for a table
  // that has none at all.
  void begin(TableSharding kind) {
    plan_.tables.clear();
    for (const EmbeddingBagConfig& table : tables_) {
      const std::vector<TablePlacement> all = candidates(table, plan_, options_, empty());
      require(
          !all.empty(), "plan_tables: table \"", table.name, "\" of ", table.embedding_dim,
          " columns can have none of the kinds of sharding that it is allowed: allow it row_wise, or pieces of fewer "
          "columns (least_columns is ",
          options_.least_columns, "), or name an axis of hosts for table_row_wise and grid");
      plan_.tables.push_back(all.front());
    }
    for (const std::size_t t : order_) choose(t, kind);
  }

  // Moves one table after another, the most expensive first, until none helps.
  void improve() {
    constexpr int most_rounds = 20;
    for (int round = 0; round < most_rounds; ++round) {
      const Score before = score();
      for (const std::size_t t : order_) choose(t, {});
      if (!(score() < before)) return;
    }
  }

 private:
  Loads::State empty() const { return loads_.state({}); }

  // Gives a table the placement that is best while the others stay.
  void choose(std::size_t t, std::optional<TableSharding> kind) {
    const std::vector<TablePlacement> all = candidates(tables_[t], plan_, options_, loads_.state(plan_.tables));
    const bool has_kind = kind && std::ranges::count(all, *kind, &TablePlacement::sharding) != 0;
    TablePlacement chosen = plan_.tables[t];
    std::optional<Score> best;
    if (!has_kind) best = score();
    for (const TablePlacement& candidate : all) {
      if (has_kind && candidate.sharding != *kind) continue;
      plan_.tables[t] = candidate;
      if (const Score now = score(); !best || now < *best) {
        best = now;
        chosen = candidate;
      }
    }
    plan_.tables[t] = std::move(chosen);
  }

  const std::vector<EmbeddingBagConfig>& tables_;
  ShardingPlan& plan_;
  const PlannerOptions& options_;
  Loads loads_;
  std::vector<std::size_t> order_;
};

}  // namespace

TablePlan plan_tables(const std::vector<EmbeddingBagConfig>& tables, const Mesh& mesh,
                      const std::vector<std::string>& axes, const PlannerOptions& options) {
  require(!tables.empty() && !axes.empty(), "plan_tables: there are no tables, or no axes");
  for (const auto& [name, kinds] : options.allowed)
    require(std::ranges::count(tables, name, &EmbeddingBagConfig::name) != 0 && !kinds.empty(),
            "plan_tables: allowed names the table \"", name, "\", which does not exist, or no kind of sharding");
  ShardingPlan plan{.mesh = mesh, .axes = axes, .tables = {}};
  Search search(tables, plan, options);
  std::vector<TablePlacement> best;
  std::optional<Search::Score> least;
  // A step that moves one table alone does not leave a plan in which all have the same kind, if one collective serves all of them.
  for (const TableSharding kind : {TableSharding::row_wise, TableSharding::table_wise, TableSharding::data_parallel,
                                   TableSharding::column_wise, TableSharding::table_row_wise}) {
    search.begin(kind);
    search.improve();
    if (const auto now = search.score(); !least || now < *least) {
      least = now;
      best = plan.tables;
    }
  }
  plan.tables = std::move(best);
  if ((*least)[0] > 0) fail_memory(tables, plan, options);
  return predict_plan(tables, plan, options);
}

}  // namespace weft::embed
