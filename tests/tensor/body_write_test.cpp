// Writing a Parameter in the body of a loop, branch or checkpoint is an error and leaves it unchanged.
#include <functional>
#include <string>
#include <tests/error_of.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/weft.h>

namespace weft {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using Tensors = std::vector<Tensor>;

struct Named {
  Parameter total{ones({2})};
  void fields(auto&& field) { field("total", total); }
};

const auto says_where =
    AllOf(HasSubstr("is written inside the body of a loop, branch or checkpoint, or a function of vmap or jvp"),
          HasSubstr("body_write_test.cpp:"), HasSubstr("return its new value from the body, and assign that outside"));

// Returns every kind of body around `write`.
std::vector<std::function<void()>> bodies_around(const std::function<void()>& write) {
  return {[=] {
            cond(
                sum(ones({2})) > 0.0,
                [&] {
                  write();
                  return Tensors{};
                },
                [] { return Tensors{}; });
          },
          [=] {
            for_loop(2, Tensors{ones({2})}, [&](const Tensor&, const Tensors& values) {
              write();
              return values;
            });
          },
          [=] {
            while_loop(
                Tensors{ones({})}, [](const Tensors& values) { return values[0] < 3; },
                [&](const Tensors& values) {
                  write();
                  return Tensors{values[0] + 1};
                });
          },
          [=] {
            scan(Tensors{ones({2})}, Tensors{ones({3, 2})}, [&](const Tensors& values, const Tensors&) {
              write();
              return std::pair{values, Tensors{}};
            });
          },
          [=] {
            checkpoint([&](const Tensor& x) {
              write();
              return x * 2;
            })(ones({2}));
          }};
}

TEST(BodyWrites, AreErrorsThatLeaveTheParameterAsItWas) {
  Parameter w(ones({2}));
  const auto write = [&] { w = w.tensor() + 1; };
  for (const auto& body : bodies_around(write)) {
    EXPECT_THAT(error_of(body), says_where);
    EXPECT_THAT(w.tensor().to_vector<float>(), ElementsAre(1, 1));
    const auto compiled = compile([&] {
      body();
      return w.tensor() * 1;
    });
    EXPECT_THAT(error_of(compiled), says_where);
    EXPECT_THAT(w.tensor().to_vector<float>(), ElementsAre(1, 1));
  }
  w = w.tensor() + 1;
  EXPECT_THAT(w.tensor().to_vector<float>(), ElementsAre(2, 2));
}

TEST(BodyWrites, OfValuesFromOutsideAreErrorsToo) {
  Parameter w(ones({2})), empty;
  const Tensor other = full({2}, 5, DType::f32);
  for (const auto& body : bodies_around([&] { w = other; })) EXPECT_THAT(error_of(body), says_where);
  for (const auto& body : bodies_around([&] { empty = other; })) EXPECT_THAT(error_of(body), says_where);
  for (const auto& body : bodies_around([&] { w = Parameter(other + 1); })) EXPECT_THAT(error_of(body), says_where);
  const auto carried = [&] {
    for_loop(2, Tensors{ones({2})}, [&](const Tensor&, const Tensors& values) {
      w = values[0];
      return values;
    });
  };
  EXPECT_THAT(error_of(carried), says_where);
  EXPECT_THAT(w.tensor().to_vector<float>(), ElementsAre(1, 1));
  EXPECT_FALSE(empty.defined());
}

TEST(BodyWrites, MovesLeaveBothAsTheyWere) {
  Parameter a(ones({2})), b(zeros({2}));
  for (const auto& body : bodies_around([&] { a = std::move(b); })) EXPECT_THAT(error_of(body), says_where);
  for (const auto& body : bodies_around([&] { std::swap(a, b); })) EXPECT_THAT(error_of(body), says_where);
  for (const auto& body : bodies_around([&] { const Parameter local = std::move(a); })) EXPECT_EQ(error_of(body), "");
  EXPECT_THAT(a.tensor().to_vector<float>(), ElementsAre(1, 1));
  EXPECT_THAT(b.tensor().to_vector<float>(), ElementsAre(0, 0));
}

TEST(BodyWrites, NameTheParameter) {
  Named model;
  named_parameters(model);
  const auto write = [&] { model.total = model.total.tensor() * 2; };
  EXPECT_THAT(error_of(bodies_around(write)[0]), HasSubstr("the parameter total, tensor<2xf32>, is written"));
  Parameter unnamed(ones({2}));
  EXPECT_THAT(error_of(bodies_around([&] { unnamed = unnamed.tensor() * 2; })[0]),
              HasSubstr("a parameter, tensor<2xf32>, is written"));
}

TEST(BodyWrites, OfOptimizersAndRunningStatistics) {
  Named model;
  optim::SGD sgd(model, {.lr = 0.5});
  const auto step = [&] { sgd.step(Tensors{ones({2})}); };
  nn::BatchNorm norm(2);
  const auto normalize = [&] { norm(ones({3, 2})); };
  for (const auto& body : bodies_around(step)) EXPECT_THAT(error_of(body), says_where);
  for (const auto& body : bodies_around(normalize)) EXPECT_THAT(error_of(body), says_where);
  EXPECT_THAT(model.total.tensor().to_vector<float>(), ElementsAre(1, 1));
  EXPECT_THAT(norm.running_mean.tensor().to_vector<float>(), ElementsAre(0, 0));
}

TEST(BodyWrites, OfParametersOfTheBodyAreFine) {
  const auto count = [](const Tensor& from) {
    const Tensors results = for_loop(3, Tensors{from}, [](const Tensor&, const Tensors& values) {
      Parameter local(values[0]), later;
      local = local.tensor() + 1;
      later = local.tensor() * 2;
      Parameter copy = later;
      copy = copy.tensor() - local.tensor();
      Parameter moved = std::move(copy);
      moved = moved.tensor() + 0;
      return Tensors{moved};
    });
    return results[0];
  };
  EXPECT_EQ(count(zeros({})).item(), 3);
  EXPECT_EQ(compile(count)(zeros({})).item(), 3);
}

TEST(BodyWrites, OfParametersOfAnEnclosingBodyAreErrors) {
  const auto nested = [] {
    cond(
        sum(ones({2})) > 0.0,
        [] {
          Parameter outer(ones({2}));
          for (const auto& body : bodies_around([&] { outer = outer.tensor() + 1; })) body();
          return Tensors{};
        },
        [] { return Tensors{}; });
  };
  EXPECT_THAT(error_of(nested), says_where);
}

TEST(BodyWrites, TheRemedyWorks) {
  Parameter w(ones({2}));
  w = cond(sum(w.tensor()) > 0.0, [&] { return Tensors{w.tensor() + 1}; }, [&] { return Tensors{w.tensor()}; })[0];
  EXPECT_THAT(w.tensor().to_vector<float>(), ElementsAre(2, 2));
}

}  // namespace
}  // namespace weft
