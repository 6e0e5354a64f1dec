#include <weft/cli/training_loop.h>

#include <algorithm>
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
#include <weft/record/sync.h>

namespace weft::cli {

namespace {

std::uint64_t memory_limit() { return device().stats().bytes_limit; }

}  // namespace

std::string digits(const char* format, double number) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

TrainingLoop::TrainingLoop(const TrainOptions& options, Training training, std::string smaller)
    : options_(options), training_(std::move(training)), smaller_(std::move(smaller)) {
  if (process_count() == 1) return;
  require(
      options.parallelism.mesh.has_value(), process_count(),
      " processes were started, but no mesh that they could share: name one, such as --mesh data=", process_count());
  agreement_.emplace(*options.parallelism.mesh);
}

void TrainingLoop::require_memory(double needed) const {
  if (needed <= memory_limit()) return;
  fail("not enough memory: training needs ", needed < 0x1p63 ? format_bytes(needed) : concat(needed, " bytes"),
       " at the least, ", format_bytes(memory_limit()), " are available", address_space_hint(), "; lower ", smaller_);
}

void TrainingLoop::begin(std::int64_t step, std::int64_t last_step) {
  first_step_ = step_ = step;
  last_step_ = last_step;
  const std::filesystem::path folder = options_.save.empty() ? options_.resume : options_.save;
  if (folder.empty()) return;
  folder_ = folder;
  if (process_index() == 0) saves_into_.emplace(folder);
  std::error_code ignored;
  const bool resumes_here = !options_.resume.empty() && std::filesystem::equivalent(folder, options_.resume, ignored);
  if (resumes_here) saved_step_ = step;
  if (saves_into_ && train::has_checkpoint(folder) && !resumes_here)
    std::cerr << "note: " << folder.string() << " holds a checkpoint, which this run replaces; --resume goes on from it"
              << std::endl;
}

void TrainingLoop::train(const train::Settings& settings) {
  const std::int64_t every =
      options_.log_every > 0 ? options_.log_every : std::max<std::int64_t>(1, (last_step_ - step_) / 20);
  progress_.emplace("train", step_, last_step_, train::Progress::standard_error(every));
  progress_->update(step_, [] { return "compiling"; });
  start_ = std::chrono::steady_clock::now();
  clock_.restart();
  while (step_ < last_step_ && !stop_now()) {
    train_step(settings);
    if (!interrupt_) begin_to_note_signals();  // before the line that tells of the step
    while (pending_.size() > ahead()) finish_step();
    if (!due(options_.val_every) && !due(options_.save_every)) continue;
    finish_steps();
    if (due(options_.val_every)) validate();
    if (due(options_.save_every)) try_to_save(settings);
    clock_.restart();
  }
  finish_steps();
  try {
    save(settings);
    if (interrupt_) interrupt_->hurry();
  } catch (const Error& error) {
    last_save_ = Status::failed(error.what());
  }
}

void TrainingLoop::begin_to_note_signals() {
  interrupt_.emplace(concat("stopping when the pending steps are done", folder_.empty() ? "" : " and saved",
                            "; a second signal ends it at once"));
}

// Returns the number of steps whose losses may be pending: two, so that the device has work while the host reads the
// oldest loss. Zero for long steps, which would delay the response to a signal.
std::size_t TrainingLoop::ahead() const {
  constexpr double long_ms = 300;
  return clock_.ms().empty() || clock_.ms().back() > long_ms ? 0 : 2;
}

// The steps before the batch are complete and are kept, as on a signal.
void TrainingLoop::end_without_batch(const train::Settings& settings, const std::string& reason) {
  finish_steps();
  std::string kept;
  if (!folder_.empty() && step_ > first_step_) {
    try {
      save(settings);
    } catch (const Error& error) {
      fail(reason, "; and ", error.what());
    }
    kept = concat("; the steps before it are saved: --resume ", folder_.string(), " goes on when the data are mended");
  }
  fail(reason, kept);
}

void TrainingLoop::train_step(const train::Settings& settings) {
  const trace::Scope scope("step", "train", step_);
  try {
    training_.load_batch(step_);
  } catch (const Error& error) {
    end_without_batch(settings, error.what());
  }
  const std::uint64_t compiles = metrics::uncached_compile.value();
  const auto start = std::chrono::steady_clock::now();
  if (auto loss = training_.launch(step_)) pending_.push_back(*std::move(loss));
  const auto host_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  // The first step compiles. The shortest of the other steps did not wait for the device.
  if (const SyncStats stats = last_sync(); !stats.compiled || metrics::uncached_compile.value() == compiles) {
    record_us_ = record_us_ == 0 ? host_us : std::min(record_us_, host_us);
  } else {
    recompiles_ += nodes_per_step_ != 0;
    nodes_per_step_ = stats.nodes;
    check_plan();
  }
  ++step_;
}

void TrainingLoop::check_plan() {
  if (const auto program = last_compile()) peak_bytes_planned_ = program->peak_bytes;
  if (peak_bytes_planned_ <= memory_limit()) return;
  fail("not enough memory: a training step needs ", format_bytes(peak_bytes_planned_), " at its peak, ",
       format_bytes(memory_limit()), " are available", address_space_hint(), "; lower ", smaller_);
}

void TrainingLoop::finish_step() {
  const double loss = pending_.front().get();
  clock_.step_done(pending_.front().made_ns());
  pending_.pop_front();
  if (losses_.empty()) first_step_s_ = seconds_since_process_start();
  losses_.push_back(loss);
  if (!std::isfinite(loss))
    fail("the loss of step ", done() - 1, " is ", loss, ": try a lower --lr",
         saved_step_ >= 0 ? concat("; the checkpoint of step ", saved_step_, " is kept") : "");
  progress_->update(done(), [this] { return status(); });
}

void TrainingLoop::finish_steps() {
  while (auto loss = training_.finish()) pending_.push_back(*std::move(loss));
  while (!pending_.empty()) finish_step();
}

void TrainingLoop::validate() {
  const trace::Scope scope("validation", "validate", step_);
  if (const std::optional<double> loss = training_.validate()) validations_.push_back({step_, *loss});
}

double TrainingLoop::items_per_s() const {
  const double median = clock_.median_ms();
  return median > 0 ? 1e3 * training_.items() / median : 0;
}

std::string TrainingLoop::status() const {
  std::string text = "loss " + digits("%.3f", losses_.back());
  if (!validations_.empty()) text += "  val " + digits("%.3f", validations_.back().loss);
  if (clock_.is_warm()) text += concat("  ", digits("%.0f", items_per_s()), " ", training_.unit, "/s");
  return text;
}

void TrainingLoop::save(const train::Settings& settings) {
  if (folder_.empty() || saved_step_ == step_) return;
  const trace::Scope scope("checkpoint", "save", step_);
  training_.save([&] {
    const std::map<std::string, StateDict> parts = training_.state();
    std::map<std::string, std::vector<data::TensorBytes>> bytes;
    train::CheckpointParts files;
    for (const auto& [name, state] : parts) files[name] = bytes[name] = data::bytes_of(state);
    if (saves_into_) saves_into_->save(step_, settings, files);
  });
  saved_step_ = step_;
}

void TrainingLoop::try_to_save(const train::Settings& settings) {
  try {
    save(settings);
  } catch (const Error& error) {
    progress_->note(concat("warning: ", error.what(), "; training goes on, the next save is tried at step ",
                           std::min(step_ + options_.save_every, last_step_)));
  }
}

void TrainingLoop::require_saved() const { require(last_save_.ok(), last_save_.reason()); }

bool TrainingLoop::stop_now() {
  constexpr int over = 1;  // a vote to stop because the time is over; signals come on top
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const bool is_over = options_.minutes > 0 && elapsed.count() >= 60 * options_.minutes;
  if (!agreement_) return is_over || own_signal() != 0;
  const int vote = agreement_->largest(own_signal() != 0 ? over + own_signal() : is_over ? over : 0);
  agreed_signal_ = std::max(vote - over, 0);
  return vote != 0;
}

nlohmann::json TrainingLoop::report() const {
  double compile_ms = 0;
  if (const auto compiling = metrics::metric(metrics::compile_time.name())) compile_ms = 1e-6 * compiling->total;
  nlohmann::json validations = nlohmann::json::array();
  for (const ValidationLoss& point : validations_) validations.push_back({point.step, point.loss});
  return {
      {"version", version()},
      {"steps", step_},
      {"first_loss", losses_.empty() ? nlohmann::json() : nlohmann::json(losses_.front())},
      {"final_loss", losses_.empty() ? nlohmann::json() : nlohmann::json(losses_.back())},
      {"val_loss", validations_.empty() ? nlohmann::json() : nlohmann::json(validations_.back().loss)},
      {"val_losses", validations},
      {"step_ms_p50", clock_.median_ms()},
      {training_.unit + "_per_s", items_per_s()},
      {"division", training_.division()},
      {"compile_ms", compile_ms},
      {"compiles", metrics::uncached_compile.value() + metrics::pipeline_compiles.value()},
      {"recompiles", recompiles_},
      {"peak_bytes_planned", std::max(peak_bytes_planned_, training_.ahead_bytes())},
      {"peak_bytes_in_use", device().stats().peak_bytes_in_use},
      {"peak_rss_bytes", peak_resident_bytes()},
      {"record_us_per_step", record_us_},
      {"nodes_per_step", nodes_per_step_},
      {"process_start_to_first_step_s", first_step_s_},
      {"checkpoint", folder_.empty() ? nlohmann::json() : nlohmann::json(folder_.string())},
      {"checkpoint_step", !folder_.empty() && saved_step_ >= 0 ? nlohmann::json(saved_step_) : nlohmann::json()},
      {"interrupted", signal() != 0},
  };
}

std::string TrainingLoop::summary() const {
  std::string text = concat(signal() != 0 ? "stopped at step " : "trained to step ", step_);
  if (!losses_.empty()) text += ", loss " + digits("%.4f", losses_.back());
  if (!validations_.empty()) text += ", validation loss " + digits("%.4f", validations_.back().loss);
  text += '\n';
  if (const std::string division = training_.division(); !division.empty())
    text += concat("each step on ", division, process_count() > 1 ? concat(", in ", process_count(), " processes") : "",
                   '\n');
  if (!folder_.empty() && saved_step_ >= 0)
    text += concat("checkpoint", saved_step_ == step_ ? "" : concat(" of step ", saved_step_), ": ", folder_.string(),
                   '\n');
  constexpr int widest = 72;
  const std::string chart =
      loss_chart(losses_, first_step_, validations_, std::min(widest, train::terminal_columns() - 1));
  if (!chart.empty()) text += '\n' + chart;
  return text;
}

}  // namespace weft::cli
