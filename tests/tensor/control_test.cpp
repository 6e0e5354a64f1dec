#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;
using Tensors = std::vector<Tensor>;

TEST(Control, WhileLoop) {
  const Tensor limit = tensor(100), start[] = {tensor(1), tensor(0)};
  const auto results = while_loop(
      start, [&](const Tensors& at) { return at[0] < limit; },
      [](const Tensors& at) { return Tensors{at[0] * 2, at[1] + 1}; });
  expect_values(results[0], {}, {128});
  expect_values(results[1], {}, {7});
}

TEST(Control, LoopsSeeTensorsAndNumbersOfOutside) {
  const Tensor start[] = {zeros({2})};
  sync();
  for (const float step : {1.f, 2.f}) {
    const Tensor recorded = tensor({1.f, 10.f}) * step;
    const auto results =
        for_loop(3, start, [&](const Tensor& i, const Tensors& at) { return Tensors{at[0] + recorded * i + step}; });
    expect_values(results[0], {2}, {6 * step, 33 * step});
  }
  EXPECT_FALSE(last_sync().compiled);
}

TEST(Control, LoopsNest) {
  const Tensor start[] = {tensor(0)};
  const auto results = for_loop(3, start, [](const Tensor& i, const Tensors& outer) {
    return for_loop(2, outer, [&](const Tensor& j, const Tensors& at) { return Tensors{at[0] + i * 10 + j}; });
  });
  expect_values(results[0], {}, {63});
}

TEST(Control, Cond) {
  const Tensor x = tensor({1.f, 2.f}), y = x * 3;
  for (const float at : {1.f, -1.f}) {
    const auto results = cond(tensor(at) > 0, [&] { return Tensors{x + y}; }, [&] { return Tensors{x * 100}; });
    expect_values(results[0], {2}, at > 0 ? test::Doubles{4, 8} : test::Doubles{100, 200});
  }
}

TEST(Control, GradientsFlowThroughBranches) {
  const Tensor x = tensor(3.f);
  const auto square_or_cube = [&](bool square) {
    return cond(tensor(square), [&] { return Tensors{x * x}; }, [&] { return Tensors{x * x * x}; })[0];
  };
  expect_values(grad(square_or_cube(true), x), {}, {6});
  expect_values(grad(square_or_cube(false), x), {}, {27});
}

// A loop has the same gradients as its unrolled steps, for carried values and for values that it only reads.
TEST(Control, GradientsFlowThroughLoopsThatCount) {
  const Tensor x = tensor({0.5f, -1.f}), w = tensor({1.5f, 2.f}), start[] = {x, tensor({0.f, 0.f})};
  const auto step = [&](const Tensor& i, const Tensors& at) {
    return Tensors{tanh(at[0] * w) + i.to(DType::f32), at[1] + at[0] * w};
  };
  const auto loss_of = [](const Tensors& at) { return sum(at[0] * at[0] + at[1]); };
  Tensors unrolled(start, start + 2);
  for (int i = 0; i < 4; ++i) unrolled = step(constant(i, DType::i32), unrolled);
  const auto want = grad(loss_of(unrolled), {x, w}), got = grad(loss_of(for_loop(4, start, step)), {x, w});
  for (int i = 0; i < 2; ++i) expect_values(got[i], {2}, want[i].to_vector<double>(), 1e-6);
  expect_values(grad(loss_of(for_loop(0, start, step)), x), {2}, {1, -2});
  // The gradient of a gradient, and a gradient inside a loop.
  const auto cube = [](const Tensor& y) {
    const Tensor one[] = {ones({})};
    return for_loop(3, one, [&](const Tensor&, const Tensors& at) { return Tensors{at[0] * y}; })[0];
  };
  const Tensor y = tensor(2.f);
  expect_values(grad(grad(cube(y), y), y), {}, {12});
  const Tensor zero[] = {tensor(0.f)};
  const auto nested = for_loop(2, zero, [&](const Tensor&, const Tensors& at) { return Tensors{at[0] + cube(y)}; })[0];
  expect_values(grad(nested, y), {}, {24});
  const auto until = while_loop(
      start, [](const Tensors& at) { return sum(at[0]) < 1; },
      [](const Tensors& at) { return Tensors{at[0] * 2, at[1]}; });
  expect_error(
      [&] { grad(sum(until[0]), x); },
      "grad: while has no gradient unless its number of steps is known (" __FILE__
      ":78): its condition must be counter < end, with a carried integer counter that each step increments by 1, and "
      "the "
      "start, the end and the 1 must be constant(value, DType::i32), not tensors or plain numbers. for_loop and scan "
      "do that");
}

TEST(Control, AWhileLoopBetweenConstantsHasAGradient) {
  const Tensor x = tensor(3.f), start[] = {constant(0, DType::i32), x};
  const auto cube = while_loop(
      start, [](const Tensors& at) { return at[0] < constant(2, DType::i32); },
      [&](const Tensors& at) { return Tensors{at[0] + constant(1, DType::i32), at[1] * x}; })[1];
  expect_values(grad(cube, x), {}, {27});
}

// With zero steps, carried values pass through, and other gradients are zero.
TEST(Control, GradientsThroughAScanOfNothing) {
  const Tensor w = tensor({2.f, 3.f}), start[] = {tensor({1.f, 5.f})}, none[] = {zeros({0, 2})};
  const auto scanned = [&] {
    return scan(start, none, [&](const Tensors& at, const Tensors& x) {
      return std::pair(Tensors{at[0] * w + x[0]}, Tensors{at[0] * x[0] * w});
    });
  };
  const auto values = [&] { return sum(square(scanned().values[0])); };
  const auto stacked = [&] { return sum(scanned().stacked[0]); };
  const auto got = grad(values() + stacked(), {start[0], w, none[0]});
  expect_values(got[0], {2}, {2, 10});
  expect_values(got[1], {2}, {0, 0});
  expect_values(got[2], {0, 2}, {});
  expect_values(grad(values(), none[0]), {0, 2}, {});
  expect_values(grad(values(), w), {2}, {0, 0});
  expect_values(grad(stacked(), w), {2}, {0, 0});
  expect_values(grad(stacked(), start[0]), {2}, {0, 0});
  const Tensor other = tensor(1.f);
  expect_error(
      [&] { grad(values(), other); },
      "grad: the loss depends on none of the 1 tensors (was there a sync, or something without a derivative, between "
      "them and the loss?)");
}

TEST(Control, Scan) {
  const Tensor xs[] = {tensor({1.f, 2.f, 3.f, 4.f})}, start[] = {tensor(10.f)};
  const auto body = [](const Tensors& at, const Tensors& x) {
    return std::pair(Tensors{at[0] + x[0]}, Tensors{at[0] * x[0]});
  };
  const auto [last, products] = scan(start, xs, body);
  expect_values(last[0], {}, {20});
  expect_values(products[0], {4}, {10, 22, 39, 64});
  const Tensor none[] = {zeros({0, 3})}, zero[] = {zeros({3})};
  const auto empty = scan(zero, none, body);
  expect_values(empty.values[0], {3}, {0, 0, 0});
  EXPECT_EQ(empty.stacked[0].type(), Type(DType::f32, {0, 3}));
  expect_error([&] { scan(start, {}, body); },
               "scan: there is nothing to scan: xs is empty; for_loop takes a number of steps");
  const Tensor number[] = {tensor(1.f)};
  expect_error([&] { scan(start, number, body); }, "scan: every x must have a first axis to go along, got tensor<f32>");
  expect_error([&] { scan(start, xs, [](const Tensors&, const Tensors&) { return std::pair<Tensors, Tensors>(); }); },
               "scan: the body returns 0 values for 1");
  const auto widens = [](const Tensors& at, const Tensors&) {
    return std::pair(Tensors{at[0].to(DType::f64)}, Tensors());
  };
  expect_error([&] { scan(start, xs, widens); },
               "scan: value 0 begins as tensor<f32> and the body makes it tensor<f64>");
}

TEST(Control, GradientsFlowThroughScan) {
  const Tensor w = randn({3, 3}) * 0.5, xs[] = {randn({5, 2, 3})}, start[] = {zeros({2, 3})};
  const auto step = [&](const Tensor& h, const Tensor& x) { return tanh(matmul(h, w) + x); };
  const auto scanned = scan(start, xs, [&](const Tensors& at, const Tensors& x) {
    const Tensor h = step(at[0], x[0]);
    return std::pair(Tensors{h}, Tensors{h * h});
  });
  Tensor h = start[0], total = zeros({});
  for (int i = 0; i < 5; ++i) {
    h = step(h, select(xs[0], 0, i));
    total = total + sum(h * h);
  }
  const auto got = grad(sum(scanned.stacked[0]) + sum(scanned.values[0]), {w, xs[0]});
  const auto want = grad(total + sum(h), {w, xs[0]});
  for (int i = 0; i < 2; ++i) {
    const auto a = got[i].to_vector<double>(), b = want[i].to_vector<double>();
    for (std::size_t j = 0; j < b.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-5) << i << ' ' << j;
  }
}

TEST(Control, Errors) {
  const Tensor start[] = {tensor(1)};
  const auto forever = [](const Tensors&) { return constant(true, DType::boolean); };
  expect_error([&] { while_loop(start, forever, [](const Tensors& at) { return Tensors{at[0] * 0.5f}; }); },
               "while_loop: value 0 begins as tensor<i32> and the body makes it tensor<f32>");
  expect_error([&] { while_loop(start, forever, [](const Tensors& at) { return Tensors{at[0], at[0]}; }); },
               "while_loop: the body returns 2 values for 1");
  expect_error(
      [&] { while_loop(start, [](const Tensors& at) { return at[0]; }, [](const Tensors& at) { return at; }); },
      "while_loop: the condition must be one boolean, got tensor<i32>");
  expect_error([&] { while_loop(start, forever, [](const Tensors& at) { return Tensors{at[0] + at[0].item()}; }); },
               "item: a value cannot be read inside the body of a loop or branch, or a function of vmap or jvp, which "
               "is recorded, not run: return it "
               "from there and read it outside, or decide on the device with where or cond");
  expect_error([&] { cond(tensor(true), [&] { return Tensors{start[0]}; }, [&] { return Tensors{start[0] * 1.5}; }); },
               "cond: value 0 is tensor<i32> in one branch and tensor<f32> in the other");
  EXPECT_EQ((tensor(1) + 1).item(), 2) << "recording goes on after an error in a body";
}

TEST(Control, WhatABodyRecordsStaysInIt) {
  Tensor escaped;
  const Tensor start[] = {tensor(1)};
  for_loop(1, start, [&](const Tensor&, const Tensors& at) {
    escaped = at[0] + 1;
    return at;
  });
  expect_error([&] { escaped + 1; }, test::no_elements);
}

TEST(Control, NumbersBeginLoops) {
  const Tensor x = tensor(3.f);
  const auto doubled = [&](const Tensor& y) {
    return while_loop(
        {0, y}, [](const Tensors& at) { return at[0] < constant(4, DType::i32); },
        [](const Tensors& at) { return Tensors{at[0] + constant(1, DType::i32), at[1] * 2}; });
  };
  expect_values(doubled(x)[0], {}, {4});
  expect_values(doubled(x)[1], {}, {48});
  expect_values(grad(doubled(x)[1], x), {}, {16});
  const auto plain = while_loop(
      {0, 1.5}, [](const Tensors& at) { return at[0] < 4; },
      [](const Tensors& at) { return Tensors{at[0] + 1, at[1] * 2}; });
  expect_values(plain[1], {}, {24});
  expect_values(for_loop(3, {1}, [](const Tensor& i, const Tensors& at) { return Tensors{at[0] + i}; })[0], {}, {4});
}

TEST(Control, MessagesNameTheFunctionThatWasCalled) {
  const auto loop = [](const Tensors& next) {
    return [next] { for_loop(2, {1.f}, [&](const Tensor&, const Tensors&) { return next; }); };
  };
  expect_error(loop({}), "for_loop: the body returns 0 values for 1");
  expect_error(loop({tensor(1)}), "for_loop: value 0 begins as tensor<f32> and the body makes it tensor<i32>");
}

}  // namespace
}  // namespace weft
