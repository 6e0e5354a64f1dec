// The training step of a captioner, compiled in the ways of the experiment.
#pragma once

#include <functional>
#include <memory>

#include <weft/data/captions.h>
#include <weft/jit/options.h>
#include <weft/optim/adam.h>
#include <weft/train/captioner.h>
#include <weft/train/captioner_config.h>

namespace weft::cli::lab {

// A model and PyTorch's Adam for it.
struct CaptionerTask {
  explicit CaptionerTask(const train::CaptionerConfig& config);

  Tensor loss(const data::CaptionBatch& batch) const;
  Tensor step(const data::CaptionBatch& batch);  // forward, backward and update

  train::CaptionerConfig config;
  train::Captioner model;
  optim::Adam optimizer;
};

// Trains on a batch; gives the loss. Keeps the task alive.
using CaptionStep = std::function<Tensor(const data::CaptionBatch& batch)>;
using SharedTask = std::shared_ptr<CaptionerTask>;

// One function.
CaptionStep whole_step(const SharedTask& task, const CompileOptions& options);
// Loss and gradients in one, and the update run operation by operation.
CaptionStep model_step(const SharedTask& task, const CompileOptions& options);
// Loss and gradients in one, and the update in another.
CaptionStep model_and_optimizer_step(const SharedTask& task, const CompileOptions& options);
// The same with Adam written by hand, with foreach_map.
CaptionStep foreach_map_step(const SharedTask& task, const CompileOptions& options);
// Encoder, decoder with loss, and update in functions of their own. A gradient is taken inside of a function: the encoder runs
// forward once more for its own.
CaptionStep modular_step(const SharedTask& task, const CompileOptions& encoder, const CompileOptions& decoder);
// Every block in a function of its own, forward and once more for its gradient, and the update.
CaptionStep regional_step(const SharedTask& task, const CompileOptions& options);

}  // namespace weft::cli::lab
