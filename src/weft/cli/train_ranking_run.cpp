#include <weft/cli/train_ranking_run.h>

#include <iostream>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/json.h>
#include <weft/base/metrics.h>
#include <weft/base/trace.h>
#include <weft/cli/resume.h>
#include <weft/runtime/parallel.h>
#include <weft/tensor/creation.h>
#include <weft/train/config_settings.h>

namespace weft::cli {

namespace {

// The part of a checkpoint that says where the reader stands.
constexpr const char* position_part = "data";

StateDict state_of(const ranking::ReaderPosition& at) {
  const std::vector<std::int64_t> numbers{at.epoch, at.in_days.day, at.in_days.lines,
                                          static_cast<std::int64_t>(at.in_days.byte)};
  return {{"position", from_vector(numbers, {std::ssize(numbers)})}};
}

ranking::ReaderPosition position_in(const train::Checkpoint& checkpoint) {
  const StateDict state = checkpoint.state(position_part);
  const auto found = state.find("position");
  require(found != state.end() && found->second.type() == Type(DType::i64, {4}), "its part ", position_part,
          " does not say where the reader stood");
  const std::vector<std::int64_t> numbers = found->second.to_vector<std::int64_t>();
  return {.epoch = numbers[0],
          .in_days = {.day = numbers[1], .lines = numbers[2], .byte = static_cast<std::uint64_t>(numbers[3])}};
}

nlohmann::json or_null(const std::optional<double>& number) {
  return number ? nlohmann::json(*number) : nlohmann::json();
}

}  // namespace

TrainRankingRun::TrainRankingRun(const TrainRankingOptions& options)
    : options_(options), config_(options.config), loop_(options, training(), "--rows, --width, --batch or the layers") {
  if (options.threads > 0) runtime::set_thread_count(options.threads);
  if (!options.write_data.empty()) return;
  options.resume.empty() ? begin() : resume();
}

Training TrainRankingRun::training() {
  return {.load_batch = [this](std::int64_t) { load_batch(); },
          .launch = [this](std::int64_t step) { return trainer_->step(batch_.tensors, config_.learning_rate(step)); },
          .finish = [this] { return trainer_->finish(); },
          .validate = [this] { return evaluate(); },
          .state = [this] { return state(); },
          .save = [this](const auto& write) { trainer_->save(write); },
          .items = [this] { return config_.batch; },
          .division = [this] { return trainer_->division(); },
          .unit = "samples",
          .ahead_bytes = [this] { return trainer_->peak_bytes(); }};
}

void TrainRankingRun::open_days() {
  days_ = options_.data.empty() ? ranking::generated_days(config_)
                                : ranking::open_days(options_.data, config_, options_.tolerant);
}

void TrainRankingRun::begin() {
  open_days();
  start(0, options_.steps, {});
  try {
    trainer_->open_tables();
  } catch (const Error& error) {
    fail("cannot use --table-folder: ", error.what(), "; --resume loads it");
  }
}

void TrainRankingRun::resume() {
  auto saved = open_resumed<ranking::RankingConfig>(options_, "weft train ranking", {"data", "mesh", "sharding"});
  config_ = saved.config;
  open_days();
  const std::string data = train::to_string(saved.others.at("data"));
  require(data == days_.train->digest(), "cannot resume: ", saved.place, " was trained on ",
          data == "generated"
              ? "generated days: leave out --data"
              : "other days: name their folder with --data; their files have the same names and first lines");
  require(config_.has_stored_tables() == !options_.table_folder.empty(), "cannot resume: the tables of ", saved.place,
          config_.has_stored_tables() ? " are in files: name their folder with --table-folder"
                                      : " are in it: leave out --table-folder");
  const std::int64_t last_step = resumed_last_step(config_, saved.before, options_, saved.place);
  start(saved.checkpoint.step, last_step, position_in(saved.checkpoint));
  try {
    trainer_->load(saved.checkpoint);
  } catch (const Error& error) {
    const std::string mesh = train::to_string(saved.others.at("mesh"));
    fail("cannot resume: ", error.what(), "; ", saved.place, " was saved with ",
         mesh.empty() ? "tables that lie on one device: leave out --mesh"
                      : concat("--mesh ", mesh, " --sharding ", train::to_string(saved.others.at("sharding")),
                               ": give the same"));
  }
  try {
    trainer_->open_tables();
  } catch (const Error& error) {
    fail("cannot resume: ", error.what());
  }
}

void TrainRankingRun::start(std::int64_t step, std::int64_t last_step, const ranking::ReaderPosition& from) {
  loop_.require_memory(ranking::least_bytes(config_));
  if (options_.parallelism.mesh)
    plan_ = ranking::plan_of_tables(config_, *options_.parallelism.mesh, options_.sharding);
  loop_.begin(step, last_step);
  trainer_.emplace(config_, options_.parallelism, plan_ ? std::optional(plan_->plan) : std::nullopt,
                   options_.table_folder);
  batch_.next = from;
  batches_.emplace(*days_.train, ranking::BatchOptions{.batch = config_.batch,
                                                       .rows = config_.table_rows(),
                                                       .workers = static_cast<int>(options_.workers),
                                                       .first_step = step,
                                                       .from = from,
                                                       .divide = [this](ranking::RankingBatch batch) {
                                                         return trainer_->divided(batch);
                                                       }});
}

int TrainRankingRun::run() {
  if (!options_.write_data.empty()) return write_days();
  train::Settings settings = train::settings_of(config_);
  settings["data"] = days_.train->digest();
  settings["mesh"] = options_.mesh;
  settings["sharding"] = options_.sharding;
  settings["steps"] = loop_.last_step();
  loop_.train(settings);
  batches_.reset();
  loop_.end_progress();
  if (loop_.signal() == 0) {
    // The number of samples of files is not known before they are read.
    const std::int64_t all = options_.data.empty() ? config_.held_out * config_.day_samples : 0;
    progress_.emplace("evaluate", 0, options_.evaluate > 0 ? options_.evaluate : all,
                      train::Progress::standard_error(train::Progress::rarely));
    loop_.validate();
    progress_.reset();
  }
  if (options_.json) {
    std::cout << print_json(report()) << std::endl;
  } else {
    print_summary();
  }
  loop_.require_saved();
  return loop_.signal();
}

int TrainRankingRun::write_days() const {
  const std::int64_t chunks = ranking::chunk_count(config_);
  std::int64_t done = 0;
  Interrupt interrupt;
  {
    train::Progress progress("write", 0, chunks, train::Progress::standard_error(train::Progress::rarely));
    ranking::write_days(options_.write_data, config_, options_.gzip, static_cast<int>(options_.workers), [&] {
      progress.update(++done, [] { return "chunks"; });
      return interrupt.signal() == 0;
    });
  }
  if (interrupt.signal() != 0) return interrupt.signal();
  if (options_.json) {
    const nlohmann::json report = {
        {"data", options_.write_data}, {"days", config_.days}, {"samples", config_.days * config_.day_samples}};
    std::cout << print_json(report) << std::endl;
  } else {
    std::cout << config_.days << " days of " << config_.day_samples << " samples are in " << options_.write_data
              << "; weft train ranking --data " << options_.write_data << " trains on them" << std::endl;
  }
  return 0;
}

void TrainRankingRun::load_batch() {
  batch_ = *batches_->next();  // there is one, because the days repeat
  note_skipped(batch_);
}

void TrainRankingRun::note_skipped(const ranking::LoadedBatch& batch) {
  if (skipped_ == 0) first_skipped_ = batch.first_skipped;
  skipped_ += batch.skipped;
}

std::map<std::string, StateDict> TrainRankingRun::state() {
  std::map<std::string, StateDict> parts = trainer_->state();
  parts[position_part] = state_of(batch_.next);
  return parts;
}

std::optional<double> TrainRankingRun::evaluate() {
  ranking::BatchReader batches(
      *days_.held_out, {.batch = config_.batch,
                        .rows = config_.table_rows(),
                        .workers = static_cast<int>(options_.workers),
                        .repeat = false,
                        .with_rule = true,
                        .divide = [this](ranking::RankingBatch batch) { return trainer_->divided(std::move(batch)); }});
  std::int64_t samples = 0;
  const std::optional<embed::StoredRowStats> before = trainer_->stored_rows();
  evaluation_ = ranking::evaluate(
      batches, options_.evaluate, [this](const ranking::RankingBatch& batch) { return trainer_->logits(batch); },
      [&](const ranking::LoadedBatch& batch) {
        note_skipped(batch);
        samples += std::ssize(batch.clicked);
        if (progress_) progress_->update(samples, [] { return "samples"; });
        return loop_.signal() == 0;
      });
  if (const std::optional<embed::StoredRowStats> after = trainer_->stored_rows()) {
    evaluated_rows_.ids += after->ids - before->ids;
    evaluated_rows_.misses += after->misses - before->misses;
  }
  if (!evaluation_) return std::nullopt;
  return evaluation_->loss;
}

double TrainRankingRun::hit_rate() const {
  const embed::StoredRowStats all = *trainer_->stored_rows();
  const std::uint64_t ids = all.ids - evaluated_rows_.ids, misses = all.misses - evaluated_rows_.misses;
  return ids == 0 ? 0 : 1 - static_cast<double>(misses) / static_cast<double>(ids);
}

nlohmann::json TrainRankingRun::report() {
  nlohmann::json result = loop_.report();
  result["parameters"] = trainer_->parameters();
  result["schedule"] = config_.step_schedule;
  result["ahead"] = trainer_->ahead();
  result["skipped_lines"] = skipped_;
  result["passes"] = batch_.next.epoch + 1;
  nlohmann::json tables = nlohmann::json::object();
  if (plan_)
    for (std::size_t t = 0; t < plan_->tables.size(); ++t)
      tables[plan_->tables[t].name] = concat(plan_->plan.tables[t].sharding);
  const std::optional<embed::StoredRowStats> stored = trainer_->stored_rows();
  result["stored_tables"] = stored ? nlohmann::json{{"hit_rate", hit_rate()},
                                                    {"rows_read", stored->rows_read},
                                                    {"rows_written", stored->rows_written}}
                                   : nlohmann::json();
  result["sharding"] = plan_ ? std::move(tables) : nlohmann::json();
  const auto& made = evaluation_;
  result["held_out_samples"] = made ? made->samples : 0;
  result["auc"] = made ? or_null(made->auc) : nlohmann::json();
  result["auc_of_rule"] = made ? or_null(made->auc_of_rule) : nlohmann::json();
  result["normalised_entropy"] = made ? or_null(made->normalised_entropy) : nlohmann::json();
  result["click_share"] = made ? nlohmann::json(made->click_share) : nlohmann::json();
  return result;
}

void TrainRankingRun::print_summary() const {
  std::cout << loop_.summary();
  if (skipped_ > 0)
    std::cout << "\n"
              << skipped_
              << (skipped_ == 1 ? " malformed line was skipped: " : " malformed lines were skipped; the first: ")
              << first_skipped_ << '\n';
  if (evaluation_) {
    const auto shown = [](const std::optional<double>& number) {
      return number ? digits("%.4f", *number) : "undefined";
    };
    std::cout << "\nAUC " << shown(evaluation_->auc);
    if (evaluation_->auc_of_rule) std::cout << " (of the rule itself: " << shown(evaluation_->auc_of_rule) << ')';
    std::cout << ", normalised entropy " << shown(evaluation_->normalised_entropy) << ", on " << evaluation_->samples
              << " held-out samples, " << digits("%.1f", 100 * evaluation_->click_share) << " % of them clicked\n";
  }
  if (const std::optional<embed::StoredRowStats> stored = trainer_->stored_rows())
    std::cout << "\ntables in " << options_.table_folder << ": " << digits("%.1f", 100 * hit_rate())
              << " % of the ids of the steps had their rows in memory, " << stored->rows_read << " rows were read and "
              << stored->rows_written << " written\n";
  if (plan_) std::cout << '\n' << *plan_ << trainer_->ahead();
  std::cout << std::flush;
}

}  // namespace weft::cli
