#include <weft/tensor/vmap.h>

#include <weft/ir/batch.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops/batch_dims.h>
#include <weft/tensor/body.h>

namespace weft::detail {

using ir::Batched;
using ir::Value;

void ArgumentVisitor::parameter(const Parameter& parameter) const {
  fail("vmap: an argument holds a Parameter", parameter.name().empty() ? "" : concat(", ", parameter.name()),
       ", so it is a model: let the function use the model from outside, or take its tensors");
}

namespace {

// The axis of each argument's tensor; nullopt if it is not batched.
using OptionalAxes = std::vector<std::optional<int>>;

OptionalAxes axes_of(const Frame& frame, const VmapOptions& options, std::span<const VmapArgument> tensors,
                     std::size_t arguments) {
  const auto count = options.in_axes.count();
  frame.require(!count || *count == arguments, "in_axes names ", count.value_or(0), " axes for ", arguments,
                " arguments");
  OptionalAxes axes;
  for (const auto& [tensor, position] : tensors) {
    const auto axis = options.in_axes[position];
    axes.emplace_back();
    if (!axis) continue;
    frame.require(tensor->defined(), "argument ", position, " has a tensor without a value");
    const int rank = tensor->rank();
    frame.require(*axis >= -rank && *axis < rank, "argument ", position, " is ", tensor->type(), ", which has no axis ",
                  *axis, rank == 0 ? ": name it unbatched in in_axes if it is the same for all examples" : "");
    axes.back() = static_cast<int>(*axis < 0 ? *axis + rank : *axis);
  }
  return axes;
}

std::int64_t size_of_batch(const Frame& frame, const VmapOptions& options, std::span<const VmapArgument> tensors,
                           const OptionalAxes& axes) {
  std::optional<std::int64_t> size = options.size;
  std::string first = "the option size";
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!axes[i]) continue;
    const auto& [tensor, position] = tensors[i];
    const std::string what = concat("axis ", *axes[i], " of argument ", position, ", ", tensor->type());
    const std::int64_t examples = tensor->size(*axes[i]);
    if (!size) first = what;
    if (!size) size = examples;
    frame.require(*size == examples, "the number of examples is ", *size, " by ", first, ", and ", examples, " by ",
                  what);
  }
  frame.require(size.has_value(),
                "no argument is batched: in_axes names an axis of none; the option size gives the number of examples");
  return *size;
}

Type of_example(Type batch, int axis) {
  std::vector<Dim> dims(batch.dims().begin(), batch.dims().end());
  dims.erase(dims.begin() + axis);
  return {batch.dtype(), dims};
}

// Returns a result with its batch at the axis that the options name.
Value placed(const Frame& frame, const VmapOptions& options, std::size_t i, const Batched& output, std::int64_t size) {
  const auto axis = options.out_axes[i];
  if (!axis) {
    frame.require(!output.is_batched, "result ", i, " depends on the example, so out_axes must name an axis for it");
    return output.value;
  }
  const Value batch = ir::with_batch(output, size);
  const int rank = batch.rank();
  frame.require(*axis >= -rank && *axis < rank, "result ", i, " of one example is ", of_example(batch.type(), 0),
                ", which has no place for axis ", *axis, " of out_axes");
  return ir::move_dim(batch, 0, static_cast<int>(*axis < 0 ? *axis + rank : *axis));
}

}  // namespace

std::vector<Tensor> vmapped(const VmapOptions& options, std::span<const VmapArgument> tensors, std::size_t arguments,
                            const std::function<std::vector<Tensor>(std::span<const Tensor>)>& function,
                            const std::source_location& where) {
  Frame frame("vmap", where);
  const OptionalAxes axes = axes_of(frame, options, tensors, arguments);
  const std::int64_t size = size_of_batch(frame, options, tensors, axes);
  std::vector<Batched> inputs;
  std::vector<Tensor> examples;
  Body body(frame.recording());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = *tensors[i].tensor;
    if (!axes[i]) {
      examples.push_back(tensor);
      continue;
    }
    inputs.emplace_back(ir::move_dim(frame.value(tensor), *axes[i], 0));
    examples.push_back(body.add_input(of_example(tensor.type(), *axes[i])));
  }
  body.record(frame.function(), [&] { return function(examples); });
  std::vector<Value> captures;
  append_captures(frame, body, captures);
  for (const Value capture : captures) inputs.emplace_back(capture, false);
  const ir::Batching batching{.size = size,
                              .draws_differ = options.randomness == Randomness::different,
                              .draws_fail = options.randomness == Randomness::error};
  const std::vector<Batched> outputs = ir::batch(frame.graph(), *body.finish(), inputs, batching);
  const auto count = options.out_axes.count();
  frame.require(!count || *count == outputs.size(), "out_axes names ", count.value_or(0), " axes for ", outputs.size(),
                " tensors in the result");
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    results.push_back(frame.tensor(placed(frame, options, i, outputs[i], size)));
  return results;
}

}  // namespace weft::detail
