// Computes the loss and all gradients of GPT-2 (124 million parameters) with dropout again and again from the same weights, tokens and
// random numbers, on the device that WEFT_DEVICE names, and compares them with the first ones bit by bit. Prints one JSON object:
// "different" is the number of elements, of all repetitions, that differ.
//   bench_gpu_repetitions --repetitions 1000
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <apps/text/gpt.h>
#include <weft/ir/builder.h>
#include <weft/tensor/frame.h>
#include <weft/weft.h>

namespace {

using namespace weft;
using Clock = std::chrono::steady_clock;
using Tensors = std::vector<Tensor>;

struct Flags {
  std::int64_t layers = 12, width = 768, heads = 12, context = 512, vocabulary = 50304, batch = 4, repetitions = 1000;
  double dropout = 0.1;
  bool same_dropout = true;
};

Flags parse(int argc, char** argv) {
  Flags flags;
  CLI::App app("Counts the bits of a model's gradients that differ between repetitions");
  app.add_option("--layers", flags.layers);
  app.add_option("--width", flags.width);
  app.add_option("--heads", flags.heads);
  app.add_option("--context", flags.context);
  app.add_option("--vocabulary", flags.vocabulary);
  app.add_option("--batch", flags.batch);
  app.add_option("--repetitions", flags.repetitions)->check(CLI::PositiveNumber);
  app.add_option("--dropout", flags.dropout);
  app.add_flag("--same-dropout,!--new-dropout", flags.same_dropout,
               "drop the same elements in every repetition; with others, the gradients must differ");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return flags;
}

Tensor bits_of(const Tensor& x) {
  detail::Frame frame("bits_of", x);
  const ir::Value value = frame.value(x);
  return frame.tensor(ir::bitcast_convert(value, value.type().with(DType::u32)));
}

// Returns the number of elements that do not have the same bits.
Tensor count_different(const Tensors& a, const Tensors& b) {
  Tensor count = zeros({}, DType::i64);
  for (std::size_t i = 0; i < a.size(); ++i) count = count + sum((bits_of(a[i]) != bits_of(b[i])).to(DType::i64));
  return count;
}

nlohmann::json run(const Flags& flags) {
  text::Gpt model({.layers = flags.layers,
                   .width = flags.width,
                   .heads = flags.heads,
                   .context = flags.context,
                   .vocabulary = flags.vocabulary,
                   .tied = true,
                   .dropout = flags.dropout,
                   .compute = DType::bf16},
                  1);
  std::vector<Parameter*> parameters;
  for (const NamedParameter& named : named_parameters(model)) parameters.push_back(named.parameter);
  const Tensor tokens = random::integers(random::Key(0), {flags.batch, flags.context + 1}, 0, flags.vocabulary);
  weft::sync();
  const auto loss_and_gradients = compile(
      [&](const Tensor& batch) {
        const Tensor loss = model.loss(batch);
        Tensors results = grad(loss, parameters);
        results.push_back(loss);
        return results;
      },
      {.fullgraph = true, .name = "loss and gradients"});
  const auto compared =
      compile([](const Tensors& a, const Tensors& b, const Tensor& before) { return before + count_different(a, b); },
              {.fullgraph = true, .name = "comparison"});
  const auto results = [&] {
    if (flags.same_dropout) manual_seed(7);
    return loss_and_gradients(tokens);
  };
  manual_seed(7);
  const Tensors first = results();
  Tensor different = zeros({}, DType::i64);
  const auto start = Clock::now();
  for (std::int64_t i = 1; i < flags.repetitions; ++i) different = compared(results(), first, different);
  const auto count = different.item<std::int64_t>();
  const std::chrono::duration<double> seconds = Clock::now() - start;
  return {{"device", device().id().text()},
          {"repetitions", flags.repetitions},
          {"different", count},
          {"compiles", loss_and_gradients.explain().compiles},
          {"loss", first.back().item<float>()},
          {"seconds", seconds.count()}};
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
