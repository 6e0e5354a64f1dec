#include <weft/tensor/stablehlo.h>

#include <weft/compiler/sharding_layout.h>
#include <weft/ir/annotations.h>
#include <weft/ir/builder.h>
#include <weft/ir/text/text.h>
#include <weft/tensor/body.h>
#include <weft/tensor/sharding.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

// The recorded function as a graph: its inputs are the arguments, followed by the captured tensors.
struct Recorded {
  std::shared_ptr<const ir::Graph> graph;
  std::vector<Tensor> captures;
  std::optional<Mesh> mesh;  // of the sharded tensors
};

Recorded recorded(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
                  std::span<const Tensor> arguments, std::source_location where) {
  Frame frame("export_stablehlo", where);
  detail::Body body(frame.recording());
  std::vector<Tensor> inputs;
  for (const Tensor& argument : arguments) inputs.push_back(body.add_input(argument.type()));
  body.record(frame.function(), [&] { return function(inputs); });
  for (const Tensor& argument : arguments)
    if (const runtime::LayoutId layout = argument.impl().layout)
      frame.recording().runs_on(compiler::sharding_of(layout).mesh(), frame.function());
  Recorded result{.graph = nullptr, .captures = {}, .mesh = frame.recording().mesh()};
  for (const record::TensorPtr& capture : body.captures()) result.captures.emplace_back(capture);
  result.graph = body.finish();
  return result;
}

// Names the mesh, and the shardings of the arguments, as JAX's exports do.
std::shared_ptr<const ir::FunctionAnnotations> shardings_of(std::span<const Tensor> arguments, const Mesh& mesh) {
  ir::ModuleAnnotations module;
  std::string axes;
  for (const Mesh::Axis& axis : mesh.axes()) axes += concat(axes.empty() ? "" : ", ", '"', axis.name, "\"=", axis.size);
  module.meshes = {{"mesh", concat("<[", axes, "]>")}};
  auto function = std::make_shared<ir::FunctionAnnotations>();
  function->module = std::make_shared<const ir::ModuleAnnotations>(std::move(module));
  for (const Tensor& argument : arguments) {
    ir::Annotations& said = function->arguments.emplace_back();
    if (const runtime::LayoutId layout = argument.impl().layout)
      said = {{"sdy.sharding", concat("#sdy.sharding<@mesh, ", compiler::sharding_of(layout), '>')}};
  }
  return function;
}

std::shared_ptr<ir::Graph> with_constants(const Recorded& recorded, std::size_t arguments) {
  auto graph = std::make_shared<ir::Graph>();
  std::vector<Value> inputs;
  for (const Value input : recorded.graph->inputs().first(arguments)) inputs.push_back(graph->add_input(input.type()));
  for (const Tensor& capture : recorded.captures)
    inputs.push_back(ir::constant(*graph, {capture.type(), capture.bytes()}));
  graph->set_outputs(ir::inline_graph(*graph, *recorded.graph, inputs));
  return graph;
}

std::shared_ptr<ir::Graph> exported(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
                                    std::span<const Tensor> arguments, std::source_location where) {
  const Recorded known = recorded(function, arguments, where);
  std::shared_ptr<ir::Graph> graph = with_constants(known, arguments.size());
  if (known.mesh) {
    graph->annotations = shardings_of(arguments, *known.mesh);
    record::Recording::current().drop_dead();  // what follows may run on another mesh, or on one device
  }
  return graph;
}

constexpr ir::PrintOptions portable{.locations = false, .portable = true};

}  // namespace

std::string export_stablehlo(const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
                             std::span<const Tensor> arguments, std::source_location where) {
  return ir::print(*exported(function, arguments, where), portable);
}

std::string export_stablehlo(ir::StablehloVersion target,
                             const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& function,
                             std::span<const Tensor> arguments, std::source_location where) {
  return ir::write_bytecode(*exported(function, arguments, where), {.target = target, .print = portable});
}

}  // namespace weft
