// The exponential moving average of a model's parameters, which often generalises better than the parameters themselves:
//
//   optim::EMA ema(model, {.decay = 0.999});
//   const auto train_step = compile([&](...) { ...; optimizer.step(gradients); ema.update(); });
//   {
//     const optim::EMA::Applied averaged = ema.apply();  // the model has the averages as long as this lives
//     evaluate(model);
//   }
//
// The averages are of the parameters that required gradients when the EMA was made, in f32 for 16-bit floats; those of others, such as
// running statistics, are the model's own. state_dict(ema) and load_state_dict save and load them. As in PyTorch's
// AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(decay)), the first update copies the parameters.
#pragma once

#include <source_location>
#include <vector>

#include <weft/tensor/module.h>
#include <weft/tensor/parameter_ref.h>
#include <weft/tensor/scalar.h>

namespace weft::optim {

struct EMAOptions {
  Scalar decay = {0.999, "decay"};  // average = decay * average + (1 - decay) * parameter; may change between steps
};

class EMA {
 public:
  template <class M>
  explicit EMA(M& model, EMAOptions options = {}) : EMA(named_parameters(model), std::move(options)) {}
  explicit EMA(const std::vector<NamedParameter>& parameters, EMAOptions options = {});

  EMAOptions& options() { return options_; }

  // Takes the current values into the averages: after optimizer.step, in the same compiled function. Throws Error if the model was
  // destroyed or has the averages.
  void update(std::source_location where = std::source_location::current());

  // Gives the parameters of the model the averages, or, if they have them, the values that they had before: what happened to the parameters
  // in between is lost. Before the first update, the averages are the parameters.
  void swap(std::source_location where = std::source_location::current());

  // The model has the averages as long as this lives.
  class Applied {
   public:
    explicit Applied(EMA& ema, std::source_location where) : ema_(ema) { ema_.swap(where); }
    ~Applied() { ema_.swap(); }
    Applied(const Applied&) = delete;
    Applied& operator=(const Applied&) = delete;

   private:
    EMA& ema_;
  };
  Applied apply(std::source_location where = std::source_location::current()) { return Applied(*this, where); }

  void fields(auto&& field) {
    field("step", steps_);
    for (Average& average : averages_) field(average.name, average.value);
  }

 private:
  struct Average {
    std::string name;
    ParameterRef parameter;
    Parameter value;
    Tensor own;  // the value of the parameter while it has the average
  };
  Parameter& parameter_of(const Average& average, const char* function) const;

  EMAOptions options_;
  std::vector<Average> averages_;
  Parameter steps_;  // the number of updates so far
  bool is_applied_ = false;
};

}  // namespace weft::optim
