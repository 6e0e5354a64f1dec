// How any model is trained: batch size, AdamW's hyperparameters and the learning-rate schedule. Part of the configs of
// runs.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::train {

struct Recipe {
  std::int64_t batch = 16;
  double lr = 1e-3;
  std::int64_t warmup = 100, decay_steps = 2000;
  double beta1 = 0.9, beta2 = 0.95, eps = 1e-8, weight_decay = 0.1, clip = 1;
  std::int64_t seed = 0;

  static void fields(auto& self, auto&& field) {
    field("batch", self.batch, "samples per step");
    field("lr", self.lr, "peak of the learning rate");
    field("warmup", self.warmup, "steps of warm-up to the peak of the learning rate");
    field("decay_steps", self.decay_steps, "step at which the cosine schedule reaches a tenth of the peak");
    field("beta1", self.beta1, "AdamW's decay rate of the first moment");
    field("beta2", self.beta2, "AdamW's decay rate of the second moment");
    field("eps", self.eps, "AdamW's epsilon");
    field("weight_decay", self.weight_decay, "decay of matrices per step, relative to the learning rate");
    field("clip", self.clip, "limit for the norm of all gradients together; 0: no limit");
    field("seed", self.seed, "seed of weights, batches and dropout");
  }

  // Throws Error, which starts with the field's name, for invalid values.
  void check() const;
  double learning_rate(std::int64_t step) const;  // warm-up, then a cosine decay to a tenth, then constant
  void fit_schedule(std::int64_t steps);          // fits warm-up and decay into a run of this many steps

  // The fields that fit_schedule sets, and a description of their values.
  struct Fitted {
    std::string_view field, value;
  };
  static constexpr Fitted schedule[] = {{"warmup", "a tenth of --steps, at most the preset's"},
                                        {"decay_steps", "--steps"}};
};

// Throws Error, which starts with the name, unless the size is positive and the product of any two such sizes fits into
// 64 bits.
void check_size(const char* name, std::int64_t size);

}  // namespace weft::train
