#include <weft/tensor/checkpoint.h>

#include <algorithm>
#include <cstddef>

#include <weft/ir/builder.h>
#include <weft/ir/composites.h>
#include <weft/tensor/body.h>

namespace weft::detail {

std::vector<Tensor> checkpointed(std::span<const Tensor> arguments,
                                 const std::function<std::vector<Tensor>(std::span<const Tensor>)>& function,
                                 const std::source_location& where) {
  Frame frame("checkpoint", where);
  std::vector<ir::Value> operands;
  append_values(frame, arguments, operands);
  Body body(frame.recording());
  const std::vector<Tensor> inputs = body.add_inputs(operands);
  body.record(frame.function(), [&] { return function(inputs); });
  frame.require(!body.outputs().empty(), "the function returns nothing");
  append_captures(frame, body, operands);
  const auto region = body.finish();
  std::vector<Tensor> results = wrap_all(frame, ir::composite(ir::checkpoint, operands, region));
  // Arguments and captures that the function returns, and tensors that it returns twice, are one value each, so that
  // their cotangents are summed once.
  std::vector<Tensor> known(arguments.begin(), arguments.end());
  for (const record::TensorPtr& captured : body.captures()) known.emplace_back(captured);
  std::vector<ir::Value> values(region->inputs().begin(), region->inputs().end());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t found = std::ranges::find(values, region->outputs()[i]) - values.begin();
    if (found < values.size()) {
      results[i] = known[found];
    } else {
      values.push_back(region->outputs()[i]);
      known.push_back(results[i]);
    }
  }
  return results;
}

}  // namespace weft::detail
