// A benchmark job: a folder that fixes everything about a short run, so that weft and other frameworks can be given the same one.
//
//   config.json            sizes, AdamW's numbers, clip, dtype, threads, and `lr`: one learning rate per step
//   init.safetensors       every weight, under the names of Gpt's parameters
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
  // Throws Error naming the file for what is missing, malformed or does not fit together.
  explicit Job(const std::filesystem::path& folder);

  const TextConfig& config() const { return config_; }  // lr, warmup and decay_steps say nothing
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

// Writes the job of the first `steps` steps of a run on `text`.
void write_job(const std::filesystem::path& folder, const TextConfig& config, std::int64_t steps, int threads,
               std::span<const data::TensorBytes> weights, const TextDataset& text);

}  // namespace weft::text
