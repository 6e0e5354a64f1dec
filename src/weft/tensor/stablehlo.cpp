#include <weft/tensor/stablehlo.h>

#include <weft/ir/builder.h>
#include <weft/ir/text/text.h>
#include <weft/tensor/body.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

// The recorded function as a graph: its inputs are the arguments, followed by the captured tensors.
struct Recorded {
  std::shared_ptr<const ir::Graph> graph;
  std::vector<Tensor> captures;
};

Recorded recorded(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
                  std::span<const Tensor> arguments, std::source_location where) {
  Frame frame("export_stablehlo", where);
  detail::Body body(frame.recording());
  std::vector<Tensor> inputs;
  for (const Tensor& argument : arguments) inputs.push_back(body.add_input(argument.type()));
  body.record(frame.function(), [&] { return function(inputs); });
  Recorded result{.graph = nullptr, .captures = {}};
  for (const record::TensorPtr& capture : body.captures()) result.captures.emplace_back(capture);
  result.graph = body.finish();
  return result;
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
  return ir::print(*with_constants(recorded(function, arguments, where), arguments.size()),
                   {.locations = false, .portable = true});
}

}  // namespace weft
