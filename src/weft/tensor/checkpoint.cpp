#include <weft/tensor/checkpoint.h>

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
  append_values(frame, body.captures(), operands);
  return wrap_all(frame, ir::composite(ir::checkpoint, operands, body.finish()));
}

}  // namespace weft::detail
