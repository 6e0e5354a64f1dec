#include <weft/cli/mesh_program.h>

#include <map>

#include <weft/base/error.h>
#include <weft/base/process.h>
#include <weft/ir/op.h>
#include <weft/ir/text/shardy.h>

namespace weft::cli {

std::string MeshProgram::summary() const {
  std::map<std::string_view, int> counts;
  for (const compiler::Communication& c : divided.communications) ++counts[c.node->op->name];
  std::string text = concat(mesh.devices(), " devices (", mesh, "): ");
  for (const char* separator = ""; const auto& [name, count] : counts)
    text += concat(std::exchange(separator, ", "), count, ' ', name);
  if (counts.empty()) return text + "no communication";
  return concat(text, "; each device sends ", format_bytes(sent_bytes()));
}

double MeshProgram::sent_bytes() const {
  double bytes = 0;
  for (const compiler::Communication& c : divided.communications) bytes += c.sent_bytes;
  return bytes;
}

MeshProgram divide(const ir::Graph& function, const std::string& file) {
  const auto declared = ir::declared_shardings(function);
  require(declared.has_value(), file,
          ": there is no sdy.mesh, so it is not known among which devices to divide the program");
  std::vector<ir::Sharding> inputs;
  for (std::size_t i = 0; i < declared->inputs.size(); ++i)
    inputs.push_back(declared->inputs[i].value_or(ir::Sharding(declared->mesh, function.inputs()[i].rank())));
  compiler::Partitioned divided = compiler::partition(function, declared->mesh, inputs, declared->outputs);
  return {declared->mesh, std::move(inputs), std::move(divided)};
}

}  // namespace weft::cli
