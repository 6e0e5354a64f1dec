#include <algorithm>
#include <string>

#include <weft/tensor/broadcasting.h>
#include <weft/tensor/linalg.h>
#include <weft/tensor/reducing.h>

namespace weft {

using detail::Frame;
using ir::Value;

namespace {

// A value whose dimensions are named by letters.
struct Named {
  Value value;
  std::string letters;
};

struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

Equation parse(Frame& frame, std::string_view text) {
  std::string compact;
  for (const char c : text) {
    if (c != ' ') compact += c;
  }
  const std::size_t arrow = compact.find("->");
  Equation equation;
  equation.operands.emplace_back();
  for (const char c : compact.substr(0, arrow)) {
    if (c == ',') {
      equation.operands.emplace_back();
    } else {
      frame.require((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), "'", c, "' in '", text, "' is not a letter");
      frame.require(equation.operands.back().find(c) == std::string::npos, "'", c, "' occurs twice in one operand of '",
                    text, "'");
      equation.operands.back() += c;
    }
  }
  if (arrow != std::string::npos) {
    equation.result = compact.substr(arrow + 2);
  } else {
    std::string every;
    for (const auto& operand : equation.operands) every += operand;
    std::ranges::sort(every);
    for (const char c : every) {
      if (std::ranges::count(every, c) == 1) equation.result += c;
    }
  }
  return equation;
}

// Sums over the letters that are not in `needed`.
Named sum_out(Named x, const std::string& needed) {
  Axes axes;
  std::string left;
  for (std::size_t i = 0; i < x.letters.size(); ++i) {
    if (needed.find(x.letters[i]) == std::string::npos) {
      axes.push_back(i);
    } else {
      left += x.letters[i];
    }
  }
  return axes.empty() ? x : Named{ir::reduce_sum(x.value, axes), left};
}

// Multiplies a and b and sums over their common letters that are not in `needed`.
Named contract(const Named& a, const Named& b, const std::string& needed) {
  Axes a_batch, b_batch, a_contract, b_contract;
  std::string batch, a_free, b_free;
  for (std::size_t i = 0; i < a.letters.size(); ++i) {
    const char letter = a.letters[i];
    const std::size_t at = b.letters.find(letter);
    if (at == std::string::npos) {
      a_free += letter;
    } else if (needed.find(letter) != std::string::npos) {
      batch += letter;
      a_batch.push_back(i);
      b_batch.push_back(at);
    } else {
      a_contract.push_back(i);
      b_contract.push_back(at);
    }
  }
  for (const char letter : b.letters) {
    if (a.letters.find(letter) == std::string::npos) b_free += letter;
  }
  const Value product = ir::dot_general(a.value, b.value, {a_batch, b_batch, a_contract, b_contract});
  return {product, batch + a_free + b_free};
}

void check_sizes(Frame& frame, std::string_view text, const std::vector<Named>& operands) {
  std::array<Dim, 128> sizes;
  std::array<bool, 128> known{};
  for (const Named& x : operands) {
    frame.require(std::ssize(x.letters) == x.value.rank(), "'", x.letters, "' does not name the dimensions of ",
                  x.value.type());
    for (std::size_t i = 0; i < x.letters.size(); ++i) {
      const std::size_t letter = x.letters[i];
      const Dim size = x.value.type().dim(i);
      frame.require(!known[letter] || sizes[letter] == size, "'", x.letters[i], "' in '", text, "' is ", sizes[letter],
                    " and ", size);
      sizes[letter] = size;
      known[letter] = true;
    }
  }
}

Value reorder(Frame& frame, const Named& x, const std::string& result, std::string_view text) {
  Axes order;
  for (const char letter : result) {
    const std::size_t at = x.letters.find(letter);
    frame.require(at != std::string::npos && std::ranges::count(result, letter) == 1, "the result of '", text,
                  "' cannot have '", letter, "'");
    order.push_back(at);
  }
  return ir::transpose(x.value, order);
}

}  // namespace

Tensor einsum(std::string_view text, std::span<const Tensor> operands, std::source_location where) {
  Frame frame("einsum", where);
  const Equation equation = parse(frame, text);
  frame.require(equation.operands.size() == operands.size(), "'", text, "' names ", equation.operands.size(),
                " operands, got ", operands.size());
  DType dtype = operands[0].dtype();
  for (const Tensor& operand : operands) dtype = promote(dtype, operand.dtype());
  dtype = detail::contracted_dtype(dtype);
  std::vector<Named> named;
  for (std::size_t i = 0; i < operands.size(); ++i)
    named.push_back({detail::as(frame.value(operands[i]), dtype), equation.operands[i]});
  check_sizes(frame, text, named);

  const auto needed_after = [&](std::size_t i) {
    std::string letters = equation.result;
    for (std::size_t later = i; later < named.size(); ++later) letters += named[later].letters;
    return letters;
  };
  Named product = named[0];
  for (std::size_t i = 1; i < named.size(); ++i) {
    const std::string later = needed_after(i + 1);
    product = contract(sum_out(product, later + named[i].letters), sum_out(named[i], later + product.letters), later);
  }
  return frame.tensor(reorder(frame, sum_out(product, equation.result), equation.result, text));
}

Tensor einsum(std::string_view text, std::initializer_list<Tensor> operands, std::source_location where) {
  return einsum(text, std::span(operands.begin(), operands.size()), where);
}

}  // namespace weft
