// Compares what the planner of embedding tables predicts with what steps take: random plans of the same tables on two devices of this
// process take turns, and the fastest step of each counts. The model of a plan is made anew for each turn: so all plans get memory of the
// same kind, which those that are made last would not, if all were kept.
// Usage: table_plans SET PLANS TURNS [SEED]. SET: criteo (26 tables from 4 to 150,000 rows, one id each) or mixed (12 tables of several
// widths, 1 to 20 ids in a bag). Ids are spread evenly. A plan draws how much it favours each kind of sharding and each device.
// Prints {"plans": [{"predicted_ms", "measured_ms", "tables"}], "rank_correlation", "chosen_over_best"}; the last of the plans is the planner's.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <weft/weft.h>

namespace {

using namespace weft;
using embed::TablePlacement;
using embed::TableSharding;

struct TableSet {
  std::vector<embed::EmbeddingBagConfig> tables;
  embed::PlannerOptions options;

  void add(std::int64_t rows, std::int64_t width, double ids) {
    const std::string name = "t" + std::to_string(tables.size());
    tables.push_back({.num_embeddings = rows, .embedding_dim = width, .name = name, .feature_names = {name}});
    options.ids_per_bag[name] = ids;
  }
};

TableSet table_set(const std::string& name) {
  TableSet set;
  if (name == "criteo") {
    set.options.batch = 8192;
    for (const std::int64_t rows :
         {150000, 35000, 15000, 7000, 18000, 4,  7000,   1500,   60,     150000, 150000, 150000, 10,
          2000,   11000, 150,   4,    900,   15, 150000, 150000, 150000, 150000, 10000,  70,     40})
      set.add(rows, 32, 1);
  } else {
    set.options.batch = 4096;
    for (const auto& [rows, width, ids] : std::initializer_list<std::array<std::int64_t, 3>>{{200000, 64, 1},
                                                                                             {100000, 32, 10},
                                                                                             {1000, 64, 20},
                                                                                             {50000, 128, 2},
                                                                                             {10000, 32, 5},
                                                                                             {150000, 64, 5},
                                                                                             {100, 64, 1},
                                                                                             {100000, 32, 1},
                                                                                             {2000, 128, 1},
                                                                                             {20000, 64, 10},
                                                                                             {150000, 64, 2},
                                                                                             {500, 32, 20}})
      set.add(rows, width, static_cast<double>(ids));
  }
  set.options.states_per_element = 1.0 / 32;
  return set;
}

struct Batch {
  embed::KeyedJaggedTensor features;
  Tensor clicks;
  void fields(auto&& field) {
    field("features", features);
    field("clicks", clicks);
  }
};

Batch random_batch(const TableSet& set, std::mt19937_64& random) {
  std::vector<std::string> keys;
  std::vector<std::int64_t> ids, lengths;
  for (const embed::EmbeddingBagConfig& table : set.tables) {
    keys.push_back(table.name);
    const auto of_bag = static_cast<std::int64_t>(set.options.ids_per_bag.at(table.name));
    lengths.insert(lengths.end(), set.options.batch, of_bag);
    for (std::int64_t i = 0; i < set.options.batch * of_bag; ++i)
      ids.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(table.num_embeddings)));
  }
  std::vector<float> clicks;
  for (std::int64_t i = 0; i < set.options.batch; ++i) clicks.push_back(static_cast<float>(random() % 2));
  return {{std::move(keys), std::move(ids), lengths}, from_vector(std::move(clicks), {set.options.batch})};
}

struct Model {
  embed::EmbeddingBagCollection tables;
  nn::Linear hidden, out{32, 1};
  void fields(auto&& field) {
    field("tables", tables);
    field("hidden", hidden);
    field("out", out);
  }
};

// The training of a model whose tables lie as a plan says.
class PlannedTraining {
 public:
  PlannedTraining(const TableSet& set, const embed::ShardingPlan& plan, const std::vector<Batch>& batches)
      : model_{.tables = embed::EmbeddingBagCollection(set.tables, {.plan = plan}), .hidden = {width(set), 32}},
        optimizer_(model_, {.lr = 0.01}) {
    for (const Batch& batch : batches)
      batches_.push_back({batch.features.sharded("data", plan.mesh), batch.clicks.sharded("data", plan.mesh)});
    step_.emplace(compile(plan.mesh, std::function<Tensor(const Batch&)>([this](const Batch& batch) {
                            const Tensor x = relu(model_.hidden(model_.tables(batch.features).values()));
                            const Tensor loss = binary_cross_entropy_with_logits(
                                reshape(model_.out(x), {batch.clicks.size(0)}), batch.clicks);
                            optimizer_.step(grad(loss, optimizer_.parameters()));
                            return loss;
                          })));
  }
  PlannedTraining(const PlannedTraining&) = delete;
  PlannedTraining& operator=(const PlannedTraining&) = delete;

  // Trains on each of the batches twice, and returns the seconds of the fastest step.
  double fastest() {
    double best = 1e9;
    for (int i = 0; i < 2; ++i)
      for (const Batch& batch : batches_) {
        const auto start = std::chrono::steady_clock::now();
        (*step_)(batch).item<float>();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count());
      }
    return best;
  }

 private:
  static std::int64_t width(const TableSet& set) {
    std::int64_t all = 0;
    for (const embed::EmbeddingBagConfig& table : set.tables) all += table.embedding_dim;
    return all;
  }

  Model model_;
  optim::RowWiseAdagrad optimizer_;
  std::vector<Batch> batches_;
  std::optional<Compiled<std::function<Tensor(const Batch&)>>> step_;
};

embed::ShardingPlan random_plan(const TableSet& set, const Mesh& mesh, std::mt19937_64& random) {
  std::exponential_distribution<double> weight(1);
  std::uniform_real_distribution<double> share(0, 1);
  std::array<double, 4> weights = {};
  for (double& w : weights) w = weight(random);
  const double first_device = share(random);
  std::discrete_distribution<int> kind(weights.begin(), weights.end());
  embed::ShardingPlan plan{mesh, {"data"}, {}};
  for (const embed::EmbeddingBagConfig& table : set.tables) {
    TablePlacement placement;
    const std::int64_t device = share(random) < first_device ? 0 : 1;
    switch (kind(random)) {
      case 0: break;
      case 1: placement = {TableSharding::row_wise}; break;
      case 2: placement = {TableSharding::table_wise, {device}}; break;
      default:
        placement = table.embedding_dim >= 2 * set.options.least_columns
                        ? TablePlacement{TableSharding::column_wise, {0, 1}}
                        : TablePlacement{TableSharding::table_wise, {device}};
    }
    plan.tables.push_back(std::move(placement));
  }
  return plan;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> made;
  for (const double value : values) {
    const auto less = std::ranges::count_if(values, [&](double other) { return other < value; });
    const auto equal = std::ranges::count(values, value);
    made.push_back(static_cast<double>(less) + static_cast<double>(equal - 1) / 2);
  }
  return made;
}

// Spearman's: the correlation of the ranks.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = static_cast<double>(x.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

// A letter for each table: d, r, c, or 0 and 1 for the device that has it.
std::string letters(const embed::ShardingPlan& plan) {
  std::string text;
  for (const TablePlacement& placement : plan.tables)
    text += placement.sharding == TableSharding::data_parallel ? 'd'
            : placement.sharding == TableSharding::row_wise    ? 'r'
            : placement.sharding == TableSharding::column_wise ? 'c'
                                                               : static_cast<char>('0' + placement.at[0]);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: table_plans criteo|mixed PLANS TURNS [SEED]\n");
    return 2;
  }
  const TableSet set = table_set(argv[1]);
  const int count = std::atoi(argv[2]), turns = std::atoi(argv[3]);
  std::mt19937_64 random(argc > 4 ? std::atoi(argv[4]) : 1);
  const Mesh mesh{{"data", 2}};
  std::vector<Batch> batches;
  for (int i = 0; i < 3; ++i) batches.push_back(random_batch(set, random));
  std::vector<embed::ShardingPlan> plans;
  for (const TableSharding kind : {TableSharding::data_parallel, TableSharding::row_wise})
    plans.push_back({mesh, {"data"}, std::vector<TablePlacement>(set.tables.size(), TablePlacement{kind})});
  while (std::ssize(plans) < count) plans.push_back(random_plan(set, mesh, random));
  plans.push_back(embed::plan_tables(set.tables, mesh, {"data"}, set.options).plan);
  std::vector<double> predicted, measured(plans.size(), 1e9);
  for (const embed::ShardingPlan& plan : plans)
    predicted.push_back(embed::predict_plan(set.tables, plan, set.options).seconds() * 1e3);
  for (int turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < plans.size(); ++i)
      measured[i] = std::min(measured[i], 1e3 * PlannedTraining(set, plans[i], batches).fastest());
  std::printf("{\"plans\": [");
  for (std::size_t i = 0; i < plans.size(); ++i) {
    std::printf("%s\n  {\"predicted_ms\": %.4g, \"measured_ms\": %.4g, \"tables\": \"%s\"}", i == 0 ? "" : ",",
                predicted[i], measured[i], letters(plans[i]).c_str());
  }
  const double chosen = measured.back(), best = *std::ranges::min_element(measured);
  predicted.pop_back();
  measured.pop_back();
  std::printf("],\n \"rank_correlation\": %.3f, \"chosen_over_best\": %.3f}\n", rank_correlation(predicted, measured),
              chosen / best);
  return 0;
}
