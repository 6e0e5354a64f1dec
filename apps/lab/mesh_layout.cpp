#include <apps/lab/mesh_layout.h>

#include <algorithm>
#include <fnmatch.h>

#include <weft/base/error.h>

namespace weft::lab {

namespace {

using Role = RecordedStep::Role;

// Returns the first dimension that divides among these devices; -1 if there is none.
int divided_dimension(Type type, std::int64_t devices) {
  for (int d = 0; d < type.rank(); ++d)
    if (type.size(d) % devices == 0) return d;
  return -1;
}

// Returns the largest divisor of the number of devices among which nearly all of the state divides.
std::int64_t devices_of_state(const RecordedStep& step, std::int64_t devices) {
  constexpr double nearly_all = 0.9;
  for (std::int64_t parts = devices; parts > 1; --parts) {
    if (devices % parts != 0) continue;
    double all = 0, divided = 0;
    for (const RecordedStep::Input& input : step.inputs) {
      if (input.role != Role::state) continue;
      const auto bytes = static_cast<double>(input.value.type().bytes());
      all += bytes;
      if (divided_dimension(input.value.type(), parts) >= 0) divided += bytes;
    }
    if (divided >= nearly_all * all) return parts;
  }
  return 1;
}

std::int64_t devices_of_layers(std::int64_t devices) {
  std::int64_t parts = std::min<std::int64_t>(devices, 8);
  while (devices % parts != 0) --parts;
  return parts;
}

ir::Mesh mesh_of(const MeshVariant& variant, std::int64_t devices, const RecordedStep& step) {
  const bool has_parts = variant.splits_model || variant.zero > 0;
  const char* const name = variant.splits_model ? "model" : "data";
  const std::int64_t parts = variant.splits_model ? devices_of_layers(devices)
                             : variant.zero > 0   ? devices_of_state(step, devices)
                                                  : devices;
  if (!has_parts || parts == devices) return ir::Mesh{{name, devices}};
  return ir::Mesh{{variant.splits_model ? "data" : "replica", devices / parts}, {name, parts}};
}

// The state of a parameter is named after it: up.weight.m.
bool is_of(const std::string& name, const std::string& pattern, Role role) {
  const std::string parameter = role == Role::state ? name.substr(0, name.rfind('.')) : name;
  return fnmatch(pattern.c_str(), parameter.c_str(), 0) == 0;
}

ir::Sharding sharding_of(const RecordedStep::Input& input, Type type, const MeshVariant& variant,
                         const ir::Mesh& mesh) {
  std::vector<ir::Sharding::Axes> dims(type.rank());
  if (mesh.devices() == 1) return {mesh, std::move(dims)};
  if (input.role == Role::batch) {
    for (int axis = 0; axis < std::ssize(mesh.axes()); ++axis)
      if (mesh.axes()[axis].name != "model") dims[0].push_back(axis);
  } else if (input.role != Role::number && variant.splits_model) {
    for (const ShardingPattern& pattern : divided_layers())
      if (is_of(input.name, pattern.names, input.role)) return pattern.spec.on(mesh, type, "lab mesh");
  } else if (variant.zero >= 3 ? input.role != Role::number : variant.zero > 0 && input.role == Role::state) {
    const int axis = mesh.axis("data");
    if (const int d = divided_dimension(type, mesh.size(axis)); d >= 0) dims[d].push_back(axis);
  }
  return {mesh, std::move(dims)};
}

}  // namespace

const std::vector<MeshVariant>& simulated_layouts() {
  static const std::vector<MeshVariant> all{{.name = "data parallel"},
                                            {.name = "ZeRO-1, ZeRO-2", .zero = 1},
                                            {.name = "ZeRO-3", .zero = 3},
                                            {.name = "tensor parallel", .splits_model = true}};
  return all;
}

MeshLayout layout_of(const MeshVariant& variant, std::int64_t devices, const RecordedStep& step) {
  MeshLayout layout{.mesh = mesh_of(variant, devices, step), .inputs = {}, .outputs = {}, .formula_bytes = {}};
  layout.outputs.resize(step.graph->outputs().size());
  layout.outputs[0] = ir::Sharding(layout.mesh, 0);
  double parameters = 0, state = 0;
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const RecordedStep::Input& input = step.inputs[i];
    const Type type = step.graph->inputs()[i].type();
    layout.inputs.push_back(sharding_of(input, type, variant, layout.mesh));
    if (input.updated_by >= 0) layout.outputs[input.updated_by] = layout.inputs.back();
    (input.role == Role::parameter ? parameters : state) +=
        input.role == Role::parameter || input.role == Role::state ? static_cast<double>(type.bytes()) : 0;
  }
  if (variant.splits_model) return layout;
  const double parts = variant.zero > 0 ? static_cast<double>(layout.mesh.size(layout.mesh.axis("data"))) : 1;
  layout.formula_bytes = parameters / (variant.zero >= 3 ? parts : 1) + state / parts;
  return layout;
}

}  // namespace weft::lab
