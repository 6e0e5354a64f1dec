#include <weft/profile/description_json.h>

#include <algorithm>
#include <set>

#include <weft/base/error.h>
#include <weft/profile/serialize.h>

namespace weft::profile {

namespace {

using nlohmann::json;
using runtime::Attribute;
using runtime::Computation;
using runtime::Instruction;
using runtime::Numbers;

json shape_json(const runtime::Shape& shape) {
  json types = json::array();
  for (const Type type : shape.types) {
    json sizes = json::array();
    for (const Dim dim : type.dims()) sizes.push_back(dim.value());
    types.push_back({name(type.dtype()), std::move(sizes)});
  }
  return types;
}

json attribute_json(const Attribute& attribute) {
  json value = std::visit([](const auto& v) { return json(v); }, attribute.value);
  return {attribute.name, std::move(value), attribute.is_quoted};
}

json instruction_json(const Instruction& i) {
  json made = {{"name", i.name}, {"opcode", i.opcode}, {"shape", shape_json(i.shape)}};
  const auto add = [&](const char* member, const auto& value, bool is_there) {
    if (is_there) made[member] = value;
  };
  add("tuple", true, i.shape.is_tuple);
  add("operands", i.operands, !i.operands.empty());
  add("calls", i.calls, !i.calls.empty());
  add("parameter", i.parameter, i.opcode == "parameter");
  add("scope", i.scope, !i.scope.empty());
  add("file", i.file, !i.file.empty());
  add("line", i.line, i.line != 0);
  add("dims", i.dims, !i.dims.empty());
  if (const auto& w = i.window)
    made["window"] = {w->size, w->stride, w->padding, w->base_dilation, w->window_dilation, w->reversal};
  if (const auto& c = i.convolution) made["convolution"] = {c->input, c->kernel, c->output};
  for (const Attribute& attribute : i.attributes) made["attributes"].push_back(attribute_json(attribute));
  if (i.literal && !i.literal->empty())
    for (const std::byte byte : *i.literal) made["literal"].push_back(std::to_integer<int>(byte));
  return made;
}

json exchanged_json(const runtime::ExchangedTensor& e) {
  return {{"thunk", e.thunk},     {"collective", e.collective}, {"axes", e.axes},        {"sent_bytes", e.sent_bytes},
          {"formula", e.formula}, {"reason", e.reason},         {"remedies", e.remedies}};
}

// Shortens a name, because printed programs repeat it at every use of an instruction.
std::string short_name(const JsonValue& value) {
  constexpr std::size_t longest = 128;
  return shortened(value.text(), longest);
}

std::uint32_t index_from(const JsonValue& index, std::size_t end) {
  if (end == 0) index.refuse("the index of an earlier entry");
  return index.integer<std::uint32_t>(0, end - 1);
}

std::vector<std::uint32_t> indices_from(const JsonValue& list, std::size_t end) {
  std::vector<std::uint32_t> all;
  for (const JsonValue& index : list.list()) all.push_back(index_from(index, end));
  return all;
}

Type type_from(const JsonValue& from) {
  const auto parts = from.list(2);
  const auto dtype = parse_dtype(parts[0].text());
  if (!dtype) parts[0].refuse("a dtype");
  std::vector<Dim> dims;
  for (const JsonValue& size : parts[1].list()) dims.emplace_back(size.integer<std::int64_t>(0));
  return Type(*dtype, dims);
}

runtime::Shape shape_from(const JsonValue& from) {
  const JsonValue list = from.at("shape");
  runtime::Shape shape{.is_tuple = from.has("tuple") && from.at("tuple").boolean()};
  for (const JsonValue& type : list.list()) shape.types.push_back(type_from(type));
  if (!shape.is_tuple && shape.types.size() != 1) list.refuse("one type");
  return shape;
}

Attribute::Value attribute_value_from(const JsonValue& from) {
  const json& value = from.value();
  if (value.is_boolean()) return from.boolean();
  if (value.is_number()) return from.integer<std::int64_t>();
  if (value.is_string()) return name_from(from);
  std::vector<Numbers> rows;
  const bool has_rows = value.is_array() && !value.empty() && value[0].is_array();
  if (!has_rows) {
    from.read(rows.emplace_back());
    return std::move(rows[0]);
  }
  for (const JsonValue& row : from.list()) row.read(rows.emplace_back());
  return rows;
}

// Reads a permutation of at least two dimensions.
Numbers dims_from(const JsonValue& from) {
  Numbers dims;
  const auto list = from.list();
  if (list.size() < 2 || list.size() > Type::max_rank) from.refuse("the dimensions of a side of a convolution");
  for (const JsonValue& dim : list) dims.push_back(dim.integer<std::int64_t>(0, std::ssize(list) - 1));
  return dims;
}

std::vector<std::byte> literal_from(const JsonValue& from, const runtime::Shape& shape) {
  std::vector<std::uint8_t> numbers;
  from.read(numbers);
  const Type type = shape.types.empty() ? Type() : shape.types[0];
  const bool is_plain = !shape.is_tuple && type.dtype() <= DType::f64 && type.elements() > 0;
  if (!is_plain || std::cmp_not_equal(numbers.size(), type.bytes()))
    from.refuse("the bytes of the constant's elements");
  std::vector<std::byte> bytes;
  for (const std::uint8_t number : numbers) bytes.push_back(std::byte{number});
  return bytes;
}

void read_window(const JsonValue& from, runtime::Window& window) {
  const auto lists = from.list(6);
  std::size_t i = 0;
  for (Numbers* to : {&window.size, &window.stride, &window.padding, &window.base_dilation, &window.window_dilation,
                      &window.reversal})
    lists[i++].read(*to);
}

// `before` and `computations_before` are the numbers of earlier instructions in the computation and of earlier computations in
// the program.
Instruction instruction_from(const JsonValue& from, std::size_t before, std::size_t computations_before) {
  Instruction made{
      .name = short_name(from.at("name")), .opcode = short_name(from.at("opcode")), .shape = shape_from(from)};
  if (from.has("operands")) made.operands = indices_from(from.at("operands"), before);
  if (from.has("calls")) made.calls = indices_from(from.at("calls"), computations_before);
  if (from.has("parameter")) from.at("parameter").read(made.parameter);
  if (from.has("scope")) made.scope = name_from(from.at("scope"));
  if (from.has("file")) made.file = name_from(from.at("file"));
  if (from.has("line")) from.at("line").read(made.line);
  if (from.has("window")) read_window(from.at("window"), made.window.emplace());
  if (from.has("convolution")) {
    const auto sides = from.at("convolution").list(3);
    made.convolution = {dims_from(sides[0]), dims_from(sides[1]), dims_from(sides[2])};
  }
  if (from.has("attributes"))
    for (const JsonValue& attribute : from.at("attributes").list()) {
      const auto parts = attribute.list(3);
      made.attributes.push_back({short_name(parts[0]), attribute_value_from(parts[1]), parts[2].boolean()});
    }
  if (from.has("literal")) made.literal = literal_from(from.at("literal"), made.shape);
  if (from.has("dims")) {
    const auto dims = from.at("dims").list(made.shape.is_tuple ? 0 : made.shape.types[0].rank());
    for (const JsonValue& dim : dims) made.dims.push_back(name_from(dim));
  }
  return made;
}

Computation computation_from(const JsonValue& from, std::size_t computations_before) {
  Computation made{.name = short_name(from.at("name"))};
  for (const JsonValue& i : from.at("instructions").list())
    made.instructions.push_back(instruction_from(i, made.instructions.size(), computations_before));
  const JsonValue root = from.at("root");
  if (made.instructions.empty()) root.refuse("the index of an instruction (there are none)");
  made.root = root.integer<std::uint32_t>(0, made.instructions.size() - 1);
  return made;
}

runtime::ExchangedTensor exchanged_from(const JsonValue& from, std::int32_t thunks) {
  runtime::ExchangedTensor made{.thunk = from.at("thunk").integer<std::int32_t>(-1, thunks - 1),
                                .collective = name_from(from.at("collective")),
                                .axes = name_from(from.at("axes")),
                                .sent_bytes = amount_from(from.at("sent_bytes")),
                                .formula = name_from(from.at("formula")),
                                .reason = name_from(from.at("reason"))};
  for (const JsonValue& remedy : from.at("remedies").list()) made.remedies.push_back(name_from(remedy));
  return made;
}

// Views show the contents of a fusion at the fusion, and the instruction of an op at the op, so neither may be shared.
void check_sharing(const runtime::ProgramDescription& program) {
  std::set<std::uint32_t> all;
  for (const Computation& computation : program.computations)
    for (const Instruction& i : computation.instructions)
      if (program.fused(i)) require(all.insert(i.calls[0]).second, "several fusions call ", program.fused(i)->name);
  all.clear();
  for (const std::uint32_t instruction : program.thunks)
    require(instruction == runtime::ProgramDescription::no_instruction || all.insert(instruction).second,
            "several thunks run one instruction");
}

}  // namespace

json to_json(const runtime::ProgramDescription& program) {
  json computations = json::array();
  for (const Computation& computation : program.computations) {
    json instructions = json::array();
    for (const Instruction& i : computation.instructions) instructions.push_back(instruction_json(i));
    computations.push_back(
        {{"name", computation.name}, {"root", computation.root}, {"instructions", std::move(instructions)}});
  }
  json made = {{"name", program.name}, {"computations", std::move(computations)}, {"thunks", program.thunks}};
  for (const runtime::ExchangedTensor& e : program.exchanged) made["exchanged"].push_back(exchanged_json(e));
  for (const runtime::ReplicatedState& r : program.replicated)
    made["replicated"].push_back(
        {{"axis", r.axis}, {"devices", r.devices}, {"tensors", r.tensors}, {"bytes", r.bytes}});
  return made;
}

runtime::ProgramDescription description_from(const JsonValue& from) {
  runtime::ProgramDescription program{.name = name_from(from.at("name"))};
  for (const JsonValue& computation : from.at("computations").list())
    program.computations.push_back(computation_from(computation, program.computations.size()));
  const std::size_t instructions = program.entry() ? program.entry()->instructions.size() : 0;
  for (const JsonValue& thunk : from.at("thunks").list()) {
    constexpr std::uint32_t none = runtime::ProgramDescription::no_instruction;
    program.thunks.push_back(thunk.value() == none ? none : index_from(thunk, instructions));
  }
  const auto count = static_cast<std::int32_t>(program.thunks.size());
  if (from.has("exchanged"))
    for (const JsonValue& e : from.at("exchanged").list()) program.exchanged.push_back(exchanged_from(e, count));
  if (from.has("replicated"))
    for (const JsonValue& r : from.at("replicated").list())
      program.replicated.push_back({.axis = name_from(r.at("axis")),
                                    .devices = r.at("devices").integer<std::int64_t>(1),
                                    .tensors = r.at("tensors").integer<std::int64_t>(0),
                                    .bytes = amount_from(r.at("bytes"))});
  check_sharing(program);
  return program;
}

}  // namespace weft::profile
