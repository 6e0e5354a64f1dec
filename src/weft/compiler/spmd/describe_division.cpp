#include <weft/compiler/spmd/describe_division.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <weft/base/error.h>
#include <weft/base/process.h>
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
  const ir::Node* node = c.sent().node;
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
    case Collective::permute: return needed + " needs, on each device, elements of # that another device has";
    default: return needed + " needs # divided along another dimension";
  }
}

std::string formula_of_step(const Communication& c, const ir::Mesh& mesh) {
  const Collective kind = c.node->op->collective;
  if (kind == Collective::permute || kind == Collective::broadcast) return concat("all of ", c.received());
  const bool twice = kind == Collective::all_reduce;
  const std::int64_t n = ir::devices_along(mesh, c.axes);
  const Type from = c.sent().type(), to = c.received();
  return concat(twice ? "2 x " : "", n - 1, '/', n, " of ", from.bytes() < to.bytes() ? to : from);
}

std::string formula(const Communication& c, const ir::Mesh& mesh) {
  const std::string of_step = formula_of_step(c, mesh);
  return c.times == 1 ? of_step : concat(c.times, " times ", of_step);
}

std::string format_ms(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", ms);
  return text;
}

// Returns "34 all_reduce became 2, of 22 (2.1 MiB) and 12 (3.0 MiB) tensors; the last one is predicted to end after 9 ms, with 1 ...".
std::string joining(const JoinedCollectives& joined) {
  const std::size_t count = joined.sizes.size();
  std::size_t tensors = 0;
  std::string sizes;
  for (std::size_t i = 0; i < count; ++i) {
    tensors += joined.sizes[i];
    sizes += concat(i == 0           ? ""
                    : i + 1 == count ? " and "
                                     : ", ",
                    joined.sizes[i], " (", format_bytes(joined.sent_bytes[i]), ")");
  }
  std::string text =
      concat(tensors, " ", joined.op->name, " became ", count, ", of ", sizes, tensors == 1 ? " tensor" : " tensors",
             "; the last one is predicted to end after ", format_ms(joined.end_ms));
  if (joined.end_with_fewer_ms > 0)
    text += concat(", with ", count - 1, " after ", format_ms(joined.end_with_fewer_ms));
  if (joined.end_with_more_ms > 0) text += concat(", with ", count + 1, " after ", format_ms(joined.end_with_more_ms));
  return text;
}

}  // namespace

std::vector<const ir::Node*> operations(const Partitioned& program) {
  std::vector<const ir::Node*> distinct;
  std::set<const ir::Node*> known;
  for (const Communication& c : program.communications)
    if (known.insert(c.node).second) distinct.push_back(c.node);
  return distinct;
}

Division describe_division(const Partitioned& program) {
  Division division{.mesh = concat(program.mesh), .devices = program.mesh.devices()};
  std::map<const ir::Node*, std::int32_t> numbers;
  for (const ir::Node* node : operations(program)) numbers.emplace(node, static_cast<std::int32_t>(numbers.size()));
  for (const Communication& c : program.communications) {
    const ir::Node& made = producer(c);
    Division::Collective told{.name = std::string(c.node->op->name),
                              .axes = {},
                              .sent_bytes = static_cast<double>(c.times) * c.sent_bytes,
                              .formula = formula(c, program.mesh),
                              .made = op_at(*made.op, made.location),
                              .needed = op_at(*c.reason, c.location)};
    told.operation = numbers.at(c.node);
    for (const int axis : c.axes) told.axes += concat(told.axes.empty() ? "" : ", ", program.mesh.axes()[axis].name);
    if (ir::is_parameter(made)) told.input = made.attributes<ir::ParameterAttributes>().index;
    if (told.needed == told.made) told.needed = "an output";
    told.reason = reason(c, told.needed);
    division.collectives.push_back(std::move(told));
  }
  std::ranges::stable_sort(division.collectives, std::greater(), &Division::Collective::sent_bytes);
  for (const JoinedCollectives& joined : program.joined) division.joined.push_back(joining(joined));
  return division;
}

}  // namespace weft::compiler
