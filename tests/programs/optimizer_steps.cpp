// Updates parameters with gradients from files, for tools/check-optimizers.
// Usage: optimizer_steps FOLDER OPTIMIZER STEPS ROWS COLUMNS. Reads FOLDER/weight (f64 [rows, columns]), FOLDER/bias (f64 [columns]) and for
// each step weight_I and bias_I, the gradients. Writes the parameters after the last step to FOLDER/updated_weight and updated_bias, and for
// the optimizer "ema" their averages. For "lbfgs", gradients are those of a quadratic form: (weight_0 + 2) * weight, and so for the bias.
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>

#include <weft/weft.h>

namespace {

using namespace weft;

std::vector<double> read(const std::string& file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  require(in.good(), "optimizer_steps: cannot read ", file);
  std::vector<double> values(static_cast<std::size_t>(in.tellg()) / sizeof(double));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)));
  return values;
}

void write(const std::string& file, const Tensor& x) {
  const std::vector<double> values = x.to_vector<double>();
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(double)));
}

struct Model {
  Parameter weight, bias;
  void fields(auto&& field) {
    field("weight", weight);
    field("bias", bias);
  }
};

std::unique_ptr<optim::Optimizer> optimizer_of(const std::string& name, Model& model) {
  using namespace optim;
  const std::map<std::string, std::function<std::unique_ptr<Optimizer>()>> makers{
      {"sgd",
       [&] { return std::make_unique<SGD>(model, SGDOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01}); }},
      {"adam", [&] { return std::make_unique<Adam>(model, AdamOptions{.lr = 0.1}); }},
      {"adamw", [&] { return std::make_unique<AdamW>(model, AdamWOptions{.lr = 0.1, .weight_decay = 0.05}); }},
      {"groups",
       [&] {
         return std::make_unique<AdamW>(
             model, AdamWOptions{.lr = 0.1, .weight_decay = 0.05},
             std::vector<Group>{{.names = "weight", .lr_factor = 0.1}, {.names = "bias", .decay_factor = 0}});
       }},
      {"adagrad", [&] { return std::make_unique<Adagrad>(model, AdagradOptions{.lr = 0.1}); }},
      {"rmsprop", [&] { return std::make_unique<RMSprop>(model, RMSpropOptions{.lr = 0.01, .momentum = 0.5}); }},
      {"adadelta", [&] { return std::make_unique<Adadelta>(model, AdadeltaOptions{.lr = 0.5}); }},
      {"adamax", [&] { return std::make_unique<Adamax>(model, AdamaxOptions{.lr = 0.1}); }},
      {"nadam", [&] { return std::make_unique<NAdam>(model, NAdamOptions{.lr = 0.1, .weight_decay = 0.01}); }},
      {"radam", [&] { return std::make_unique<RAdam>(model, RAdamOptions{.lr = 0.1, .weight_decay = 0.01}); }},
      {"rprop", [&] { return std::make_unique<Rprop>(model, RpropOptions{.lr = 0.1}); }},
      {"asgd", [&] { return std::make_unique<ASGD>(model, ASGDOptions{.lr = 0.1, .lambd = 0.01, .t0 = 3}); }},
      {"lion", [&] { return std::make_unique<Lion>(model, LionOptions{.lr = 0.01, .weight_decay = 0.1}); }},
      {"lamb", [&] { return std::make_unique<LAMB>(model, LAMBOptions{.lr = 0.01, .weight_decay = 0.1}); }},
      {"adafactor",
       [&] { return std::make_unique<Adafactor>(model, AdafactorOptions{.lr = 0.1, .weight_decay = 0.01}); }},
      {"muon", [&] { return std::make_unique<Muon>(model, MuonOptions{.lr = 0.02, .weight_decay = 0.1}); }},
      {"lbfgs", [&] { return std::make_unique<LBFGS>(model, LBFGSOptions{.lr = 0.5, .history = 4}); }},
      {"ema", [&] { return std::make_unique<SGD>(model, SGDOptions{.lr = 0.1}); }}};
  const auto maker = makers.find(name);
  require(maker != makers.end(), "optimizer_steps: there is no optimizer ", name);
  return maker->second();
}

void run(const std::string& folder, const std::string& name, std::int64_t steps, std::int64_t rows,
         std::int64_t columns) {
  const auto matrix = [&](const std::string& file) { return from_vector(read(folder + "/" + file), {rows, columns}); };
  const auto row = [&](const std::string& file) { return from_vector(read(folder + "/" + file), {columns}); };
  Model model{matrix("weight"), row("bias")};
  const auto optimizer = optimizer_of(name, model);
  optim::EMA ema(model, {.decay = 0.9});
  const Tensor curvature = matrix("weight_0"), of_bias = row("bias_0");
  const auto step = compile([&](const Tensor& weight, const Tensor& bias) {
    if (name == "lbfgs")
      optimizer->step(std::vector{(curvature + 2) * model.weight.tensor(), (of_bias + 2) * model.bias.tensor()});
    else
      optimizer->step(std::vector{weight, bias});
    ema.update();
  });
  for (std::int64_t i = 0; i < steps; ++i) step(matrix(concat("weight_", i)), row(concat("bias_", i)));
  if (name == "ema") ema.swap();
  write(folder + "/updated_weight", model.weight);
  write(folder + "/updated_bias", model.bias);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: optimizer_steps FOLDER OPTIMIZER STEPS ROWS COLUMNS\n";
    return 2;
  }
  try {
    run(argv[1], argv[2], std::atoll(argv[3]), std::atoll(argv[4]), std::atoll(argv[5]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
