#include <weft/cli/train_text_run.h>

#include <iostream>

#include <nlohmann/json.hpp>

#include <apps/text/sampling.h>
#include <weft/base/error.h>
#include <weft/base/metrics.h>
#include <weft/base/trace.h>
#include <weft/cli/resume.h>
#include <weft/data/state_dict.h>
#include <weft/runtime/parallel.h>
#include <weft/train/config_settings.h>

namespace weft::cli {

namespace {

constexpr std::int64_t most_text_batches_validated = 64;  // limits the time to validate a large file

}  // namespace

TrainTextRun::TrainTextRun(const TrainTextOptions& options)
    : options_(options),
      config_(options.config),
      loop_(options, training(), "--batch, --context, --width or --layers") {
  if (!options.job.empty()) {
    job_.emplace(options.job);
    config_ = job_->config();
  }
  const auto threads = options.threads > 0 ? static_cast<int>(options.threads) : job_ ? job_->threads() : 0;
  if (threads > 0) runtime::set_thread_count(threads);
  options.resume.empty() ? begin() : resume();
}

Training TrainTextRun::training() {
  return {.load_batch = [this](std::int64_t step) { load_batch(step); },
          .launch = [this](std::int64_t step) { return trainer_->step(step, tokens_, learning_rate(step)); },
          .validate = [this] { return validation_loss(); },
          .state = [this] { return trainer_->state(); },
          .items = [this] { return config_.batch * config_.context; },
          .division = [this] { return trainer_->division(); },
          .unit = "tokens"};
}

void TrainTextRun::begin() {
  const std::int64_t last_step = options_.steps > 0 ? options_.steps : job_->steps();
  require(!job_ || last_step <= job_->steps(), "the job ", options_.job, " has ", job_ ? job_->steps() : 0,
          " steps, not ", last_step);
  if (!job_) text_.emplace(options_.file, config_.context);
  loop_.require_memory(text::least_bytes(config_));
  loop_.begin(0, last_step);
  trainer_.emplace(config_, options_.parallelism);
  if (job_) trainer_->load_weights(job_->weights());
}

void TrainTextRun::resume() {
  const auto saved = open_resumed<text::TextConfig>(options_, "weft train text", {"text"});
  config_ = saved.config;
  text_.emplace(options_.file, config_.context);
  require(train::to_string(saved.others.at("text")) == text_->digest(), "cannot resume: ", saved.place,
          " was trained on another text than ", options_.file);
  const std::int64_t last_step = resumed_last_step(config_, saved.before, options_, saved.place);
  loop_.require_memory(text::least_bytes(config_));
  loop_.begin(saved.checkpoint.step, last_step);
  trainer_.emplace(config_, options_.parallelism);
  trainer_->load(saved.checkpoint);
}

int TrainTextRun::run() {
  if (!options_.write_job.empty()) {
    const StateDict weights = trainer_->model_state();
    text::write_job(options_.write_job, config_, options_.steps, runtime::thread_count(), data::bytes_of(weights),
                    *text_);
    return 0;
  }
  train::Settings settings = train::settings_of(config_);
  if (text_) settings["text"] = text_->digest();
  settings["steps"] = loop_.last_step();
  loop_.train(settings);
  if (loop_.signal() == 0 && !job_) loop_.validate();
  loop_.end_progress();
  std::optional<std::string> text;
  if (loop_.signal() == 0 && options_.sample > 0) text = sample();
  if (options_.json) {
    std::cout << report(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  } else {
    print_summary(text);
  }
  loop_.require_saved();
  return loop_.signal();
}

void TrainTextRun::load_batch(std::int64_t step) {
  const trace::Scope loading("input", "make a batch");
  const metrics::Timer timer(metrics::input_wait_time);
  tokens_.resize(config_.batch * (config_.context + 1));
  if (job_) {
    job_->batch(step, tokens_);
  } else {
    text_->train_batch(config_.seed, step, tokens_);
  }
}

double TrainTextRun::learning_rate(std::int64_t step) const {
  return job_ ? job_->learning_rate(step) : config_.learning_rate(step);
}

std::optional<double> TrainTextRun::validation_loss() {
  const std::int64_t rows = std::min(config_.batch, text_->validation_windows());
  const std::int64_t batches = text_->validation_windows() / rows,
                     used = std::min(batches, most_text_batches_validated);
  std::vector<std::int32_t> tokens(rows * text_->window());
  double sum = 0;
  for (std::int64_t i = 0; i < used && loop_.signal() == 0; ++i) {
    text_->validation_batch(i * batches / used * rows, tokens);
    sum += trainer_->loss(tokens).get();
  }
  if (loop_.signal() != 0) return std::nullopt;
  return sum / used;
}

std::string TrainTextRun::sample() {
  const text::SamplingOptions sampling{options_.temperature, options_.top_k, static_cast<std::uint64_t>(config_.seed)};
  std::string text = options_.prompt.empty() ? "\n" : options_.prompt;
  const std::size_t start = options_.prompt.empty() ? text.size() : 0;
  train::Progress progress("sample", 0, options_.sample, train::Progress::standard_error(train::Progress::rarely));
  for (std::int64_t i = 0; i < options_.sample && loop_.signal() == 0; ++i) {
    // The model receives the last `context` bytes, padded, so that the program is the same for every length.
    const std::size_t length = std::min<std::size_t>(text.size(), config_.context);
    std::vector<std::int32_t> tokens(config_.context);
    for (std::size_t j = 0; j < length; ++j) tokens[j] = static_cast<unsigned char>(text[text.size() - length + j]);
    const auto logits = trainer_->next_logits(tokens, length);
    text += static_cast<char>(text::sample_token(logits, sampling, i));
    progress.update(i + 1, [] { return "bytes"; });
  }
  return text.substr(start);
}

nlohmann::json TrainTextRun::report(const std::optional<std::string>& sample) {
  nlohmann::json result = loop_.report();
  result["parameters"] = trainer_->parameters();
  result["sample"] = sample ? nlohmann::json(*sample) : nlohmann::json();
  if (job_) {
    result["losses"] = loop_.losses();
    result["step_ms"] = loop_.clock().ms();
  }
  return result;
}

void TrainTextRun::print_summary(const std::optional<std::string>& sample) const {
  std::cout << loop_.summary();
  if (sample) std::cout << "\n" << *sample << '\n';
  std::cout << std::flush;
}

}  // namespace weft::cli
