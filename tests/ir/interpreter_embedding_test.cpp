// Values, types and errors of lookups in embedding tables and of their update.
#include <tests/ir/evaluate.h>
#include <tests/ir/type_rule.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/ops.h>

namespace weft::ir {
namespace {

using Ids = std::vector<std::int64_t>;

const Array& table() {
  static const Array rows = Array::of<float>({4, 2}, {1, 2, 10, 20, 100, 200, 1000, 2000});
  return rows;
}
const Array& ids() {
  static const Array values = Array::of<std::int64_t>({5}, {0, 2, 2, 1, 3});
  return values;
}
// Two keys, two samples: {0, 2}, {}, {2}, {1}; the last id is padding.
const Array& ends() {
  static const Array values = Array::of<std::int32_t>({2, 2}, {2, 2, 3, 4});
  return values;
}

const Ids both_keys{0, 1}, one_table{0, 0}, sum_and_mean{0, 1}, one_mean{1, 0};
const EmbeddingAttributes second_key_averaged{both_keys, one_table, sum_and_mean, false, IdBounds::ERROR, "user,item"};
const EmbeddingAttributes first_key_averaged{both_keys, one_table, one_mean, false, IdBounds::ERROR, "user,item"};

TEST(EmbeddingBag, PoolsBagsOfEachKey) {
  const auto lookup = [](const EmbeddingAttributes& a) {
    return [&a](Graph&, auto in) {
      return embedding_bag(in.first(1), {in[1], in[2], in.size() > 3 ? in[3] : Value()}, a);
    };
  };
  EXPECT_EQ(evaluate({table(), ids(), ends()}, lookup(second_key_averaged)),
            Array::of<float>({2, 4}, {101, 202, 100, 200, 0, 0, 10, 20}));
  EXPECT_EQ(evaluate({table(), ids(), ends()}, lookup(first_key_averaged)),
            Array::of<float>({2, 4}, {50.5, 101, 100, 200, 0, 0, 10, 20}));
  EXPECT_EQ(evaluate({table(), ids(), ends(), Array::of<float>({5}, {3, 1, -1, 0, 7})}, lookup(second_key_averaged)),
            Array::of<float>({2, 4}, {103, 206, -100, -200, 0, 0, 0, 0}));
}

TEST(EmbeddingBag, GradientsSumCotangentsOfEachRow) {
  const Array cotangent = Array::of<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(evaluate({cotangent, ids(), ends()},
                     [](Graph&, auto in) {
                       return embedding_bag_gradient(in[0], {in[1], in[2]}, std::array{table().type()},
                                                     first_key_averaged)[0];
                     }),
            Array::of<float>({4, 2}, {0.5, 1, 7, 8, 3.5, 5, 0, 0}));
  EXPECT_EQ(evaluate({table(), cotangent, ids(), ends()},
                     [](Graph&, auto in) {
                       return embedding_weights_gradient(in.first(1), in[1], {in[2], in[3]}, first_key_averaged);
                     }),
            Array::of<float>({5}, {2.5, 250, 1100, 230, 0}));
}

std::string error_of(const Array& with_ids, const Array& with_ends) {
  try {
    evaluate({table(), with_ids, with_ends},
             [](Graph&, auto in) { return embedding_bag(in.first(1), {in[1], in[2]}, second_key_averaged); });
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(EmbeddingBag, RefusesBadIdsAndEnds) {
  EXPECT_THAT(error_of(Array::of<std::int64_t>({5}, {0, 2, 2, -1, 3}), ends()),
              testing::HasSubstr("id -1 of \"item\", sample 1, is no row of its table, which has 4 rows"));
  EXPECT_THAT(error_of(ids(), Array::of<std::int32_t>({2, 2}, {2, 1, 3, 4})),
              testing::HasSubstr("the bag of \"user\", sample 1, begins at 2 and ends at 1, with 5 ids in all"));
  EXPECT_THAT(error_of(ids(), Array::of<std::int32_t>({2, 2}, {2, 2, 3, 6})),
              testing::HasSubstr("ends at 6, with 5 ids"));
}

// Each row of the table becomes value - rate * gradient, its state the number of updates.
TEST(EmbeddingUpdate, ChangesEachRowThatOccursOnce) {
  const Ids lookups{0, 0}, columns{0, 2}, weighted{0}, bodies{0};
  const EmbeddingUpdateAttributes attributes{.lookups = lookups,
                                             .keys = both_keys,
                                             .columns = columns,
                                             .tables = one_table,
                                             .means = one_mean,
                                             .weighted = weighted,
                                             .bodies = bodies,
                                             .states = 1,
                                             .bounds = IdBounds::ERROR,
                                             .names = ""};
  const Type row(DType::f32, {2}), number(DType::f32, {});
  const auto body = make_graph(std::array{row, row, number, number}, [&](Graph&, auto x) {
    return std::vector{x[0] - broadcast(x[3], row) * x[1], x[2] + constant_like(x[2], 1)};
  });
  const Array state = Array::of<float>({4}, {5, 5, 5, 5}),
              cotangent = Array::of<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto results =
      evaluate_all({table(), state, cotangent, ids(), ends(), Array::scalar<float>(2)}, [&](Graph& graph, auto in) {
        Node& node = graph.append(ops::embedding_update, in, &attributes, {}, std::array{body});
        return std::vector{node.result(0), node.result(1)};
      });
  EXPECT_EQ(results[0], Array::of<float>({4, 2}, {0, 0, -4, 4, 93, 190, 1000, 2000}));
  EXPECT_EQ(results[1], Array::of<float>({4}, {6, 6, 6, 5}));
}

TEST(EmbeddingTypes, AreChecked) {
  const auto lookup = [](auto x) {
    return std::vector{embedding_bag(x.first(1), {x[1], x[2], x.size() > 3 ? x[3] : Value()}, second_key_averaged)};
  };
  const Build build = [&](Graph&, std::span<const Value> x) { return lookup(x); };
  EXPECT_EQ(inferred({f32({7, 3}), i32({9}), i32({2, 5})}, build), std::vector{f32({5, 6})});
  EXPECT_EQ(inferred({Type(DType::bf16, {7, 3}), i32({9}), i32({2, 5})}, build), std::vector{f32({5, 6})});
  expect_refused(ops::embedding_bag,
                 {{"tables must be matrices", {f32({7}), i32({9}), i32({2, 5})}, build},
                  {"tables must be of floating-point numbers", {i32({7, 3}), i32({9}), i32({2, 5})}, build},
                  {"ids must be a vector, or a matrix", {f32({7, 3}), f32({9}), i32({2, 5})}, build},
                  {"ends must be [keys, batch], or", {f32({7, 3}), i32({9}), i32({10})}, build},
                  {"keys: 1 is out of range", {f32({7, 3}), i32({9}), i32({1, 5})}, build},
                  {"weights must be tensor<9xf32>", {f32({7, 3}), i32({9}), i32({2, 5}), f32({8})}, build}});
}

}  // namespace
}  // namespace weft::ir
