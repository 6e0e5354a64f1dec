#include <weft/ir/text/fields.h>

#include <algorithm>

#include <weft/ir/several_devices.h>
#include <weft/ir/text/literal.h>
#include <weft/ir/text/location.h>

namespace weft::ir::text {

namespace {

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Fields that are not written as array<i64: ...>.
bool is_pair_list(std::string_view name) { return name == "padding"; }             // dense<[[low, high], ...]>
bool is_boolean_list(std::string_view name) { return name == "window_reversal"; }  // array<i1: ...>
bool is_unit(std::string_view name) {
  return name == "use_global_device_ids" || name == "has_dynamic_root";
}  // there or not
// Returns whether an attribute is of Shardy, and kept as text: #sdy.sharding<...>.
bool is_verbatim(std::string_view name) {
  return name == "sharding" || name == "in_shardings" || name == "out_shardings" || name == "manual_axes";
}

// Collects the names of fields.
class FieldNames : public FieldReader {
 public:
  std::vector<std::string_view> names;

  bool integer(std::string_view name, std::int64_t&) override { return add(name); }
  bool boolean(std::string_view name, bool&) override { return add(name); }
  bool integers(std::string_view name, Ints&) override { return add(name); }
  bool matrix(std::string_view name, IntMatrix&) override { return add(name); }
  bool enumerator(std::string_view name, std::span<const std::string_view>, int&) override { return add(name); }
  bool string(std::string_view name, std::string_view&) override { return add(name); }
  bool literal(std::string_view name, Literal&) override { return add(name); }

 private:
  bool add(std::string_view name) {
    names.push_back(name);
    return false;
  }
};

}  // namespace

std::vector<std::string_view> field_names(const Op& op) {
  FieldNames fields;
  Arena scratch;
  if (op.attributes) op.attributes->read(scratch, fields);
  return std::move(fields.names);
}

std::set<std::string_view> struct_members(std::string_view mnemonic) {
  std::set<std::string_view> members;
  for (const Op* op : all_ops()) {
    if (!op->attributes || op->attributes->struct_name != mnemonic) continue;
    for (const std::string_view name : field_names(*op))
      if (const auto dot = name.find('.'); dot != name.npos) members.insert(name.substr(dot + 1));
  }
  return members;
}

const Attribute& resolve(const Source& source, const SyntaxModule& module, const Attribute& attribute) {
  const Attribute* at = &attribute;
  for (std::size_t hops = 0; at->kind == Attribute::Kind::alias; ++hops) {
    const auto found = module.aliases.find(at->text);
    if (found == module.aliases.end() || hops > module.aliases.size())
      source.fail(attribute.at, concat("#", attribute.text, " is not defined"));
    at = &found->second;
  }
  return *at;
}

std::string_view find_resource(const Source& source, const SyntaxModule& module, const Attribute& attribute) {
  const auto found = module.resources.find(attribute.text);
  if (found == module.resources.end()) source.fail(attribute.at, concat("the text holds no resource ", attribute.text));
  return found->second;
}

Type AttributeReader::real_type(const Attribute& attribute, std::string_view name) const {
  if (attribute.type.is_complex) fail(attribute.at, name, "real numbers");
  return attribute.type.part;
}

void AttributeReader::fail(std::size_t at, std::string_view name, std::string_view expected) const {
  source_.fail(at, concat(operation_.name, ": expected ", expected, " for ", name));
}

const Attribute* AttributeReader::find_field(std::string_view name) const {
  const auto dot = name.find('.');
  const std::string_view outer = name.substr(0, dot);
  const Attribute* found = find(operation_.attributes, outer);
  if (!found) {
    if (contains(optional_fields, outer)) return nullptr;
    source_.fail(operation_.at, concat(operation_.name, ": expected the attribute ", outer));
  }
  const Attribute& attribute = resolve(source_, module_, *found);
  if (dot == name.npos) return &attribute;
  if (attribute.kind != Attribute::Kind::dictionary)
    fail(attribute.at, outer, "a struct such as #stablehlo.gather<...>");
  const Attribute* member = find(attribute.fields, name.substr(dot + 1));
  return member ? &resolve(source_, module_, *member) : nullptr;
}

bool AttributeReader::integer(std::string_view name, std::int64_t& value) {
  const Attribute* attribute = find_field(name);
  if (!attribute) return false;
  if (attribute->kind != Attribute::Kind::integer) fail(attribute->at, name, "an integer");
  value = attribute->integer;
  return true;
}

bool AttributeReader::boolean(std::string_view name, bool& value) {
  const Attribute* attribute = find(operation_.attributes, name);
  if (!attribute) return false;
  const Attribute& resolved = resolve(source_, module_, *attribute);
  if (resolved.kind != Attribute::Kind::boolean && resolved.kind != Attribute::Kind::unit)
    fail(resolved.at, name, "true or false");
  value = resolved.kind == Attribute::Kind::unit || resolved.integer != 0;
  return true;
}

bool AttributeReader::integers(std::string_view name, Ints& values) {
  const Attribute* attribute = find_field(name);
  if (!attribute) return false;
  require_shape(*attribute, name);
  Integers list;
  append_integers(*attribute, name, list);
  values = arena_.copy(Ints(list));
  return true;
}

// Requires rows of two integers for pairs, and a single dimension for other lists.
void AttributeReader::require_shape(const Attribute& attribute, std::string_view name) const {
  if (is_pair_list(name) && attribute.kind == Attribute::Kind::list) {
    for (const Attribute& row : attribute.items)
      if (row.kind != Attribute::Kind::list || row.items.size() != 2) fail(row.at, name, "[low, high]");
  } else if (attribute.kind == Attribute::Kind::dense) {
    const Type type = attribute.type.part;
    const bool fits = is_pair_list(name) ? type.rank() == 2 && type.dim(1) == Dim(2) : type.rank() == 1;
    if (!fits) fail(attribute.at, name, is_pair_list(name) ? "dense<...> of shape Nx2" : "dense<...> of rank 1");
  }
}

bool AttributeReader::matrix(std::string_view name, IntMatrix& values) {
  const Attribute* attribute = find_field(name);
  if (!attribute) return false;
  if (attribute->kind == Attribute::Kind::dictionary)
    source_.fail_unsupported(attribute->at, several_devices_message(concat(name, " of a mesh")), name);
  if (attribute->kind != Attribute::Kind::dense || attribute->type.part.rank() != 2)
    fail(attribute->at, name, "dense<...> of rank 2");
  // No real program has more processes. The limit is needed because a splat could stand for any number of integers.
  constexpr std::int64_t most = std::int64_t{1} << 20;
  if (attribute->type.part.elements() > most) fail(attribute->at, name, concat("at most ", most, " integers"));
  Integers list;
  append_elements(*attribute, name, list);
  values = {attribute->type.part.size(1), arena_.copy(Ints(list))};
  return true;
}

void AttributeReader::append_elements(const Attribute& attribute, std::string_view name, Integers& values) const {
  const Literal literal = read_literal(source_, attribute, real_type(attribute, name), arena_);
  visit_any(literal.type.dtype(), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (!is_integer(dtype_of<T>) && !std::is_same_v<T, bool>) fail(attribute.at, name, "integers");
    for (std::int64_t i = 0; i < literal.type.elements(); ++i)
      values.push_back(static_cast<std::int64_t>(literal.at<T>(i)));
  });
}

void AttributeReader::append_integers(const Attribute& attribute, std::string_view name, Integers& values) const {
  switch (attribute.kind) {
    case Attribute::Kind::boolean:
    case Attribute::Kind::integer: values.push_back(attribute.integer); return;
    case Attribute::Kind::integers: values.append(attribute.integers); return;
    case Attribute::Kind::list:
      for (const Attribute& item : attribute.items) append_integers(resolve(source_, module_, item), name, values);
      return;
    case Attribute::Kind::dense: {
      // A splat can stand for many integers; no valid list of dimensions is longer than this.
      constexpr std::int64_t longest = 4 * Type::max_rank;
      if (attribute.type.part.elements() > longest) fail(attribute.at, name, concat("at most ", longest, " integers"));
      append_elements(attribute, name, values);
      return;
    }
    default: fail(attribute.at, name, "a list of integers");
  }
}

bool AttributeReader::enumerator(std::string_view name, std::span<const std::string_view> names, int& value) {
  const Attribute* attribute = find_field(name);
  if (!attribute) return false;
  const auto found = std::ranges::find(names, attribute->text);
  if ((attribute->kind != Attribute::Kind::word && attribute->kind != Attribute::Kind::string) ||
      found == names.end()) {
    std::string expected = "one of";
    for (const std::string_view n : names) expected += concat(' ', n);
    fail(attribute->at, name, expected);
  }
  value = static_cast<int>(found - names.begin());
  return true;
}

bool AttributeReader::string(std::string_view name, std::string_view& value) {
  const Attribute* attribute = find_field(name);
  if (!attribute) return false;
  if (attribute->kind != Attribute::Kind::string) {
    if (contains(optional_fields, name)) return false;
    fail(attribute->at, name, "a string");
  }
  const std::string text = unescape(attribute->text);
  const auto chars = arena_.copy(std::span<const char>(text));
  value = {chars.data(), chars.size()};
  return true;
}

bool AttributeReader::literal(std::string_view name, Literal& value) {
  const Attribute* attribute = find_field(name);
  if (!attribute) return false;
  if (attribute->kind == Attribute::Kind::dense) {
    value = read_literal(source_, *attribute, real_type(*attribute, name), arena_);
  } else if (attribute->kind == Attribute::Kind::resource) {
    const std::string_view blob = find_resource(source_, module_, *attribute);
    value = read_resource(source_, attribute->at, blob, real_type(*attribute, name), arena_);
  } else {
    fail(attribute->at, name, "dense<...>");
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Writing

namespace {

void print_list(std::string& out, Ints values, std::string_view separator = ", ") {
  bool first = true;
  for (const std::int64_t v : values) {
    if (!first) out += separator;
    first = false;
    out += std::to_string(v);
  }
}

void print_matrix(std::string& out, const IntMatrix& m) {
  const std::size_t columns = m.columns, rows = columns == 0 ? 0 : m.values.size() / columns;
  out += rows > 0 ? "dense<[" : "dense<";
  for (std::size_t row = 0; row < rows; ++row) {
    out += row > 0 ? ", [" : "[";
    print_list(out, m.values.subspan(row * columns, columns));
    out += ']';
  }
  out += concat(rows > 0 ? "]> : tensor<" : "> : tensor<", rows, 'x', columns, "xi64>");
}

}  // namespace

void AttributePrinter::begin_unit(std::string_view name) {
  end_struct();
  if (!is_first_) out_ += ", ";
  is_first_ = false;
  out_ += name;
}

void AttributePrinter::begin(std::string_view name) {
  begin_unit(name);
  out_ += " = ";
}

void AttributePrinter::end() { end_struct(); }

bool AttributePrinter::add_member(std::string_view name, Ints values, bool is_list) {
  const auto dot = name.find('.');
  if (dot == name.npos) return false;
  if (struct_attribute_.empty()) {
    begin(name.substr(0, dot));
    struct_attribute_ = name.substr(0, dot);
  }
  members_.push_back({name.substr(dot + 1), {values.begin(), values.end()}, is_list});
  return true;
}

void AttributePrinter::end_struct() {
  if (struct_attribute_.empty()) return;
  struct_attribute_ = {};
  const std::string_view mnemonic = op_.attributes->struct_name;
  out_ += concat("#stablehlo.", mnemonic, '<');
  if (mnemonic == "conv")
    print_convolution_dimensions();
  else
    print_members();
  out_ += '>';
}

void AttributePrinter::print_members() {
  bool first = true;
  for (const Member& m : members_) {
    if (m.is_list && m.values.empty()) continue;
    if (!first) out_ += ", ";
    first = false;
    out_ += m.name;
    out_ += m.is_list ? " = [" : " = ";
    print_list(out_, m.values);
    if (m.is_list) out_ += ']';
  }
}

// Prints the dimension numbers of input, kernel and output, two letters and the spatial dimensions each: [b, f, 0]x[o, i, 0]->[b, f, 0].
void AttributePrinter::print_convolution_dimensions() {
  constexpr std::string_view letters[] = {"bf", "io", "bf"}, before[] = {"[", "]x[", "]->["};
  for (std::size_t side = 0; side < 3; ++side) {
    const Member* m = &members_[3 * side];
    const std::vector<std::int64_t>& spatial = m[2].values;
    std::vector<std::string> names(spatial.size() + 2, "?");
    const auto put = [&](std::int64_t place, std::string name) {
      if (place >= 0 && place < std::ssize(names)) names[place] = std::move(name);
    };
    put(m[0].values[0], std::string(1, letters[side][0]));
    put(m[1].values[0], std::string(1, letters[side][1]));
    for (std::size_t i = 0; i < spatial.size(); ++i) put(spatial[i], std::to_string(i));
    out_ += before[side];
    for (std::size_t i = 0; i < names.size(); ++i) out_ += (i > 0 ? ", " : "") + names[i];
  }
  out_ += ']';
}

void AttributePrinter::integer(std::string_view name, std::int64_t value, int bits) {
  if (add_member(name, std::span(&value, 1), false)) return;
  begin(name);
  out_ += concat(value, " : i", bits);
}

void AttributePrinter::boolean(std::string_view name, bool value) {
  if (is_unit(name)) {
    if (value) begin_unit(name);
    return;
  }
  begin(name);
  out_ += value ? "true" : "false";
}

void AttributePrinter::integers(std::string_view name, Ints values) {
  if (add_member(name, values, true)) return;
  if (values.empty() && contains(op_.attributes->optional_fields, name)) return;
  begin(name);
  if (is_pair_list(name)) {
    print_matrix(out_, {2, values});
  } else if (is_boolean_list(name)) {
    out_ += "array<i1: ";
    for (std::size_t i = 0; i < values.size(); ++i) out_ += concat(i > 0 ? ", " : "", values[i] ? "true" : "false");
    out_ += '>';
  } else {
    out_ += values.empty() ? "array<i64" : "array<i64: ";
    print_list(out_, values);
    out_ += '>';
  }
}

void AttributePrinter::matrix(std::string_view name, const IntMatrix& values) {
  begin(name);
  print_matrix(out_, values);
}

void AttributePrinter::enumerator(std::string_view name, std::string_view attribute, std::string_view value) {
  begin(name);
  out_ += concat("#stablehlo<", attribute, ' ', value, '>');
}

void AttributePrinter::string(std::string_view name, std::string_view value) {
  begin(name);
  if (is_verbatim(name))
    out_ += value;
  else
    print_string(out_, value);
}

void AttributePrinter::literal(std::string_view name, const Literal& value) {
  begin(name);
  print_dense(out_, value);
}

}  // namespace weft::ir::text
