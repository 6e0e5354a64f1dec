#include <weft/compiler/spmd/describe_division.h>

#include <algorithm>
#include <functional>
#include <utility>

#include <weft/base/error.h>
#include <weft/ir/ops.h>
#include <weft/ir/place_text.h>

namespace weft::compiler {

namespace {

using ir::Collective;

std::string op_at(const ir::Op& op, const ir::Location& location) {
  const std::string place = ir::place_text(location);
  return place.empty() ? std::string(op.name) : concat(op.name, " at ", place);
}

// Returns the node of the divided program that makes the value of a collective.
const ir::Node& producer(const Communication& c) {
  const ir::Node* node = c.node->operand(0).node;
  while (node->op->collective != Collective::none && !node->operands.empty()) node = node->operand(0).node;
  return *node;
}

// Returns why there is the collective, with # for what makes the value.
std::string reason(const Communication& c, const std::string& needed) {
  if (c.reason == c.node->op) return concat("it is written at ", ir::place_text(c.location));
  switch (c.node->op->collective) {
    case Collective::all_reduce: return needed + " needs the sum of what each device computes in #";
    case Collective::reduce_scatter:
      return needed + " needs, on each device, a part of the sum of what each computes in #";
    case Collective::all_gather: return needed + " needs the whole of #, of which each device has a part";
    default: return needed + " needs # divided along another dimension";
  }
}

std::string formula(const Communication& c, const ir::Mesh& mesh) {
  const Collective kind = c.node->op->collective;
  if (kind == Collective::permute || kind == Collective::broadcast) return concat("all of ", c.node->types[0]);
  const bool twice = kind == Collective::all_reduce;
  const std::int64_t n = ir::devices_along(mesh, c.axes);
  const Type from = c.node->operand(0).type(), to = c.node->types[0];
  return concat(twice ? "2 x " : "", n - 1, '/', n, " of ", from.bytes() < to.bytes() ? to : from);
}

}  // namespace

Division describe_division(const Partitioned& program) {
  Division division{.mesh = concat(program.mesh), .devices = program.mesh.devices()};
  for (const Communication& c : program.communications) {
    const ir::Node& made = producer(c);
    Division::Collective told{.name = std::string(c.node->op->name),
                              .axes = {},
                              .sent_bytes = c.sent_bytes,
                              .formula = formula(c, program.mesh),
                              .made = op_at(*made.op, made.location),
                              .needed = op_at(*c.reason, c.location)};
    for (const int axis : c.axes) told.axes += concat(told.axes.empty() ? "" : ", ", program.mesh.axes()[axis].name);
    if (ir::is_parameter(made)) told.input = made.attributes<ir::ParameterAttributes>().index;
    if (told.needed == told.made) told.needed = "an output";
    told.reason = reason(c, told.needed);
    division.collectives.push_back(std::move(told));
  }
  std::ranges::stable_sort(division.collectives, std::greater(), &Division::Collective::sent_bytes);
  return division;
}

}  // namespace weft::compiler
