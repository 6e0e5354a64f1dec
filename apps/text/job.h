// A benchmark job: a folder that specifies a short run completely, so that weft and other frameworks can run the same job.
//
//   config.json            sizes, AdamW's hyperparameters, clip, dtype, threads, and `lr`: one learning rate per step
//   init.safetensors       all weights, with the names of Gpt's parameters
//   batches.safetensors    tokens: i32 [steps, batch, context + 1]
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include <apps/text/text_config.h>
#include <apps/text/text_dataset.h>
#include <weft/data/safetensors.h>

namespace weft::text {

class Job {
 public:
  // Throws Error, which names the file, if something is missing, malformed or inconsistent.
  explicit Job(const std::filesystem::path& folder);

  const TextConfig& config() const { return config_; }  // lr, warmup and decay_steps are not used
  std::int64_t steps() const { return std::ssize(lr_); }
  int threads() const { return threads_; }
  double learning_rate(std::int64_t step) const { return lr_[step]; }
  const data::SafetensorsFile& weights() const { return weights_; }
  // Fills `tokens` ([batch, context + 1]) with the batch of a step.
  void batch(std::int64_t step, std::span<std::int32_t> tokens) const;

 private:
  TextConfig config_;
  std::vector<double> lr_;
  int threads_ = 0;
  data::SafetensorsFile weights_, batches_;
  const data::SafetensorsFile::Entry* tokens_ = nullptr;
};

// Writes a job with the first `steps` steps of a run on `text`.
void write_job(const std::filesystem::path& folder, const TextConfig& config, std::int64_t steps, int threads,
               std::span<const data::TensorBytes> weights, const TextDataset& text);

}  // namespace weft::text
