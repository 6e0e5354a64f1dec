// The layouts of a training step on a mesh that the simulation compares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <apps/lab/mesh.h>
#include <apps/lab/vit_step.h>
#include <weft/ir/mesh.h>
#include <weft/ir/sharding.h>

namespace weft::lab {

// Returns the layouts that a simulation compares. It ignores their member `overlap`.
const std::vector<MeshVariant>& simulated_layouts();

struct MeshLayout {
  ir::Mesh mesh;
  std::vector<ir::Sharding> inputs;                  // of the step
  std::vector<std::optional<ir::Sharding>> outputs;  // new values are sharded as the values before them
  // How many bytes of parameters and optimizer's state a device keeps, by the formula of the ZeRO paper: 4 + 8 / n for each parameter with
  // ZeRO-1. nullopt: there is no formula.
  std::optional<double> formula_bytes;
};

// ZeRO divides the state among all devices, or, if their number divides too few of the sizes, among a part of them; the other axis of the
// mesh is then called replica. Tensor parallelism divides the layers among up to 8 devices.
MeshLayout layout_of(const MeshVariant& variant, std::int64_t devices, const RecordedStep& step);

}  // namespace weft::lab
