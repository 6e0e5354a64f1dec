// Trains GPT-2 (124 million parameters) on random tokens, on the device that WEFT_DEVICE names, and prints one JSON object with the times of
// the steps; for a GPU, also by how many bytes the memory in use grew according to the driver. The peers are
// bench/peers/language_model_torch.py and language_model_jax.py, with the same flags.
//   bench_language_model --batch 32 --context 1024 --steps 20
#include <chrono>
#include <cstdlib>
#include <iostream>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <apps/text/gpt.h>
#include <weft/base/knobs.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/gpus.h>
#include <weft/runtime/devices.h>
#include <weft/weft.h>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Flags {
  std::int64_t layers = 12, width = 768, heads = 12, context = 1024, vocabulary = 50257, batch = 32, steps = 20,
               warm_up = 4;
  std::string dtype = "bf16";
  bool thunks = false, tune = false;
};

Flags parse(int argc, char** argv) {
  Flags flags;
  CLI::App app("Trains GPT-2 on random tokens and prints the times of the steps as JSON");
  app.add_option("--layers", flags.layers);
  app.add_option("--width", flags.width);
  app.add_option("--heads", flags.heads);
  app.add_option("--context", flags.context);
  app.add_option("--vocabulary", flags.vocabulary);
  app.add_option("--batch", flags.batch);
  app.add_option("--steps", flags.steps, "timed steps");
  app.add_option("--warm-up", flags.warm_up, "steps before them");
  app.add_option("--dtype", flags.dtype)->check(CLI::IsMember({"f32", "bf16"}));
  app.add_flag("--tune", flags.tune, "measure alternatives and choose the fastest, as the mode max_autotune does");
  app.add_flag("--thunks", flags.thunks, "also print the time of each thunk to the standard error");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return flags;
}

// Returns how many bytes of the GPU are in use, by the driver's account, or 0 for the CPU.
std::int64_t bytes_in_use() {
  using namespace weft::runtime;
  const auto ordinal = parse_device(weft::knobs::device());
  if (!ordinal) return 0;
  const cuda::Current current(*ordinal);
  std::size_t free = 0, total = 0;
  cuda::check(cuda::driver().cuMemGetInfo(&free, &total), "cuMemGetInfo");
  return static_cast<std::int64_t>(total - free);
}

nlohmann::json run(const Flags& flags) {
  using namespace weft;
  // Libraries for products take memory of their own at their first use.
  const Tensor tiny = ones({64, 64}, DType::bf16);
  matmul(tiny, tiny).buffer()->wait();
  const std::int64_t bytes_before = bytes_in_use();
  const auto start = Clock::now();
  text::Gpt model({.layers = flags.layers,
                   .width = flags.width,
                   .heads = flags.heads,
                   .context = flags.context,
                   .vocabulary = flags.vocabulary,
                   .tied = true,
                   .compute = flags.dtype == "bf16" ? DType::bf16 : DType::f32},
                  1);
  optim::AdamW optimizer(model, {.lr = 3e-4, .weight_decay = 0.1});
  const auto train_step = compile(
      [&](const Tensor& tokens) {
        const Tensor loss = model.loss(tokens);
        optimizer.step(grad(loss, optimizer.parameters()));
        return loss;
      },
      {.fullgraph = true, .mode = flags.tune ? Mode::max_autotune_no_replay : Mode::standard, .name = "training step"});
  std::vector<Tensor> batches;
  for (int i = 0; i < 4; ++i)
    batches.push_back(random::integers(random::Key(i), {flags.batch, flags.context + 1}, 0, flags.vocabulary));
  weft::sync();
  std::vector<double> losses;
  const auto step = [&](std::int64_t i) { return train_step(batches[i % 4]); };
  const auto first = Clock::now();
  losses.push_back(step(0).item<float>());
  const double first_step = seconds_since(first), until_first = seconds_since(start);
  for (std::int64_t i = 1; i < flags.warm_up; ++i) losses.push_back(step(i).item<float>());
  std::vector<Tensor> later;
  const auto timed = Clock::now();
  for (std::int64_t i = 0; i < flags.steps; ++i) later.push_back(step(flags.warm_up + i));
  const double host = seconds_since(timed);
  later.back().item<float>();
  const double all = seconds_since(timed);
  for (const Tensor& loss : later) losses.push_back(loss.item<float>());
  if (flags.thunks) {
    device().set_profiling(true);
    step(0).item<float>();
    device().set_profiling(true);
    for (std::int64_t i = 0; i < 3; ++i) step(i).item<float>();
    std::cerr << runtime::thunk_table(device().thunk_times(), 600);
    device().set_profiling(false);
  }
  const runtime::DeviceStats stats = device().stats();
  return {{"peer", "weft"},
          {"device", device().id().text()},
          {"first_step_s", first_step},
          {"start_to_first_step_s", until_first},
          {"step_ms", 1e3 * all / static_cast<double>(flags.steps)},
          {"host_ms", 1e3 * host / static_cast<double>(flags.steps)},
          {"tokens_per_s", static_cast<double>(flags.steps * flags.batch * flags.context) / all},
          {"peak_bytes", stats.peak_bytes_in_use},
          {"driver_bytes", bytes_in_use() - bytes_before},
          {"losses", losses}};
}

}  // namespace

int main(int argc, char** argv) {
  const Flags flags = parse(argc, argv);
  try {
    std::cout << run(flags).dump() << '\n';
  } catch (const weft::Error& error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
}
