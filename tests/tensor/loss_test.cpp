// Losses against numbers of PyTorch 2.14, exact definitions, and central differences.
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::Doubles;
using test::expect_error;
using test::expect_values;

TEST(Loss, CrossEntropy) {
  const Tensor logits = tensor({{1.f, 2.f, 3.f}, {3.f, 2.f, 1.f}});
  const double lse = std::log(std::exp(1) + std::exp(2) + std::exp(3));
  expect_values(cross_entropy(logits, tensor({2, 1})), {}, {lse - 2.5}, 1e-6);
  expect_values(cross_entropy(logits, tensor({2, 1}), {.reduction = Reduction::sum}), {}, {2 * lse - 5}, 1e-6);
  expect_values(cross_entropy(logits, tensor({2, 1}), {.reduction = Reduction::none}), {2}, {lse - 3, lse - 2}, 1e-6);
  expect_values(cross_entropy(logits, tensor({2, -100})), {}, {lse - 3}, 1e-6);
  expect_values(cross_entropy(logits, tensor({2, 0}, DType::u8)), {}, {lse - 3}, 1e-6);
  expect_values(cross_entropy(logits, tensor({2, 0}), {.label_smoothing = 0.3}), {},
                {0.7 * (lse - 3) + 0.3 * (lse - 2)}, 1e-6);
  EXPECT_EQ(cross_entropy(logits.to(DType::bf16), tensor({2, 1})).dtype(), DType::f32);
  expect_error([&] { cross_entropy(logits, tensor({1, 2, 3})); },
               "cross_entropy: the labels tensor<3xi32> do not fit the logits tensor<2x3xf32>: expected integers of "
               "the logits' shape "
               "without the classes, or probabilities of the logits' shape");
}

TEST(Loss, LabelsThatAreNoClass) {
  const double nan = std::nan("");
  const Tensor logits = tensor({{1.f, 2.f, 3.f}, {0.5f, 0.f, 2.f}});
  const double first = -std::log(std::exp(-1.) / (std::exp(-2.) + std::exp(-1.) + 1));  // for label 1
  const double second = -std::log(std::exp(-1.5) / (std::exp(-1.5) + std::exp(-2.) + 1));
  const auto check = [&](const Tensor& labels, const CrossEntropyOptions& options, const Doubles& each, double mean) {
    CrossEntropyOptions none = options;
    none.reduction = Reduction::none;
    expect_values(cross_entropy(logits, labels, none), {2}, each, 1e-6);
    expect_values(cross_entropy(logits, labels, options), {}, {mean}, 1e-6);
    const Tensor log_p = log_softmax(logits);
    expect_values(nll_loss(log_p, labels, Reduction::none, options.ignore_index), {2}, each, 1e-6);
    expect_values(nll_loss(log_p, labels, Reduction::mean, options.ignore_index), {}, {mean}, 1e-6);
  };
  for (const int label : {3, -1, 100, -101}) check(tensor({1, label}), {}, {first, nan}, nan);
  check(tensor({1, 255}, DType::u8), {}, {first, nan}, nan);
  check(tensor({1, 255}, DType::u8), {.ignore_index = 255}, {first, 0}, first);
  check(tensor({1, 3}), {.ignore_index = 3}, {first, 0}, first);
  check(tensor({1, 0}), {.ignore_index = 0}, {first, 0}, first);
  check(tensor({1, -100}), {}, {first, 0}, first);
  check(tensor({-100, -100}), {}, {0, 0}, nan);
  check(tensor({1, 0}, DType::u8), {.ignore_index = 256}, {first, second}, (first + second) / 2);
  const Tensor many = zeros({2, 256});  // more classes than the label dtype can represent
  expect_values(cross_entropy(many, tensor({255, 1}, DType::u8)), {}, {std::log(256.)}, 1e-5);
  expect_values(cross_entropy(many, tensor({127, -1}, DType::i8), {.reduction = Reduction::none}), {2},
                {std::log(256.), nan}, 1e-5);
  const auto loss = [](const Tensor& x) { return cross_entropy(x, tensor({-100, 7}), {.reduction = Reduction::sum}); };
  expect_values(grad(loss(logits), {logits}).at(0), {2, 3}, Doubles(6, 0));
}

TEST(Loss, Others) {
  const Tensor x = tensor({1.f, -2.f}), t = tensor({0.f, 1.f});
  expect_values(mse_loss(x, t), {}, {5}, 1e-6);
  expect_values(binary_cross_entropy_with_logits(x, t, Reduction::none), {2},
                {std::log1p(std::exp(1)), std::log1p(std::exp(2))}, 1e-6);
}

// Values and gradients by the first operand, of PyTorch 2.14.
TEST(Loss, EqualsPyTorch) {
  const Tensor a = test::arbitrary({3, 4}), b = test::arbitrary({3, 4}, 1), c = test::arbitrary({3, 4}, 2);
  const Tensor signs = from_vector<double>({1, -1, 1, -1, -1, -1, 1, 1, 1, 1, -1, -1}, {3, 4});
  const Tensor first_signs = tensor({1.0, -1.0, 1.0}, DType::f64), rows = tensor({0.5, 0.25, 2.0}, DType::f64);
  const Tensor w = tensor({0.5, 2.0, 1.0, 3.0}, DType::f64), counts = 2 + 2 * b;
  const Tensor labels = tensor({2, 0, 3}), some_labels = tensor({2, -100, 3});
  const Tensor lists = tensor({{3, 0, -1, 1}, {-1, 2, 1, 0}, {1, 2, 0, 3}});
  struct {
    const char* name;
    std::function<Tensor(const Tensor&)> loss;
    double value;
    Doubles gradient;
  } const cases[] = {
      {"smooth_l1_loss",
       [&](const Tensor& x) { return smooth_l1_loss(x, b, 0.5); },
       0.9892354444006,
       {0.01211826611582, -0.08333333333333, -0.08333333333333, -0.08333333333333, -0.08333333333333, -0.08333333333333,
        -0.08333333333333, -0.07008174534726, 0.06836361291535, 0.08333333333333, 0.08333333333333, 0.08333333333333}},
      {"smooth_l1_loss",
       [&](const Tensor& x) { return smooth_l1_loss(x, b, 0, Reduction::sum); },
       14.67385914796,
       {1, -1, -1, -1, -1, -1, -1, -1, 1, 1, 1, 1}},
      {"kl_div",
       [&](const Tensor& x) { return kl_div(x, b, Reduction::sum, true); },
       18.10972626981,
       {-0.8277380606712, -1.260007242415, -1.841298963449, -2.415721021285, -2.712138436589, -2.552943682653,
        -2.036456275109, -1.432690777137, -0.9459075566091, -0.6306824699754, -0.4561757215935, -0.37901894675}},
      {"binary_cross_entropy",
       [&](const Tensor& x) { return binary_cross_entropy(sigmoid(x), sigmoid(b)); },
       0.865356303859,
       {0.001505823921621, -0.01527563419161, -0.02854454948681, -0.0362472199947, -0.03800180254581, -0.03383182248719,
        -0.02375246531556, -0.00868015574246, 0.008468723304844, 0.02358981820863, 0.0337412105203, 0.03798620704524}},
      {"binary_cross_entropy_with_logits",
       [&](const Tensor& x) {
         return binary_cross_entropy_with_logits(x, sigmoid(b), {.weight = w, .pos_weight = w + 1});
       },
       3.178691852183,
       {-0.004238668950097, -0.1468477184751, -0.06604960466213, -0.4947496408045, -0.03004242154824, -0.2323151050539,
        -0.05808851644433, -0.2536169548198, 5.92166235294e-05, 0.00461512471488, 0.02638365981141, 0.05844258079937}},
      {"binary_cross_entropy_with_logits",
       [&](const Tensor& x) {
         return binary_cross_entropy_with_logits(x, sigmoid(b), {.weight = w, .reduction = Reduction::sum});
       },
       17.19785735754,
       {0.009034943529724, -0.3666152205986, -0.3425345938417, -1.304899919809, -0.2280108152748, -0.8119637396925,
        -0.2850295837867, -0.3124856067286, 0.05081233982906, 0.566155637007, 0.4048945262437, 1.367503453628}},
      {"poisson_nll_loss",
       [&](const Tensor& x) { return poisson_nll_loss(x, counts, {.full = true}); },
       3.724757550544,
       {-0.06097653190451, -0.1553533031738, -0.231752444607, -0.2824883931776, -0.301411710388, -0.2849849033327,
        -0.2328928731673, -0.1481854456911, -0.03860081919298, 0.07922653544552, 0.1764933252532, 0.2211175833281}},
      {"poisson_nll_loss",
       [&](const Tensor& x) { return poisson_nll_loss(sigmoid(x), counts, {.log_input = false}); },
       2.87011161626,
       {-0.05074237971154, -0.1088874156274, -0.1687271089382, -0.2117529907787, -0.2249298891052, -0.2040508407427,
        -0.1554733890373, -0.09593303510639, -0.04469924666743, -0.01123258601986, 0.006762147043269, 0.0150598413722}},
      {"gaussian_nll_loss",
       [&](const Tensor& x) { return gaussian_nll_loss(x, b, rows, {.full = true, .reduction = Reduction::sum}); },
       33.2687428449,
       {0.1454191933899, -1.490579707966, -2.863298129444, -3.730273381652, -7.876743965765, -6.901675125823,
        -4.707566251066, -1.681961888334, 0.2050908387461, 0.5842018031589, 0.8601254437006, 0.9841254813896}},
      {"gaussian_nll_loss",
       [&](const Tensor& x) { return gaussian_nll_loss(b, 0.5, exp(x)); },
       0.1095709121537,
       {0.01944223423916, 0.03662915386007, 0.04051076598978, 0.02541558469919, 0.01439673246667, 0.02414637979811,
        0.03870548552709, 0.04079315312743, 0.03264386914476, 0.0227017544506, 0.01467160270381, 0.008472491829545}},
      {"hinge_embedding_loss",
       [&](const Tensor& x) { return hinge_embedding_loss(x, signs, 0.5); },
       0.4045675340989,
       {0.08333333333333, -0.08333333333333, 0.08333333333333, -0.08333333333333, -0.08333333333333, -0.08333333333333,
        0.08333333333333, 0.08333333333333, 0.08333333333333, 0.08333333333333, 0, 0}},
      {"margin_ranking_loss",
       [&](const Tensor& x) { return margin_ranking_loss(x, b, signs, 0.1, Reduction::sum); },
       7.244823353058,
       {-1, 0, -1, 0, 0, 0, -1, -1, 0, 0, 1, 1}},
      {"soft_margin_loss",
       [&](const Tensor& x) { return soft_margin_loss(x, signs); },
       0.7173824381348,
       {-0.04408787198398, 0.03118466096319, -0.05787385780859, 0.02268911697563, 0.02288265535983, 0.02604678125384,
        -0.05119673777765, -0.04293577676775, -0.03435619561296, -0.02751352954159, 0.05984701828952,
        0.06089010717192}},
      {"cosine_embedding_loss",
       [&](const Tensor& x) { return cosine_embedding_loss(x, b, first_signs, -0.5, Reduction::sum); },
       3.923489109695,
       {0.1801838980468, 0.1047253222837, 0.01076915597984, -0.08508916190916, 0, 0, 0, 0, -0.1117851145336,
        -0.05669727418516, 0.008404982350183, 0.07202267031488}},
      {"triplet_margin_loss",
       [&](const Tensor& x) { return triplet_margin_loss(x, b, c); },
       2.872886268716,
       {0.2068379210211, 0.09452589714406, -0.03448223181976, -0.1573998131873, -0.2079010388456, -0.2934271172965,
        -0.3271253444054, -0.3030436161975, -0.1757432971737, -0.06356718792805, 0.05983672258229, 0.1726716524714}},
      {"triplet_margin_loss",
       [&](const Tensor& x) {
         return triplet_margin_loss(b, x, c, {.margin = 2, .p = 1, .swap = true, .reduction = Reduction::sum});
       },
       15.83049791227,
       {2, 0, 0, 0, 0, -2, -2, -2, 0, 0, 0, 0}},
      {"triplet_margin_loss",
       [&](const Tensor& x) { return triplet_margin_loss(b, c, x, {.p = 3}); },
       0.8208609868045,
       {-0.0003838317807359, 0.040329328321, 0.1488137840157, 0.252575488946, 0.2176035663755, 0.1670635240459,
        0.07772589460738, 0.009922165742806, -0.009484070940036, -0.07695368686669, -0.1668120708517,
        -0.2183759973474}},
      {"multi_margin_loss",
       [&](const Tensor& x) { return multi_margin_loss(x, labels); },
       0.8710484004625,
       {0.08333333333333, 0.08333333333333, -0.25, 0.08333333333333, -0.25, 0.08333333333333, 0.08333333333333,
        0.08333333333333, 0.08333333333333, 0.08333333333333, 0.08333333333333, -0.25}},
      {"multi_margin_loss",
       [&](const Tensor& x) {
         return multi_margin_loss(x, labels, {.p = 2, .margin = 0.5, .weight = w, .reduction = Reduction::sum});
       },
       1.16407755502,
       {0.6024144269892, 0.4035026993444, -1.17493657385, 0.1690194475166, -0.7748893770931, 0.1708192185011,
        0.2514420478072, 0.3526281107848, 0, 0.3140534505166, 0.6559377285305, -0.9699911790471}},
      {"multilabel_margin_loss",
       [&](const Tensor& x) { return multilabel_margin_loss(x, lists); },
       0.2940229416128,
       {-0.1666666666667, 0.1666666666667, 0.1666666666667, -0.1666666666667, 0, 0, 0, 0, 0, 0, 0, 0}},
      {"multilabel_soft_margin_loss",
       [&](const Tensor& x) { return multilabel_soft_margin_loss(x, sigmoid(b), w); },
       1.433154779795,
       {0.0007529119608103, -0.03055126838322, -0.02854454948681, -0.1087416599841, -0.0190009012729, -0.06766364497438,
        -0.02375246531556, -0.02604046722738, 0.004234361652422, 0.04717963641725, 0.0337412105203, 0.1139586211357}},
      {"cross_entropy",
       [&](const Tensor& x) { return cross_entropy(x, some_labels, {.weight = w}); },
       1.289037861634,
       {0.09666422117856, 0.06493715009759, -0.2022292044099, 0.04062783313372, 0, 0, 0, 0, 0.1226736486796,
        0.1745842040632, 0.2192757394408, -0.5165335921835}},
      {"cross_entropy",
       [&](const Tensor& x) { return cross_entropy(x, labels, {.label_smoothing = 0.1, .weight = w}); },
       1.367300869822,
       {0.08851620889086, 0.05021841953661, -0.1604386930538, 0.02170406462629, -0.08132607194647, 0.01465553945722,
        0.03001692637141, 0.03665360611785, 0.1012676501764, 0.136962158261, 0.1804227567849, -0.4186525652223}},
      {"cross_entropy",
       [&](const Tensor& x) { return cross_entropy(x, softmax(b), {.weight = w}); },
       2.362415077642,
       {0.2224749302233, 0.03166773005732, 0.02395513264665, -0.2780977929273, 0.02521545776245, -0.1024107120688,
        0.0499143598088, 0.02728089449758, 0.009856697606945, -0.06727812884153, 0.07141221134163, -0.01399078010705}},
      {"nll_loss",
       [&](const Tensor& x) { return nll_loss(x, labels, Reduction::mean, -100, w); },
       -0.3749652366722,
       {0, 0, -0.2222222222222, 0, -0.1111111111111, 0, 0, 0, 0, 0, 0, -0.6666666666667}},
  };
  for (const auto& [name, loss, value, gradient] : cases) {
    SCOPED_TRACE(name);
    const Tensor y = loss(a);
    expect_values(y, {}, {value}, 1e-9);
    expect_values(grad(y, a), {3, 4}, gradient, 1e-9);
  }
}

TEST(Loss, CornersAreThoseOfPyTorch) {
  const auto f64 = [](std::initializer_list<HostNumber> values) { return tensor(values, DType::f64); };
  expect_values(binary_cross_entropy(f64({0, 0, 1, 1}), f64({0, 1, 0, 1}), Reduction::none), {4}, {0, 100, 100, 0});
  const Tensor p = f64({0, 1});
  expect_values(grad(binary_cross_entropy(p, f64({1, 0}), Reduction::sum), p), {2}, {0, 0});
  const Tensor ones = f64({1, 1, 1});
  expect_values(grad(hinge_embedding_loss(ones, f64({1, -1, 0}), 1, Reduction::sum), ones), {3}, {1, 0, 1});
  const Tensor row = f64({1, 0, 2});
  expect_values(grad(multi_margin_loss(row, tensor(0)), row), {3}, {-1. / 3, 0, 1. / 3}, 1e-15);
  expect_values(grad(multilabel_margin_loss(row, tensor({0, -1, 1})), row), {3}, {-1. / 3, 0, 1. / 3}, 1e-15);
  expect_values(multi_margin_loss(row, tensor(3)), {}, {test::nan});
  const Tensor anchor = f64({1, 0}), far = f64({3, 0}), same = f64({1, 0}), near = f64({1.5, 0});
  const TripletMarginOptions exact{.epsilon = 0};
  expect_values(grad(triplet_margin_loss(anchor, f64({0, 0}), far, exact), anchor), {2}, {0, 0});
  expect_values(triplet_margin_loss(anchor, same, near, exact), {}, {0.5});
  const auto of_triplet = grad(triplet_margin_loss(anchor, same, near, exact), {anchor, same, near});
  expect_values(of_triplet[0], {2}, {1, 0});
  expect_values(of_triplet[1], {2}, {0, 0});
  expect_values(of_triplet[2], {2}, {-1, 0});
  const Tensor zero = f64({0, 0});
  expect_values(grad(cosine_embedding_loss(zero, anchor, f64({1})[0]), zero), {2}, {-1000000, 0}, 1e-2);
  const Tensor x = f64({0.5, -0.5, 0});
  expect_values(grad(smooth_l1_loss(x, 0, 0.5, Reduction::sum), x), {3}, {1, -1, 0});
  const Tensor rate = f64({0, 0});
  expect_values(grad(poisson_nll_loss(rate, f64({0, 1}), {.log_input = false, .reduction = Reduction::sum}), rate), {2},
                {1, 1 - 1e8}, 1e-6);
  const Tensor variance = f64({0});
  expect_values(grad(gaussian_nll_loss(f64({1}), 0, variance), variance), {1}, {(1e6 - 1e12) / 2}, 1);
}

TEST(Loss, Gradients) {
  const Tensor a = test::arbitrary({2, 3}), b = test::arbitrary({2, 3}, 1), c = test::arbitrary({2, 3}, 2);
  const Tensor signs = from_vector<double>({1, -1, 1, -1, 1, 1}, {2, 3}), row = tensor({1.0, -1.0}, DType::f64);
  test::expect_gradient(
      [&](const std::vector<Tensor>& in) {
        const Tensor &x = in[0], &y = in[1], &z = in[2], p = sigmoid(x), q = sigmoid(y);
        const Reduction none = Reduction::none;
        const Tensor rows = triplet_margin_loss(x, y, z, {.margin = 3, .swap = true, .reduction = none}) +
                            triplet_margin_loss(x, y, z, {.margin = 3, .p = 1.5, .reduction = none}) +
                            cosine_embedding_loss(x, y, row, -1, none);
        return unsqueeze(rows, 1) + smooth_l1_loss(x, y, 0.4, none) + kl_div(x, y, none, true) +
               binary_cross_entropy(p, q, none) +
               binary_cross_entropy_with_logits(x, q, {.weight = p, .pos_weight = exp(y), .reduction = none}) +
               poisson_nll_loss(x, y, {.reduction = none}) + gaussian_nll_loss(x, y, exp(z), {.reduction = none}) +
               margin_ranking_loss(x, y, signs, 0.1, none) + soft_margin_loss(x, y, none) +
               hinge_embedding_loss(x, signs, 0.3, none);
      },
      {a, b, c});
}

TEST(Loss, OperandsMustFit) {
  expect_error([] { smooth_l1_loss(ones({2}), ones({3})); },
               "smooth_l1_loss: the target tensor<3xf32> does not have the shape of tensor<2xf32>");
  expect_error([] { multi_margin_loss(ones({2, 3}), tensor({1, 2, 0})); },
               "multi_margin_loss: the labels tensor<3xi32> do not fit tensor<2x3xf32>");
  expect_error([] { multi_margin_loss(ones({2, 3}), tensor({1, 2}), {.p = 3}); },
               "multi_margin_loss: p must be 1 or 2, got 3");
  expect_error([] { cross_entropy(ones({2, 3}), tensor({1, 2}), {.weight = ones({2})}); },
               "cross_entropy: the weight tensor<2xf32> is not one number for each class of tensor<2x3xf32>");
  expect_error([] { gaussian_nll_loss(ones({2, 3}), 0, ones({3, 2})); },
               "gaussian_nll_loss: the variance tensor<3x2xf32> does not fit tensor<2x3xf32>");
  expect_error([] { binary_cross_entropy_with_logits(ones({2, 3}), 0, {.pos_weight = ones({2})}); },
               "binary_cross_entropy_with_logits: the pos_weight tensor<2xf32> does not broadcast to tensor<2x3xf32>");
}

// Compiled programs give what immediate ones give, also for batches of losses.
TEST(Loss, OfBatches) {
  const Tensor x = test::arbitrary({2, 3, 4}), y = test::arbitrary({2, 3, 4}, 1);
  const auto each = vmap([](const Tensor& a, const Tensor& b) { return triplet_margin_loss(a, b, -b); })(x, y);
  for (int i = 0; i < 2; ++i) expect_values(each[i], {}, {triplet_margin_loss(x[i], y[i], -y[i]).item()}, 1e-12);
}

}  // namespace
}  // namespace weft
