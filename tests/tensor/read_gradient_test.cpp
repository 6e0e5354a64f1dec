// Gradients through values that the host has read: the same as without the read.
#include <functional>
#include <string>

#include <gmock/gmock.h>

#include <weft/record/launched_graph.h>
#include <weft/runtime/cpu/cpu_device.h>

#include "tests/error_of.h"
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::expect_values;
using testing::HasSubstr;

// `look` is called with intermediate values, which it may read.
using Look = std::function<void(const Tensor&)>;
const Look looks = [](const Tensor& x) { (void)x.to_vector<double>(); };
const Look looks_away = [](const Tensor&) {};

void expect_same(const std::function<std::vector<Tensor>(const Look&)>& gradients) {
  const std::vector<Tensor> expected = gradients(looks_away), got = gradients(looks);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    expect_values(got[i], expected[i].shape(), expected[i].to_vector<double>(), 1e-12);
}

TEST(ReadGradient, OfALossThatWasRead) {
  expect_same([](const Look& look) {
    const Tensor w = arbitrary({3, 2}), x = arbitrary({4, 3}, 1);
    const Tensor loss = mean(tanh(matmul(x, w)));
    look(loss);
    return grad(loss, {w, x});
  });
}

TEST(ReadGradient, IsWholeWhereOnlyAPartWasLaunched) {
  expect_same([](const Look& look) {
    const Tensor u = arbitrary({3}), w = arbitrary({3}, 1);
    const Tensor h = tanh(u * w);
    look(h);
    return grad(sum(h * w) + sum(u), {u, w});
  });
}

TEST(ReadGradient, OfValuesThatDependOnOneAnother) {
  expect_same([](const Look& look) {
    const Tensor x = arbitrary({3}), y = exp(x), z = sin(y * x);
    look(y);
    const Tensor loss = sum(z * y * x);
    look(z);
    return grad(loss, {x, y, z});
  });
  expect_same([](const Look& look) {
    const Tensor x = arbitrary({3}), y = exp(x);
    look(y);
    const Tensor z = sin(y * x);
    look(z);
    const Tensor loss = sum(z * y * x);
    look(loss);
    return grad(loss, {x, y, z});
  });
  expect_same([](const Look& look) {
    const Tensor x = arbitrary({3}), y = exp(x);
    const Tensor loss = sum(sin(y * x));
    look(loss);
    return grad(loss, {y, x});
  });
}

TEST(ReadGradient, OverSeveralReadsOfWhatIsGone) {
  expect_same([](const Look& look) {
    const Tensor w = arbitrary({3});
    Tensor h = tensor({0.5, 1.0, 2.0});
    for (int t = 0; t < 5; ++t) {
      h = tanh(h * w + static_cast<double>(t));
      look(sum(h));
    }
    return grad(sum(h), {w});
  });
}

TEST(ReadGradient, OfHigherOrder) {
  expect_same([](const Look& look) {
    const Tensor x = arbitrary({2});
    const Tensor y = sum(x * x * x * x);
    look(y);
    const Tensor first = grad(y, x);
    look(first);
    const Tensor second = grad(sum(first), x);
    look(second);
    return grad(sum(second), {x});
  });
}

TEST(ReadGradient, OfHigherOrderByAnotherTensor) {
  expect_same([](const Look& look) {
    const Tensor w = arbitrary({3, 2}), x = arbitrary({4, 3}, 1);
    const Tensor h = tanh(w * 2);
    look(h);
    const Tensor loss = sum(square(tanh(matmul(x, h))));
    look(loss);
    const Tensor slope = grad(loss, x), penalty = norm(slope);
    const Tensor once = grad(loss + penalty, w);
    look(penalty);
    return std::vector{once, grad(penalty, w), grad(sum(once), x)};
  });
}

TEST(ReadGradient, ByAParameterIsNoneByItsCopy) {
  const Tensor x = tensor({2.f});
  Parameter w(tensor({3.f}));
  const Parameter copy(w);
  const auto loss = [&] { return sum(x * x * w * copy * copy); };
  const Tensor read = loss();
  (void)read.item();
  const std::vector<Tensor> slopes = grad(read, {w, copy});
  expect_values(slopes[0], {1}, {36});
  expect_values(slopes[1], {1}, {72});
  const Tensor again = loss();
  (void)again.item();
  expect_values(grad(sum(grad(again, x)), w), {1}, {36});
}

TEST(ReadGradient, ByAParameterIsNoneByACopyThatIsGone) {
  const Parameter w(tensor({3.f}));
  sync();
  Tensor loss;
  {
    const Parameter copy(w);
    loss = sum(w * copy);
    (void)loss.item();
  }
  const Parameter later(w);  // may reuse the address of the destroyed one
  expect_values(grad(loss, {w, later})[1], {1}, {0});
}

TEST(ReadGradient, ByACopyOfWhatWasReadIsNoneByItself) {
  expect_same([](const Look& look) {
    const Tensor x = arbitrary({3});
    const Tensor y = x * 2;
    (void)y.to_vector<double>();
    const Parameter w(y), copy(w);
    const Tensor loss = sum(w * copy);
    look(loss);
    return grad(loss, {w, copy});
  });
}

TEST(ReadGradient, ByACopyOfWhatIsRecordedIsNoneByItself) {
  expect_same([](const Look& look) {
    const Tensor x = arbitrary({3});
    const Parameter w(x * 2), copy(w), copy_of_copy(copy);
    const Tensor loss = sum(w * copy * sin(copy_of_copy) + w);
    look(loss);
    const std::vector<Tensor> slopes = grad(loss, {w, copy, copy_of_copy});
    return std::vector{slopes[0] - (copy * sin(copy_of_copy) + 1), slopes[1] - w * sin(copy_of_copy),
                       slopes[2] - w * copy * cos(copy_of_copy), grad(sum(square(grad(loss, copy))), w)};
  });
  const Tensor x = tensor({3.f});
  const Parameter w(x * 2), copy(w);
  const Tensor loss = sum(w * w * copy);
  const std::vector<Tensor> slopes = grad(loss, {w, copy, x});
  expect_values(slopes[0], {1}, {72});
  expect_values(slopes[1], {1}, {36});
  expect_values(slopes[2], {1}, {216});
  expect_values(grad(sum(square(slopes[1])), {w, copy, x})[0], {1}, {4 * 216});
}

// A gradient that depends on nothing was still taken with respect to its tensor, so its own gradient is zero.
TEST(ReadGradient, OfAConstantGradient) {
  expect_same([](const Look& look) {
    const Tensor x = arbitrary({3});
    const Tensor slope = grad(sum(x * 3), x);
    look(slope);
    return std::vector{grad(sum(slope), x)};
  });
  expect_same([](const Look& look) {
    const Tensor x = arbitrary({3}), y = arbitrary({3}, 1);
    const Tensor slope = grad(sum(x * y), y);
    look(slope);
    const Tensor curvature = grad(sum(slope), x);
    look(curvature);
    const Tensor scaled = sum(curvature * 2);
    look(scaled);
    return std::vector{grad(scaled, x)};
  });
  const Tensor x = arbitrary({3}), y = arbitrary({3}, 1);
  const Tensor slope = grad(sum(x * 3), x);
  (void)slope.to_vector<double>();
  EXPECT_THAT(error_of([&] { (void)grad(sum(slope), y); }), HasSubstr("depends on none of the 1 tensors"));
}

// With zero steps, the gradient is zero, and there is no error about a loss that depends on nothing.
TEST(ReadGradient, ThroughAScanOfNothing) {
  expect_same([](const Look& look) {
    const Tensor w = arbitrary({2}), start[] = {arbitrary({2}, 1)}, none[] = {zeros({0, 2}, DType::f64)};
    const Tensor last = scan(start, none, [&](const std::vector<Tensor>& at, const std::vector<Tensor>& x) {
                          return std::pair(std::vector{at[0] * w + x[0]}, std::vector<Tensor>());
                        }).values[0];
    look(last);
    return grad(sum(last * last), {w});
  });
}

TEST(ReadGradient, VectorJacobianProduct) {
  expect_same([](const Look& look) {
    const Tensor x = arbitrary({3}), y = sin(x), z = y * x;
    look(z);
    const Tensor ys[] = {z, y}, cotangents[] = {arbitrary({3}, 1), arbitrary({3}, 2)}, xs[] = {x};
    return vjp(ys, cotangents, xs);
  });
}

TEST(ReadGradient, DrawsTheSameRandomNumbersAgain) {
  expect_same([](const Look& look) {
    manual_seed(7);
    const Tensor w = arbitrary({64});
    const Tensor loss = sum(dropout(w, 0.5) * w);
    look(loss);
    return grad(loss, {w});
  });
}

TEST(ReadGradient, EndsAtStopGradientAndAtSync) {
  expect_same([](const Look& look) {
    const Tensor x = arbitrary({3}), y = stop_gradient(x * x) * x;
    look(y);
    return grad(sum(y), {x});
  });
  const Tensor x = tensor({1.f, 2.f}), y = x * x;
  sync();
  EXPECT_EQ(sum(y).item(), 5);
  EXPECT_THAT(error_of([&] { grad(sum(y), x); }), HasSubstr("the loss depends on none of the 1 tensors"));
}

TEST(ReadGradient, EndsAtIntegers) {
  const Tensor x = tensor({1.5f, 2.5f}), y = convert(convert(x, DType::i32), DType::f32) * 2;
  EXPECT_EQ(sum(y).item(), 6);
  EXPECT_THAT(error_of([&] { grad(sum(y), x); }),
              HasSubstr("the loss depends on the 1 tensors only through convert at "));
}

TEST(ReadGradient, OnAnotherDevice) {
  runtime::CpuDevice other;
  Tensor w, loss;
  {
    const test::OnDevice scope(other);
    expect_same([](const Look& look) {
      const Tensor u = arbitrary({3}), v = arbitrary({3}, 1), h = tanh(u * v);
      look(h);
      return grad(sum(h * v), {u, v});
    });
    w = arbitrary({3});
    loss = sum(exp(w));
    (void)loss.item();
  }
  EXPECT_THAT(error_of([&] { grad(loss, w); }), HasSubstr("is on " + other.id().text()));
  const test::OnDevice scope(other);
  expect_values(grad(loss, w), {3}, exp(w).to_vector<double>(), 1e-12);
}

TEST(ReadGradient, TrainsAsIfNobodyHadLooked) {
  const auto train = [](const Look& look) {
    Parameter w(arbitrary({3, 2})), momentum(zeros({3, 2}, DType::f64)), statistic(zeros({2}, DType::f64));
    for (int step = 0; step < 6; ++step) {
      const Tensor x = arbitrary({4, 3}, step), h = tanh(matmul(x, w));
      statistic = statistic * 0.9 + stop_gradient(mean(h, {0})) * 0.1;
      const Tensor loss = mean((h - statistic) * (h - statistic));
      look(loss);
      momentum = momentum * 0.9 + grad(loss, w);
      w = w - momentum * 0.1;
    }
    return std::vector<Tensor>{w, statistic};
  };
  expect_same(train);
}

TEST(ReadGradient, NeedsWhatItIsComputedFromAgain) {
  const Tensor w = tensor({1.f, 2.f});
  const Tensor loss = sum(w * slice(from_vector(std::vector<float>(100'000, 4.f), {100'000}), 0, 0, 2));
  EXPECT_EQ(loss.item(), 12);
  EXPECT_THAT(error_of([&] { grad(loss, w); }),
              testing::AllOf(HasSubstr("grad: the loss was read before this gradient is taken, which needs a tensor of "
                                       "type tensor<100000xf32>, used at "),
                             HasSubstr("read_gradient_test.cpp:"), HasSubstr("nobody holds it any more")));
  EXPECT_EQ(loss.item(), 12);
}

// Reads in a loop without gradients release memory, and keep only a bounded part of the past.
TEST(ReadGradient, LongLoopsForgetTheirBeginning) {
  const Tensor begin = full({10'000}, 0.25, DType::f64);
  Tensor x = begin * 1.0;
  for (int i = 0; i < 2000; ++i) {
    x = x * 1.0;
    ASSERT_EQ(max(x).item(), 0.25);
  }
  EXPECT_EQ(last_sync().donatable, 1u);
  EXPECT_EQ(max(grad(sum(x * x), x)).item(), 0.5);
  EXPECT_THAT(error_of([&] { grad(sum(x), begin); }), HasSubstr("was launched by a read too long ago"));
  const Tensor young = tensor({3.0});  // recorded after everything that was forgotten
  expect_values(grad(sum(x * young), young), {1}, {2500});
}

// Two players: the second is differentiated after the first has read a value.
TEST(ReadGradient, OfAnotherLossAfterARead) {
  const auto train = [](const Look& look) {
    Parameter generator(arbitrary({3})), critic(arbitrary({3}, 1));
    for (int step = 0; step < 3; ++step) {
      const Tensor fake = tanh(generator * static_cast<double>(step + 1));
      const Tensor loss = sum(sin(fake * critic));
      critic = stop_gradient(critic - grad(loss, critic) * 0.1);
      look(loss);
      const Tensor other = sum(cos(fake * critic));
      generator = stop_gradient(generator - grad(other, generator) * 0.1);
      look(other);
    }
    return std::vector<Tensor>{generator, critic};
  };
  expect_same(train);
}

// After a read, state is a leaf: the graph that computed it is not kept from step to step.
TEST(ReadGradient, StateKeepsNothing) {
  Parameter w(tensor({1.f, 2.f}));
  const Tensor x = tensor({3.f, 4.f});
  for (int i = 0; i < 3; ++i) {
    const Tensor loss = sum(w * w * x);
    w = w - grad(loss, w) * 0.01;
    (void)loss.item();
    EXPECT_EQ(loss.impl().origin.graph->graphs, 1u);
    EXPECT_FALSE(w.tensor().impl().origin);
  }
}

}  // namespace
}  // namespace weft
