#include <weft/runtime/hlo_text.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <span>

namespace weft::runtime {

namespace {

template <class Range, class Text>
std::string joined(const Range& range, std::string_view separator, Text&& text) {
  std::string result;
  for (bool first = true; const auto& item : range) {
    if (!first) result += separator;
    result += text(item);
    first = false;
  }
  return result;
}

std::string joined(std::span<const std::int64_t> numbers, std::string_view separator) {
  return joined(numbers, separator, [](std::int64_t n) { return std::to_string(n); });
}

std::string shape_text(Type type, bool has_layout) {
  const DType dtype = type.dtype();
  std::string text(name(dtype));
  if (dtype == DType::boolean) text = "pred";
  if (is_signed_integer(dtype)) text = concat('s', 8 * byte_size(dtype));
  if (is_unsigned_integer(dtype)) text = concat('u', 8 * byte_size(dtype));
  std::string sizes, layout;
  for (int d = 0; d < type.rank(); ++d) {
    sizes += concat(d ? "," : "", type.size(d));
    layout += concat(d ? "," : "", type.rank() - 1 - d);
  }
  return concat(text, '[', sizes, ']', layout.empty() || !has_layout ? "" : concat('{', layout, '}'));
}

template <class T>
std::string number_text(const std::byte* at) {
  if constexpr (std::is_same_v<T, bool>) {
    return *at != std::byte{} ? "true" : "false";
  } else {
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_integral_v<T>) return std::to_string(value);
    const double wide = value;
    if (std::isnan(wide)) return "nan";
    if (std::isinf(wide)) return wide < 0 ? "-inf" : "inf";
    std::array<char, 32> text;
    const auto end = std::is_same_v<T, double> ? std::to_chars(text.begin(), text.end(), wide).ptr
                                               : std::to_chars(text.begin(), text.end(), static_cast<float>(value)).ptr;
    return {text.data(), end};
  }
}

template <class T>
void append_list(std::string& out, Type type, int dim, const std::byte*& at) {
  if (dim == type.rank()) {
    out += number_text<T>(at);
    at += sizeof(T);
    return;
  }
  out += '{';
  for (std::int64_t i = 0; i < type.size(dim); ++i) {
    if (i > 0) out += ", ";
    append_list<T>(out, type, dim + 1, at);
  }
  out += '}';
}

std::string literal_text(const Instruction& constant) {
  if (!constant.literal) return "{...}";
  std::string text;
  const Type type = constant.shape.types[0];
  const std::byte* at = constant.literal->data();
  visit(type.dtype(), [&](auto tag) { append_list<decltype(tag)>(text, type, 0, at); });
  return text;
}

// Returns size=2x2 stride=1x2 pad=0_1x0_0 lhs_dilate=2x2.
std::string window_text(const Window& window) {
  std::string text = "size=" + joined(window.size, "x");
  const auto add = [&](std::string_view word, const Numbers& values) {
    if (!values.empty()) text += concat(' ', word, '=', joined(values, "x"));
  };
  add("stride", window.stride);
  for (std::size_t i = 0; i + 1 < window.padding.size(); i += 2)
    text += concat(i == 0 ? " pad=" : "x", window.padding[i], '_', window.padding[i + 1]);
  add("lhs_dilate", window.base_dilation);
  add("rhs_dilate", window.window_dilation);
  add("rhs_reversal", window.reversal);
  return text;
}

// Returns the label of each dimension of an array, such as b01f.
std::string labels(const Numbers& dims, std::string_view first_two) {
  std::string text(dims.size(), '?');
  for (std::size_t i = 0; i < dims.size(); ++i) text[dims[i]] = i < 2 ? first_two[i] : static_cast<char>('0' + (i - 2));
  return text;
}

std::string rows_text(std::string_view name, const std::vector<Numbers>& rows) {
  if (name == "padding") return joined(rows, "x", [](const Numbers& row) { return joined(row, "_"); });
  if (name == "slice")
    return concat('{', joined(rows, ", ", [](const Numbers& row) { return concat('[', joined(row, ":"), ']'); }), '}');
  return concat('{', joined(rows, ",", [](const Numbers& row) { return concat('{', joined(row, ","), '}'); }), '}');
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(const std::string& value) const {
    return attribute.is_quoted ? concat('"', value, '"') : value;
  }
  std::string operator()(const Numbers& value) const { return concat('{', joined(value, ","), '}'); }
  std::string operator()(const std::vector<Numbers>& value) const { return rows_text(attribute.name, value); }

  const Attribute& attribute;
};

// Quotes a text as XLA writes strings: characters that could end the string or the line, and those outside of ASCII, become
// three octal digits.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const unsigned char byte = c;
    if (c == '"' || c == '\\') {
      out += concat('\\', c);
    } else if (byte >= ' ' && byte < 0x7f) {
      out += c;
    } else {
      out += concat('\\', byte >> 6, byte >> 3 & 7, byte & 7);
    }
  }
  return out + '"';
}

// Returns the keyword before the i-th computation that an instruction calls.
std::string_view calling_word(std::string_view opcode, std::size_t i) {
  if (opcode == "fusion") return "calls";
  if (opcode == "while") return i == 0 ? "condition" : "body";
  if (opcode == "conditional") return i == 0 ? "true_computation" : "false_computation";
  if (opcode == "select-and-scatter") return i == 0 ? "select" : "scatter";
  return "to_apply";
}

std::string calls_text(const ProgramDescription& program, const Computation& computation, const Instruction& i) {
  const auto name = [&](std::uint32_t called) { return concat('%', program.computations[called].name); };
  if (i.opcode == "conditional" && !i.operands.empty()) {
    const Shape& choice = computation.instructions[i.operands[0]].shape;
    const bool is_predicate = !choice.types.empty() && choice.types[0].dtype() == DType::boolean;
    if (!is_predicate) return concat(", branch_computations={", joined(i.calls, ", ", name), '}');
  }
  std::string text;
  for (std::size_t c = 0; c < i.calls.size(); ++c)
    text += concat(", ", calling_word(i.opcode, c), '=', name(i.calls[c]));
  return text;
}

std::string metadata_text(const Instruction& i) {
  if (i.scope.empty() && i.file.empty()) return "";
  std::string text = concat(", metadata={op_name=", in_quotes(i.scope));
  if (!i.file.empty()) text += concat(" source_file=", in_quotes(i.file), " source_line=", i.line);
  return text + '}';
}

std::string attributes_text(const Instruction& i) {
  std::string text;
  if (i.window) text += concat(", window={", window_text(*i.window), '}');
  if (i.convolution)
    text += concat(", dim_labels=", labels(i.convolution->input, "bf"), '_', labels(i.convolution->kernel, "io"), "->",
                   labels(i.convolution->output, "bf"));
  for (const Attribute& a : i.attributes) text += concat(", ", a.name, '=', std::visit(ValueText{a}, a.value));
  return text;
}

std::vector<const Instruction*> parameters_of(const Computation& computation) {
  std::vector<const Instruction*> all;
  for (const Instruction& i : computation.instructions)
    if (i.opcode == "parameter") all.push_back(&i);
  return all;
}

std::string computation_text(const ProgramDescription& program, const Computation& computation) {
  const auto parameter = [](const Instruction* i) { return concat(i->name, ": ", hlo_shape(i->shape)); };
  std::string text = concat('%', computation.name, " (", joined(parameters_of(computation), ", ", parameter), ") -> ",
                            hlo_shape(computation.instructions[computation.root].shape), " {\n");
  for (const Instruction& i : computation.instructions) text += concat("  ", hlo_line(program, computation, i), '\n');
  return text + '}';
}

}  // namespace

std::string hlo_shape(const Shape& shape, bool has_layout) {
  const auto text = [&](Type type) { return shape_text(type, has_layout); };
  return shape.is_tuple ? concat('(', joined(shape.types, ", ", text), ')') : text(shape.types[0]);
}

std::vector<std::string> hlo_operands(const Computation& computation, const Instruction& instruction) {
  if (instruction.opcode == "parameter") return {std::to_string(instruction.parameter)};
  if (instruction.opcode == "constant") return {literal_text(instruction)};
  std::vector<std::string> names;
  for (const std::uint32_t operand : instruction.operands) names.push_back(computation.instructions[operand].name);
  return names;
}

std::string hlo_line(const ProgramDescription& program, const Computation& computation, const Instruction& i) {
  const bool is_root = &i == &computation.instructions[computation.root];
  const std::string_view mark = i.opcode == "parameter" || i.opcode == "constant" ? "" : "%";
  const auto operands =
      joined(hlo_operands(computation, i), ", ", [&](const std::string& operand) { return concat(mark, operand); });
  return concat(is_root ? "ROOT %" : "%", i.name, " = ", hlo_shape(i.shape), ' ', i.opcode, '(', operands, ')',
                attributes_text(i), calls_text(program, computation, i), metadata_text(i));
}

std::string hlo_text(const ProgramDescription& program) {
  const Computation* const entry = program.entry();
  if (!entry) return concat("HloModule ", program.name, '\n');
  const auto shape = [](const Instruction* i) { return hlo_shape(i->shape); };
  std::string text =
      concat("HloModule ", program.name, ", entry_computation_layout={(", joined(parameters_of(*entry), ", ", shape),
             ")->", hlo_shape(entry->instructions[entry->root].shape), "}\n\n");
  for (const Computation& computation : program.computations)
    text += &computation == entry ? concat("ENTRY ", computation_text(program, computation), '\n')
                                  : concat(computation_text(program, computation), "\n\n");
  return text;
}

std::string hlo_name(std::string_view from) {
  std::string name(from);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  return name;
}

}  // namespace weft::runtime
