// The training step of a captioner, compiled in the ways of the experiment.
#pragma once

#include <functional>
#include <memory>

#include <apps/captioner/captioner.h>
#include <apps/captioner/captioner_config.h>
#include <apps/captioner/captions.h>
#include <weft/jit/options.h>
#include <weft/optim/adam.h>

namespace weft::lab {

// A model and PyTorch's Adam for it.
struct CaptionerTask {
  explicit CaptionerTask(const captioner::CaptionerConfig& config);

  Tensor loss(const captioner::CaptionBatch& batch) const;
  Tensor step(const captioner::CaptionBatch& batch);  // forward, backward and update

  captioner::CaptionerConfig config;
  captioner::Captioner model;
  optim::Adam optimizer;
};

// Trains on a batch; gives the loss. Keeps the task alive.
using CaptionStep = std::function<Tensor(const captioner::CaptionBatch& batch)>;
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

}  // namespace weft::lab
