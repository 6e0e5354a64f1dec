#include <weft/ir/graph.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;

struct Block {
  nn::Linear up{2, 3}, down{3, 2, false};
  nn::Dropout dropout{0.5};
  Tensor operator()(const Tensor& x) const { return dropout(down(relu(up(x)))); }
  void fields(auto&& field) {
    field("up", up);
    field("down", down);
    field("dropout", dropout);
  }
};

struct Model {
  std::vector<Block> blocks = std::vector<Block>(2);
  nn::LayerNorm norm{2};
  Parameter scale{ones({2})};
  void fields(auto&& field) {
    field("blocks", blocks);
    field("norm", norm);
    field("scale", scale);
  }
};

struct Tied {
  Parameter weight{ones({2})};
  void fields(auto&& field) {
    field("in", weight);
    field("out", weight);
  }
};

std::vector<std::string> names(auto& model) {
  std::vector<std::string> result;
  for (const auto& [name, parameter] : named_parameters(model)) result.push_back(name);
  return result;
}

TEST(Module, NamesParametersByTheirPath) {
  Model model;
  EXPECT_EQ(names(model), (std::vector<std::string>{"blocks.0.up.weight", "blocks.0.up.bias", "blocks.0.down.weight",
                                                    "blocks.1.up.weight", "blocks.1.up.bias", "blocks.1.down.weight",
                                                    "norm.weight", "norm.bias", "scale"}));
  EXPECT_EQ(parameter_count(model), 2 * (6 + 3 + 6) + 4 + 2);
  EXPECT_STREQ(model.blocks[1].down.path(), "blocks.1.down");
  EXPECT_NE(summary(model).find("blocks.0.up.weight    tensor<3x2xf32>  6\n"), std::string::npos) << summary(model);
}

TEST(Module, ListsASharedParameterOnce) {
  Tied model;
  EXPECT_EQ(names(model), std::vector<std::string>{"in"});
}

TEST(Module, RecordsItsPathAsScope) {
  Model model;
  parameters(model);
  const Tensor y = model.blocks[1].up(ones({1, 2}));
  EXPECT_STREQ(y.impl().value.node->location.scope, "blocks.1.up");
  EXPECT_EQ(y.impl().value.node->location.line, static_cast<std::uint32_t>(__LINE__ - 2));
}

TEST(Module, CopiesAreIndependent) {
  Model model, copy = model;
  model.scale = model.scale + 1;
  expect_values(model.scale, {2}, {2, 2});
  expect_values(copy.scale, {2}, {1, 1});
}

TEST(StateDict, RestoresAModel) {
  Model a, b;
  load_state_dict(b, state_dict(a));
  for (const auto& [name, value] : state_dict(a))
    EXPECT_EQ(value.to_vector<float>(), state_dict(b).at(name).to_vector<float>()) << name;
}

TEST(StateDict, ConvertsTypes) {
  nn::Linear a(2, 2), b(2, 2, true, DType::bf16);
  load_state_dict(b, state_dict(a));
  EXPECT_EQ(b.weight.dtype(), DType::bf16);
}

TEST(StateDict, NamesEverythingThatDoesNotFit) {
  Model model;
  StateDict state = state_dict(model);
  const auto before = state.at("scale").to_vector<float>();
  state.erase("norm.bias");
  state.erase("blocks.1.up.bias");
  state["extra"] = ones({1});
  state["scale"] = ones({3});
  state["norm.weight"] = zeros({2});
  expect_error([&] { load_state_dict(model, state); },
               "load_state_dict: missing: blocks.1.up.bias, norm.bias; unexpected: extra; of another shape: scale "
               "(tensor<3xf32> instead of "
               "tensor<2xf32>)");
  expect_values(model.norm.weight, {2}, {1, 1});
}

TEST(Layers, Linear) {
  nn::Linear layer(2, 1);
  layer.weight = tensor({{2.f, 3.f}});
  layer.bias = tensor({1.f});
  expect_values(layer(tensor({{1.f, 1.f}, {0.f, 2.f}})), {2, 1}, {6, 7});
  const double bound = 1 / std::sqrt(50.0);
  nn::Linear wide(50, 40);
  for (const double w : wide.weight.tensor().to_vector<double>()) EXPECT_LE(std::abs(w), bound);
  EXPECT_NEAR(stddev(wide.weight).item(), bound / std::sqrt(3), 0.005);
}

TEST(Layers, ComputeInTheTypeOfTheirInput) {
  nn::Linear layer(4, 4);
  const Tensor x = ones({2, 4}, DType::bf16), y = layer(x);
  EXPECT_EQ(y.dtype(), DType::bf16);
  EXPECT_EQ(grad(sum(y.to(DType::f32)), {layer.weight})[0].dtype(), DType::f32);
  EXPECT_EQ(nn::LayerNorm(4)(x).dtype(), DType::bf16);
  EXPECT_EQ(layer(ones({2, 4}, DType::f64)).dtype(), DType::f64);
}

TEST(Layers, Embedding) {
  nn::Embedding layer(3, 2);
  layer.weight = tensor({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
  expect_values(layer(tensor({{2}, {0}})), {2, 1, 2}, {5, 6, 1, 2});
}

TEST(Layers, Norms) {
  const Tensor x = tensor({{1.f, 3.f}});
  expect_values(nn::LayerNorm(2, 0)(x), {1, 2}, {-1, 1}, 1e-6);
  expect_values(nn::RMSNorm(2, 0)(x), {1, 2}, {1 / std::sqrt(5), 3 / std::sqrt(5)}, 1e-6);
}

TEST(Layers, LayerNormOfSeveralDimensions) {
  const Tensor x = test::arbitrary({2, 5, 3});
  nn::LayerNorm layer({5, 3}, 1e-5, true, DType::f64);
  EXPECT_EQ(layer.weight.shape(), (Shape{5, 3}));
  expect_values(layer(x)[0], {5, 3},
                {-0.1663898089314, -0.7321070930461, -1.168678285733, -1.398991997043, -1.382368011009, -1.121742615437,
                 -0.6631499666002, -0.08759109517809, 0.5032732724311, 1.005079006341, 1.329192366456, 1.418365343474,
                 1.256847351192, 0.8731672460618, 0.3350942870222},
                1e-11);
}

TEST(Layers, BilinearAndPReLU) {
  nn::Bilinear layer(4, 2, 3);
  EXPECT_EQ(layer.weight.shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(layer.bias->shape(), Shape{3});
  const Tensor a = ones({5, 4}), b = full({5, 2}, 2.f);
  expect_values(layer(a, b)[0], {3}, (sum(layer.weight, {1, 2}) * 2 + *layer.bias).to_vector<double>(), 1e-5);
  nn::PReLU slopes(2, 0.5);
  EXPECT_EQ(names(slopes), std::vector<std::string>{"weight"});
  slopes.weight = tensor({0.5f, 2.f});
  expect_values(slopes(tensor({{-1.f, -1.f}, {3.f, -2.f}})), {2, 2}, {-0.5, -2, 3, -4});
}

struct Dropouts {
  nn::Dropout2d channels{0.5};
  nn::AlphaDropout alpha{0.5};
  void fields(auto&& field) {
    field("channels", channels);
    field("alpha", alpha);
  }
};

TEST(Layers, OtherDropoutsOnlyWhileTraining) {
  Dropouts model;
  const Tensor x = ones({20, 5, 2});
  EXPECT_NE(min(model.channels(x)).item(), 1);
  EXPECT_NE(min(model.alpha(x)).item(), 1);
  set_training(model, false);
  expect_values(model.channels(x), {20, 5, 2}, std::vector<double>(200, 1));
  expect_values(model.alpha(x), {20, 5, 2}, std::vector<double>(200, 1));
  expect_error([] { nn::AlphaDropout(1); }, "AlphaDropout: the probability must lie in [0, 1), got 1");
}

TEST(Layers, SequentialTakesFunctions) {
  const nn::Sequential model(nn::PReLU(1, 2), relu, [](const Tensor& x) { return gelu(x); });
  expect_values(model(tensor({-1.f, 0.f})), {2}, {0, 0});
}

TEST(Layers, PadAndLocalResponseNorm) {
  const Tensor x = tensor({{1.f, 2.f, 3.f}});
  expect_values(nn::Pad({{1, 2}})(x), {1, 6}, {0, 1, 2, 3, 0, 0});
  expect_values(nn::Pad({{1, 2}}, PadMode::reflect)(x), {1, 6}, {2, 1, 2, 3, 2, 1});
  const nn::LocalResponseNorm norm(1, {.alpha = 1, .beta = 1, .k = 0});
  expect_values(norm(x), {1, 3}, {1, 1. / 2, 1. / 3}, 1e-6);
}

TEST(Layers, DropoutOnlyWhileTraining) {
  Block block;
  const Tensor x = ones({100, 2});
  EXPECT_NE(sum(block.dropout(x) == 0).item<int>(), 0);
  set_training(block, false);
  EXPECT_EQ(sum(block.dropout(x) == 0).item<int>(), 0);
  expect_error([] { nn::Dropout(1); }, "Dropout: the probability must lie in [0, 1), got 1");
}

TEST(Layers, Convolution) {
  nn::Conv2d layer(2, 4, 3, {.padding = 1, .groups = 2});
  EXPECT_EQ(layer.weight.shape(), (Shape{4, 1, 3, 3}));
  EXPECT_EQ(layer(ones({1, 2, 5, 5})).shape(), (Shape{1, 4, 5, 5}));
}

TEST(Layers, Sequential) {
  nn::Sequential model(nn::Linear(2, 3), [](const Tensor& x) { return relu(x); }, nn::Linear(3, 1));
  EXPECT_EQ(names(model), (std::vector<std::string>{"0.weight", "0.bias", "2.weight", "2.bias"}));
  EXPECT_EQ(model(ones({5, 2})).shape(), (Shape{5, 1}));
}

TEST(Init, Deviations) {
  manual_seed(0);
  const auto deviation = [](const Tensor& x) { return stddev(x).item(); };
  EXPECT_NEAR(deviation(nn::init::normal({100, 100}, 3, 0.5)), 0.5, 0.02);
  EXPECT_NEAR(mean(nn::init::normal({100, 100}, 3, 0.5)).item(), 3, 0.02);
  EXPECT_NEAR(deviation(nn::init::kaiming_uniform({50, 200})), std::sqrt(2.0 / 200), 0.005);
  EXPECT_NEAR(deviation(nn::init::kaiming_normal({50, 200})), std::sqrt(2.0 / 200), 0.005);
  EXPECT_NEAR(deviation(nn::init::xavier_uniform({50, 200})), std::sqrt(2.0 / 250), 0.005);
  EXPECT_NEAR(deviation(nn::init::xavier_normal({50, 200})), std::sqrt(2.0 / 250), 0.005);
  EXPECT_EQ(nn::init::fans({8, 4, 3, 3}).in, 36);
  expect_error([] { nn::init::kaiming_uniform({3}); },
               "init: a weight of rank 2 or more has inputs and outputs, got [3]");
}

}  // namespace
}  // namespace weft
