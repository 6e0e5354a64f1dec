#include <weft/pjrt/program.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include <weft/base/error.h>
#include <weft/compiler/compiler.h>
#include <weft/compiler/on_mesh.h>
#include <weft/compiler/passes/rewrite.h>
#include <weft/compiler/passes/whole_windows.h>
#include <weft/compiler/passes/widen_narrow_types.h>
#include <weft/compiler/spmd/replicas.h>
#include <weft/ir/annotations.h>
#include <weft/ir/bytecode/bytecode.h>
#include <weft/ir/host_calls.h>
#include <weft/ir/text/location.h>
#include <weft/ir/text/shardy.h>
#include <weft/pjrt/client.h>
#include <weft/pjrt/compile_options.h>
#include <weft/pjrt/element_type.h>
#include <weft/pjrt/interpreted.h>
#include <weft/pjrt/layouts.h>
#include <weft/pjrt/op_sharding.h>
#include <weft/pjrt/program_text.h>

namespace weft::pjrt {

Texts::Texts(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (const std::string& text : texts_) {
    pointers_.push_back(text.data());
    sizes_.push_back(text.size());
  }
}

namespace {

// Places the replicas or partitions on the devices that the options name, or on the first ones.
void place(Program& program, const CompileOptions& options) {
  if (options.replicas > 1 && options.partitions > 1)
    throw UnsupportedError(concat("programs of several replicas and partitions are not supported; this one has ",
                                  options.replicas, " replicas of ", options.partitions, " partitions"),
                           "replicas");
  program.replicas = options.replicas;
  const std::int64_t count = std::max(options.replicas, options.partitions);
  std::vector<std::int64_t> ids = options.devices;
  if (ids.empty()) {
    ids.resize(static_cast<std::size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
  }
  require(std::cmp_equal(ids.size(), count), "the compile options assign ", ids.size(), " devices to ", count,
          options.replicas > 1 ? " replicas" : " partitions");
  for (const std::int64_t id : ids) {
    const auto number = static_cast<int>(program.devices.size());
    program.logical_ids.push_back(options.replicas > 1 ? PJRT_LogicalDeviceIds{.replica = number, .partition = 0}
                                                       : PJRT_LogicalDeviceIds{.replica = 0, .partition = number});
    program.devices.push_back(&device(id));
  }
  program.device_assignment = device_assignment(ids, options.replicas);
}

// Divides the program among devices as its shardings say. What has none is whole on every device.
compiler::Partitioned divided(const ir::Graph& graph, std::int64_t devices) {
  auto declared = ir::declared_shardings(graph);
  if (!declared || declared->mesh.axes().empty())
    declared = {.mesh = ir::Mesh{{"devices", devices}}, .inputs = {}, .outputs = {}};
  const ir::Mesh& mesh = declared->mesh;
  require(mesh.devices() == devices, graph.name, ": its mesh (", mesh, ") has ", mesh.devices(),
          " devices, and the program has ", devices, " partitions");
  std::vector<ir::Sharding> inputs;
  for (const ir::Value input : graph.inputs()) inputs.emplace_back(mesh, input.rank());
  for (std::size_t i = 0; i < declared->inputs.size(); ++i)
    if (declared->inputs[i]) inputs[i] = *declared->inputs[i];
  return compiler::partition(graph, mesh, inputs, declared->outputs);
}

Texts op_shardings(std::span<const ir::Port> ports, std::span<const ir::Sharding> shardings) {
  std::vector<std::string> texts;
  for (const ir::Port& port : ports) texts.push_back(op_sharding(shardings[port.first]));
  return Texts(std::move(texts));
}

std::string quoted(std::string_view bytes) {
  std::string text;
  ir::text::print_string(text, bytes);
  return text;
}

// Returns the text of a module with the program that each device runs, as XLA's programs are. JAX up to 0.8 reads from its attributes how
// arguments and results are divided.
std::string text_of(const ir::Graph& program, const Program& divided) {
  std::string inputs;
  for (std::size_t i = 0; i < divided.input_shardings.size(); ++i)
    inputs += concat(i > 0 ? ", " : "", quoted(divided.input_shardings[i]));
  const std::size_t devices = divided.devices.size(), replicas = static_cast<std::size_t>(divided.replicas);
  ir::ModuleAnnotations module;
  module.attributes = {{"mhlo.num_partitions", concat(devices / replicas, " : i32")},
                       {"mhlo.num_replicas", concat(replicas, " : i32")}};
  if (replicas == 1) {
    module.attributes.push_back({"mhlo.spmd_output_sharding", quoted(joined_shardings(divided.output_shardings))});
    module.attributes.push_back({"mhlo.spmd_parameters_shardings", concat('[', inputs, ']')});
  }
  const auto annotated = compiler::copy_of(program);
  annotated->annotations = std::make_shared<const ir::FunctionAnnotations>(
      ir::FunctionAnnotations{.module = std::make_shared<const ir::ModuleAnnotations>(std::move(module))});
  ir::Module all;
  all.functions = {annotated};
  return with_complex_ports(ir::print(all), divided.inputs, divided.outputs);
}

// Sets the executable, and what depends on how the program is divided.
void compile(Program& program, const compiler::Options& options) {
  const auto devices = std::ssize(program.devices);
  const bool is_interpreted = !compiler::can_compile_types(*program.graph);
  if (devices == 1) {
    program.executable =
        is_interpreted ? interpreted(program.graph, program.name, 1) : compiler::compile(*program.graph, options);
    return;
  }
  const compiler::Partitioned shards = program.replicas > 1
                                           ? compiler::replicas_as_partitions(*program.graph, program.replicas)
                                           : divided(*program.graph, devices);
  for (ir::Port& port : program.inputs) port.part = shards.graph->inputs()[port.first].type();
  for (ir::Port& port : program.outputs) port.part = shards.graph->outputs()[port.first].type();
  if (program.replicas == 1) {
    program.input_shardings = op_shardings(program.inputs, shards.inputs);
    program.output_shardings = op_shardings(program.outputs, shards.outputs);
  }
  program.executable =
      is_interpreted ? interpreted(shards.graph, program.name, devices) : compiler::compile_for_shards(shards, options);
  program.text = text_of(*shards.graph, program);
}

// Returns the kind of memory that a program asks for in annotations, mhlo.memory_kind = "pinned_host"; nullopt if they say none.
std::optional<std::size_t> asked_memory(const ir::Annotations& annotations) {
  const auto said = std::ranges::find(annotations, "mhlo.memory_kind", &ir::Annotation::name);
  if (said == annotations.end()) return std::nullopt;
  const auto kind = std::ranges::find_if(memory_kinds, [&](auto name) { return said->value == quoted(name); });
  if (kind == memory_kinds.end())
    throw UnsupportedError(concat("weft has no memory of the kind ", said->value), "memory kinds");
  return static_cast<std::size_t>(kind - memory_kinds.begin());
}

// Returns the index in memory_kinds of the memory of an output: the one that the program asks for or, if it returns an argument, that of the
// argument.
std::size_t memory_of_output(const ir::Graph& graph, std::size_t output) {
  if (!graph.annotations) return 0;
  const std::vector<ir::Annotations>&results = graph.annotations->results, &arguments = graph.annotations->arguments;
  if (output < results.size())
    if (const auto kind = asked_memory(results[output])) return *kind;
  const auto argument =
      static_cast<std::size_t>(std::ranges::find(graph.inputs(), graph.outputs()[output]) - graph.inputs().begin());
  return argument < arguments.size() ? asked_memory(arguments[argument]).value_or(0) : 0;
}

void describe_arrays(Program& program) {
  for (const ir::Port& port : program.outputs) {
    program.output_types.push_back(element_type(port.part.dtype(), port.is_complex).type);
    for (int d = 0; d < port.part.rank(); ++d) program.output_dims.push_back(port.part.size(d));
    program.output_ranks.push_back(static_cast<std::size_t>(port.part.rank()));
  }
  const auto layout_of = [](const ir::Port& port) {
    return row_major_layout(static_cast<std::size_t>(port.part.rank()));
  };
  std::ranges::transform(program.inputs, std::back_inserter(program.input_layouts), layout_of);
  std::ranges::transform(program.outputs, std::back_inserter(program.output_layouts), layout_of);
  std::vector<std::string> kinds;
  for (const ir::Port& port : program.outputs) {
    const std::size_t kind = memory_of_output(*program.graph, port.first);
    program.output_memories.push_back(kind);
    kinds.emplace_back(memory_kinds[kind]);
  }
  program.output_memory_kinds = Texts(std::move(kinds));
}

PJRT_NamedValue named(std::string_view name, double number) {
  return {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
          .name = name.data(),
          .name_size = name.size(),
          .type = PJRT_NamedValue_kFloat,
          .float_value = static_cast<float>(number),
          .value_size = 1};
}

// Sums up what is known of the thunks; a loop counts as one of its rounds at most.
void add_costs(Program& program) {
  double flops = 0, bytes = 0;
  for (const auto& thunk : program.executable->thunks) {
    flops += thunk->info.flops;
    bytes += thunk->info.bytes;
  }
  const auto devices = static_cast<double>(program.devices.size());
  program.costs = {named("flops", flops / devices), named("bytes accessed", bytes / devices)};
}

}  // namespace

std::shared_ptr<const Program> compile(std::string_view code, std::string_view how) {
  auto program = std::make_shared<Program>();
  program->code = code;
  program->compile_options = how;
  place(*program, read_compile_options(how));
  const ir::Module module = ir::read_program(code);
  program->graph = module.main();
  if (program->graph->annotations) require_row_major(*program->graph->annotations);
  if (auto changed = compiler::scatter_whole_windows(*program->graph)) program->graph = std::move(changed);
  ir::require_host_functions(*program->graph);
  const auto* const said = program->graph->annotations ? program->graph->annotations->module.get() : nullptr;
  program->name = said && !said->name.empty() ? said->name : program->graph->name;
  program->inputs = ir::input_ports(*program->graph);
  program->outputs = ir::output_ports(*program->graph);
  program->text = with_complex_ports(ir::print(module), program->inputs, program->outputs);
  auto options = compiler::Options::from_knobs();
  options.name = program->name;
  options.donatable = ir::donated_inputs(*program->graph);
  for (const ir::Port& port : program->inputs) program->donated.push_back(options.donatable[port.first]);
  compile(*program, options);
  describe_arrays(*program);
  add_costs(*program);
  return program;
}

}  // namespace weft::pjrt
