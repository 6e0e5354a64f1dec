// The training step of a captioner, compiled in the variants of the experiment.
#pragma once

#include <functional>
#include <memory>

#include <apps/captioner/captioner.h>
#include <apps/captioner/captioner_config.h>
#include <apps/captioner/captions.h>
#include <weft/jit/options.h>
#include <weft/optim/adam.h>

namespace weft::lab {

// A model with PyTorch's Adam.
struct CaptionerTask {
  explicit CaptionerTask(const captioner::CaptionerConfig& config);

  Tensor loss(const captioner::CaptionBatch& batch) const;
  Tensor step(const captioner::CaptionBatch& batch);  // forward, backward and update

  captioner::CaptionerConfig config;
  captioner::Captioner model;
  optim::Adam optimizer;
};

// Trains on a batch and returns the loss. Keeps the task alive.
using CaptionStep = std::function<Tensor(const captioner::CaptionBatch& batch)>;
using SharedTask = std::shared_ptr<CaptionerTask>;

// One compiled function for the whole step.
CaptionStep whole_step(const SharedTask& task, const CompileOptions& options);
// One compiled function for loss and gradients; the update runs operation by operation.
CaptionStep model_step(const SharedTask& task, const CompileOptions& options);
// One compiled function for loss and gradients, and another for the update.
CaptionStep model_and_optimizer_step(const SharedTask& task, const CompileOptions& options);
// The same with a hand-written Adam that uses foreach_map.
CaptionStep foreach_map_step(const SharedTask& task, const CompileOptions& options);
// Separate functions for the encoder, the decoder with the loss, and the update. Each takes its gradient inside, so the encoder's
// function runs forward once more for its gradient.
CaptionStep modular_step(const SharedTask& task, const CompileOptions& encoder, const CompileOptions& decoder);
// Separate functions for every block, forward and once more for its gradient, and for the update.
CaptionStep regional_step(const SharedTask& task, const CompileOptions& options);

}  // namespace weft::lab
