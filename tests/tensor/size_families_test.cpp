// Recordings that differ only in sizes share one program from the second on. Its results equal those of programs for
// each size, bitwise in strict mode.
#include <weft/record/size_families.h>

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/base/metrics.h>
#include <weft/weft.h>

namespace weft {
namespace {

using Sizes = std::vector<std::int64_t>;
using Bits = std::vector<std::vector<float>>;

Tensor numbers(const Shape& shape, int seed) {
  Tensor x = random::normal(random::Key(static_cast<std::uint64_t>(seed)), shape);
  sync();
  return x;
}

struct Case {
  const char* name;
  std::function<std::vector<Tensor>(std::int64_t b, std::int64_t t)> run;
  int compiles = 2;
};

const Tensor& weight() {
  static const Tensor w = numbers({6, 5}, 1);
  return w;
}

std::vector<Tensor> step(const Tensor& loss, const std::vector<Tensor>& wrt) {
  std::vector<Tensor> all = grad(loss, wrt);
  all.push_back(loss);
  return all;
}

const Case cases[] = {
    {"pointwise",
     [](std::int64_t b, std::int64_t t) { return std::vector{tanh(numbers({b, t}, 2) * 2 + 1) - numbers({t}, 3)}; }},
    {"softmax", [](std::int64_t b, std::int64_t t) { return std::vector{softmax(numbers({b, t}, 2), -1)}; }},
    {"mean",
     [](std::int64_t b, std::int64_t t) { return std::vector{mean(numbers({b, t}, 2)), sum(numbers({b, t}, 2), 0)}; }},
    {"sums for each channel",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, 3, t, 8}, 2);
       return std::vector{sum(x * x, {0, 2, 3}), sum(x, {0, 3}), sum(x, {0, 2})};
     }},
    {"layer norm",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t, 6}, 2);
       return step(sum(pow(layer_norm(x, ones({6})), 2) * x), {x});
     }},
    {"linear step",
     [](std::int64_t b, std::int64_t) {
       const Tensor x = numbers({b, 6}, 2);
       return step(mean(pow(relu(matmul(x, weight())) + 1, 2)), {weight(), x});
     }},
    {"tokens as rows",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = reshape(numbers({b, t, 6}, 2), {b * t, 6});
       return std::vector{reshape(matmul(x, weight()), {b, t, 5}), transpose(reshape(x, {b, t, 2, 3}), 1, 2) + 1};
     }},
    {"pairs",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, 2 * t}, 2), y = numbers({4 * t, 6}, 3);
       return step(sum(exp(reshape(x, {b, t, 2})[0][0]) * sum(softmax(reshape(y, {t, 4, 6}), 1), {0, 1, 2})), {x, y});
     }},
    {"attention",
     [](std::int64_t b, std::int64_t t) {
       const Tensor q = numbers({b, 2, t, 4}, 2), k = numbers({b, 2, t, 4}, 3), v = numbers({b, 2, t, 4}, 4);
       const Tensor y = matmul(softmax(matmul(q, transpose(k, 2, 3)) * 0.5, -1), v);
       return step(sum(y * y), {q, k, v});
     }},
    {"causal mask",
     [](std::int64_t b, std::int64_t t) {
       const Tensor at = arange(t), scores = numbers({b, t, t}, 2);
       return std::vector{softmax(where(reshape(at, {t, 1}) >= reshape(at, {1, t}), scores, -1e9), -1)};
     }},
    {"growing concatenation",
     [](std::int64_t b, std::int64_t t) {
       return std::vector{concatenate({numbers({b, 3}, 2), numbers({t, 3}, 3) * 2}) + 1};
     }},
    {"slices of other dimensions",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t, 6}, 2);
       return std::vector{sum(x[0] * 0 + 1), mean(transpose(x, 0, 1), 0)};
     }},
    {"next to the one before",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t, 3}, 2);
       return step(sum(slice(x, 1, 1) * slice(x, 1, 0, -1)), {x});
     }},
    {"the last one",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t, 6}, 2);
       return step(sum(pow(matmul(select(x, 1, -1), weight()), 2)), {x});
     }},
    {"the first and the last ones",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = concatenate({numbers({3, t}, 2), numbers({b, t}, 3)});
       return step(sum(tanh(slice(x, 0, 0, 3) - slice(x, 0, -3))), {x});
     }},
    {"from a place that the host gives",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = concatenate({numbers({b, t}, 2), numbers({b, 7}, 3)}, 1);
       return step(sum(exp(narrow(x, 1, t * 3 % 7, 4))), {x});
     },
     3},  // two sizes suggest a relation that the third one refutes
    {"parts of one size of what changes",
     [](std::int64_t b, std::int64_t t) {
       const Tensor rows = concatenate({numbers({b, 6}, 2), numbers({3, 6}, 3)}), columns = numbers({2, 6, t}, 4);
       return std::vector{matmul(slice(rows, 0, -3), weight()), matmul(transpose(narrow(columns, 2, 0, 1)), weight()),
                          sum(slice(rows, 0, -3), 1), slice(rows, 0, -1) * 2};
     }},
    {"what the host takes of what never changes",
     [](std::int64_t b, std::int64_t) { return std::vector{narrow(arange(12) * 2.0, 0, b % 11, 1) + 1}; }},
    {"every second one",
     [](std::int64_t b, std::int64_t t) { return std::vector{slice(numbers({b, 2 * t}, 2), 1, 0, to_end, 2) + 1}; },
     3},  // halves are not expressible: the third size refutes what two suggest
    {"gradient of every second one",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t}, 2);
       return step(sum(exp(slice(x, 1, 0, to_end, 2))), {x});
     },
     3},  // the padding after the last element depends on whether the size is even
    {"rows of a table",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t}, 2), last = numbers({b + 3, t}, 3);
       return step(sum(exp(take(last, argmax(x, 0)) * take(x, tensor({0, 0}, DType::i32), 1)[0][0])), {x, last});
     }},
    {"gather and scatter",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t, 3}, 2), places = argsort(x, 1);
       return step(sum(sin(gather(x, 1, places))) + sum(exp(scatter_add(x, 1, places, x * 2))), {x});
     }},
    {"windows",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, 2, t, t + 3}, 2), kernel = numbers({3, 2, 3, 3}, 3);
       return step(sum(tanh(conv2d(x, kernel, {.padding = 1}))), {x, kernel});
     }},
    {"windows that step",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, 2, t, 8}, 2), kernel = numbers({3, 2, 3, 3}, 3);
       const Tensor y = conv2d(x, kernel, {.stride = 2, .padding = 1});
       return std::vector{y, max_pool2d(x, 3, {.stride = 2, .padding = 1}),
                          avg_pool2d(x, 3, {.stride = 1, .padding = 1})};
     }},
    {"gradient of the greatest of each window",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, 2, t, 8}, 2);
       return step(sum(exp(max_pool2d(x, 3, {.stride = 2, .padding = 1}))), {x});
     }},
    {"loop",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t, 5}, 2), w = numbers({5, 5}, 3);
       const std::vector<Tensor> first{x};
       const Tensor y = for_loop(3, first, [&](const Tensor&, const std::vector<Tensor>& v) {
         return std::vector{tanh(matmul(v[0], w)) - mean(v[0], {1}, true)};
       })[0];
       return step(sum(y * y), {x, w});
     },
     4},  // a size of 1 needs no broadcast: a different graph
    {"scan over what changes",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({t, b, 5}, 2), w = numbers({5, 5}, 3);
       const std::vector<Tensor> first{zeros({b, 5})}, inputs{x};
       const auto all = scan(first, inputs, [&](const std::vector<Tensor>& h, const std::vector<Tensor>& in) {
         const Tensor next = tanh(matmul(h[0], w) + in[0]);
         return std::pair(std::vector{next}, std::vector{next * 2});
       });
       return step(sum(all.stacked[0]) + sum(all.values[0]), {x, w});
     }},
    {"branches",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t, 6}, 2);
       const Tensor y = cond(
           sum(x) > 0.0, [&] { return std::vector{matmul(x, weight()) / double(b * t)}; },
           [&] { return std::vector{matmul(x * 2, weight()) / double(b * t)}; })[0];
       return step(sum(exp(y)), {x});
     }},
    {"a condition on what changes",
     [](std::int64_t b, std::int64_t t) {
       const std::vector<Tensor> first{numbers({b, t}, 2)};
       return while_loop(
           first, [](const std::vector<Tensor>& v) { return mean(square(v[0])) > 0.001; },
           [](const std::vector<Tensor>& v) { return std::vector{v[0] * 0.5 - mean(v[0] * 0.25)}; });
     }},
    {"composites computed again",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t, 6}, 2);
       const auto block = checkpoint([](const Tensor& h) { return gelu(softmax(layer_norm(h, ones({6})), 1)); });
       return step(sum(exp(block(x))), {x});
     }},
    {"parts at places that are data",
     [](std::int64_t b, std::int64_t t) {
       const Tensor x = numbers({b, t, 4}, 2), zero = tensor(0, DType::i32);
       const std::vector<Tensor> starts{zero, zero, sum(x[0] > 9.0)};
       const Tensor part = dynamic_slice(x, starts, {b, 1, 4});
       return step(sum(exp(dynamic_update_slice(x, part * 2, starts))), {x});
     }},
};

class SizeFamilies : public testing::TestWithParam<Case> {};

Bits bits_of(const std::vector<Tensor>& tensors) {
  Bits bits;
  for (const Tensor& x : tensors) bits.push_back(x.to_vector<float>());
  return bits;
}

// Runs every case at several sizes, after two sizes that make the program.
TEST_P(SizeFamilies, GiveTheBitsOfProgramsOfTheirOwn) {
  const knobs::Override strict{knobs::strict, true};
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes{{8, 12}, {9, 17}, {3, 40}, {1, 12},
                                                                 {8, 1},  {1, 1},  {64, 3}, {33, 129}};
  clear_graph_cache();
  std::vector<Bits> got, want;
  for (const auto& [b, t] : sizes) got.push_back(bits_of(GetParam().run(b, t)));
  const record::SymbolicSizesScope off(false);
  clear_graph_cache();
  for (const auto& [b, t] : sizes) want.push_back(bits_of(GetParam().run(b, t)));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    EXPECT_EQ(got[i], want[i]) << GetParam().name << " at " << sizes[i].first << ", " << sizes[i].second;
}

TEST_P(SizeFamilies, CompileTwice) {
  clear_graph_cache();
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes{{8, 12}, {9, 17}, {3, 40},  {1, 12},
                                                                 {8, 1},  {1, 1},  {33, 129}};
  int compiled = 0;
  for (const auto& [b, t] : sizes) {
    const auto results = GetParam().run(b, t);
    sync();
    compiled += last_sync().compiled;
  }
  EXPECT_EQ(compiled, GetParam().compiles);
}

// Neither graph is the other with fewer broadcasts: each gets its own program for all sizes.
TEST(SizeFamiliesOfOneStructure, WithBroadcastsInOtherPlacesAreSeveral) {
  clear_graph_cache();
  int compiled = 0;
  for (const std::int64_t rows : {3, 5, 7, 1, 9})
    for (const bool is_first_longer : {true, false}) {
      const Tensor a = numbers({is_first_longer ? rows : 1, 4}, 1), b = numbers({is_first_longer ? 1 : rows, 4}, 2);
      const Tensor y = a + b;
      sync();
      compiled += last_sync().compiled;
      const std::vector<float> x = a.to_vector<float>(), z = b.to_vector<float>(), got = y.to_vector<float>();
      ASSERT_EQ(got.size(), static_cast<std::size_t>(rows * 4));
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], x[i % x.size()] + z[i % z.size()]) << i;
    }
  EXPECT_EQ(compiled, 4);
}

// Graphs with different attributes other than sizes are unrelated: neither affects the program of the other.
TEST(SizeFamiliesOfOneStructure, AreSeveral) {
  clear_graph_cache();
  const Tensor kernel = numbers({3, 2, 3, 3}, 3);
  int compiled = 0;
  for (const std::int64_t size : {8, 12, 9, 17, 30})
    for (const std::int64_t stride : {1, 2, 3}) {
      const Tensor y = conv2d(numbers({2, 2, size, 8}, 2), kernel, {.stride = stride, .padding = 1});
      sync();
      compiled += last_sync().compiled;
    }
  EXPECT_EQ(compiled, 6);
}

INSTANTIATE_TEST_SUITE_P(Cases, SizeFamilies, testing::ValuesIn(cases), [](const auto& instance) {
  std::string name = instance.param.name;
  for (char& c : name)
    if (c == ' ') c = '_';
  return name;
});

}  // namespace
}  // namespace weft
