#include <weft/tensor/stablehlo.h>

#include <weft/ir/builder.h>
#include <weft/ir/text/text.h>
#include <weft/tensor/recording.h>

namespace weft {

using detail::Frame;
using detail::Recording;
using ir::Value;

namespace {

// The function as a graph: inputs of the types of the arguments, then the tensors that it captured.
struct Recorded {
  std::shared_ptr<const ir::Graph> graph;
  std::vector<Tensor> captures;
};

Recorded record(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
                std::span<const Tensor> arguments, std::source_location where) {
  Frame frame("export_stablehlo", where);
  Recording body(frame.recording());
  std::vector<Tensor> inputs;
  for (const Tensor& argument : arguments) inputs.push_back(body.wrap(body.graph().add_input(argument.type())));
  std::vector<Value> outputs;
  for (const Tensor& result : function(inputs)) outputs.push_back(body.value_of(result, frame.function()));
  body.leave();
  const auto captures = body.captures();
  return {body.finish_body(std::move(outputs)), {captures.begin(), captures.end()}};
}

std::shared_ptr<const ir::Graph> with_constants(const Recorded& recorded, std::size_t arguments) {
  auto graph = std::make_shared<ir::Graph>();
  std::vector<Value> inputs;
  for (const Value input : recorded.graph->inputs().first(arguments)) inputs.push_back(graph->add_input(input.type()));
  for (const Tensor& capture : recorded.captures)
    inputs.push_back(ir::constant(*graph, {capture.type(), capture.bytes()}));
  graph->set_outputs(ir::inline_graph(*graph, *recorded.graph, inputs));
  return graph;
}

}  // namespace

std::string export_stablehlo(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
                             std::span<const Tensor> arguments, std::source_location where) {
  const Recorded recorded = record(function, arguments, where);
  return ir::print(*with_constants(recorded, arguments.size()), {.locations = false, .portable = true});
}

}  // namespace weft
