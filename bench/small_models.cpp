// Measures whole compiled training steps of models so small that the host's work decides, on the device that WEFT_DEVICE names, and prints one
// JSON object: "step_us" is the time of a step, and "host_us" the part of it in which the host calls the step and does not wait for the
// device. The peer is bench/peers/small_models_torch.py, with the same flags.
//   bench_small_models --model bert --steps 2000
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <apps/lab/models.h>
#include <weft/weft.h>

namespace {

using namespace weft;
using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct Flags {
  std::string model = "mlp";
  std::int64_t steps = 2000, warm_up = 20;
};

Flags parse(int argc, char** argv) {
  Flags flags;
  CLI::App app("Measures training steps of small models and prints JSON");
  app.add_option("--model", flags.model)->check(CLI::IsMember({"mlp", "bert"}));
  app.add_option("--steps", flags.steps, "timed steps")->check(CLI::PositiveNumber);
  app.add_option("--warm-up", flags.warm_up, "steps before them")->check(CLI::PositiveNumber);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return flags;
}

struct Mlp {
  static constexpr std::int64_t batch = 64, pixels = 784, width = 512, classes = 10;

  Tensor loss(const Tensor& images, const Tensor& labels) const {
    return nn::cross_entropy(down(relu(middle(relu(up(images))))), labels);
  }
  void fields(auto&& field) {
    field("up", up);
    field("middle", middle);
    field("down", down);
  }

  nn::Linear up{pixels, width}, middle{width, width}, down{width, classes};
};

struct Bert {
  static constexpr std::int64_t batch = 2, tokens = 32;
  static constexpr lab::BertConfig config{.layers = 12, .heads = 12, .width = 192, .vocabulary = 2048};

  Tensor loss(const Tensor& words, const Tensor& labels) const {
    return nn::cross_entropy(model.logits(words), labels);
  }
  void fields(auto&& field) { field("model", model); }

  lab::Bert model{config};
};

template <class Model>
nlohmann::json measure(Model model, const Tensor& inputs, const Tensor& labels, const Flags& flags) {
  optim::AdamW optimizer(model, {.lr = 1e-4});
  weft::sync();
  const auto train_step = compile(
      [&](const Tensor& x, const Tensor& y) {
        const Tensor loss = model.loss(x, y);
        optimizer.step(grad(loss, optimizer.parameters()));
        return loss;
      },
      {.fullgraph = true, .mode = Mode::reduce_overhead, .name = "training step"});
  const auto first = Clock::now();
  const auto first_loss = train_step(inputs, labels).template item<float>();
  const double first_step_us = microseconds_since(first);
  for (std::int64_t i = 0; i < flags.warm_up; ++i) train_step(inputs, labels);
  synchronize();
  const std::uint64_t waited_before = device().stats().host_wait_ns;
  const auto start = Clock::now();
  Tensor loss;
  for (std::int64_t i = 0; i < flags.steps; ++i) loss = train_step(inputs, labels);
  const double calls_us = microseconds_since(start);
  const auto last_loss = loss.item<float>();
  const double all_us = microseconds_since(start);
  const double waited_us = 1e-3 * static_cast<double>(device().stats().host_wait_ns - waited_before);
  const auto steps = static_cast<double>(flags.steps);
  return {{"peer", "weft"},
          {"device", device().id().text()},
          {"model", flags.model},
          {"step_us", all_us / steps},
          {"host_us", (calls_us - waited_us) / steps},
          {"first_step_s", 1e-6 * first_step_us},
          {"compiles", train_step.explain().compiles},
          {"losses", {first_loss, last_loss}}};
}

nlohmann::json run(const Flags& flags) {
  const random::Key of_inputs(1), of_labels(2);
  if (flags.model == "mlp")
    return measure(Mlp(), random::normal(of_inputs, {Mlp::batch, Mlp::pixels}),
                   random::integers(of_labels, {Mlp::batch}, 0, Mlp::classes), flags);
  const Shape shape{Bert::batch, Bert::tokens};
  return measure(Bert(), random::integers(of_inputs, shape, 0, Bert::config.vocabulary),
                 random::integers(of_labels, shape, 0, Bert::config.vocabulary), flags);
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
