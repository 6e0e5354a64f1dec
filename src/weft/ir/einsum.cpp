#include <weft/ir/einsum.h>

#include <algorithm>
#include <map>

#include <weft/ir/builder.h>

namespace weft::ir {

namespace {

// A value whose dimensions are named by letters.
struct Named {
  Value value;
  std::string letters;
};

bool contains(std::string_view letters, char letter) { return letters.find(letter) != letters.npos; }

template <class... Parts>
Status failed(const Parts&... parts) {
  return Status::failed(concat(parts...));
}

Result<EinsumEquation> split(std::string_view text) {
  std::string compact;
  for (const char c : text)
    if (c != ' ') compact += c;
  const std::size_t arrow = compact.find("->");
  EinsumEquation equation;
  equation.operands.emplace_back();
  for (const char c : compact.substr(0, arrow)) {
    if (c == ',') {
      equation.operands.emplace_back();
      continue;
    }
    std::string& operand = equation.operands.back();
    if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z')) return failed("'", c, "' in '", text, "' is not a letter");
    if (contains(operand, c)) return failed("'", c, "' occurs twice in one operand of '", text, "'");
    operand += c;
  }
  if (arrow != compact.npos) {
    equation.result = compact.substr(arrow + 2);
    return equation;
  }
  std::string every;
  for (const auto& operand : equation.operands) every += operand;
  std::ranges::sort(every);
  for (const char c : every)
    if (std::ranges::count(every, c) == 1) equation.result += c;
  return equation;
}

// Sums over the letters that are not in `needed`.
Named sum_out(const Named& x, std::string_view needed) {
  std::vector<std::int64_t> axes;
  std::string left;
  for (std::size_t i = 0; i < x.letters.size(); ++i) {
    if (contains(needed, x.letters[i]))
      left += x.letters[i];
    else
      axes.push_back(static_cast<std::int64_t>(i));
  }
  return axes.empty() ? x : Named{reduce_sum(x.value, axes), left};
}

// Multiplies a and b and sums over their common letters that are not in `needed`.
Named contract(const Named& a, const Named& b, std::string_view needed) {
  std::vector<std::int64_t> a_batch, b_batch, a_contract, b_contract;
  std::string batch, a_free, b_free;
  for (std::size_t i = 0; i < a.letters.size(); ++i) {
    const char letter = a.letters[i];
    const std::size_t at = b.letters.find(letter);
    if (at == std::string::npos) {
      a_free += letter;
    } else if (contains(needed, letter)) {
      batch += letter;
      a_batch.push_back(i);
      b_batch.push_back(at);
    } else {
      a_contract.push_back(i);
      b_contract.push_back(at);
    }
  }
  for (const char letter : b.letters)
    if (!contains(a.letters, letter)) b_free += letter;
  const Value product = dot_general(a.value, b.value, {a_batch, b_batch, a_contract, b_contract});
  return {product, batch + a_free + b_free};
}

Value reorder(const Named& x, std::string_view result) {
  std::vector<std::int64_t> order;
  for (const char letter : result) order.push_back(x.letters.find(letter));
  return transpose(x.value, order);
}

}  // namespace

Result<EinsumEquation> parse_einsum(std::string_view text, std::span<const Type> operands) {
  Result<EinsumEquation> equation = split(text);
  if (!equation) return equation;
  if (equation->operands.size() != operands.size())
    return failed("'", text, "' names ", equation->operands.size(), " operands, got ", operands.size());
  std::map<char, Dim> sizes;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string& letters = equation->operands[i];
    if (std::ssize(letters) != operands[i].rank())
      return failed("'", letters, "' does not name the dimensions of ", operands[i]);
    for (std::size_t d = 0; d < letters.size(); ++d) {
      const auto [known, is_new] = sizes.emplace(letters[d], operands[i].dim(d));
      if (!is_new && known->second != operands[i].dim(d))
        return failed("'", letters[d], "' in '", text, "' is ", known->second, " and ", operands[i].dim(d));
    }
  }
  for (const char letter : equation->result)
    if (!sizes.contains(letter) || std::ranges::count(equation->result, letter) != 1)
      return failed("the result of '", text, "' cannot have '", letter, "'");
  return equation;
}

Value einsum(const EinsumEquation& equation, std::span<const Value> operands) {
  std::vector<Named> named;
  for (std::size_t i = 0; i < operands.size(); ++i) named.push_back({operands[i], equation.operands[i]});
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
  return reorder(sum_out(product, equation.result), equation.result);
}

}  // namespace weft::ir
