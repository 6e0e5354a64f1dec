// Decoders whose key-value cache grows with every call, and recurrent networks over sequences of several lengths: the
// number of compiles, and that the values equal those of the uncompiled function.
#include <functional>
#include <string>
#include <vector>

#include "tests/jit/compile.h"
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;
using test::expect_values;

constexpr std::int64_t batch = 2, heads = 2, width = 4;

struct Heads {
  Tensor query, key, value;
};

// Splits x [batch, time, heads width] into heads of queries, keys and values.
Heads heads_of(const Tensor& x) {
  const Tensor apart = permute(reshape(x, {batch, x.size(1), heads, width}), {0, 2, 1, 3});
  return {apart * 1.5, apart + 0.5, tanh(apart)};
}

// Computes the output for x [batch, time, heads width] from the earlier keys and from the extended cache.
using Decoder =
    std::function<Tensor(const Tensor& x, const Tensor& past_keys, const Tensor& keys, const Tensor& values)>;

Tensor causal(const Tensor& x, const Tensor&, const Tensor& keys, const Tensor& values) {
  return scaled_dot_product_attention(heads_of(x).query, keys, values, {.causal = true});
}

Tensor with_positions(const Tensor& x, const Tensor& past, const Tensor& keys, const Tensor& values) {
  const Tensor table = reshape(arange(64 * heads * width).to(x.dtype()), {64, heads * width}) * 1e-3;
  const Tensor here = slice(table, 0, past.size(2), past.size(2) + x.size(1));
  return scaled_dot_product_attention(heads_of(x + here).query, keys, values, {.causal = true});
}

Tensor with_a_mask(const Tensor& x, const Tensor& past, const Tensor& keys, const Tensor& values) {
  const Tensor rows = unsqueeze(arange(x.size(1)), 1), columns = unsqueeze(arange(keys.size(2)), 0);
  return scaled_dot_product_attention(heads_of(x).query, keys, values, {.mask = columns <= rows + past.size(2)});
}

Tensor with_rotations(const Tensor& x, const Tensor& past, const Tensor& keys, const Tensor& values) {
  const Tensor positions = arange(x.size(1)).to(x.dtype()) + static_cast<double>(past.size(2));
  const Tensor angle = unsqueeze(positions, 1) * unsqueeze(exp(arange(width / 2).to(x.dtype()) * -1.0), 0);
  const Tensor c = cos(angle), s = sin(angle);
  const std::vector<Tensor> halves = chunk(heads_of(x).query, 2, -1);
  const Tensor turned = concatenate({halves[0] * c - halves[1] * s, halves[0] * s + halves[1] * c}, -1);
  return scaled_dot_product_attention(turned, keys, values, {.causal = true});
}

struct Case {
  const char* name;
  Decoder decoder;
};
const Case cases[] = {
    {"causal", causal}, {"positions", with_positions}, {"mask", with_a_mask}, {"rotations", with_rotations}};

class GrowingCache : public testing::Test {
 protected:
  GrowingCache() { clear_graph_cache(); }

  // Decodes a prompt and then token by token, starting with a cache of size `start`; returns the number of compiles.
  static std::uint64_t compiles(const Case& c, std::int64_t start, std::int64_t prompt, bool is_marked) {
    clear_graph_cache();
    const auto step = [&](const Tensor& x, const Tensor& past_keys, const Tensor& past_values) {
      const Heads now = heads_of(x);
      const Tensor keys = concatenate({past_keys, now.key}, 2), values = concatenate({past_values, now.value}, 2);
      return std::tuple(c.decoder(x, past_keys, keys, values), keys, values);
    };
    const auto compiled = compile(step);
    Tensor keys = arbitrary({batch, heads, start, width}, 1), values = arbitrary({batch, heads, start, width}, 2);
    for (int i = 0; i < 10; ++i) {
      const Tensor x = arbitrary({batch, i == 0 ? prompt : 1, heads * width}, i);
      sync();
      if (is_marked) {
        mark_dynamic(x, 1, {.name = "time"});
        mark_dynamic(keys, 2, {.name = "past"});
        mark_dynamic(values, 2, {.name = "past"});
      }
      const auto [y, next_keys, next_values] = compiled(x, keys, values);
      const auto [plain, plain_keys, plain_values] = step(x, keys, values);
      const std::vector<std::int64_t> shape{batch, heads, x.size(1), width};
      expect_values(y, Shape(shape), plain.to_vector<double>(), 1e-12);
      keys = next_keys, values = next_values;
    }
    return compiled.explain().compiles;
  }
};

TEST_F(GrowingCache, CompilesOnceWhereItIsMarkedAndElseTwice) {
  for (const Case& c : cases)
    for (const std::int64_t start : {0, 1, 5})
      for (const std::int64_t prompt : {1, 3}) {
        SCOPED_TRACE(concat(c.name, ", cache of ", start, ", prompt of ", prompt));
        EXPECT_EQ(compiles(c, start, prompt, true), 1u);
        EXPECT_LE(compiles(c, start, prompt, false), 2u);
      }
}

TEST_F(GrowingCache, OfALongPromptIsTheProgramOfOneToken) { EXPECT_EQ(compiles(cases[0], 0, 200, true), 1u); }

struct Recurrent {
  nn::LSTM lstm{3, 4, 2, {.dtype = DType::f64}};
  nn::GRU gru{4, 5, 1, {.dtype = DType::f64}};
  Tensor operator()(const Tensor& x) const { return sum(square(select(gru(lstm(x).values).values, 1, -1))); }
  void fields(auto&& field) {
    field("lstm", lstm);
    field("gru", gru);
  }
};

TEST_F(GrowingCache, SequencesOfAnyLengthShareAProgram) {
  for (const bool is_marked : {true, false}) {
    clear_graph_cache();
    Recurrent model;
    const std::vector<Parameter*> all = parameters(model);
    const auto step = [&](const Tensor& x) { return std::pair(model(x), grad(model(x), all)); };
    const auto compiled = compile(step);
    for (const std::int64_t length : {7, 9, 4, 12, 1, 2}) {
      SCOPED_TRACE(length);
      const Tensor x = arbitrary({2, length, 3}, static_cast<int>(length));
      sync();
      if (is_marked) mark_dynamic(x, 1, {.name = "length"});
      const auto [loss, gradients] = compiled(x);
      const auto [plain, plain_gradients] = step(x);
      EXPECT_NEAR(loss.item<double>(), plain.item<double>(), 1e-12);
      for (std::size_t i = 0; i < all.size(); ++i)
        expect_values(gradients[i], all[i]->shape(), plain_gradients[i].to_vector<double>(), 1e-10);
    }
    EXPECT_EQ(compiled.explain().compiles, is_marked ? 1u : 2u);
  }
}

// Compares with a loop on the host, whose gradient adds the contribution of every step to the weights.
TEST_F(GrowingCache, TheGradientOfARecurrentLayerIsThatOfItsSteps) {
  nn::LSTM lstm(3, 4, 1, {.dtype = DType::f64});
  const std::vector<Parameter*> all = parameters(lstm);
  for (const std::int64_t rows : {1, 2, 30}) {  // if few: one product of all steps follows the loop
    const Tensor x = arbitrary({rows, 5, 3}, 3);
    const auto unrolled = [&] {
      Tensor hidden = zeros({rows, 4}, DType::f64), cell = hidden, total = zeros({}, DType::f64);
      for (std::int64_t t = 0; t < 5; ++t) {
        const Tensor in = linear(select(x, 1, t), lstm.units[0].weight_ih, *lstm.units[0].bias_ih);
        const auto gates = chunk(in + linear(hidden, lstm.units[0].weight_hh, *lstm.units[0].bias_hh), 4, -1);
        cell = sigmoid(gates[1]) * cell + sigmoid(gates[0]) * tanh(gates[2]);
        hidden = sigmoid(gates[3]) * tanh(cell);
        total = total + sum(square(hidden));
      }
      return total;
    };
    const std::vector<Tensor> got = grad(sum(square(lstm(x).values)), all), expected = grad(unrolled(), all);
    for (std::size_t i = 0; i < all.size(); ++i)
      expect_values(got[i], all[i]->shape(), expected[i].to_vector<double>(), 1e-12);
  }
}

}  // namespace
}  // namespace weft
