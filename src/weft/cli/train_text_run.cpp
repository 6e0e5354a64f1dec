#include <weft/cli/train_text_run.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/metrics.h>
#include <weft/base/process.h>
#include <weft/base/trace.h>
#include <weft/base/version.h>
#include <weft/data/state_dict.h>
#include <weft/runtime/parallel.h>
#include <weft/tensor/sync.h>
#include <weft/train/sampling.h>

namespace weft::cli {

namespace {

std::size_t size(std::int64_t count) { return static_cast<std::size_t>(count); }

std::string digits(const char* format, double number) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

constexpr std::int64_t validation_batches =
    64;  // at most, so that a large file is validated in the time of a small one
constexpr const char* smaller = "; lower --batch, --context, --width or --layers";

std::uint64_t memory_limit() { return device().stats().bytes_limit; }

void require_memory(const train::TextConfig& config) {
  const double needed = train::least_bytes(config);
  require(needed <= static_cast<double>(memory_limit()), "not enough memory: training needs ",
          needed < 0x1p63 ? format_bytes(static_cast<std::uint64_t>(needed)) : concat(needed, " bytes"),
          " at the least, ", format_bytes(memory_limit()), " are available", smaller);
}

}  // namespace

TrainTextRun::TrainTextRun(const TrainTextOptions& options) : options_(options), config_(options.config) {
  if (!options.job.empty()) {
    job_.emplace(options.job);
    config_ = job_->config();
  }
  const auto threads = options.threads > 0 ? static_cast<int>(options.threads) : job_ ? job_->threads() : 0;
  if (threads > 0) runtime::set_thread_count(threads);
  options.resume.empty() ? begin() : resume();
  settings_ = train::to_settings(config_);
  if (text_) settings_["text"] = text_->digest();
  settings_["steps"] = last_step_;
}

void TrainTextRun::begin() {
  last_step_ = options_.steps > 0 ? options_.steps : job_->steps();
  require(!job_ || last_step_ <= job_->steps(), "the job ", options_.job, " has ", job_ ? job_->steps() : 0,
          " steps, not ", last_step_);
  if (!job_) text_.emplace(options_.file, config_.context);
  require_memory(config_);
  claim_folder();
  trainer_.emplace(config_);
  if (job_) trainer_->load_weights(job_->weights());
}

void TrainTextRun::resume() {
  const train::Checkpoint checkpoint = train::open_checkpoint(options_.resume);
  const std::string place = "the checkpoint " + options_.resume;
  train::Settings saved = checkpoint.config;
  const auto digest = saved.extract("text"), steps = saved.extract("steps");
  try {
    config_ = train::text_config_from(saved);
    require(digest && steps && std::holds_alternative<std::int64_t>(steps.mapped()), "text or steps are missing");
  } catch (const Error& error) {
    fail(place, " is not of weft train text: ", error.what());
  }
  train::Settings wanted = saved;
  for (const auto& [name, setting] : options_.given) wanted[name] = setting;
  const std::string different = train::differences(saved, wanted, place, "the command line");
  require(different.empty(), "cannot resume: ", different, "; leave out what differs, or begin anew without --resume");
  text_.emplace(options_.file, config_.context);
  require(train::to_string(digest.mapped()) == text_->digest(), "cannot resume: ", place,
          " was trained on another text than ", options_.file);
  last_step_ = options_.steps > 0 ? options_.steps : std::get<std::int64_t>(steps.mapped());
  require(last_step_ >= checkpoint.step, "cannot resume: ", place, " has done ", checkpoint.step,
          " steps, more than --steps ", last_step_);
  require_memory(config_);
  claim_folder();
  trainer_.emplace(config_);
  trainer_->load(checkpoint);
  step_ = saved_step_ = checkpoint.step;
}

void TrainTextRun::claim_folder() {
  const std::filesystem::path folder = options_.save.empty() ? options_.resume : options_.save;
  if (folder.empty()) return;
  folder_.emplace(folder);
  std::error_code ignored;
  const bool goes_on = !options_.resume.empty() && std::filesystem::equivalent(folder, options_.resume, ignored);
  if (train::has_checkpoint(folder) && !goes_on)
    std::cerr << "note: " << folder.string() << " holds a checkpoint, which this run replaces; --resume goes on from it"
              << std::endl;
}

int TrainTextRun::run() {
  if (!options_.write_job.empty()) {
    const StateDict weights = trainer_->model_state();
    train::write_job(options_.write_job, config_, options_.steps, runtime::thread_count(), data::bytes_of(weights),
                     *text_);
    return 0;
  }
  train();
  if (!interrupt_ && !job_) validate();
  progress_.reset();
  std::optional<std::string> text;
  if (!interrupt_ && options_.sample > 0) text = sample();
  if (options_.json) {
    std::cout << report(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  } else {
    print_summary(text);
  }
  return interrupt_.signal();
}

void TrainTextRun::train() {
  const std::int64_t every =
      options_.log_every > 0 ? options_.log_every : std::max<std::int64_t>(1, (last_step_ - step_) / 20);
  progress_.emplace("train", step_, last_step_, Progress::standard_error(every));
  progress_->update(step_, [] { return "compiling"; });
  start_ = std::chrono::steady_clock::now();
  clock_.restart();
  while (step_ < last_step_ && !stop_now()) {
    train_step();
    if (pending_.size() > in_flight) finish_step();
    if (!due(options_.val_every) && !due(options_.save_every)) continue;
    finish_steps();
    if (due(options_.val_every)) validate();
    if (due(options_.save_every)) save();
    clock_.restart();
  }
  finish_steps();
  save();
}

void TrainTextRun::train_step() {
  const trace::Scope scope("step", "train", static_cast<std::uint64_t>(step_));
  std::vector<std::int32_t> tokens(size(config_.batch * (config_.context + 1)));
  {
    const trace::Scope loading("input", "batch");
    const metrics::Timer timer(metrics::input_wait_time);
    if (job_) {
      job_->batch(step_, tokens);
    } else {
      text_->train_batch(static_cast<std::uint64_t>(config_.seed), step_, tokens);
    }
  }
  const auto start = std::chrono::steady_clock::now();
  pending_.push_back(trainer_->step(step_, tokens, learning_rate()));
  const auto host_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  // The first step compiles; of the others, the cheapest did not wait for the device.
  if (const SyncStats stats = last_sync(); !stats.compiled) {
    record_us_ = record_us_ == 0 ? host_us : std::min(record_us_, host_us);
  } else {
    recompiles_ += nodes_per_step_ != 0;
    nodes_per_step_ = stats.nodes;
    check_plan();
  }
  ++step_;
}

void TrainTextRun::check_plan() {
  if (const auto program = last_compile()) peak_bytes_planned_ = program->peak_bytes;
  require(peak_bytes_planned_ <= memory_limit(), "not enough memory: a training step needs ",
          format_bytes(peak_bytes_planned_), " at its peak, ", format_bytes(memory_limit()), " are available", smaller);
}

void TrainTextRun::finish_step() {
  const double loss = pending_.front().get();
  clock_.step_done(pending_.front().made_at());
  pending_.pop_front();
  if (losses_.empty()) first_step_s_ = seconds_since_process_start();
  losses_.push_back(loss);
  const auto done = step_ - static_cast<std::int64_t>(pending_.size());
  if (!std::isfinite(loss))
    fail("the loss of step ", done - 1, " is ", loss, ": try a lower --lr",
         saved_step_ >= 0 ? concat("; the checkpoint of step ", saved_step_, " is kept") : "");
  progress_->update(done, [this] { return status(); });
}

void TrainTextRun::finish_steps() {
  while (!pending_.empty()) finish_step();
}

std::string TrainTextRun::status() const {
  std::string text = "loss " + digits("%.3f", losses_.back());
  if (validation_loss_) text += "  val " + digits("%.3f", *validation_loss_);
  const double tokens = static_cast<double>(config_.batch * config_.context);
  if (clock_.is_warm()) text += "  " + digits("%.0f", 1e3 * tokens / clock_.median_ms()) + " tokens/s";
  return text;
}

void TrainTextRun::validate() {
  const std::int64_t rows = std::min(config_.batch, text_->validation_windows());
  const std::int64_t batches = text_->validation_windows() / rows, used = std::min(batches, validation_batches);
  std::vector<std::int32_t> tokens(size(rows * text_->window()));
  double sum = 0;
  for (std::int64_t i = 0; i < used && !interrupt_; ++i) {
    text_->validation_batch(i * batches / used * rows, tokens);
    sum += trainer_->loss(tokens).get();
  }
  if (!interrupt_) validation_loss_ = sum / static_cast<double>(used);
}

void TrainTextRun::save() {
  if (!folder_ || saved_step_ == step_) return;
  const StateDict model = trainer_->model_state(), optimizer = trainer_->optimizer_state();
  const auto model_bytes = data::bytes_of(model), optimizer_bytes = data::bytes_of(optimizer);
  folder_->save(step_, settings_, {{"model", model_bytes}, {"optimizer", optimizer_bytes}});
  saved_step_ = step_;
}

bool TrainTextRun::stop_now() const {
  if (interrupt_) return true;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  return options_.minutes > 0 && elapsed.count() >= 60 * options_.minutes;
}

std::string TrainTextRun::sample() {
  const train::SamplingOptions sampling{options_.temperature, options_.top_k, static_cast<std::uint64_t>(config_.seed)};
  std::string text = options_.prompt.empty() ? "\n" : options_.prompt;
  const std::size_t start = options_.prompt.empty() ? text.size() : 0;
  progress_.emplace("sample", 0, options_.sample, Progress::standard_error(Progress::rarely));
  for (std::int64_t i = 0; i < options_.sample && !interrupt_; ++i) {
    // The model sees the last `context` bytes; the program is the same for every length.
    const std::size_t length = std::min(text.size(), size(config_.context));
    std::vector<std::int32_t> tokens(size(config_.context));
    for (std::size_t j = 0; j < length; ++j) tokens[j] = static_cast<unsigned char>(text[text.size() - length + j]);
    const auto logits = trainer_->next_logits(tokens, static_cast<std::int64_t>(length));
    text += static_cast<char>(train::sample_token(logits, sampling, i));
    progress_->update(i + 1, [] { return "bytes"; });
  }
  progress_.reset();
  return text.substr(start);
}

nlohmann::json TrainTextRun::report(const std::optional<std::string>& sample) {
  const auto or_null = [](const auto& value) { return value ? nlohmann::json(*value) : nlohmann::json(); };
  const auto metrics = metrics::snapshot();
  double compile_ms = 0;
  for (const auto& metric : metrics.metrics)
    if (metric.name == metrics::compile_time.name()) compile_ms = 1e-6 * static_cast<double>(metric.total);
  const double median = clock_.median_ms();
  const auto tokens = static_cast<double>(config_.batch * config_.context);
  nlohmann::json result = {
      {"version", version()},
      {"steps", step_},
      {"parameters", trainer_->parameters()},
      {"first_loss", losses_.empty() ? nlohmann::json() : nlohmann::json(losses_.front())},
      {"final_loss", losses_.empty() ? nlohmann::json() : nlohmann::json(losses_.back())},
      {"val_loss", or_null(validation_loss_)},
      {"tokens_per_s", median > 0 ? 1e3 * tokens / median : 0},
      {"step_ms_p50", median},
      {"compile_ms", compile_ms},
      {"compiles", metrics::uncached_compile.value()},
      {"recompiles", recompiles_},
      {"peak_bytes_planned", peak_bytes_planned_},
      {"peak_rss_bytes", peak_resident_bytes()},
      {"record_us_per_step", record_us_},
      {"nodes_per_step", nodes_per_step_},
      {"process_start_to_first_step_s", first_step_s_},
      {"checkpoint", folder_ ? nlohmann::json(folder_->path().string()) : nlohmann::json()},
      {"sample", or_null(sample)},
      {"interrupted", static_cast<bool>(interrupt_)},
  };
  if (job_) {
    result["losses"] = losses_;
    result["step_ms"] = clock_.ms();
  }
  return result;
}

void TrainTextRun::print_summary(const std::optional<std::string>& sample) const {
  std::cout << (interrupt_ ? "stopped at step " : "trained to step ") << step_;
  if (!losses_.empty()) std::cout << ", loss " << digits("%.4f", losses_.back());
  if (validation_loss_) std::cout << ", validation loss " << digits("%.4f", *validation_loss_);
  std::cout << '\n';
  if (folder_) std::cout << "checkpoint: " << folder_->path().string() << '\n';
  if (sample) std::cout << "\n" << *sample << '\n';
  std::cout << std::flush;
}

}  // namespace weft::cli
