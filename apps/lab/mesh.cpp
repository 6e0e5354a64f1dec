#include <apps/lab/mesh.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include <apps/lab/vit.h>
#include <weft/base/error.h>
#include <weft/base/temporary_folder.h>
#include <weft/base/trace.h>
#include <weft/jit/compile.h>
#include <weft/optim/adam.h>
#include <weft/profile/recorder.h>
#include <weft/profile/report.h>
#include <weft/profile/scope.h>
#include <weft/record/sync.h>
#include <weft/runtime/hlo_text.h>
#include <weft/tensor/gradient.h>
#include <weft/tensor/random.h>
#include <weft/train/parallelism.h>
#include <weft/train/step_clock.h>

namespace weft::lab {

namespace {

using Clock = std::chrono::steady_clock;

struct Batch {
  Batch(const VitConfig& config, std::int64_t size, std::uint64_t seed, const train::Parallelism& parallelism)
      : images(random::normal(random::Key(seed), {size, config.channels, config.image, config.image})),
        labels(random::integers(random::Key(seed + 1), {size}, 0, config.classes)) {
    sync();
    for (Tensor* const part : {&images, &labels}) *part = train::divide_rows(*part, parallelism);
  }
  Tensor images, labels;
};

MeshRun measure(const MeshOptions& options, std::int64_t size, const std::function<void(std::int64_t, double)>& done) {
  const VitConfig config;
  train::Parallelism parallelism;
  if (options.devices > 1) parallelism.mesh = Mesh{{"data", options.devices}};
  Vit model(config);
  optim::Adam optimizer(model, {.lr = 1e-3});
  const auto step = compile(
      [&](const Tensor& images, const Tensor& labels) {
        const Tensor loss = nn::cross_entropy(model(images), labels);
        optimizer.step(grad(loss, optimizer.parameters()));
        return loss;
      },
      {.fullgraph = true, .mesh = parallelism.mesh, .name = "train_step"});
  const Batch batches[] = {{config, size, 1, parallelism}, {config, size, 3, parallelism}};
  sync();

  MeshRun run;
  run.batch = size;
  Clock::time_point start = Clock::now();
  (void)step(batches[0].images, batches[0].labels).item();
  run.first_step_s = train::seconds_since(start);
  const Explanation::Program program = step.explain().programs.front();
  run.compile_s = 1e-3 * program.compile_ms;
  run.division = program.devices;
  run.collectives = program.collectives.size();
  run.sent_bytes = program.sent_bytes;
  done(0, 1e3 * run.first_step_s);

  std::optional<TemporaryFolder> temporary;
  if (options.output.empty()) temporary.emplace();
  const auto folder = (temporary ? temporary->path() : options.output) / concat("batch-", size);
  profile::Recorder recorder({.folder = folder, .command = concat("weft lab mesh, batch ", size)});
  // One step more than measured, because the time of a step starts at the end of the one before.
  for (std::int64_t i = 0; i <= options.steps; ++i) {
    const profile::Step span(i);
    const Batch& batch = batches[i % 2];
    start = Clock::now();
    run.loss = step(batch.images, batch.labels).item();
    done(i + 1, 1e3 * train::seconds_since(start));
  }
  const Status status = recorder.stop();
  require(status.ok(), "lab mesh: ", status.reason());
  run.recording = profile::read_recording(folder);
  run.analysis = profile::analyse(run.recording);
  if (!temporary)
    for (const std::string& failed : profile::write_report(run.recording, run.analysis, folder))
      fail("lab mesh: ", failed);
  return run;
}

// Returns the instruction that the op runs; for a tuple, the largest instruction that takes one of its elements; null if unknown.
const runtime::Instruction* largest_result(const profile::Program& program, std::int32_t op) {
  const runtime::Instruction* largest = program.instruction(op);
  if (!largest || !largest->shape.is_tuple) return largest;
  const std::uint32_t made = program.description.thunks[op];
  std::int64_t most = 0;
  for (const runtime::Instruction& instruction : program.description.entry()->instructions) {
    if (instruction.opcode != "get-tuple-element" || instruction.operands[0] != made) continue;
    const Type type = instruction.shape.types[0];
    const std::int64_t weight = type.dtype() == DType::boolean ? 1 : 4;  // a mask is never the main result
    if (weight * type.elements() <= most) continue;
    most = weight * type.elements();
    largest = &instruction;
  }
  return largest;
}

}  // namespace

double MeshRun::collective_share() const {
  double share = 0;
  for (const profile::OpStats& op : analysis.ops)
    if (op.category == "collective") share += op.share;
  return share;
}

const profile::OpStats* MeshRun::largest_fusion() const {
  const auto found = std::ranges::find_if(
      analysis.ops, [](const profile::OpStats& op) { return op.category.find("fusion") != op.category.npos; });
  return found == analysis.ops.end() ? nullptr : &*found;
}

std::string MeshRun::shape_of(const profile::OpStats& op) const {
  const profile::Program& program = recording.programs[op.program];
  const runtime::Instruction* instruction = largest_result(program, op.op);
  if (!instruction) {  // an op of another device, which the description shows at the first device only
    const std::string first = concat(op.name.substr(0, op.name.find('@')), "@0");
    const auto same = std::ranges::find(analysis.ops, first, &profile::OpStats::name);
    if (same != analysis.ops.end()) instruction = largest_result(program, same->op);
  }
  if (!instruction) return {};
  std::string text = hlo_shape(instruction->shape, false);
  for (std::size_t d = 0; d < instruction->dims.size(); ++d)
    text += concat(d ? ", " : ": ", instruction->shape.types[0].size(d), " = ", instruction->dims[d]);
  return text;
}

MeshReport measure_mesh(const MeshOptions& options,
                        const std::function<void(std::int64_t, std::int64_t, double)>& done) {
  for (const std::int64_t batch : options.batches)
    train::Parallelism{.mesh = Mesh{{"data", options.devices}}}.check(batch);
  require(!trace::enabled(), "lab mesh: it makes profiles of its own (--output keeps them): not below weft profile");
  Vit model;
  MeshReport report{.parameters = nn::parameter_count(model), .runs = {}};
  for (const std::int64_t batch : options.batches)
    report.runs.push_back(measure(options, batch, [&](std::int64_t step, double ms) {
      if (done) done(batch, step, ms);
    }));
  return report;
}

}  // namespace weft::lab
