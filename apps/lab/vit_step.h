// The training step of the ViT as a graph. It is recorded for a batch of any size and not run, so that it can be divided among any number
// of devices without memory for what they hold.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <apps/lab/vit.h>
#include <weft/ir/graph.h>
#include <weft/optim/optimizer.h>
#include <weft/tensor/tensor.h>

namespace weft::lab {

struct RecordedStep {
  enum class Role : std::uint8_t {
    batch,      // images and labels
    parameter,  // of the model
    state,      // of the optimizer, except for numbers
    number,     // what the host gives to all devices: the learning rate, random keys
  };
  struct Input {
    std::string name;
    Role role = Role::batch;
    Tensor value = {};             // undefined for the batch
    std::int32_t updated_by = -1;  // the output that is its new value; -1: it keeps its value
  };
  std::shared_ptr<const ir::Graph> graph;  // its first output is the loss
  std::vector<Input> inputs;
};

// Records one step of the optimizer, whose parameters and state keep their values.
RecordedStep record_step(const VitConfig& config, Vit& model, optim::Optimizer& optimizer, std::int64_t batch);

}  // namespace weft::lab
