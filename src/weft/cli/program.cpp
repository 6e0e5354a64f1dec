#include <weft/cli/program.h>

#include <array>
#include <chrono>
#include <string>

#include <weft/compiler/passes/rewrite.h>
#include <weft/ir/builder.h>
#include <weft/ir/host_function.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/several_devices.h>
#include <weft/record/nan_check.h>
#include <weft/runtime/devices.h>

namespace weft::cli {

namespace {

bool is_check(const ir::Node& node) {
  return node.op == &ir::ops::custom_call && node.attributes<ir::CustomCallAttributes>().target.starts_with("check.");
}

// Throws UnsupportedError for a custom_call that is not a check, and for a check inside a region, which would never be
// evaluated.
void refuse_unknown_calls(const ir::Graph& graph, bool is_region = false) {
  for (const ir::Node* node : graph.nodes()) {
    if (node->op == &ir::ops::custom_call && (is_region || !is_check(*node))) {
      const std::string_view target = node->attributes<ir::CustomCallAttributes>().target;
      const std::string name = concat("custom_call @", target);
      const std::string place =
          node->location.line == 0 ? "" : concat(node->location.file, ':', node->location.line, ": ");
      throw UnsupportedError(concat(place, is_check(*node) ? concat(name, ": a check is not run within a region")
                                                           : ir::no_host_function(target)),
                             name);
    }
    for (const ir::Graph* region : node->regions) refuse_unknown_calls(*region, true);
  }
}

using Values = std::vector<ir::Value>;

// Rewrites a reduction whose body rounds its 16-bit result after every step; compiled code keeps such sums and products
// in f32. Returns nullopt for other operations.
std::optional<Values> rounded_after_every_step(const ir::Node& node, std::span<const ir::Value> operands) {
  if (node.regions.size() != 1) return std::nullopt;
  const ir::Op* const op = ir::reduction_op(*node.regions[0]);
  if (op != &ir::ops::add && op != &ir::ops::multiply) return std::nullopt;
  const Type element = node.regions[0]->inputs()[0].type();
  const bool is_bf16 = element.dtype() == DType::bf16;
  if (!is_bf16 && element.dtype() != DType::f16) return std::nullopt;
  const auto body = ir::make_graph(std::array{element, element}, [&](ir::Graph& graph, std::span<const ir::Value> x) {
    return Values{ir::reduce_precision(graph.append(*op, x).result(), is_bf16 ? 8 : 5, is_bf16 ? 7 : 10)};
  });
  ir::Graph& graph = operands[0].graph();
  const std::shared_ptr<const ir::Graph> regions[] = {body};
  return Values{graph.append(*node.op, operands, node.attribute_data, node.types, regions).result()};
}

}  // namespace

Program::Program(const ir::Graph& function, const ProgramOptions& options)
    : function_(function), interpreter_(options.interpreter), requires_finite_(options.requires_finite) {
  refuse_unknown_calls(function);
  compiler::Rewriter rewriter(function);
  Values compared;
  const bool rounds = options.compiler.strict && options.interpreter.accumulation == ir::Accumulation::element;
  const auto body =
      rewriter.run([&](const ir::Node& node, std::span<const ir::Value> operands) -> std::optional<Values> {
        if (!is_check(node)) return rounds ? rounded_after_every_step(node, operands) : std::nullopt;
        checks_.push_back(&node);
        compared.insert(compared.end(), operands.begin(), operands.end());
        return Values();
      });
  std::vector<ir::Value> outputs(body->outputs().begin(), body->outputs().end());
  outputs.insert(outputs.end(), compared.begin(), compared.end());
  body->set_outputs(std::move(outputs));
  body_ = body;
  if (options.interpret) return;
  try {
    compiler::Options compiler = options.compiler;
    compiler.target = &compiler::Target::named(runtime::default_device().target());
    executable_ = compiler::compile(*body_, compiler, &report_);
  } catch (const ir::SeveralDevicesError&) {
    throw;
  } catch (const UnsupportedError& interpreted) {
    report_.fallbacks.emplace_back(interpreted.what());
  }
}

std::vector<ir::Array> Program::run(std::span<const ir::Array> inputs, double* ms) {
  std::vector<ir::Array> results = execute(inputs, ms);
  if (requires_finite_) require_finite(inputs, results);
  std::size_t at = function_.outputs().size();
  for (const ir::Node* check : checks_) {
    ir::interpret_node(*check, std::span(results).subspan(at, check->operands.size()));
    at += check->operands.size();
  }
  results.resize(function_.outputs().size());
  return results;
}

void Program::require_finite(std::span<const ir::Array> inputs, std::span<const ir::Array> results) const {
  const auto uploaded = [](std::span<const ir::Array> arrays) {
    std::vector<runtime::BufferPtr> buffers;
    for (const ir::Array& array : arrays)
      buffers.push_back(runtime::default_device().upload(array.type(), array.bytes()));
    return buffers;
  };
  const auto backend = is_compiled() ? record::Backend::compiled : record::Backend::interpreter;
  const auto why = record::find_nan(body_, backend, uploaded(inputs), uploaded(results));
  require(!why, "run: ", why.value_or(""));
}

std::vector<ir::Array> Program::execute(std::span<const ir::Array> inputs, double* ms) {
  using Clock = std::chrono::steady_clock;
  const auto keep_time = [&](Clock::time_point start) {
    if (ms) *ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  std::vector<ir::Array> results;
  if (!executable_) {
    const auto start = Clock::now();
    results = ir::interpret(*body_, inputs, interpreter_);
    keep_time(start);
    return results;
  }
  auto& device = runtime::default_device();
  std::vector<runtime::BufferPtr> buffers;
  for (const ir::Array& input : inputs) buffers.push_back(device.upload(input.type(), input.bytes()));
  const auto start = Clock::now();
  const auto outputs = device.launch(executable_, buffers);
  for (const runtime::BufferPtr& buffer : outputs) (void)buffer->bytes();  // blocks until it is ready
  keep_time(start);
  for (const runtime::BufferPtr& buffer : outputs) results.emplace_back(buffer->type(), buffer->bytes());
  return results;
}

}  // namespace weft::cli
