// Evaluates text about complex numbers on std::complex, for tests.
#pragma once

#include <algorithm>
#include <complex>
#include <iterator>
#include <string>
#include <vector>

#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

namespace weft::ir {

using Number = std::complex<double>;
using Values = std::vector<Number>;

template <class T>
Array array(const std::vector<double>& values) {
  Array result(Type(dtype_of<T>, {std::ssize(values)}));
  std::ranges::transform(values, result.data<T>().begin(), [](double x) { return static_cast<T>(x); });
  return result;
}

// Returns the parts of the numbers as the two inputs of a complex argument.
template <class T>
std::vector<Array> parts(const Values& numbers) {
  std::vector<double> re, im;
  for (const Number z : numbers) {
    re.push_back(z.real());
    im.push_back(z.imag());
  }
  return {array<T>(re), array<T>(im)};
}

template <class T>
Values numbers(const Array& re, const Array& im) {
  Values result;
  for (std::size_t i = 0; i < re.data<T>().size(); ++i) result.emplace_back(re.data<T>()[i], im.data<T>()[i]);
  return result;
}

// Returns the result of a function body with one or two complex arguments named %x and %y.
template <class T>
Values evaluate(const std::string& body, const Values& x, const Values& y = {}) {
  const std::string type = concat("tensor<", x.size(), "xcomplex<", dtype_of<T>, ">>");
  std::string text = concat("func.func @f(%x: ", type, y.empty() ? "" : concat(", %y: ", type), ") -> ", type, " {\n",
                            body, "\nreturn %r : ", type, "\n}");
  for (auto at = text.find("TYPE"); at != text.npos; at = text.find("TYPE")) text.replace(at, 4, type);
  std::vector<Array> inputs = parts<T>(x);
  if (!y.empty()) std::ranges::move(parts<T>(y), std::back_inserter(inputs));
  const auto results = interpret(*parse(text), inputs);
  return numbers<T>(results[0], results[1]);
}

}  // namespace weft::ir
