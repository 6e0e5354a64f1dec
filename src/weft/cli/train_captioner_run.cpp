#include <weft/cli/train_captioner_run.h>

#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include <apps/captioner/caption_sheet.h>
#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/json.h>
#include <weft/cli/resume.h>
#include <weft/runtime/parallel.h>
#include <weft/train/config_settings.h>

namespace weft::cli {

namespace {

constexpr std::int64_t caption_batches_validated = 8;

}  // namespace

TrainCaptionerRun::TrainCaptionerRun(const TrainCaptionerOptions& options)
    : options_(options),
      config_(options.config),
      loop_(options, training(), "--batch, --image, --width or the layers") {
  if (options.threads > 0) runtime::set_thread_count(options.threads);
  options.resume.empty() ? begin() : resume();
}

Training TrainCaptionerRun::training() {
  return {.load_batch = [this](std::int64_t) { batch_ = batches_->next(); },
          .launch = [this](std::int64_t step) { return trainer_->step(step, batch_, config_.learning_rate(step)); },
          .validate = [this] { return validation_loss(); },
          .state = [this] { return trainer_->state(); },
          .items = [this] { return config_.batch; },
          .division = [this] { return trainer_->division(); },
          .unit = "pictures"};
}

void TrainCaptionerRun::begin() { start(0, options_.steps); }

void TrainCaptionerRun::resume() {
  const auto saved = open_resumed<captioner::CaptionerConfig>(options_, "weft train captioner");
  config_ = saved.config;
  start(saved.checkpoint.step, resumed_last_step(config_, saved.before, options_, saved.place));
  trainer_->load(saved.checkpoint);
}

void TrainCaptionerRun::start(std::int64_t step, std::int64_t last_step) {
  loop_.require_memory(captioner::least_bytes(config_));
  if (has_sheet())
    for (const std::string& file : {png(), html()}) require_writable(file);
  loop_.begin(step, last_step);
  trainer_.emplace(config_, options_.parallelism);
  batches_.emplace(config_, static_cast<int>(options_.workers), step);
}

int TrainCaptionerRun::run() {
  train::Settings settings = train::settings_of(config_);
  settings["steps"] = loop_.last_step();
  loop_.train(settings);
  batches_.reset();
  if (loop_.signal() == 0) loop_.validate();
  loop_.end_progress();
  if (has_sheet() && loop_.signal() == 0) evaluate();
  if (options_.json) {
    std::cout << print_json(report()) << std::endl;
  } else {
    print_summary();
  }
  loop_.require_saved();
  require(sheet_.ok(), sheet_.reason());
  return loop_.signal();
}

std::optional<double> TrainCaptionerRun::validation_loss() {
  const captioner::CaptionSource source =
      captioner::caption_source(config_, captioner::Split::held_out, caption_batches_validated * config_.batch);
  const data::Loader loader(
      source, captioner::CaptionCollator(captioner::padding_policy(config_.padding, config_.sizes.context)),
      {.batch = config_.batch, .shuffle = false, .workers = static_cast<int>(options_.workers)});
  double sum = 0;
  for (const captioner::CaptionBatch& batch : loader.epoch(0)) {
    if (loop_.signal() != 0) return std::nullopt;
    sum += trainer_->loss(batch).get();
  }
  return sum / caption_batches_validated;
}

void TrainCaptionerRun::evaluate() {
  score_ = captioner::evaluate_captions(*trainer_, config_, options_.pictures, options_.examples,
                                        [this] { return loop_.signal() != 0; });
  if (loop_.signal() != 0) {
    score_.reset();
  } else {
    write_sheet();
  }
}

// If the sheet cannot be written, the summary is still printed; run() then fails at the end.
void TrainCaptionerRun::write_sheet() {
  try {
    const std::vector<std::byte> picture = data::encode_png(captioner::draw_sheet(*score_));
    write_file(png(), {reinterpret_cast<const char*>(picture.data()), picture.size()});
    write_file(html(), captioner::html_sheet(*score_));
  } catch (const Error& error) {
    sheet_ = Status::failed(error.what());
  }
}

nlohmann::json TrainCaptionerRun::report() {
  nlohmann::json result = loop_.report();
  result["parameters"] = trainer_->parameters();
  result["caption_accuracy"] = score_ ? nlohmann::json(score_->accuracy) : nlohmann::json();
  result["token_accuracy"] = score_ ? nlohmann::json(score_->token_accuracy) : nlohmann::json();
  result["pictures"] = score_ ? score_->pictures : 0;
  result["sheet"] = score_ && sheet_.ok() ? nlohmann::json(options_.sheet) : nlohmann::json();
  return result;
}

void TrainCaptionerRun::print_summary() const {
  std::cout << loop_.summary();
  if (score_)
    std::cout << digits("%.1f", 100 * score_->accuracy) << " % of " << score_->pictures
              << " held-out captions are right, " << digits("%.1f", 100 * score_->token_accuracy)
              << " % of their tokens\n";
  if (score_ && sheet_.ok()) std::cout << "sheet: " << png() << ", " << html() << '\n';
  std::cout << std::flush;
}

}  // namespace weft::cli
