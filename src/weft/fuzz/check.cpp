#include <weft/fuzz/check.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <weft/compiler/cache/temporary_cache.h>
#include <weft/compiler/compiler.h>
#include <weft/compiler/on_mesh.h>
#include <weft/compiler/plan/sized_program.h>
#include <weft/fuzz/bounded.h>
#include <weft/fuzz/edits.h>
#include <weft/fuzz/random.h>
#include <weft/ir/element_text.h>
#include <weft/ir/general.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/op.h>
#include <weft/ir/text/text.h>
#include <weft/ir/verify.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/runtime/parallel.h>

namespace weft::fuzz {

using ir::Array;

namespace {

struct Found {
  Fault fault;
  std::string reason;
};

class Threads {
 public:
  explicit Threads(int count) : before_(runtime::thread_count()) { runtime::set_thread_count(count); }
  ~Threads() { runtime::set_thread_count(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

using Program = std::shared_ptr<const runtime::Executable>;

std::vector<Array> run(const Program& program, std::span<const Array> inputs,
                       runtime::Device& device = runtime::cpu()) {
  std::vector<runtime::BufferPtr> buffers;
  for (const Array& input : inputs) buffers.push_back(device.upload(input.type(), input.bytes()));
  std::vector<Array> outputs;
  for (const auto& buffer : device.launch(program, buffers)) outputs.emplace_back(buffer->type(), buffer->bytes());
  return outputs;
}

std::string describe(const Array& got, const Array& want, std::size_t output, std::int64_t i, double bound = 0) {
  return concat("output ", output, ", ", got.type(), ", at ", i, ": ", element_text(got, i), " instead of ",
                element_text(want, i), bound > 0 ? concat(", allowed error ", bound) : "");
}

bool same_element(const Array& a, const Array& b, std::int64_t i) {
  const auto width = static_cast<std::size_t>(byte_size(a.dtype())), at = i * width;
  if (std::memcmp(a.bytes().data() + at, b.bytes().data() + at, width) == 0) return true;
  return is_float(a.dtype()) && std::isnan(a.element(i)) && std::isnan(b.element(i));
}

void require_same(Fault fault, std::span<const Array> got, std::span<const Array> want) {
  for (std::size_t k = 0; k < want.size(); ++k)
    for (std::int64_t i = 0; i < want[k].size(); ++i)
      if (!same_element(got[k], want[k], i)) throw Found{fault, describe(got[k], want[k], k, i)};
}

// A result may be infinite if the reference plus its bound reaches beyond the largest finite number.
bool is_within(const Array& got, const Array& want, std::int64_t i, double bound) {
  if (bound == 0) return same_element(got, want, i);
  const double y = got.element(i), reference = want.element(i);
  if (std::isnan(reference)) return std::isnan(y);
  if (std::isinf(reference)) return y == reference;
  return std::abs(y - reference) <= bound;
}

void require_within(Fault fault, std::span<const Array> got, std::span<const Bounded> want) {
  for (std::size_t k = 0; k < want.size(); ++k) {
    const Array& y = want[k].value;
    require(got[k].type() == y.type(), "output ", k, " is ", got[k].type(), ", not ", y.type());
    for (std::int64_t i = 0; i < y.size(); ++i) {
      const double bound = want[k].bound.element(i);
      if (bound < std::numeric_limits<double>::infinity() && !is_within(got[k], y, i, bound))
        throw Found{fault, describe(got[k], y, k, i, bound)};
    }
  }
}

// Checks that the text, read back, prints the same text and has the same meaning. The text does not record the order in which a
// region captures values.
void check_text(const ir::Graph& graph, std::span<const Array> inputs, std::span<const Bounded> want) {
  try {
    const std::string text = ir::print(graph);
    const auto again = ir::parse(text);
    if (ir::print(*again) != text) throw Found{Fault::text, "reads back as a different graph"};
    if (structurally_equal(*again, graph)) return;
    const auto results = ir::interpret(*again, inputs);
    for (std::size_t k = 0; k < want.size(); ++k)
      for (std::int64_t i = 0; i < results[k].size(); ++i)
        if (!same_element(results[k], want[k].value, i))
          throw Found{Fault::text,
                      concat("reads back as a different graph: ", describe(results[k], want[k].value, k, i))};
  } catch (const Error& wrong) {
    throw Found{Fault::text, wrong.what()};
  }
}

void check_fast(const ir::Graph& graph, std::span<const Array> inputs, std::span<const Bounded> want,
                const CheckOptions& options) {
  const compiler::Options plain{.target = options.target};
  const Program program = compiler::compile(graph, plain);
  const auto first = run(program, inputs);
  require_within(Fault::value, first, want);
  require_same(Fault::repeat, run(program, inputs), first);
  compiler::Options donating = plain;
  donating.donatable.assign(inputs.size(), true);
  require_same(Fault::donation, run(compiler::compile(graph, donating), inputs), first);
  // The sizes are too small for libraries to be chosen, so this makes the compiler use them.
  compiler::Options with_library = plain;
  with_library.disabled_passes = {"expand-small-dots"};
  const Program other = compiler::compile(graph, with_library);
  if (other->thunks.size() != program->thunks.size()) require_within(Fault::value, run(other, inputs), want);
  if (!options.cache) return;
  const compiler::TemporaryCache cache;
  for (int time = 0; time < 2; ++time) {  // first compiled, then loaded from disk
    compiler::clear_kernel_cache();
    require_same(Fault::cache, run(compiler::compile(graph, plain), inputs), first);
  }
}

// Runs the graph on a device other than the CPU.
void check_device(runtime::Device& device, const ir::Graph& graph, std::span<const Array> inputs,
                  std::span<const Bounded> want, std::span<const Bounded> strict_want) {
  const compiler::Options options{.target = &compiler::Target::named(device.target())};
  const Program program = compiler::compile(graph, options);
  const auto first = run(program, inputs, device);
  require_within(Fault::value, first, want);
  require_same(Fault::repeat, run(program, inputs, device), first);
  compiler::Options donating = options, with_library = options, strict = options;
  donating.donatable.assign(inputs.size(), true);
  require_same(Fault::donation, run(compiler::compile(graph, donating), inputs, device), first);
  with_library.disabled_passes = {"expand-small-dots"};
  require_within(Fault::value, run(compiler::compile(graph, with_library), inputs, device), want);
  strict.strict = true;
  require_within(Fault::strict_value, run(compiler::compile(graph, strict), inputs, device), strict_want);
}

// Returns the same graph with other numbers for one of its sizes, twice; empty if its ops do not accept them.
std::vector<GraphPtr> other_sizes(const GraphPtr& graph) {
  std::map<std::int64_t, int> uses;
  for (const ir::Value input : graph->inputs())
    for (int d = 0; d < input.rank(); ++d) ++uses[input.size(d)];
  std::erase_if(uses, [](const auto& use) { return use.first < 3; });
  if (uses.empty()) return {};
  const std::int64_t size = std::ranges::max_element(uses, {}, [](const auto& use) { return use.second; })->first;
  try {
    return {resized(graph, size, size - 1), resized(graph, size, size - 2)};
  } catch (const Error&) {
    return {};
  }
}

// Returns this graph's program as specialised from one that was made for all sizes from `samples`; null if the graphs have too
// little in common.
Program program_for_sizes(const GraphPtr& graph, std::span<const GraphPtr> samples, const compiler::Options& options) {
  ir::General general;
  try {
    general = ir::generalise(samples);
  } catch (const Error&) {
    return nullptr;
  }
  const auto sample = ir::match(general, *samples.back(), samples.back()->outputs());
  const auto match = ir::match(general, *graph, graph->outputs());
  if (!sample || !match) return nullptr;
  std::shared_ptr<const compiler::SizedProgram> program;
  try {
    compiler::Options for_sizes = options;
    for_sizes.sizes = SizeValues(sample->symbols);
    program = compiler::compile_for_sizes(*general.graph, for_sizes);
  } catch (const Error&) {
    return nullptr;
  }
  const auto executable = program->at(match->symbols, match->constants);
  return executable ? *executable : nullptr;
}

void check_sizes(const ir::Graph& given, std::span<const Array> inputs, std::span<const Bounded> want,
                 const CheckOptions& options) {
  const GraphPtr graph(GraphPtr(), &given);
  const std::vector<GraphPtr> samples = other_sizes(graph);
  if (samples.empty()) return;
  if (const Program program = program_for_sizes(graph, samples, {.target = options.target}))
    require_within(Fault::sizes, run(program, inputs), want);
  compiler::Options strict{.target = options.target};
  strict.strict = true;
  if (const Program program = program_for_sizes(graph, samples, strict))
    require_same(Fault::sizes, run(program, inputs), run(compiler::compile(given, strict), inputs));
}

void check_strict(const ir::Graph& graph, std::span<const Array> inputs, std::span<const Bounded> want,
                  const CheckOptions& given) {
  compiler::Options options{.target = given.target};
  options.strict = true;
  const Program fused = compiler::compile(graph, options);
  const auto first = run(fused, inputs);
  require_within(Fault::strict_value, first, want);
  {
    const Threads one(1);
    require_same(Fault::threads, run(fused, inputs), first);
  }
  options.fuse = false;
  require_same(Fault::fusion, run(compiler::compile(graph, options), inputs), first);
}

// Draws a sharding of a tensor: some of the axes that divide its dimensions, and perhaps one along which it is a partial sum.
ir::Sharding random_sharding(Random& random, const ir::Mesh& mesh, Type type, bool may_be_partial) {
  std::vector<ir::Sharding::Axes> dims(type.rank());
  ir::Sharding::Partial partial;
  for (int axis = 0; axis < std::ssize(mesh.axes()); ++axis) {
    const bool has_sums = may_be_partial && type.dtype() != DType::boolean && !is_narrow(type.dtype());
    if (has_sums && random.one_in(10)) {
      partial.emplace_back(axis, ir::Reduction::sum);
    } else if (type.rank() > 0 && !random.one_in(4)) {
      auto& axes = dims[random.below(type.rank())];
      const auto d = static_cast<int>(&axes - dims.data());
      if (type.size(d) % (mesh.size(axis) * ir::devices_along(mesh, axes)) == 0) axes.push_back(axis);
    }
  }
  return {mesh, std::move(dims), std::move(partial)};
}

bool can_be_divided(const ir::Graph& graph) {
  return std::ranges::none_of(graph.nodes(),
                              [](const ir::Node* node) { return node->op->kind == ir::Kind::collective; });
}

// The mesh and the shardings are drawn by the graph's text, so that the same graph is divided in the same way.
void check_mesh(const ir::Graph& graph, std::span<const Array> inputs) {
  if (!can_be_divided(graph)) return;
  Random random(hash_bytes(ir::print(graph)));
  const ir::Mesh meshes[] = {{{"x", 2}}, {{"x", 3}}, {{"x", 4}}, {{"x", 2}, {"y", 2}}, {{"x", 2}, {"y", 3}}};
  const ir::Mesh& mesh = meshes[random.below(std::size(meshes))];
  std::vector<ir::Sharding> shardings;
  for (const ir::Value input : graph.inputs()) shardings.push_back(random_sharding(random, mesh, input.type(), true));
  std::vector<std::optional<ir::Sharding>> outputs;
  for (const ir::Value output : graph.outputs()) {
    auto& wanted = outputs.emplace_back();
    if (random.one_in(2)) wanted = random_sharding(random, mesh, output.type(), false);
  }
  const compiler::Partitioned divided = compiler::partition(graph, mesh, shardings, outputs);
  ir::verify(*divided.graph);
  const auto want = interpret_bounded(graph, inputs, {.parts = true});
  require_within(Fault::mesh, compiler::interpret_on_mesh(divided, inputs), want);
  compiler::Options options;
  options.link.leaves_cpus = true;
  options.link.latency_us = random.one_in(2) ? 0 : 20;
  const auto compiled = compiler::compile_for_mesh(divided, options);
  const auto first = compiler::run_on_mesh(compiled, runtime::cpu(), inputs);
  require_within(Fault::mesh, first, want);
  options.bucketing = compiler::Bucketing::none;
  options.overlap = false;
  require_same(Fault::mesh, compiler::run_on_mesh(compiler::compile_for_mesh(divided, options), runtime::cpu(), inputs),
               first);
  require_same(Fault::repeat, compiler::run_on_mesh(compiled, runtime::cpu(), inputs), first);
}

}  // namespace

std::string_view name(Fault fault) {
  constexpr std::array names = {"invalid",  "text",  "error",  "value",   "strict value", "repeat",
                                "donation", "cache", "fusion", "threads", "mesh",         "sizes"};
  return names[static_cast<std::size_t>(fault)];
}

Verdict check(const ir::Graph& graph, std::span<const Array> inputs, const CheckOptions& options) {
  const auto want = interpret_bounded(graph, inputs, {}), strict = interpret_bounded(graph, inputs, {.strict = true});
  Verdict verdict;
  for (const Bounded& output : want) {
    verdict.elements += output.value.size();
    for (const double bound : output.bound.data<double>())
      verdict.unknown += !(bound < std::numeric_limits<double>::infinity());
  }
  const auto found = [&](Fault fault, std::string reason) {
    verdict.fault = fault;
    verdict.reason = std::move(reason);
    return verdict;
  };
  try {
    ir::verify(graph);
  } catch (const Error& wrong) {
    return found(Fault::invalid, wrong.what());
  }
  try {
    const Threads two(2);
    if (options.device) {
      check_device(*options.device, graph, inputs, want, strict);
      return verdict;
    }
    check_text(graph, inputs, want);
    check_fast(graph, inputs, want, options);
    check_strict(graph, inputs, strict, options);
    check_mesh(graph, inputs);
    check_sizes(graph, inputs, want, options);
  } catch (const Found& difference) {
    return found(difference.fault, difference.reason);
  } catch (const std::exception& wrong) {
    return found(Fault::error, wrong.what());
  }
  return verdict;
}

}  // namespace weft::fuzz
