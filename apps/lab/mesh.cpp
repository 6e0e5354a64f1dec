#include <apps/lab/mesh.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>

#include <apps/lab/vit.h>
#include <weft/base/error.h>
#include <weft/base/knobs.h>
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
#include <weft/tensor/manipulation.h>
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

const MeshVariant plain{};

const std::vector<MeshVariant>& variants() {
  static const std::vector<MeshVariant> all{{.name = "overlap off", .overlap = false},
                                            {.name = "overlap on"},
                                            {.name = "ZeRO-1", .zero = 1},
                                            {.name = "tensor parallel", .splits_model = true},
                                            {.name = "tensor parallel, halves", .splits_model = true, .parts = 2}};
  return all;
}

// Returns the mean loss of a batch, computed in parts of nearly the same size.
Tensor loss_of(const Vit& model, const Tensor& images, const Tensor& labels, std::int64_t parts) {
  const std::int64_t size = images.size(0);
  parts = std::min(parts, size);
  if (parts == 1) return nn::cross_entropy(model(images), labels);
  Tensor loss;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t begin = part * size / parts, end = (part + 1) * size / parts;
    const Tensor own =
        nn::cross_entropy(model(weft::slice(images, 0, begin, end)), weft::slice(labels, 0, begin, end)) *
        (static_cast<double>(end - begin) / static_cast<double>(size));
    loss = part == 0 ? own : loss + own;
  }
  return loss;
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

MeshRun measure_step(const MeshOptions& options, const MeshVariant& variant, std::int64_t size,
                     const std::function<void(std::int64_t, double)>& done) {
  const knobs::Override<knobs::Switch> overlap(knobs::overlap, variant.overlap && knobs::overlap());
  const VitConfig config;
  train::Parallelism parallelism{.zero = variant.zero};
  if (options.devices > 1) parallelism.mesh = Mesh{{variant.splits_model ? "model" : "data", options.devices}};
  Vit model(config);
  train::shard_parameters(named_parameters(model), parallelism, divided_layers());
  optim::Adam optimizer(model, {.lr = 1e-3});
  train::shard_state(optimizer.state(), parallelism);
  const auto step = compile(
      [&](const Tensor& images, const Tensor& labels) {
        const Tensor loss = loss_of(model, images, labels, variant.parts);
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
  const Explanation::Program program = step.explain({.remedies = false}).programs.front();
  run.compile_s = 1e-3 * program.compile_ms;
  run.division = program.devices;
  run.joined = program.joined;
  run.collectives = program.communications;
  run.sent_bytes = program.sent_bytes;
  done(0, 1e3 * run.first_step_s);

  std::optional<TemporaryFolder> temporary;
  if (options.output.empty()) temporary.emplace();
  const auto folder = (temporary ? temporary->path() : options.output) /
                      concat("batch-", size, variant.name.empty() ? "" : "-", variant.name);
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

double MeshRun::communication_ms() const {
  return analysis.steps.empty() ? 0
                                : 1e-6 * static_cast<double>(analysis.communication_ns) / (analysis.steps.size() + 1);
}

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
  MeshReport report{.parameters = nn::parameter_count(model), .runs = {}, .variants = {}};
  for (const std::int64_t batch : options.batches)
    report.runs.push_back(measure_step(options, plain, batch, [&](std::int64_t step, double ms) {
      if (done) done(batch, step, ms);
    }));
  if (!options.variants) return report;
  for (const MeshVariant& variant : variants())
    report.variants.emplace_back(
        variant, measure_step(options, variant, options.batches.back(), [&](std::int64_t step, double ms) {
          if (done) done(options.batches.back(), step, ms);
        }));
  return report;
}

std::size_t variant_count() { return variants().size(); }

std::optional<double> MeshReport::crossover_batch() const {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, communication = 0;
  for (const MeshRun& run : runs) {
    const double batch = static_cast<double>(run.batch);
    const double computing = run.step_ms() - run.exposed_share() * run.communication_ms();
    n += 1, x += batch, y += computing, xx += batch * batch, xy += batch * computing;
    communication += run.communication_ms();
  }
  const double spread = n * xx - x * x;
  if (spread <= 0 || communication == 0) return std::nullopt;
  const double per_row = (n * xy - x * y) / spread, fixed = (y - per_row * x) / n;
  constexpr double backward = 2.0 / 3;
  if (per_row <= 0) return std::nullopt;
  return std::max((communication / n / backward - fixed) / per_row, 0.0);
}

}  // namespace weft::lab
