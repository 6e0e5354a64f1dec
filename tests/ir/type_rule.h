// Checks which types the type rules infer and which calls they reject. Each message names the op, says what is wrong and ends
// with the operand types.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/ops.h>

namespace weft::ir {

using Dims = std::vector<std::int64_t>;
using Build = std::function<std::vector<Value>(Graph&, std::span<const Value>)>;

inline const Type predicate(DType::boolean, {}), scalar(DType::f32, {}), index(DType::i32, {});
inline Type f32(std::initializer_list<Dim> dims) { return Type(DType::f32, dims); }
inline Type i32(std::initializer_list<Dim> dims) { return Type(DType::i32, dims); }

// Returns the types of the values that `build` returns.
inline std::vector<Type> inferred(std::vector<Type> inputs, const Build& build) {
  const auto graph = make_graph(inputs, build);
  std::vector<Type> types;
  for (const Value v : graph->outputs()) types.push_back(v.type());
  return types;
}

struct Refusal {
  std::string message;  // a part of the message
  std::vector<Type> inputs;
  Build build;
};

inline void expect_refused(const Op& op, std::initializer_list<Refusal> refusals) {
  for (const Refusal& r : refusals) {
    SCOPED_TRACE(r.message);
    std::string types;
    for (const Type t : r.inputs) types += (types.empty() ? "" : ", ") + concat(t);
    try {
      inferred(r.inputs, r.build);
      ADD_FAILURE() << op.name << " was accepted";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::StartsWith(std::string(op.name) + ": "));
      EXPECT_THAT(error.what(), ::testing::HasSubstr(r.message));
      EXPECT_THAT(error.what(), ::testing::EndsWith("(operands: " + (types.empty() ? "none" : types) + ")"));
      EXPECT_THAT(error.what(), ::testing::Not(::testing::HasSubstr("\n")));
    }
  }
}

template <class F>
Build returns(F f) {
  return [f](Graph&, std::span<const Value> x) { return std::vector<Value>{f(x)}; };
}

}  // namespace weft::ir
