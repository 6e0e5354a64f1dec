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
               "sync: a value cannot be read inside the body of a loop or branch: it is recorded, not run");
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
  expect_error([&] { escaped + 1; }, "add: an operand was recorded in a loop body, branch or thread that has ended");
}

}  // namespace
}  // namespace weft
