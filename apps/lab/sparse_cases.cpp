#include <apps/lab/sparse_cases.h>

#include <functional>
#include <optional>
#include <random>

#include <weft/base/digest.h>
#include <weft/data/prefetch.h>
#include <weft/embed/embedding_bags.h>
#include <weft/jit/compile.h>
#include <weft/nn/layers.h>
#include <weft/optim/adagrad.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/indexing.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/random.h>
#include <weft/tensor/reduction.h>
#include <weft/train/pipeline.h>

namespace weft::lab {

namespace {

namespace schedule = train::schedule;

constexpr std::int64_t rows = 64, width = 8, samples = 16, bag = 3;
constexpr int steps = 7;

struct CaseOptions {
  bool has_processor = false;    // the weights of ids come from a trained parameter
  bool has_dense_table = false;  // all rows of one of the tables are updated
  int failing_batch = -1;        // which cannot be read
};

struct CaseBatch {
  embed::KeyedJaggedTensor features;
  Tensor labels;
  void fields(auto&& field) {
    field("features", features);
    field("labels", labels);
  }
};

CaseBatch read_batch(int number, const CaseOptions& options, const Mesh& mesh) {
  if (number == options.failing_batch) fail("batch ", number, " cannot be read");
  std::mt19937 random(static_cast<unsigned>(number));
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < 2 * samples * bag; ++i) ids.push_back(static_cast<std::int64_t>(random() % rows));
  std::vector<float> labels;
  for (std::int64_t i = 0; i < samples; ++i) labels.push_back(static_cast<float>(random() % 2));
  const std::vector<std::int64_t> lengths(2 * samples, bag);
  const std::vector<float> ones(ids.size(), 1);
  embed::KeyedJaggedTensor features({"a", "b"}, std::move(ids), lengths, ones);
  return {features.sharded("data", mesh), from_vector(std::move(labels), {samples, 1}).sharded("data", mesh)};
}

class CaseTraining {
 public:
  CaseTraining(const CaseOptions& options, const Mesh& mesh)
      : options_(options),
        mesh_(mesh),
        model_((manual_seed(0), make_model(options, mesh))),
        optimizer_(model_, {.lr = 0.1}) {
    step_.emplace(compile(mesh, Step([this](const CaseBatch& given) {
                            embed::KeyedJaggedTensor features = given.features;
                            if (options_.has_processor)
                              features = features.with_weights(take(model_.weight_of_id, features.values()));
                            const Tensor logits = model_.out(model_.tables(features).values());
                            const Tensor loss = mean(square(logits - given.labels));
                            optimizer_.step(grad(loss, optimizer_.parameters()));
                            return loss;
                          }),
                          {.fullgraph = true, .name = "train_step"}));
  }

  // Trains with batches that another thread reads, and returns what the pipeline tells, or the error of a batch.
  std::string train(const std::optional<train::Schedule>& with) {
    std::optional<train::Pipeline<Step>> pipeline;
    if (with) pipeline.emplace(*step_, train::PipelineOptions{.schedule = *with});
    data::Prefetch<CaseBatch> batches(
        [this](std::int64_t number) { return read_batch(static_cast<int>(number), options_, mesh_); },
        {.workers = 1, .end = steps});
    std::string told;
    for (int i = 0; i < steps && told.empty(); ++i) try {
        const CaseBatch next = batches.next();
        note(pipeline ? (*pipeline)(next) : std::optional((*step_)(next)));
      } catch (const Error& error) {
        told = error.what();  // the steps of all batches before are complete after finish()
      }
    while (pipeline)
      if (const auto loss = pipeline->finish(); loss)
        note(loss);
      else
        break;
    return told.empty() && pipeline ? pipeline->explain() : told;
  }

  std::string digest() {
    Digest digest;
    digest.add(std::as_bytes(std::span(losses_)));
    for (const auto& all : {named_parameters(model_), optimizer_.state()})
      for (const NamedParameter& named : all) digest.add(named.parameter->tensor().bytes());
    return digest.hex();
  }

 private:
  using Step = std::function<Tensor(const CaseBatch&)>;

  struct Model {
    embed::EmbeddingBagCollection tables;
    Parameter weight_of_id;
    nn::Linear out{2 * width, 1};
    void fields(auto&& field) {
      field("tables", tables);
      field("weight_of_id", weight_of_id);
      field("out", out);
    }
  };

  static Model make_model(const CaseOptions& options, const Mesh& mesh) {
    std::vector<embed::EmbeddingBagConfig> configs{
        {.num_embeddings = rows, .embedding_dim = width, .name = "first", .feature_names = {"a"}},
        {.num_embeddings = rows, .embedding_dim = width, .name = "second", .feature_names = {"b"}}};
    configs[1].sparse_update = !options.has_dense_table;
    const embed::TablePlacement second = options.has_dense_table
                                             ? embed::TablePlacement{embed::TableSharding::data_parallel}
                                             : embed::TablePlacement{embed::TableSharding::table_wise, {1}};
    return {embed::EmbeddingBagCollection(
                std::move(configs),
                {.is_weighted = options.has_processor,
                 .plan = embed::ShardingPlan{mesh, {"data"}, {{embed::TableSharding::table_wise, {0}}, second}}}),
            Parameter(rand({rows}))};
  }

  void note(const std::optional<Tensor>& loss) {
    if (loss) losses_.push_back(loss->item<float>());
  }

  CaseOptions options_;
  const Mesh& mesh_;
  Model model_;
  optim::Adagrad optimizer_;
  std::optional<Compiled<Step>> step_;
  std::vector<float> losses_;
};

SparseCase run_case(const std::string& name, const CaseOptions& options) {
  const Mesh mesh{{"data", 2}};
  CaseTraining sequential(options, mesh), overlapping(options, mesh);
  sequential.train({});
  SparseCase made{.name = name, .schedule = "fused_sparse_dist", .is_equal = false, .told = {}};
  made.told = overlapping.train(schedule::fused_sparse_dist());
  made.is_equal = overlapping.digest() == sequential.digest();
  return made;
}

}  // namespace

std::vector<SparseCase> run_sparse_cases() {
  return {run_case("the last batches of the data", {}),
          run_case("weights of ids from a trained parameter", {.has_processor = true}),
          run_case("a table of which all rows are updated", {.has_dense_table = true}),
          run_case("a batch that cannot be read", {.failing_batch = 4})};
}

}  // namespace weft::lab
