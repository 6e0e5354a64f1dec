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

constexpr char ellipsis = '.';  // stands for ... until the number of its dimensions is known
constexpr int most_in_ellipsis = 10;

bool is_of_ellipsis(char letter) { return letter >= '0' && letter <= '9'; }

// Returns the text without blanks, and with one character for each ellipsis.
std::string compacted(std::string_view text) {
  std::string compact;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "...") i += 2;  // its last dot remains
    if (text[i] != ' ') compact += text[i];
  }
  return compact;
}

std::string readable(std::string letters) {
  const std::size_t at = letters.find(ellipsis);
  return at == std::string::npos ? letters : letters.replace(at, 1, "...");
}

// Replaces the ellipsis of an operand, or of the result, by the digits of the last dimensions of all ellipses.
std::string expanded(std::string letters, int dims, int of_all) {
  const std::size_t at = letters.find(ellipsis);
  if (at == std::string::npos) return letters;
  std::string digits;
  for (int i = of_all - dims; i < of_all; ++i) digits += static_cast<char>('0' + i);
  return letters.replace(at, 1, digits);
}

Result<EinsumEquation> split(std::string_view text, std::span<const Type> types) {
  const std::string compact = compacted(text);
  const std::size_t arrow = compact.find("->");
  EinsumEquation equation;
  equation.operands.emplace_back();
  for (const char c : compact.substr(0, arrow)) {
    if (c == ',') {
      equation.operands.emplace_back();
      continue;
    }
    std::string& operand = equation.operands.back();
    if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != ellipsis)
      return failed("'", c, "' in '", text, "' is not a letter");
    if (c == ellipsis && contains(operand, c)) return failed("one operand of '", text, "' has two ellipses");
    operand += c;
  }
  if (equation.operands.size() != types.size())
    return failed("'", text, "' names ", equation.operands.size(), " operands, got ", types.size());
  int of_all = 0;
  std::vector<int> dims;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string& letters = equation.operands[i];
    const bool has_ellipsis = contains(letters, ellipsis);
    const int rest = types[i].rank() - static_cast<int>(letters.size()) + (has_ellipsis ? 1 : 0);
    if (has_ellipsis ? rest < 0 : rest != 0)
      return failed("'", readable(letters), "' does not name the dimensions of ", types[i]);
    if (rest > most_in_ellipsis)
      return failed("an ellipsis of '", text, "' stands for more than ", most_in_ellipsis, " dimensions");
    dims.push_back(rest);
    of_all = std::max(of_all, rest);
  }
  for (std::size_t i = 0; i < types.size(); ++i) equation.operands[i] = expanded(equation.operands[i], dims[i], of_all);
  if (arrow != compact.npos) {
    equation.result = compact.substr(arrow + 2);
    if (of_all > 0 && !contains(equation.result, ellipsis))
      return failed("the result of '", text, "' lacks the ellipsis");
    equation.result = expanded(equation.result, of_all, of_all);
    return equation;
  }
  equation.result = expanded(std::string(1, ellipsis), of_all, of_all);
  std::string every;
  for (const auto& operand : equation.operands) every += operand;
  std::ranges::sort(every);
  for (const char c : every)
    if (!is_of_ellipsis(c) && std::ranges::count(every, c) == 1) equation.result += c;
  return equation;
}

// Takes the diagonals of dimensions with the same letter.
Named diagonal(Named x) {
  for (std::size_t i = 0; i < x.letters.size(); ++i) {
    const std::size_t j = x.letters.find(x.letters[i], i + 1);
    if (j == std::string::npos) continue;
    std::vector<std::int64_t> order, start, limit, strides;
    std::vector<Dim> dims;
    std::string letters;
    for (std::size_t d = 0; d < x.letters.size(); ++d)
      if (d != i && d != j) order.push_back(static_cast<std::int64_t>(d));
    for (const std::int64_t d : order) {
      letters += x.letters[d];
      dims.push_back(x.value.type().dims()[d]);
      limit.push_back(x.value.size(static_cast<int>(d)));
    }
    const std::int64_t size = x.value.size(static_cast<int>(i));
    order.insert(order.end(), {static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
    dims.emplace_back(size * size);
    limit.push_back(size * size);
    start.resize(limit.size(), 0);
    strides.resize(limit.size(), 1);
    strides.back() = size + 1;
    x.letters = letters + x.letters[i];
    x.value = slice(reshape(transpose(x.value, order), dims), start, limit, strides);
    return diagonal(std::move(x));
  }
  return x;
}

// Drops dimensions of ellipses that are broadcast, because another operand has more of them.
Named without_broadcast(Named x, const std::map<char, Dim>& sizes) {
  std::vector<Dim> dims;
  std::string letters;
  for (std::size_t d = 0; d < x.letters.size(); ++d) {
    const Dim size = x.value.type().dims()[d];
    if (is_of_ellipsis(x.letters[d]) && size != sizes.at(x.letters[d])) continue;
    dims.push_back(size);
    letters += x.letters[d];
  }
  return letters == x.letters ? x : Named{reshape(x.value, dims), letters};
}

// Returns the size of each letter: of a dimension of ellipses, the one that is not 1, if there is one.
std::map<char, Dim> sizes_of(const EinsumEquation& equation, std::span<const Value> operands) {
  std::map<char, Dim> sizes;
  for (std::size_t i = 0; i < operands.size(); ++i)
    for (std::size_t d = 0; d < equation.operands[i].size(); ++d) {
      const auto [known, is_new] = sizes.emplace(equation.operands[i][d], operands[i].type().dims()[d]);
      if (known->second == Dim(1)) known->second = operands[i].type().dims()[d];
    }
  return sizes;
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
  Result<EinsumEquation> equation = split(text, operands);
  if (!equation) return equation;
  std::map<char, Dim> sizes;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string& letters = equation->operands[i];
    for (std::size_t d = 0; d < letters.size(); ++d) {
      const Dim size = operands[i].dims()[d];
      const auto [known, is_new] = sizes.emplace(letters[d], size);
      const bool is_broadcast = is_of_ellipsis(letters[d]) && (known->second == Dim(1) || size == Dim(1));
      if (is_broadcast && known->second == Dim(1)) known->second = size;
      if (!is_new && !is_broadcast && known->second != size)
        return failed(is_of_ellipsis(letters[d]) ? "a dimension of the ellipses" : concat("'", letters[d], "'"),
                      " in '", text, "' is ", known->second, " and ", size);
    }
  }
  for (const char letter : equation->result)
    if (!sizes.contains(letter) || std::ranges::count(equation->result, letter) != 1)
      return failed("the result of '", text, "' cannot have '", letter, "'");
  return equation;
}

Value einsum(const EinsumEquation& equation, std::span<const Value> operands) {
  std::vector<Named> named;
  const std::map<char, Dim> sizes = sizes_of(equation, operands);
  for (std::size_t i = 0; i < operands.size(); ++i)
    named.push_back(diagonal(without_broadcast({operands[i], equation.operands[i]}, sizes)));
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
