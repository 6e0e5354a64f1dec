// How a training run is spread over the devices of a mesh (tensor/sharding.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <weft/tensor/sharding.h>

namespace weft::train {

struct Parallelism {
  // The axis `data` divides the batch, the axis `model` the layers. nullopt: one device.
  std::optional<Mesh> mesh = {};
  // What is divided along the axis `data` besides the batch, as in the ZeRO paper: 0 nothing, 1 the optimizer's state,
  // 2 the gradients, too (a program never keeps whole gradients of a divided state, so 2 is the same as 1), 3 the
  // parameters, too (FSDP).
  std::int64_t zero = 0;

  // Throws Error for axes other than data and model, for a batch that does not divide, and for a ZeRO stage without
  // the axis data.
  void check(std::int64_t batch) const;

  bool has_axis(std::string_view name) const;
};

// Reads "data=4,model=2".
Mesh parse_mesh(std::string_view text);

// Shards the parameters of a model; `layers` divides them along the axis `model`. Call it before the optimizer is made,
// whose state then follows.
void shard_parameters(const std::vector<NamedParameter>& parameters, const Parallelism& parallelism,
                      const std::vector<ShardingPattern>& layers);
// Shards the state of an optimizer.
void shard_state(const std::vector<NamedParameter>& state, const Parallelism& parallelism);

// Divides the rows of a batch among the devices. A batch whose rows do not divide is replicated.
Tensor divide_rows(const Tensor& batch, const Parallelism& parallelism);

}  // namespace weft::train
