#include <weft/tensor/per_device.h>

#include <algorithm>

#include <weft/ir/builder.h>
#include <weft/ir/device_groups.h>
#include <weft/ir/ops.h>
#include <weft/ir/varying.h>
#include <weft/record/mesh.h>
#include <weft/record/session.h>
#include <weft/tensor/body.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

// Makes the functions below known to the function that is being recorded.
class OnDevices {
 public:
  explicit OnDevices(const Mesh& mesh) : before_(std::exchange(record::session.per_device, &mesh)) {}
  ~OnDevices() { record::session.per_device = before_; }
  OnDevices(const OnDevices&) = delete;
  OnDevices& operator=(const OnDevices&) = delete;

 private:
  const Mesh* before_;
};

std::string per_value(std::span<const Sharding> shardings) {
  std::string text = "#sdy.sharding_per_value<[";
  for (std::size_t i = 0; i < shardings.size(); ++i) text += concat(i == 0 ? "" : ", ", "<@mesh, ", shardings[i], '>');
  return text + "]>";
}

std::string manual_axes(const Mesh& mesh) {
  std::string text = "#sdy<manual_axes{";
  for (std::size_t i = 0; i < mesh.axes().size(); ++i) text += concat(i == 0 ? "\"" : ", \"", mesh.axes()[i].name, '"');
  return text + "}>";
}

ir::AxisMask axes_of(const Sharding& sharding) {
  ir::AxisMask mask = 0;
  for (int d = 0; d < sharding.rank(); ++d)
    for (const int axis : sharding.axes(d)) mask |= ir::AxisMask{1} << axis;
  return mask;
}

// Throws Error if devices may hold different values of a result that they should share.
void require_shared(const Frame& frame, const ir::Graph& region, const Mesh& mesh, std::span<const Sharding> inputs,
                    std::span<const Sharding> outputs) {
  std::vector<ir::AxisMask> masks;
  for (const Sharding& input : inputs) masks.push_back(axes_of(input));
  const std::vector<ir::AxisMask> differs = ir::varying(region, mesh, masks);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (int axis = 0; axis < std::ssize(mesh.axes()); ++axis) {
      const ir::AxisMask bit = ir::AxisMask{1} << axis;
      const std::string& name = mesh.axes()[axis].name;
      frame.require((differs[i] & bit) == 0 || (axes_of(outputs[i]) & bit) != 0, "the devices along ", name,
                    " may have different values of result ", i, ", whose spec does not name ", name,
                    ": name it, or combine the values, as psum does");
    }
}

}  // namespace

std::vector<Tensor> detail::run_per_device(
    const PerDevice& how, std::span<const Tensor> arguments,
    const std::function<std::vector<Tensor>(std::span<const Tensor>)>& function) {
  Frame frame("per_device", how.where);
  const Mesh& mesh = how.mesh;
  frame.require(how.inputs.size() == arguments.size(), "there are ", how.inputs.size(), " specs for ", arguments.size(),
                " arguments");
  frame.require(!record::session.per_device, "a function of per_device cannot call per_device");
  frame.recording().runs_on(mesh, frame.function());
  std::vector<Value> operands;
  append_values(frame, arguments, operands);
  std::vector<Sharding> in, out;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    in.push_back(how.inputs[i].on(mesh, operands[i].type(), frame.function()));

  Body body(frame.recording());
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < in.size(); ++i) parts.push_back(body.add_input(in[i].local_type(operands[i].type())));
  {
    const OnDevices scope(mesh);
    body.record(frame.function(), [&] { return function(parts); });
  }
  append_captures(frame, body, operands);
  for (const record::TensorPtr& captured : body.captures()) in.emplace_back(mesh, captured->type.rank());
  frame.require(how.outputs.size() == body.outputs().size(), "there are ", how.outputs.size(), " specs for ",
                body.outputs().size(), " results");
  const auto region = body.finish();
  std::vector<Type> types;
  for (std::size_t i = 0; i < how.outputs.size(); ++i) {
    const Type part = region->outputs()[i].type();
    out.push_back(how.outputs[i].of_parts(mesh, part, frame.function()));
    types.push_back(out.back().whole_type(part));
  }
  require_shared(frame, *region, mesh, in, out);
  const std::string in_text = per_value(in), out_text = per_value(out), axes = manual_axes(mesh);
  const ir::ManualComputationAttributes attributes{in_text, out_text, axes};
  const std::array regions{region};
  const ir::Node& node = frame.graph().append(ir::ops::manual_computation, operands, &attributes, types, regions);
  std::vector<Tensor> results;
  for (std::uint32_t i = 0; i < types.size(); ++i)
    results.push_back(frame.tensor(const_cast<ir::Node&>(node).result(i)));
  return results;
}

namespace {

// A call of one of the functions below: the axes whose devices take part.
class Exchange : public Frame {
 public:
  Exchange(const char* function, std::string_view axis, const std::source_location& where)
      : Frame(function, where), axes_(axes_of(*this, axis)) {}

  static const Mesh& mesh() { return *record::session.per_device; }
  const Sharding::Axes& axes() const { return axes_; }
  ir::IntMatrix groups() const { return ir::device_groups(graph(), mesh(), axes_); }
  std::int64_t devices() const { return ir::devices_along(mesh(), axes_); }

  static Sharding::Axes axes_of(const record::Call& call, std::string_view names) {
    call.require(record::session.per_device != nullptr, "it exchanges what devices hold, which only a function of ",
                 "per_device can do");
    Sharding::Axes axes = axes_named(mesh(), names);
    call.require(!axes.empty(), "no axis is named");
    return axes;
  }

 private:
  Sharding::Axes axes_;
};

Tensor reduce(const char* function, const Operand& x, std::string_view axis, ir::Reduction reduction) {
  Exchange call(function, axis, x.where());
  const Value value = call.value(x);
  return call.tensor(ir::all_reduce(value, call.groups(), ir::reduction_body(reduction, value.dtype())));
}

}  // namespace

Tensor psum(const Operand& x, std::string_view axis) { return reduce("psum", x, axis, ir::Reduction::sum); }
Tensor pmax(const Operand& x, std::string_view axis) { return reduce("pmax", x, axis, ir::Reduction::max); }
Tensor pmin(const Operand& x, std::string_view axis) { return reduce("pmin", x, axis, ir::Reduction::min); }

Tensor pmean(const Operand& x, std::string_view axis) {
  Exchange call("pmean", axis, x.where());
  const Value value = call.value(x);
  call.require(is_float(value.dtype()), "the mean of ", value.type(), " is no integer: convert it before");
  const Value sum = ir::all_reduce(value, call.groups(), ir::reduction_body(ir::Reduction::sum, value.dtype()));
  return call.tensor(sum / ir::constant_like(sum, static_cast<double>(call.devices())));
}

Tensor all_gather(const Operand& x, std::string_view axis, std::int64_t dimension) {
  Exchange call("all_gather", axis, x.where());
  const Value value = call.value(x);
  return call.tensor(ir::all_gather(value, call.axis(dimension, value.rank()), call.groups()));
}

namespace {

void require_divides(const Exchange& call, Value value, std::int64_t dimension) {
  call.require(value.size(dimension) % call.devices() == 0, "dimension ", dimension, " of ", value.type(),
               " does not divide among ", call.devices(), " devices");
}

}  // namespace

Tensor reduce_scatter(const Operand& x, std::string_view axis, std::int64_t dimension) {
  Exchange call("reduce_scatter", axis, x.where());
  const Value value = call.value(x);
  const std::int64_t d = call.axis(dimension, value.rank());
  require_divides(call, value, d);
  return call.tensor(
      ir::reduce_scatter(value, d, call.groups(), ir::reduction_body(ir::Reduction::sum, value.dtype())));
}

Tensor all_to_all(const Operand& x, std::string_view axis, std::int64_t split, std::int64_t join) {
  Exchange call("all_to_all", axis, x.where());
  const Value value = call.value(x);
  const std::int64_t from = call.axis(split, value.rank()), to = call.axis(join, value.rank());
  require_divides(call, value, from);
  return call.tensor(ir::all_to_all(value, from, to, call.groups()));
}

Tensor permute_devices(const Operand& x, std::string_view axis, const std::vector<Sends>& pairs) {
  Exchange call("permute_devices", axis, x.where());
  std::vector<bool> sends(call.devices()), gets(call.devices());
  for (const auto& [from, to] : pairs) {
    for (const std::int64_t position : {from, to})
      call.require(position >= 0 && position < call.devices(), "there is no position ", position, " among ",
                   call.devices(), " devices");
    call.require(!sends[from], "position ", from, " sends twice");
    call.require(!gets[to], "position ", to, " gets two values");
    sends[from] = gets[to] = true;
  }
  std::vector<std::int64_t> all;
  for (const auto& group : ir::device_groups(Exchange::mesh(), call.axes()))
    for (const auto& [from, to] : pairs) all.insert(all.end(), {group[from], group[to]});
  return call.tensor(ir::collective_permute(call.value(x), {2, call.graph().arena().copy(ir::Ints(all))}));
}

Tensor axis_index(std::string_view axis, std::source_location where) {
  Exchange call("axis_index", axis, where);
  Value position = ir::device_coordinate(call.graph(), Exchange::mesh(), call.axes().front());
  for (const int minor : std::span(call.axes()).subspan(1)) {
    const auto size = static_cast<double>(Exchange::mesh().size(minor));
    position =
        position * ir::constant_like(position, size) + ir::device_coordinate(call.graph(), Exchange::mesh(), minor);
  }
  return call.tensor(ir::convert(position, DType::i32));
}

std::int64_t axis_size(std::string_view axis) {
  const record::Call call("axis_size", std::source_location::current());
  return ir::devices_along(Exchange::mesh(), Exchange::axes_of(call, axis));
}

}  // namespace weft
