// A program of a user of an installed weft: trains a classifier, saves it, and loads it into another model.
#include <filesystem>
#include <iostream>

#include <weft/weft.h>

struct Model {
  weft::nn::Linear in{2, 16}, out{16, 2};
  weft::Tensor operator()(const weft::Tensor& x) const { return out(weft::relu(in(x))); }
  void fields(auto&& field) {
    field("in", in);
    field("out", out);
  }
};

int main(int, char** arguments) try {
  weft::manual_seed(1);
  const weft::Tensor points = weft::randn({64, 2});
  const weft::Tensor labels = weft::convert(weft::sum(points, 1) > 0, weft::DType::i32);
  Model model;
  weft::optim::AdamW optimizer(model, {.lr = 0.05});
  for (int step = 0; step < 50; ++step) {
    const weft::Tensor loss = weft::nn::cross_entropy(model(points), labels);
    optimizer.step(weft::grad(loss, optimizer.parameters()));
    weft::sync();
  }

  const std::filesystem::path file = std::filesystem::path(arguments[0]).replace_extension(".safetensors");
  weft::data::save(weft::state_dict(model), file);
  Model loaded;
  weft::load_state_dict(loaded, weft::data::load(file));
  const double accuracy = weft::mean(weft::argmax(loaded(points)) == labels).item();
  std::cout << (accuracy > 0.9 ? "learnt" : "not learnt") << '\n';
} catch (const weft::Error& error) {
  std::cerr << "error: " << error.what() << '\n';
  return 1;
}
