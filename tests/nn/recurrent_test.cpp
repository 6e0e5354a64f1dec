#include <cmath>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::Doubles;
using test::expect_error;
using test::expect_gradient;
using test::expect_values;

// A recurrent unit computed step by step with plain numbers.
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

TEST(LSTM, IsItsDefinition) {
  nn::LSTM lstm(1, 1, 1, {.dtype = DType::f64});
  const Doubles wi = lstm.units[0].weight_ih.tensor().to_vector<double>();
  const Doubles wh = lstm.units[0].weight_hh.tensor().to_vector<double>();
  const Doubles b = (*lstm.units[0].bias_ih + *lstm.units[0].bias_hh).to_vector<double>();
  const Doubles x = {0.3, -1.2, 2};
  double h = 0, c = 0;
  Doubles expected;
  for (const double v : x) {
    const auto gate = [&](std::size_t i) { return wi[i] * v + wh[i] * h + b[i]; };
    c = sigmoid_of(gate(1)) * c + sigmoid_of(gate(0)) * std::tanh(gate(2));
    h = sigmoid_of(gate(3)) * std::tanh(c);
    expected.push_back(h);
  }
  const auto [values, state] = lstm(from_vector(x, {1, 3, 1}));
  expect_values(values, {1, 3, 1}, expected, 1e-12);
  expect_values(state.cell[0], {1, 1}, {c}, 1e-12);
  const auto first = lstm(from_vector<double>({0.3}, {1, 1, 1}));
  expect_values(lstm(from_vector<double>({-1.2, 2}, {1, 2, 1}), first.state).values, {1, 2, 1},
                {expected[1], expected[2]}, 1e-12);
}

TEST(GRU, IsItsDefinition) {
  nn::GRU gru(1, 1, 1, {.dtype = DType::f64});
  const auto read = [](const Parameter& p) { return p.tensor().to_vector<double>(); };
  const auto& unit = gru.units[0];
  const Doubles wi = read(unit.weight_ih), wh = read(unit.weight_hh), bi = read(*unit.bias_ih),
                bh = read(*unit.bias_hh);
  const Doubles x = {0.3, -1.2, 2};
  double h = 0;
  Doubles expected;
  for (const double v : x) {
    const auto in = [&](std::size_t i) { return wi[i] * v + bi[i]; };
    const auto past = [&](std::size_t i) { return wh[i] * h + bh[i]; };
    const double r = sigmoid_of(in(0) + past(0)), z = sigmoid_of(in(1) + past(1));
    h = (1 - z) * std::tanh(in(2) + r * past(2)) + z * h;
    expected.push_back(h);
  }
  expect_values(gru(from_vector(x, {1, 3, 1})).values, {1, 3, 1}, expected, 1e-12);
}

// Gives parameter k, in the order of PyTorch's named_parameters(), the values arbitrary(shape, k).
template <class M>
M filled(M model) {
  int k = 0;
  for (const auto& [name, parameter] : named_parameters(model)) parameter->reset(arbitrary(parameter->shape(), k++));
  return model;
}

// The expected values are those of torch.nn.LSTM, GRU and RNN(2, 1, 2, bidirectional=True, batch_first=True) with the same parameters for
// pack_padded_sequence(x, [3, 2], batch_first=True).
TEST(Recurrent, BothDirectionsAndLengthsGivePyTorchsValues) {
  const nn::RecurrentOptions both{.bidirectional = true, .dtype = DType::f64};
  const Tensor x = arbitrary({2, 3, 2}, 50), lengths = tensor({3, 2});
  const auto lstm = filled(nn::LSTM(2, 1, 2, both))(x, {}, lengths);
  expect_values(lstm.values, {2, 3, 2},
                {0.0274771592079, 0.0314719362283, 0.040120939274, 0.0457840869987, 0.0381494699305, 0.0239656403376,
                 0.0529093558444, 0.163238457509, 0.114197848392, 0.173008064692, 0, 0},
                1e-11);
  EXPECT_EQ(lstm.state.hidden.size(), 4u);
  expect_values(concatenate(lstm.state.hidden), {8, 1},
                {-0.118564546139, 0.192709628698, -0.153131850418, 0.0331106613512, 0.0381494699305, 0.114197848392,
                 0.0314719362283, 0.163238457509},
                1e-11);
  EXPECT_EQ(lstm.state.cell.size(), 4u);
  expect_values(concatenate(lstm.state.cell), {8, 1},
                {-0.386517812311, 0.387858217909, -1.12630885741, 0.0697781218401, 0.0721638720864, 0.244855165938,
                 0.0599109386042, 0.305485546633},
                1e-11);
  const auto gru = filled(nn::GRU(2, 1, 2, both))(x, {}, lengths);
  expect_values(gru.values, {2, 3, 2},
                {0.065412895241, -0.796695256937, -0.0130689043362, -0.745511892529, -0.00200744982204, -0.483665016438,
                 0.154060325942, 0.274150286698, 0.250804487983, 0.196941997618, 0, 0},
                1e-11);
  EXPECT_EQ(gru.state.size(), 4u);
  expect_values(concatenate(gru.state), {8, 1},
                {-0.943604962334, 0.110615753516, -0.560324404462, 0.471276856635, -0.00200744982204, 0.250804487983,
                 -0.796695256937, 0.274150286698},
                1e-11);
  const auto rnn = filled(nn::RNN(2, 1, 2, both))(x, {}, lengths);
  expect_values(rnn.values, {2, 3, 2},
                {0.196395220004, 0.60730179511, 0.35260668025, 0.512983424775, 0.526596240766, 0.289397395179,
                 0.692672088709, 0.144018868331, -0.499128742181, -0.0149764384109, 0, 0},
                1e-11);
  EXPECT_EQ(rnn.state.size(), 4u);
  expect_values(concatenate(rnn.state), {8, 1},
                {-0.449193835187, 0.312651332868, 0.350232410152, 0.659292556282, 0.526596240766, -0.499128742181,
                 0.60730179511, 0.144018868331},
                1e-11);
  const auto relu = filled(nn::RNN(2, 1, 2, both, nn::Nonlinearity::relu))(x, {}, lengths);
  expect_values(relu.values, {2, 3, 2},
                {0.84120944069, 0.239323274577, 0.323368175703, 0.188870796308, 1.23868439554, 0.113219522448,
                 0.310996107637, 0.113404506136, 0.376231273689, 0, 0, 0},
                1e-11);
  EXPECT_EQ(relu.state.size(), 4u);
  expect_values(concatenate(relu.state), {8, 1},
                {0, 0.304292070586, 0.569081775152, 0.00593387608287, 1.23868439554, 0.376231273689, 0.239323274577,
                 0.113404506136},
                1e-11);
}

// The expected values are those of torch.nn.LSTM(2, 3, 2, bidirectional=True, batch_first=True, proj_size=2) with the same parameters for
// pack_padded_sequence(x, [3, 2], batch_first=True).
TEST(LSTM, ProjectsItsHiddenState) {
  auto lstm = filled(nn::LSTM(2, 3, 2, {.bidirectional = true, .proj_size = 2, .dtype = DType::f64}));
  EXPECT_EQ(named_parameters(lstm)[4].name, "weight_hr_l0");
  const Tensor x = arbitrary({2, 3, 2}, 50), lengths = tensor({3, 2});
  const auto [values, state] = lstm(x, {}, lengths);
  expect_values(values, {2, 3, 4},
                {0.0984517704198,
                 -0.0257972865652,
                 -0.0725278993025,
                 -0.0078891240981,
                 0.0852686848472,
                 0.100228593406,
                 -0.0610062665437,
                 0.0703339405725,
                 0.104730293741,
                 0.113575207627,
                 -0.0522445030238,
                 0.0231775333613,
                 0.0287190060202,
                 -0.189534078782,
                 -0.0705809505114,
                 -0.19183132797,
                 -0.0168152244425,
                 -0.24650551817,
                 -0.175390239666,
                 -0.240067782675,
                 0,
                 0,
                 0,
                 0},
                1e-11);
  expect_values(concatenate(state.hidden), {8, 2},
                {0.0815045150767, 0.0907359500229, -0.156100322724, -0.250637526436, 0.132538320908, 0.187277641943,
                 -0.231336207534, -0.334868208711, 0.104730293741, 0.113575207627, -0.0168152244425, -0.24650551817,
                 -0.0725278993025, -0.0078891240981, -0.0705809505114, -0.19183132797},
                1e-11);
  expect_values(
      concatenate(state.cell), {8, 3},
      {0.400259234235,   0.0847256653463, -0.253674516478,   -0.432476892403, 0.178112516836,  0.685587456206,
       -0.175374604688,  -0.191039775815, -0.00176483129557, 0.49688806762,   0.321116793657,  0.0132948614302,
       -0.956564802558,  0.262638326092,  0.217001283707,    0.335708376113,  -0.289307972629, -0.806382709179,
       -0.0417797066539, 0.156374903374,  -0.235688052744,   -0.241609938973, -0.41933173673,  0.330439259565},
      1e-11);
  const Parameter& projection = *lstm.units[0].weight_hr;
  const auto gradients = grad(sum(values * arbitrary(values.shape(), 99)), {x, projection.tensor()});
  expect_values(gradients[0], {2, 3, 2},
                {0.45903803005, 0.446346178029, -0.211949143944, -0.214181603992, 0.0271661075929, 0.0286394994008,
                 0.210622960228, 0.176894875266, 0.0955835843516, 0.0759512930302, 0, 0},
                1e-11);
  expect_values(gradients[1], {2, 3},
                {-0.0371554789003, 0.0260990724887, 0.0427029289522, -0.015695697589, 0.0333339831306, 0.0357797009608},
                1e-11);
  const auto first = lstm(slice(x, 1, 0, 2));
  EXPECT_EQ(lstm(slice(x, 1, 2), first.state).values.shape(), Shape({2, 1, 4}));
  expect_error([&] { lstm(x, {{ones({2, 3}), ones({2, 3}), ones({2, 3}), ones({2, 3})}, {}}); },
               "LSTM: the state tensor<2x3xf32> is not [2, 2]");
  expect_error([] { nn::GRU(3, 4, 2, {.proj_size = 2}); }, "GRU: proj_size is an option of LSTM");
  expect_error([] { nn::LSTM(3, 4, 2, {.proj_size = 4}); }, "LSTM: proj_size must be smaller than the width 4, got 4");
}

TEST(Recurrent, CellsGivePyTorchsValues) {
  const Tensor x = arbitrary({2, 2}, 50), h = arbitrary({2, 2}, 51);
  const auto lstm = filled(nn::LSTMCell(2, 2, true, DType::f64))(x, {h, arbitrary({2, 2}, 52)});
  expect_values(lstm.hidden, {2, 2}, {0.163459797476, 0.11212042007, 0.248430449608, 0.115427330179}, 1e-11);
  expect_values(lstm.cell, {2, 2}, {0.198020834427, 0.19501395164, 0.264369000262, 0.167862350755}, 1e-11);
  expect_values(filled(nn::GRUCell(2, 2, true, DType::f64))(x, h), {2, 2},
                {0.0831464322583, 0.100985369613, 0.41146721387, 0.485621804969}, 1e-11);
  expect_values(filled(nn::RNNCell(2, 2, true, nn::Nonlinearity::tanh, DType::f64))(x, h), {2, 2},
                {-0.663854635978, -0.968026857977, -0.730440001698, -0.998021273591}, 1e-11);
}

TEST(Recurrent, ANetworkIsItsCellAtEveryStep) {
  nn::RNNCell cell(3, 4, false, nn::Nonlinearity::relu, DType::f64);
  nn::RNN rnn(3, 4, 1, {.bias = false, .dtype = DType::f64}, nn::Nonlinearity::relu);
  rnn.units[0].weight_ih = cell.unit.weight_ih;
  rnn.units[0].weight_hh = cell.unit.weight_hh;
  EXPECT_EQ(named_parameters(rnn).size(), 2u);
  const Tensor x = arbitrary({2, 3, 3});
  Tensor h;
  for (const int t : {0, 1, 2}) h = cell(select(x, 1, t), h);
  expect_values(rnn(x).state[0], {2, 4}, h.to_vector<double>(), 1e-12);
}

TEST(Recurrent, GradientsInBothDirectionsAreZeroBeyondTheLength) {
  for (const auto& lengths : {Tensor(), tensor({1, 3})}) {
    expect_gradient(
        [&](const auto& xs) {
          nn::GRU gru = filled(nn::GRU(2, 2, 2, {.bidirectional = true, .dtype = DType::f64}));
          for (auto& unit : gru.units) unit.weight_hh = xs[1];
          return gru(xs[0], {}, lengths).values;
        },
        {arbitrary({2, 3, 2}), arbitrary({6, 2}, 1)});
  }
  const auto lstm = filled(nn::LSTM(2, 2, 1, {.bidirectional = true, .dtype = DType::f64}));
  const Tensor x = arbitrary({1, 3, 2});
  const Tensor dx = grad(sum(lstm(x, {}, tensor({2})).values), x);
  expect_values(select(dx, 1, 2), {1, 2}, {0, 0});
}

TEST(Recurrent, NarrowInputsAndBatchesOfExamples) {
  const auto wide = filled(nn::LSTM(2, 3, 2, {.bidirectional = true, .dtype = DType::f64}));
  const Tensor x = arbitrary({2, 4, 2});
  const Tensor expected = wide(x).values;
  const auto narrow = filled(nn::LSTM(2, 3, 2, {.bidirectional = true}));
  expect_values(narrow(x.to(DType::f32)).values, {2, 4, 6}, expected.to_vector<double>(), 1e-5);
  const Tensor rounded = narrow(x.to(DType::bf16)).values;
  EXPECT_EQ(rounded.dtype(), DType::bf16);
  expect_values(rounded, {2, 4, 6}, expected.to_vector<double>(), 0.05);
  const Tensor each = vmap([&](const Tensor& one) { return wide(unsqueeze(one, 0)).values; })(x);
  expect_values(reshape(each, {2, 4, 6}), {2, 4, 6}, expected.to_vector<double>(), 1e-12);
}

TEST(Recurrent, DropsBetweenLayersDuringTraining) {
  manual_seed(3);
  nn::RNN rnn(2, 3, 2, {.dropout = 0.5, .dtype = DType::f64});
  const Tensor x = arbitrary({2, 4, 2});
  const Doubles first = rnn(x).values.to_vector<double>(), second = rnn(x).values.to_vector<double>();
  EXPECT_NE(first, second);
  nn::set_training(rnn, false);
  const Doubles third = rnn(x).values.to_vector<double>();
  EXPECT_EQ(third, rnn(x).values.to_vector<double>());
}

TEST(Recurrent, OneProgramServesAllTimes) {
  nn::GRU gru(2, 3, 1, {.bidirectional = true});
  auto run = compile([&](const Tensor& x, const Tensor& lengths) { return gru(x, {}, lengths).values; });
  for (const std::int64_t time : {3, 5, 7, 9, 1}) {
    const Tensor x = arbitrary({2, time, 2}).to(DType::f32), lengths = tensor({1, 4});
    expect_values(run(x, lengths), {2, time, 6}, gru(x, {}, lengths).values.to_vector<double>(), 1e-6);
  }
}

TEST(Recurrent, LayersNamesAndMistakes) {
  nn::LSTM lstm(3, 4, 2);
  std::vector<std::string> names;
  for (const auto& [name, parameter] : named_parameters(lstm)) names.push_back(name);
  EXPECT_EQ(names[0], "weight_ih_l0");
  EXPECT_EQ(names[5], "weight_hh_l1");
  EXPECT_EQ(lstm.units[1].weight_ih.shape(), Shape({16, 4}));
  EXPECT_EQ(lstm(ones({2, 5, 3})).values.shape(), Shape({2, 5, 4}));
  nn::RNN rnn(3, 4, 2, {.bidirectional = true});
  EXPECT_EQ(named_parameters(rnn)[12].name, "weight_ih_l1_reverse");
  EXPECT_EQ(named_parameters(rnn)[12].parameter->shape(), Shape({4, 8}));
  nn::GRU gru(2, 2, 2, {.dtype = DType::f64});
  expect_gradient(
      [&](const auto& xs) {
        for (auto& unit : gru.units) unit.weight_hh = xs[1];
        return gru(xs[0]).values;
      },
      {arbitrary({1, 3, 2}), arbitrary({6, 2}, 1)});
  expect_error([&] { lstm(ones({2, 5, 4})); },
               "LSTM: expected floating point [batch, time, 3] with a time of at least 1, got tensor<2x5x4xf32>");
  expect_error([&] { lstm(ones({2, 5, 3}), {{ones({2, 4})}, {}}); }, "LSTM: 1 states for 2 layers");
  expect_error([&] { rnn(ones({2, 5, 3}), {ones({2, 4}), ones({2, 4})}); },
               "RNN: 2 states for 4 layers and directions");
  expect_error([&] { lstm(ones({2, 5, 3}), {}, ones({2})); },
               "LSTM: expected the lengths of 2 sequences as integers, got tensor<2xf32>");
  expect_error([] { nn::GRU(3, 4, 0); }, "GRU: expected at least one layer, got 0");
  expect_error([] { nn::GRU(3, 4, 2, {.dropout = 1}); }, "GRU: the dropout must lie in [0, 1), got 1");
  expect_error([] { nn::GRUCell(3, 4)(ones({2, 4})); },
               "GRUCell: expected floating point [batch, 3], got tensor<2x4xf32>");
  expect_error([] { nn::GRUCell(3, 4)(ones({2, 3}), ones({2, 3})); },
               "GRUCell: the state tensor<2x3xf32> is not [2, 4]");
}

}  // namespace
}  // namespace weft
