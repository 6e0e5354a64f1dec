// vmap against a loop over the examples.
#include <gmock/gmock.h>

#include <weft/jit/compile.h>

#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::expect_error;
using test::expect_values;
using testing::HasSubstr;
using Tensors = std::vector<Tensor>;

Tensor numbers(const Shape& shape, std::uint64_t seed = 7) {
  return random::uniform(random::Key(seed), shape, DType::f64) * 2.0 - 1.0;
}

struct VmapCase {
  const char* name;
  std::vector<Shape> examples;  // the shapes of the arguments of one example
  std::function<Tensor(const Tensors&)> function;
};

// An integer in [0, size) that depends on a number in [-1, 1).
Tensor position(const Tensor& x, std::int64_t size) {
  return convert(floor((x + 1.0) * (0.5 * static_cast<double>(size))), DType::i32);
}

Tensor with_cond(const Tensors& x) {
  return cond(sum(x[0]) > 0.0, [&] { return Tensors{x[0] * x[1], x[1]}; }, [&] { return Tensors{x[1], sin(x[0])}; })[0];
}

Tensor with_while(const Tensors& x) {  // halves until it is small: another number of steps for each example
  return while_loop(
             {x[0], constant(0, DType::i32)}, [](const Tensors& at) { return norm(at[0]) > 0.1; },
             [&](const Tensors& at) { return Tensors{at[0] * 0.5, at[1] + constant(1, DType::i32)}; })[1]
             .to(DType::f64) +
         sum(x[0]);
}

Tensor with_scan(const Tensors& x) {
  const ScanResult result = scan(std::vector{x[1]}, std::vector{x[0]}, [](const Tensors& values, const Tensors& row) {
    const Tensor next = tanh(values[0] + row[0]);
    return std::pair(Tensors{next}, Tensors{next * row[0]});
  });
  return sum(result.stacked[0], 0) + result.values[0];
}

const Tensor& matrix() {
  static const Tensor outside = numbers({4, 5}, 1);
  return outside;
}

const std::vector<VmapCase>& vmap_cases() {
  static const std::vector<VmapCase> cases{
      {"arithmetic", {{3}, {3}}, [](const Tensors& x) { return (x[0] + x[1] * 2.0) / (x[1] * x[1] + 1.0); }},
      {"functions", {{3}}, [](const Tensors& x) { return exp(sin(x[0])) + atan2(x[0], cos(x[0])); }},
      {"where", {{3}, {3}}, [](const Tensors& x) { return where(x[0] > x[1], x[0], 0.0); }},
      {"select by one boolean", {{}, {3}}, [](const Tensors& x) { return where(x[0] > 0.0, x[1], -x[1]); }},
      {"clamp", {{3}, {}}, [](const Tensors& x) { return clamp(x[0], -0.5, abs(x[1])); }},
      {"broadcasting", {{2, 1}, {3}}, [](const Tensors& x) { return x[0] * x[1]; }},
      {"softmax", {{2, 4}}, [](const Tensors& x) { return softmax(x[0]); }},
      {"log_softmax along the first axis", {{2, 4}}, [](const Tensors& x) { return log_softmax(x[0], 0); }},
      {"layer_norm", {{2, 4}, {4}}, [](const Tensors& x) { return layer_norm(x[0], x[1]); }},
      {"rms_norm with a weight from outside",
       {{2, 4}},
       [](const Tensors& x) { return rms_norm(x[0], select(matrix(), 1, 0)); }},
      {"gelu", {{3}}, [](const Tensors& x) { return gelu(x[0]) + silu(x[0]) + relu(x[0]); }},
      {"attention",
       {{3, 4}, {5, 4}, {5, 2}},
       [](const Tensors& x) { return scaled_dot_product_attention(x[0], x[1], x[2], {.causal = true}); }},
      {"cross_entropy", {{2, 4}, {2}}, [](const Tensors& x) { return cross_entropy(x[0], position(x[1], 4)); }},
      {"sum", {{2, 3}}, [](const Tensors& x) { return sum(x[0], 0) + mean(x[0]); }},
      {"max", {{2, 3}}, [](const Tensors& x) { return max(x[0], -1) - min(x[0]); }},
      {"prod, var", {{2, 3}}, [](const Tensors& x) { return prod(x[0], 1) + var(x[0], 1); }},
      {"argmax", {{2, 3}}, [](const Tensors& x) { return argmax(x[0], 1).to(DType::f64); }},
      {"logsumexp, norm", {{4}}, [](const Tensors& x) { return logsumexp(x[0]) + norm(x[0]); }},
      {"cumsum", {{2, 3}}, [](const Tensors& x) { return cumsum(x[0], 0); }},
      {"sort", {{2, 5}}, [](const Tensors& x) { return sort(x[0], -1, true) + argsort(x[0]).to(DType::f64); }},
      {"topk", {{5}}, [](const Tensors& x) { return topk(x[0], 2).values; }},
      {"matmul", {{2, 3}, {3, 4}}, [](const Tensors& x) { return matmul(x[0], x[1]); }},
      {"matmul of a vector by a matrix from outside", {{4}}, [](const Tensors& x) { return matmul(x[0], matrix()); }},
      {"matmul of a matrix from outside", {{5, 2}}, [](const Tensors& x) { return matmul(matrix(), x[0]); }},
      {"batched matmul with batches from outside",
       {{5, 3}},
       [](const Tensors& x) { return matmul(reshape(matrix(), {2, 2, 5}), x[0]); }},
      {"dot, outer", {{3}, {3}}, [](const Tensors& x) { return outer(x[0], x[1]) * dot(x[0], x[1]); }},
      {"einsum", {{2, 3, 4}, {4, 2}}, [](const Tensors& x) { return einsum("abc,cd->dba", {x[0], x[1]}); }},
      {"conv2d of images",
       {{2, 3, 6, 5}},
       [](const Tensors& x) { return conv2d(x[0], numbers({4, 3, 3, 2}), {.stride = 2, .padding = 1}); }},
      {"conv2d with kernels",
       {{4, 2, 3, 2}},
       [](const Tensors& x) { return conv2d(numbers({1, 4, 5, 5}), x[0], {.groups = 2}); }},
      {"conv2d of images with kernels",
       {{1, 4, 5, 5}, {4, 2, 3, 2}},
       [](const Tensors& x) { return conv2d(x[0], x[1], {.groups = 2}); }},
      {"conv_transpose2d",
       {{1, 2, 3, 3}, {2, 3, 2, 2}},
       [](const Tensors& x) { return conv_transpose2d(x[0], x[1], {.stride = 2}); }},
      {"pooling", {{1, 2, 6, 6}}, [](const Tensors& x) { return max_pool2d(x[0], 2) + avg_pool2d(x[0], 2); }},
      {"shapes",
       {{2, 3}},
       [](const Tensors& x) { return permute(reshape(broadcast_to(x[0], {2, 2, 3}), {4, 1, 3}), {2, 0, 1}); }},
      {"joining", {{2, 5}}, [](const Tensors& x) { return concatenate({matrix(), stack({x[0], x[0] * 2.0})[0]}); }},
      {"parts", {{4, 6}}, [](const Tensors& x) { return flip(index(x[0], {2, Slice{1, 6, 2}}), 0); }},
      {"pad",
       {{2, 3}},
       [](const Tensors& x) {
         return pad(x[0], std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 0}, {-1, 2}}, 1.5);
       }},
      {"pad with a value of the example",
       {{3}, {}},
       [](const Tensors& x) { return pad(x[0], std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 2}}, x[1]); }},
      {"take by indices of the example", {{3}}, [](const Tensors& x) { return take(matrix(), position(x[0], 4)); }},
      {"take from the example", {{4, 2}}, [](const Tensors& x) { return take(x[0], tensor({2, 0, 2})); }},
      {"take of both", {{4, 2}, {3}}, [](const Tensors& x) { return take(x[0], position(x[1], 4)); }},
      {"gather", {{4, 2}, {3, 2}}, [](const Tensors& x) { return gather(x[0], 0, position(x[1], 4)); }},
      {"scatter_add",
       {{4, 2}, {3, 2}, {3, 2}},
       [](const Tensors& x) { return scatter_add(x[0], 0, position(x[1], 4), x[2]); }},
      {"index_add at places from outside",
       {{4, 2}, {3, 2}},
       [](const Tensors& x) { return index_add(x[0], 0, tensor({1, 1, 3}), x[1]); }},
      {"dynamic_slice",
       {{5, 4}, {}},
       [](const Tensors& x) {
         return dynamic_slice(x[0], std::vector{position(x[1], 8), constant(1, DType::i32)}, {2, 2});
       }},
      {"dynamic_update_slice",
       {{5, 4}, {2, 2}, {}},
       [](const Tensors& x) {
         return dynamic_update_slice(x[0], x[1], std::vector{constant(2, DType::i32), position(x[2], 8)});
       }},
      {"one_hot", {{3}}, [](const Tensors& x) { return one_hot(position(x[0], 4), 4, DType::f64); }},
      {"cond", {{3}, {3}}, with_cond},
      {"while_loop", {{3}}, with_while},
      {"for_loop",
       {{3}},
       [](const Tensors& x) {
         return for_loop(4, std::vector{x[0]}, [&](const Tensor& i, const Tensors& at) {
           return Tensors{sin(at[0]) + x[0] * i.to(DType::f64)};
         })[0];
       }},
      {"scan", {{4, 3}, {3}}, with_scan},
      {"checkpoint",
       {{3}},
       [](const Tensors& x) { return checkpoint([](const Tensor& h) { return tanh(h) * h; })(x[0]); }},
      {"grad", {{3}, {3}}, [](const Tensors& x) { return grad(sum(sin(x[0]) * x[1]), x[0]); }},
      {"grad of scan", {{4, 3}, {3}}, [](const Tensors& x) { return grad(sum(with_scan(x)), x[0]); }},
      {"grad of cond", {{3}, {3}}, [](const Tensors& x) { return grad(sum(with_cond(x)), x[1]); }},
      {"grad of grad", {{3}}, [](const Tensors& x) { return grad(sum(square(grad(sum(exp(x[0])), x[0]))), x[0]); }},
      {"vmap",
       {{2, 3}},
       [](const Tensors& x) { return vmap([&](const Tensor& row) { return matmul(x[0], row) * row[0]; })(x[0]); }},
      {"a constant result", {{3}}, [](const Tensors&) { return matrix(); }}};
  return cases;
}

class Vmap : public ::testing::TestWithParam<VmapCase> {};

TEST_P(Vmap, EqualsALoop) {
  constexpr int count = 4;
  const VmapCase& tested = GetParam();
  const std::size_t arguments = tested.examples.size();
  // All arguments are batched, each alone, and with the batch as the last axis.
  for (std::size_t choice = 0; choice < arguments + 2; ++choice) {
    Tensors batches;
    std::vector<std::optional<std::int64_t>> axes;
    for (std::size_t i = 0; i < arguments; ++i) {
      std::vector<Dim> dims(tested.examples[i].begin(), tested.examples[i].end());
      const bool is_batched = choice == 0 || choice == i + 1 || choice == arguments + 1;
      const bool is_last = choice == arguments + 1;
      if (is_batched) dims.insert(is_last ? dims.end() : dims.begin(), Dim(count));
      batches.push_back(numbers(Shape(dims), i + 1));
      axes.emplace_back(is_batched ? std::optional<std::int64_t>(is_last ? -1 : 0) : unbatched);
    }
    const auto example = [&](int e) {
      Tensors of_example;
      for (std::size_t i = 0; i < arguments; ++i)
        of_example.push_back(axes[i] ? select(batches[i], *axes[i], e) : batches[i]);
      return of_example;
    };
    Tensors results;
    for (int e = 0; e < count; ++e) results.push_back(tested.function(example(e)));
    const Tensor expected = stack(results);
    const VmapOptions options{.in_axes = BatchAxes(axes)};
    const Tensor got =
        arguments == 1 ? vmap([&](const Tensor& a) { return tested.function({a}); }, options)(batches[0])
        : arguments == 2
            ? vmap([&](const Tensor& a, const Tensor& b) { return tested.function({a, b}); }, options)(batches[0],
                                                                                                       batches[1])
            : vmap([&](const Tensor& a, const Tensor& b, const Tensor& c) { return tested.function({a, b, c}); },
                   options)(batches[0], batches[1], batches[2]);
    SCOPED_TRACE(concat(tested.name, ", choice ", choice));
    expect_values(got, expected.shape(), expected.to_vector<double>(), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Vmap, ::testing::ValuesIn(vmap_cases()), [](const auto& instance) {
  std::string name = instance.param.name;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

TEST(VmapOptions, AxesOfArgumentsAndResults) {
  const Tensor x = numbers({2, 3}), y = numbers({4, 2});
  const auto both = [](const Tensor& a, const Tensor& b) { return std::pair(a + b[0], sum(b)); };
  const auto [sums, totals] = vmap(both, {.in_axes = {1, unbatched}, .out_axes = {-1, unbatched}})(x, y);
  EXPECT_EQ(sums.shape(), (Shape{2, 3}));
  EXPECT_EQ(totals.shape(), Shape{});
  expect_values(sums, {2, 3}, (x + unsqueeze(y[0], 1)).to_vector<double>(), 1e-14);
}

struct Sides {
  Tensor left, right;
  void fields(auto&& field) {
    field("left", left);
    field("right", right);
  }
};

TEST(VmapOptions, StructsOfTensors) {
  const Sides sides{numbers({3, 2}, 1), numbers({3, 2}, 2)};
  const auto swapped = vmap([](const Sides& s, double factor) { return Sides{s.right * factor, s.left}; },
                            {.in_axes = {0, unbatched}})(sides, 2.0);
  expect_values(swapped.left, {3, 2}, (sides.right * 2.0).to_vector<double>());
  expect_values(swapped.right, {3, 2}, sides.left.to_vector<double>());
}

TEST(VmapOptions, Randomness) {
  const Tensor x = zeros({3, 2});
  const auto draw = [&](Randomness randomness) {
    return vmap([](const Tensor& row) { return row + random::uniform(random::Key(5), {2}); },
                {.randomness = randomness})(x)
        .to_vector<float>();
  };
  const std::vector<float> one = random::uniform(random::Key(5), {2}).to_vector<float>();
  const std::vector<float> same = draw(Randomness::same);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(same[i], one[i % 2]);
  const std::vector<float> different = draw(Randomness::different);
  EXPECT_EQ(different, random::uniform(random::Key(5), {3, 2}).to_vector<float>());
  const auto of_nothing =
      vmap([] { return random::uniform(random::Key(5), {2}); }, {.randomness = Randomness::different, .size = 3});
  EXPECT_EQ(of_nothing().to_vector<float>(), different);
}

using U64s = std::vector<std::uint64_t>;

TEST(VmapOptions, KeysOfEachExample) {
  const random::Key base(7);
  const std::vector<random::Key> keys = random::split(base, 4);
  U64s expected;
  for (const random::Key key : keys) expected.push_back(key.bits);
  const Tensor all = random::keys(base, 4);
  EXPECT_EQ(all.to_vector<std::uint64_t>(), expected);
  EXPECT_EQ(random::split(all[1], 2).to_vector<std::uint64_t>(),
            U64s({random::split(keys[1])[0].bits, random::split(keys[1])[1].bits}));
  EXPECT_EQ(random::fold_in(all[2], 12345).to_vector<std::uint64_t>(), U64s({random::fold_in(keys[2], 12345).bits}));
  const auto check =
      [&](const auto& draw) {  // every example draws what a function of its key draws, whatever the randomness is
        std::vector<Tensor> each;
        for (const random::Key key : keys) each.push_back(draw(random::AnyKey(key)));
        const Tensor one_by_one = stack(each);
        for (const Randomness randomness : {Randomness::same, Randomness::different, Randomness::error}) {
          const Tensor drawn = vmap([&](const Tensor& key) { return draw(random::AnyKey(key)); },
                                    {.randomness = randomness})(random::keys(base, 4));
          expect_values(drawn, one_by_one.shape(), one_by_one.to_vector<double>());
        }
      };
  check([](const random::AnyKey& key) { return random::uniform(key, {3, 5}); });
  check([](const random::AnyKey& key) { return random::uniform(key, {7}, DType::f64); });
  check([](const random::AnyKey& key) { return random::normal(key, {2, 3}); });
  check([](const random::AnyKey& key) { return random::integers(key, {9}, -5, 20); });
  check([](const random::AnyKey& key) { return random::bits(key, {6}, DType::u8); });
  check([](const random::AnyKey& key) { return random::permutation(key, 6); });
  check([](const random::AnyKey& key) { return random::categorical(key, tensor({0.f, 1.f, 2.f})); });
  check([](const random::AnyKey& key) { return dropout(key, ones({8}), 0.5); });
  check([](const random::AnyKey& key) { return random::bernoulli(key, {0}, 0.5); });
}

TEST(VmapOptions, KeysAreSplitInsideAndPassedToCompiledFunctions) {
  const auto walk = [](const Tensor& key) {
    const Tensor two = random::split(key);
    return random::normal(two[0], {2}) + random::uniform(random::fold_in(two[1], 3), {2});
  };
  const auto of_key = [](random::Key key) {
    const auto two = random::split(key);
    return random::normal(two[0], {2}) + random::uniform(random::fold_in(two[1], 3), {2});
  };
  auto run = compile([&](const Tensor& keys) { return vmap(walk)(keys); });
  for (const std::uint64_t seed : {1, 2}) {
    std::vector<Tensor> each;
    for (const random::Key key : random::split(random::Key(seed), 3)) each.push_back(of_key(key));
    expect_values(run(random::keys(random::Key(seed), 3)), {3, 2}, stack(each).to_vector<double>());
  }
  expect_error([] { random::uniform(ones({2}), {3}); },
               "random::uniform: a key is one number of u64, got tensor<2xf32>");
}

TEST(VmapOptions, DrawsMayBeErrors) {
  const auto noisy = [](const Tensor& row) { return row + random::uniform(random::Key(5), {2}); };
  expect_error(
      [&] { vmap(noisy, {.randomness = Randomness::error})(zeros({3, 2})); },
      "vmap: random numbers are drawn with a key that all examples share: give each a key of its own, or choose "
      "Randomness::same or Randomness::different");
}

struct Layer {
  Parameter weight{numbers({3, 2})};
  Tensor operator()(const Tensor& x) const { return matmul(x, weight); }
  void fields(auto&& field) { field("weight", weight); }
};

// The number of matrix products of a graph of StableHLO, and the rank of their operands.
int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(Vmap, KeepsAProductWithAMatrixFromOutsideOneProduct) {
  const Layer layer;
  const Tensor x = numbers({4, 3});
  const auto mapped = vmap([&](const Tensor& row) { return layer(row); });
  const std::string text = export_stablehlo(mapped, x);
  EXPECT_EQ(count(text, "dot_general"), 1);
  EXPECT_THAT(text, HasSubstr("(tensor<4x1x3xf64>, tensor<3x2xf64>) -> tensor<4x1x2xf64>"));
}

TEST(Vmap, GradientsOfEachExample) {
  Layer layer;
  const Tensor x = numbers({4, 3}, 1), y = numbers({4, 2}, 2);
  const auto loss = [&](const Tensor& row, const Tensor& target) { return mse_loss(layer(row), target); };
  const Tensor each =
      vmap([&](const Tensor& row, const Tensor& target) { return grad(loss(row, target), layer.weight); })(x, y);
  Tensors expected;
  for (int i = 0; i < 4; ++i) expected.push_back(grad(loss(x[i], y[i]), layer.weight));
  expect_values(each, {4, 3, 2}, stack(expected).to_vector<double>(), 1e-14);
}

TEST(Vmap, ResultsHaveGradients) {
  const Tensor x = numbers({4, 3}, 1), w = numbers({3}, 2);
  const auto mapped = vmap([&](const Tensor& row) { return sum(sin(row) * w); });
  const Tensor direct = sum(square(sum(sin(x) * w, 1))), through = sum(square(mapped(x)));
  expect_values(grad(through, w), {3}, grad(direct, w).to_vector<double>(), 1e-14);
  expect_values(grad(through, x), {4, 3}, grad(direct, x).to_vector<double>(), 1e-14);
}

TEST(Vmap, ComposesWithCompileAndGrad) {
  const auto f = [](const Tensor& x) { return sum(x * x * x); };
  const auto compiled = compile([&](const Tensor& xs) { return vmap(grad(f))(xs); });
  const Tensor x = numbers({4, 3});
  for (int i = 0; i < 2; ++i) expect_values(compiled(x), {4, 3}, (x * x * 3.0).to_vector<double>(), 1e-14);
  EXPECT_EQ(compiled.explain().compiles, 1u);
}

TEST(Vmap, Errors) {
  const Tensor x = zeros({4, 3}), y = zeros({5});
  const auto add = [](const Tensor& a, const Tensor& b) { return a + b; };
  expect_error(
      [&] { vmap(add)(x, y); },
      "vmap: the number of examples is 4 by axis 0 of argument 0, tensor<4x3xf32>, and 5 by axis 0 of argument 1, "
      "tensor<5xf32>");
  expect_error([&] { vmap(add, {.in_axes = {0, 1}})(x, y); }, "vmap: argument 1 is tensor<5xf32>, which has no axis 1");
  expect_error(
      [&] { vmap(add)(x, zeros({})); },
      "vmap: argument 1 is tensor<f32>, which has no axis 0: name it unbatched in in_axes if it is the same for all "
      "examples");
  expect_error([&] { vmap(add, {.in_axes = {0}})(x, y); }, "vmap: in_axes names 1 axes for 2 arguments");
  expect_error(
      [&] { vmap(add, {.in_axes = {unbatched, unbatched}})(x, y); },
      "vmap: no argument is batched: in_axes names an axis of none; the option size gives the number of examples");
  expect_error([&] { vmap([](const Tensor& a) { return a; }, {.out_axes = {2}})(x); },
               "vmap: result 0 of one example is tensor<3xf32>, which has no place for axis 2 of out_axes");
  expect_error([&] { vmap([](const Tensor& a) { return a; }, {.out_axes = {unbatched}})(x); },
               "vmap: result 0 depends on the example, so out_axes must name an axis for it");
  expect_error([&] { vmap([](const Tensor& a) { return a; }, {.out_axes = {0, 0}})(x); },
               "vmap: out_axes names 2 axes for 1 tensors in the result");
  expect_error(
      [&] { vmap([](const Layer& layer) { return layer.weight.tensor(); })(Layer()); },
      "vmap: an argument holds a Parameter, so it is a model: let the function use the model from outside, or take its "
      "tensors");
  expect_error([&] { vmap([](const Tensor& a) { return a * a[0].item(); })(x); },
               "item: a value cannot be read inside the body of a loop or branch, or a function of vmap or jvp, which "
               "is recorded, not run: "
               "return it from there and read it outside, or decide on the device with where or cond");
  EXPECT_EQ((tensor(1) + 1).item(), 2) << "recording goes on after an error in a function";
}

TEST(Vmap, RefusesToWriteParameters) {
  Layer layer;
  const Tensor x = zeros({4, 3, 2}, DType::f64);
  try {
    vmap([&](const Tensor& a) {
      layer.weight = a;
      return a;
    })(x);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("a parameter, tensor<3x2xf64>, is written inside the body of a loop, branch or checkpoint, or "
                  "a function of vmap or jvp"));
  }
}

}  // namespace
}  // namespace weft
