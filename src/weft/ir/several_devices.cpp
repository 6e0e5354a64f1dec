#include <weft/ir/several_devices.h>

#include <algorithm>
#include <charconv>

#include <weft/ir/annotations.h>
#include <weft/ir/ops.h>

namespace weft::ir {

std::string several_devices_message(std::string_view what) {
  return concat(what,
                " is part of a program that is already split among devices; weft runs only programs that it splits "
                "itself, as their sdy.shardings say");
}

void refuse_several_devices(const Node& node) {
  const std::string name = concat(node.op->dialect, '.', node.op->name);
  const Location& at = node.location;
  const std::string what = at.line == 0 ? name : concat(name, " at ", at.file, ':', at.line);
  throw SeveralDevicesError(node.op == &ops::manual_computation
                                ? concat(what,
                                         " computes on shards: divide the program among the devices of its "
                                         "sdy.mesh, as `weft run --devices` does")
                                : several_devices_message(what),
                            name);
}

bool is_operation_of_several_devices(std::string_view name) {
  return name.starts_with("sdy.") || name.starts_with("mpmd.");
}

bool is_call_of_several_devices(std::string_view target) {
  constexpr std::string_view targets[] = {"SPMDFullToShardShape", "SPMDShardToFullShape", "xla.sdy.GlobalToLocalShape",
                                          "xla.sdy.LocalToGlobalShape"};
  return std::ranges::find(targets, target) != std::end(targets);
}

std::int64_t device_count(const Graph& function) {
  std::int64_t count = 1;
  if (!function.annotations || !function.annotations->module) return count;
  for (const Annotation& said : function.annotations->module->attributes) {
    if (said.name != "mhlo.num_replicas" && said.name != "mhlo.num_partitions") continue;
    std::int64_t number = 1;  // parses the 8 of 8 : i32
    std::from_chars(said.value.data(), said.value.data() + said.value.size(), number);
    count *= std::clamp<std::int64_t>(number, 1, 1 << 20);
  }
  return count;
}

}  // namespace weft::ir
