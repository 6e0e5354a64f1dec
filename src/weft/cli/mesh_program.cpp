#include <weft/cli/mesh_program.h>

#include <algorithm>
#include <functional>
#include <map>

#include <weft/base/error.h>
#include <weft/base/process.h>
#include <weft/ir/attributes.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/shardy.h>
#include <weft/record/place_text.h>

namespace weft::cli {

std::string MeshProgram::summary() const {
  std::map<std::string_view, int> counts;
  for (const compiler::Communication& c : divided.communications) ++counts[c.node->op->name];
  std::string text = concat(divided.mesh.devices(), " devices (", divided.mesh, "): ");
  for (const char* separator = ""; const auto& [name, count] : counts)
    text += concat(std::exchange(separator, ", "), count, ' ', name);
  if (counts.empty()) return text + "no communication";
  return concat(text, "; each device sends ", format_bytes(sent_bytes()));
}

namespace {

std::string op_at(const ir::Op& op, const ir::Location& location) {
  const std::string place = record::place_text(location);
  return place.empty() ? std::string(op.name) : concat(op.name, " at ", place);
}

// Returns why there is the collective: what the op that needs its result, or else the program's output, lacks.
std::string reason(const compiler::Communication& c) {
  using ir::Collective;
  if (c.reason == c.node->op) return concat("it is written at ", record::place_text(c.location));
  const ir::Node* producer = c.node->operand(0).node;
  while (producer->op->collective != Collective::none && !producer->operands.empty())
    producer = producer->operand(0).node;
  const std::string made = ir::is_parameter(*producer)
                               ? concat("input ", producer->attributes<ir::ParameterAttributes>().index)
                               : op_at(*producer->op, producer->location);
  const bool is_output = op_at(*c.reason, c.location) == made;
  const std::string needed = is_output ? "an output" : op_at(*c.reason, c.location);
  switch (c.node->op->collective) {
    case Collective::all_reduce: return concat(needed, " needs the sum of what each device computes in ", made);
    case Collective::reduce_scatter:
      return concat(needed, " needs, on each device, a part of the sum of what each computes in ", made);
    case Collective::all_gather:
      return concat(needed, " needs the whole of ", made, ", of which each device has a part");
    default: return concat(needed, " needs ", made, " divided along another dimension");
  }
}

std::string formula(const compiler::Communication& c, const ir::Mesh& mesh) {
  const ir::Collective kind = c.node->op->collective;
  if (kind == ir::Collective::permute || kind == ir::Collective::broadcast) return concat("all of ", c.node->types[0]);
  const bool twice = kind == ir::Collective::all_reduce;
  const std::int64_t n = ir::devices_along(mesh, c.axes);
  const Type from = c.node->operand(0).type(), to = c.node->types[0];
  return concat(twice ? "2 x " : "", n - 1, '/', n, " of ", from.bytes() < to.bytes() ? to : from);
}

}  // namespace

std::string MeshProgram::explanation() const {
  std::vector<const compiler::Communication*> order;
  for (const compiler::Communication& c : divided.communications) order.push_back(&c);
  std::ranges::stable_sort(order, std::greater(), [](const auto* c) { return c->sent_bytes; });
  std::string text = summary() + '\n';
  for (const compiler::Communication* c : order) {
    std::string axes;
    for (const int axis : c->axes) axes += concat(axes.empty() ? "" : ", ", divided.mesh.axes()[axis].name);
    text += concat('\n', c->node->op->name, " along ", axes, ": each device sends ", format_bytes(c->sent_bytes), ", ",
                   formula(*c, divided.mesh), "\n  ", reason(*c), '\n');
  }
  return text;
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
  return {compiler::partition(function, declared->mesh, inputs, declared->outputs)};
}

}  // namespace weft::cli
