#include <thread>

#include <gmock/gmock.h>

#include <weft/base/knobs.h>
#include <weft/ir/graph.h>

#include "tests/error_of.h"
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;
using testing::EndsWith;

std::string printed(const Tensor& x) { return concat(x); }

// x[1] = t would have no effect.
static_assert(!std::is_assignable_v<Tensor, Tensor> && !std::is_assignable_v<Tensor, const Tensor&>);
static_assert(!std::is_assignable_v<decltype(std::declval<Parameter>().tensor()[0]), Parameter>);
static_assert(!std::is_assignable_v<Tensor, decltype(constant(1) + 1)>);

TEST(Tensor, Making) {
  expect_values(tensor({1, 2, 3}), {3}, {1, 2, 3});
  EXPECT_EQ(tensor({1, 2}).dtype(), DType::i32);
  EXPECT_EQ(tensor({1, 2.5}).dtype(), DType::f32);
  EXPECT_EQ(tensor({true, false}).dtype(), DType::boolean);
  EXPECT_EQ(tensor({1, 2}, DType::bf16).dtype(), DType::bf16);
  expect_values(tensor({{1, 2}, {3, 4}}), {2, 2}, {1, 2, 3, 4});
  expect_values(tensor(5), {}, {5});
  expect_values(from_vector<std::int64_t>({1, 2}, {2, 1}), {2, 1}, {1, 2});
  expect_values(zeros({2}), {2}, {0, 0});
  expect_values(ones_like(tensor({5, 6})), {2}, {1, 1});
  expect_values(full({2}, 7), {2}, {7, 7});
  EXPECT_EQ(full({2}, 7).dtype(), DType::i32);
  expect_values(arange(4), {4}, {0, 1, 2, 3});
  expect_values(arange(1, 8, 3), {3}, {1, 4, 7});
  expect_values(arange(3, -2, -2), {3}, {3, 1, -1});
  expect_values(arange(3, 3), {0}, {});
  expect_values(arange(0, 1, 0.25), {4}, {0, 0.25, 0.5, 0.75});
  expect_values(arange(1.5, -1, -1), {3}, {1.5, 0.5, -0.5});
  expect_values(arange(2.5), {3}, {0, 1, 2});
  expect_values(arange(1.0, 0.0), {0}, {});
  EXPECT_EQ(arange(2.5).dtype(), DType::f32);
  EXPECT_THROW(arange(0, 1, 0.0), Error);
  EXPECT_THROW(arange(0, std::nan("")), Error);
  EXPECT_THROW(arange(0, 1e300), Error);
  EXPECT_THROW(arange(2.5, DType::i32), Error);
  expect_values(linspace(0, 1, 5), {5}, {0, 0.25, 0.5, 0.75, 1});
  expect_values(iota({2, 2}, 1), {2, 2}, {0, 1, 0, 1});
  expect_values(eye(2), {2, 2}, {1, 0, 0, 1});
  expect_error([] { from_vector<float>({1, 2}, {3}); }, "from_vector: 2 values do not fill tensor<3xf32>");
  expect_error([] { tensor({{1, 2}, {3}}); }, "tensor: rows of 2 and 1 values");
}

TEST(Tensor, Sizes) {
  const Tensor x = zeros({2, 3}, DType::f64);
  EXPECT_EQ(x.rank(), 2);
  EXPECT_EQ(x.size(-1), 3);
  EXPECT_EQ(x.elements(), 6);
  EXPECT_EQ(concat(x.shape()), "[2, 3]");
  EXPECT_FALSE(Tensor().defined());
  expect_error([&] { x.size(2); }, "size: dimension 2 is out of range for rank 2");
  expect_error([] { Tensor().shape(); }, "a default-constructed Tensor has no value");
  expect_error([] { exp(Tensor()); }, "exp: an operand is a default-constructed Tensor, which has no value");
}

TEST(Tensor, Reading) {
  const Tensor x = tensor({{1.5f}}, DType::f32);
  EXPECT_EQ(x.item(), 1.5);
  EXPECT_EQ(x.item<int>(), 1);
  EXPECT_EQ((x > 1).item<bool>(), true);
  EXPECT_EQ((x * 2).to_vector<std::uint8_t>(), std::vector<std::uint8_t>{3});
  EXPECT_EQ((x * 2).bytes().size(), 4u);
  expect_error([] { zeros({2}).item(); }, "item: expected a tensor of one element, got tensor<2xf32>");
}

TEST(Tensor, ReadingLater) {
  const Tensor x = tensor({1.f});
  std::vector<Future<double>> later;
  for (int i = 0; i < 20; ++i) later.push_back((x * i).item_async());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(later[i].get(), i);
  EXPECT_TRUE(later[0].ready());
}

TEST(Tensor, Printing) {
  EXPECT_EQ(printed(tensor(1.5f)), "1.5 tensor<f32>");
  EXPECT_EQ(printed(tensor({1.f, 2.5f, -3.f})), "[ 1.0,  2.5, -3.0] tensor<3xf32>");
  EXPECT_EQ(printed(tensor({1.f, 10.f})), "[ 1., 10.] tensor<2xf32>");
  EXPECT_EQ(printed(tensor({{1, 20}, {3, 4}})), "[[ 1, 20],\n [ 3,  4]] tensor<2x2xi32>");
  EXPECT_EQ(printed(tensor({true, false})), "[ True, False] tensor<2xi1>");
  EXPECT_EQ(printed(tensor({1e-9f, 1.f})), "[1.0000e-09, 1.0000e+00] tensor<2xf32>");
  EXPECT_EQ(printed(tensor({NAN, 1.f})), "[nan,  1.] tensor<2xf32>");
  EXPECT_EQ(printed(zeros({0, 2})), "[] tensor<0x2xf32>");
  EXPECT_EQ(printed(arange(2000)), "[   0,    1,    2, ..., 1997, 1998, 1999] tensor<2000xi32>");
  EXPECT_EQ(printed(Tensor()), "none");
}

TEST(Tensor, FromAnotherThreadMustBeLaunchedThere) {
  Tensor recorded, launched;
  std::thread([&] {
    launched = tensor({1.f}) + 1;
    sync();
  }).join();
  expect_values(launched + 1, {1}, {3});

  std::thread([&] { recorded = tensor({1.f}) + 1; }).join();
  expect_error([&] { recorded + 1; }, test::no_elements);
}

TEST(Tensor, OperandsKeepTheLineOfTheCall) {
  const Tensor x = tensor({1.f});
  const Scope scope("outer");
  const Scope inner("layer");
  const Tensor y = softmax(x);
  const ir::Location location = y.impl().value.node->location;
  EXPECT_EQ(location.line, static_cast<std::uint32_t>(__LINE__ - 2));
  EXPECT_NE(std::string(location.file).find("tensor_test.cpp"), std::string::npos);
  EXPECT_STREQ(location.scope, "outer.layer");
  const auto line = [](const Tensor& t) { return static_cast<int>(t.impl().value.node->location.line); };
  EXPECT_EQ(line(1 - x), __LINE__);
  EXPECT_EQ(line(x[0]), __LINE__);
  EXPECT_EQ(line(x.to(DType::f64)), __LINE__);
  EXPECT_EQ(line(zeros({2})), __LINE__);
  EXPECT_EQ(line(grad(sum(x * x), x)), __LINE__);
  Tensor z = x;
  z += 1;
  EXPECT_EQ(line(z), __LINE__ - 1);
}

TEST(Tensor, ErrorsEndWithThePlaceOfTheCall) {
  const Tensor a = zeros({6, 8}), b = zeros({9, 8});
  const auto here = [](int line, const char* module = "") { return concat(" (", __FILE__, ':', line, module, ')'); };
  EXPECT_EQ(error_of([&] { a* b; }),
            "multiply: cannot broadcast tensor<6x8xf32> with tensor<9x8xf32>" + here(__LINE__ - 1));
  EXPECT_EQ(error_of([&] { sum(a, 3); }), "sum: dimension 3 is out of range for rank 2" + here(__LINE__));
  EXPECT_EQ(error_of([&] { zeros({-1}); }), "zeros: a size cannot be negative, got [-1]" + here(__LINE__));
  EXPECT_EQ(error_of([&] { a + Tensor(); }), "a default-constructed Tensor has no value" + here(__LINE__));
  EXPECT_EQ(error_of([&] { exp(Tensor()); }),
            "exp: an operand is a default-constructed Tensor, which has no value" + here(__LINE__ - 1));
  {
    const Scope outer("encoder"), inner("layer");
    EXPECT_THAT(error_of([&] { matmul(a, b); }), EndsWith(here(__LINE__, " in encoder.layer")));
  }
  // The place is that of the innermost function that is running; there is none if no function is running.
  const auto body = [&](const Tensor&, const std::vector<Tensor>& values) { return std::vector{values[0] + b}; };
  EXPECT_THAT(error_of([&] { for_loop(3, std::vector{a}, body); }), EndsWith(here(__LINE__ - 1)));
  EXPECT_EQ(error_of([&] { a.size(2); }), "size: dimension 2 is out of range for rank 2");
}

TEST(Parameter, KeepsItsType) {
  Parameter weight(zeros({2}));
  weight = weight + 1;
  expect_values(weight, {2}, {1, 1});
  expect_error([&] { weight = zeros({3}); }, "a parameter of type tensor<2xf32> cannot become tensor<3xf32>");
  weight.reset(zeros({3}));
  EXPECT_EQ(weight.shape(), (Shape{3}));
}

}  // namespace
}  // namespace weft
