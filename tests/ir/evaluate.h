// Runs a function of graph values on arrays, for tests.
#pragma once

#include <initializer_list>
#include <vector>

#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>

namespace weft::ir {

// Returns the results of f(graph, values), which returns a Value or a vector of them, interpreted for these inputs.
template <class F>
std::vector<Array> evaluate_all(const std::vector<Array>& inputs, F&& f) {
  Graph graph;
  std::vector<Value> values;
  for (const Array& input : inputs) values.push_back(graph.add_input(input.type()));
  graph.set_outputs({f(graph, std::span<const Value>(values))});
  return interpret(graph, inputs);
}

template <class F>
Array evaluate(const std::vector<Array>& inputs, F&& f) {
  return evaluate_all(inputs, std::forward<F>(f)).at(0);
}

// Evaluates one op on one, two or three values.
inline Array evaluate(Value (*f)(Value), const Array& x) {
  return evaluate({x}, [&](Graph&, auto in) { return f(in[0]); });
}
inline Array evaluate(Value (*f)(Value, Value), const Array& a, const Array& b) {
  return evaluate({a, b}, [&](Graph&, auto in) { return f(in[0], in[1]); });
}
inline Array evaluate(Value (*f)(Value, Value, Value), const Array& a, const Array& b, const Array& c) {
  return evaluate({a, b, c}, [&](Graph&, auto in) { return f(in[0], in[1], in[2]); });
}

}  // namespace weft::ir
