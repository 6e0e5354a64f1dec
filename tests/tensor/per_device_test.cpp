// Functions that are written for one device of a mesh: values and gradients are those of the same computation on whole tensors.
#include <weft/tensor/per_device.h>

#include <tests/error_of.h>
#include <tests/tensor/meshes.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/record/session.h>
#include <weft/weft.h>

namespace weft {
namespace {

using test::counted;
using test::four;
using test::grid;
using testing::ElementsAre;
using testing::HasSubstr;

const PartitionSpec shared{};

std::vector<float> values_of(const Tensor& x) { return x.to_vector<float>(); }
TEST(PerDevice, SumsOverDevices) {
  const auto dot =
      per_device(four, [](const Tensor& a, const Tensor& b) { return psum(sum(a * b), "x"); }, {"x", "x"}, {shared});
  const Tensor a = counted({8}), b = counted({8}) + 1;
  EXPECT_EQ(dot(a, b).item(), sum(a * b).item());
  EXPECT_EQ(values_of(grad(dot(a, b), {a})[0]), values_of(b));
  const auto means =
      per_device(four, [](const Tensor& x) { return std::vector{pmean(x, "x"), pmax(x, "x"), pmin(x, "x")}; }, {"x"},
                 {shared, shared, shared});
  const std::vector<Tensor> of_parts = means(counted({8}));
  EXPECT_THAT(values_of(of_parts[0]), ElementsAre(3, 4));
  EXPECT_THAT(values_of(of_parts[1]), ElementsAre(6, 7));
  EXPECT_THAT(values_of(of_parts[2]), ElementsAre(0, 1));
}

TEST(PerDevice, MovesPartsBetweenDevices) {
  const Tensor x = counted({8});
  const auto shift =
      per_device(four, [](const Tensor& part) { return permute_devices(part, "x", {{0, 1}, {1, 2}, {2, 3}, {3, 0}}); },
                 {"x"}, {"x"});
  EXPECT_THAT(values_of(shift(x)), ElementsAre(6, 7, 0, 1, 2, 3, 4, 5));
  EXPECT_EQ(values_of(grad(sum(shift(x) * counted({8})), {x})[0]), (std::vector<float>{2, 3, 4, 5, 6, 7, 0, 1}));
  const auto gathered = per_device(four, [](const Tensor& part) { return all_gather(part, "x"); }, {"x"}, {shared});
  EXPECT_EQ(values_of(gathered(x)), values_of(x));
  EXPECT_EQ(values_of(grad(sum(gathered(x) * x), {x})[0]), values_of(2 * x));
  const auto scattered =
      per_device(four, [](const Tensor& whole) { return reduce_scatter(whole, "x"); }, {shared}, {"x"});
  EXPECT_EQ(values_of(scattered(x)), values_of(4 * x)) << "every device adds the whole";
  EXPECT_EQ(values_of(grad(sum(square(scattered(x))), {x})[0]), values_of(32 * x));
  const Tensor matrix = counted({4, 8});
  const auto turned =
      per_device(four, [](const Tensor& rows) { return all_to_all(rows, "x", 1, 0); }, {{"x", ""}}, {{"", "x"}});
  EXPECT_EQ(values_of(turned(matrix)), values_of(matrix)) << "divided by rows before and by columns after";
  EXPECT_EQ(values_of(grad(sum(square(turned(matrix))), {matrix})[0]), values_of(2 * matrix));
}

TEST(PerDevice, KnowsThePositionOfTheDevice) {
  const auto places = per_device(
      grid, [] { return std::vector{reshape(axis_index("x"), {1}), reshape(axis_index("y,x"), {1}) * axis_size("y")}; },
      {}, {"x", "y,x"});
  const std::vector<Tensor> made = places();
  EXPECT_THAT(values_of(made[0]), ElementsAre(0, 1));
  EXPECT_THAT(values_of(made[1]), ElementsAre(0, 3, 6, 9, 12, 15));
}

TEST(PerDevice, GradientsOfSharedTensorsAddWhatAllDevicesNeed) {
  const Tensor x = counted({4, 6}), weight = counted({6}) / 10, outside = tensor({2.f});
  const auto scaled = per_device(grid, [&](const Tensor& part, const Tensor& w) { return tanh(part * w) * outside; },
                                 {{"x", "y"}, {"y"}}, {{"x", "y"}});
  const Tensor expected = tanh(x * weight) * outside;
  EXPECT_EQ(values_of(scaled(x, weight)), values_of(expected));
  const auto of_devices = grad(sum(scaled(x, weight)), {x, weight, outside}),
             of_whole = grad(sum(expected), {x, weight, outside});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < values_of(of_whole[i]).size(); ++k)
      EXPECT_NEAR(values_of(of_devices[i])[k], values_of(of_whole[i])[k], 1e-5) << i << ' ' << k;
}

// Ring attention (Liu, Zaharia & Abbeel 2023): every device has a part of the positions; keys and values go round.
Tensor ring_attention(const Mesh& mesh, const Tensor& q, const Tensor& k, const Tensor& v) {
  const PartitionSpec by_position{"", "x", ""};
  const auto attend =
      per_device(mesh,
                 [](const Tensor& queries, Tensor keys, Tensor values) {
                   const std::int64_t n = axis_size("x");
                   std::vector<Sends> ring;
                   for (std::int64_t i = 0; i < n; ++i) ring.push_back({i, (i + 1) % n});
                   Tensor top, total, mixed;
                   for (std::int64_t i = 0; i < n; ++i) {
                     const Tensor scores = matmul(queries, transpose(keys)) / std::sqrt(8.0);
                     const Tensor high = i == 0 ? max(scores, {-1}, true) : maximum(top, max(scores, {-1}, true));
                     const Tensor weights = exp(scores - high), part = matmul(weights, values);
                     const Tensor shrink = i == 0 ? Tensor() : exp(top - high);
                     total = i == 0 ? sum(weights, {-1}, true) : total * shrink + sum(weights, {-1}, true);
                     mixed = i == 0 ? part : mixed * shrink + part;
                     top = high;
                     if (i + 1 < n)
                       keys = permute_devices(keys, "x", ring), values = permute_devices(values, "x", ring);
                   }
                   return mixed / total;
                 },
                 {by_position, by_position, by_position}, {by_position});
  return attend(q, k, v);
}

TEST(PerDevice, RingAttentionIsAttention) {
  manual_seed(2);
  const Tensor q = randn({2, 12, 8}), k = randn({2, 12, 8}), v = randn({2, 12, 8});
  sync();
  const auto losses = compile([](const Tensor& a, const Tensor& b, const Tensor& c) {
    const Tensor ring = ring_attention(four, a, b, c), whole = scaled_dot_product_attention(a, b, c);
    std::vector<Tensor> all{ring, whole};
    for (const Tensor& result : {ring, whole})
      for (const Tensor& g : grad(sum(square(result)), {a, b, c})) all.push_back(g);
    return all;
  });
  const std::vector<Tensor> all = losses(q, k, v);
  const auto expect_near = [&](std::size_t a, std::size_t b) {
    const auto x = values_of(all[a]), y = values_of(all[b]);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-4) << a << ' ' << i;
  };
  expect_near(0, 1);
  for (std::size_t i = 0; i < 3; ++i) expect_near(2 + i, 5 + i);
}

TEST(PerDevice, LoopsExchangeInEveryRound) {
  const auto rounds = per_device(four,
                                 [](const Tensor& part) {
                                   return for_loop(3, {part}, [](const Tensor&, const std::vector<Tensor>& x) {
                                     return std::vector{x[0] + psum(x[0], "x")};
                                   });
                                 },
                                 {"x"}, {"x"});
  EXPECT_THAT(values_of(rounds(tensor({1.f, 2.f, 3.f, 4.f}))[0]), ElementsAre(311, 312, 313, 314));
}

TEST(PerDevice, ErrorsNameTheCulprit) {
  const Tensor x = ones({8});
  EXPECT_THAT(error_of([&] { psum(x, "x"); }), HasSubstr("which only a function of per_device can do"));
  const auto call = [&](auto function, const PartitionSpec& in, const PartitionSpec& out) {
    return error_of([&] { per_device(four, function, {in}, {out})(x); });
  };
  const auto same = [](const Tensor& part) { return part; };
  EXPECT_THAT(call(same, "x", shared), HasSubstr("the devices along x may have different values of result 0"));
  EXPECT_EQ(call(same, "x", "x"), "");
  EXPECT_EQ(call([](const Tensor& part) { return part * axis_size("x"); }, shared, shared), "");
  EXPECT_THAT(call([](const Tensor& part) { return part * axis_index("x"); }, shared, shared),
              HasSubstr("whose spec does not name x"));
  EXPECT_EQ(call([](const Tensor& part) { return part * (axis_index("x") - axis_index("x")); }, shared, shared), "");
  EXPECT_THAT(call([](const Tensor& part) { return psum(part, "z"); }, "x", "x"), HasSubstr("z"));
  EXPECT_THAT(call([](const Tensor& part) { return permute_devices(part, "x", {{0, 1}, {2, 1}}); }, "x", "x"),
              HasSubstr("position 1 gets two values"));
  EXPECT_THAT(call([](const Tensor& part) { return permute_devices(part, "x", {{0, 4}}); }, "x", "x"),
              HasSubstr("there is no position 4 among 4 devices"));
  EXPECT_THAT(call([](const Tensor& part) { return reduce_scatter(part, "x"); }, "x", "x"),
              HasSubstr("dimension 0 of tensor<2xf32> does not divide among 4 devices"));
  EXPECT_THAT(error_of([&] { per_device(four, same, {"x", "x"}, {"x"})(x); }), HasSubstr("2 specs for 1 arguments"));
  EXPECT_THAT(error_of([&] { per_device(four, same, {"x"}, {"x"})(ones({6})); }), HasSubstr("4 and 8"));
  const auto loss = [&] {
    grad(sum(per_device(four, [](const Tensor& p) { return pmax(p, "x"); }, {"x"}, {shared})(x)), {x});
  };
  EXPECT_THAT(error_of(loss), HasSubstr("only the all_reduce that sums has a gradient"));
  sync();
}

}  // namespace
}  // namespace weft
