#include <weft/ir/text/dropped_attributes.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <limits>
#include <string>

#include <weft/base/arena.h>
#include <weft/ir/text/fields.h>
#include <weft/ir/text/literal.h>
#include <weft/ir/text/print_attribute.h>

namespace weft::ir::text {

namespace {

// Checks the attributes of one operation.
struct Checker {
  const Source& source;
  const SyntaxModule& module;
  const Operation& op;

  template <class... Parts>
  void require(bool condition, const Attribute& attribute, const Parts&... parts) const {
    if (!condition) source.fail(attribute.at, concat(op.name, ": ", parts...));
  }

  const Attribute* find(std::string_view name) const {
    const Attribute* found = text::find(op.attributes, name);
    return found ? &resolve(source, module, *found) : nullptr;
  }

  // Returns the items of a list, with aliases resolved.
  std::vector<Attribute> list(const Attribute& attribute, std::string_view what) const {
    require(attribute.kind == Attribute::Kind::list, attribute, what, " must be a list");
    std::vector<Attribute> items;
    for (const Attribute& item : attribute.items) items.push_back(resolve(source, module, item));
    return items;
  }

  // Returns a field that must be present and of this kind.
  const Attribute& field(const Attribute& of, std::string_view what, std::string_view name,
                         Attribute::Kind kind) const {
    const Attribute* found = of.kind == Attribute::Kind::dictionary ? text::find(of.fields, name) : nullptr;
    require(found != nullptr, of, what, " needs the field ", name);
    const Attribute& value = resolve(source, module, *found);
    require(value.kind == kind, value, name, " of ", what, " cannot be ", shown(value));
    return value;
  }

  // Returns the integers in the operation's attribute of this name.
  std::vector<std::int64_t> integers(std::string_view name) const {
    Arena arena;
    Ints values;
    AttributeReader(source, module, op, arena).integers(name, values);
    return {values.begin(), values.end()};
  }

  // Returns the integers of a list that is a part of an attribute.
  std::vector<std::int64_t> integers(const Attribute& attribute, std::string_view what) const {
    std::vector<std::int64_t> values;
    for (const Attribute& item : list(attribute, what)) {
      require(item.kind == Attribute::Kind::integer, item, what, " must be a list of integers, got ", shown(item));
      values.push_back(item.integer);
    }
    return values;
  }

  // Returns the attribute as it is written, cut to 60 characters.
  std::string shown(const Attribute& attribute) const {
    std::string text(attribute.written);
    if (text.empty()) print_attribute(text, attribute);
    return text.substr(0, 60);
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// Products

void precision_config(const Checker& c, const Attribute& attribute) {
  const std::vector<Attribute> items = c.list(attribute, "precision_config");
  c.require(items.size() <= 2, attribute, "precision_config has ", items.size(), " entries for two operands");
  for (const Attribute& item : items) {
    const bool is_known = item.text == "DEFAULT" || item.text == "HIGH" || item.text == "HIGHEST";
    c.require(is_known && (item.kind == Attribute::Kind::word || item.kind == Attribute::Kind::string), item,
              "precision_config must contain DEFAULT, HIGH or HIGHEST, got ", c.shown(item));
  }
}

// A dot algorithm that exists on some hardware: the type of both operands, the type of the sums, and the number of products that
// make up one.
struct KnownAlgorithm {
  std::string_view operands, sums;
  std::int64_t products;
};
constexpr KnownAlgorithm known_algorithms[] = {
    {"f16", "f16", 1},  {"f16", "f32", 1},  {"bf16", "bf16", 1}, {"bf16", "f32", 1},
    {"bf16", "f32", 3}, {"bf16", "f32", 6}, {"bf16", "f32", 9},  {"tf32", "f32", 1},
    {"tf32", "f32", 3}, {"f32", "f32", 1},  {"f64", "f64", 1},
};

bool is_known_algorithm(std::string_view lhs, std::string_view rhs, std::string_view sums, std::int64_t products,
                        bool imprecise) {
  const auto is_f8 = [](std::string_view type) { return type.starts_with("f8") && type != "f8E8M0FNU"; };
  if (is_f8(lhs) && is_f8(rhs)) return sums == "f32" && products == 1;
  return lhs == rhs && !imprecise && std::ranges::any_of(known_algorithms, [&](const KnownAlgorithm& known) {
           return known.operands == lhs && known.sums == sums && known.products == products;
         });
}

void algorithm(const Checker& c, const Attribute& attribute) {
  constexpr std::string_view what = "algorithm";
  const auto count = [&](std::string_view name) {
    const Attribute& value = c.field(attribute, what, name, Attribute::Kind::integer);
    c.require(value.integer > 0, value, name, " of algorithm must be positive, got ", value.integer);
    return value.integer;
  };
  const auto type = [&](std::string_view name) { return c.field(attribute, what, name, Attribute::Kind::word).text; };
  const std::string_view lhs = type("lhs_precision_type"), rhs = type("rhs_precision_type"),
                         sums = type("accumulation_type");
  const std::int64_t lhs_parts = count("lhs_component_count"), rhs_parts = count("rhs_component_count"),
                     products = count("num_primitive_operations");
  const bool imprecise =
      c.field(attribute, what, "allow_imprecise_accumulation", Attribute::Kind::boolean).integer != 0;
  c.require(attribute.fields.size() == 7, attribute, "algorithm has ", attribute.fields.size(), " fields instead of 7");
  c.require(lhs_parts == 1 && rhs_parts == 1 && is_known_algorithm(lhs, rhs, sums, products, imprecise), attribute,
            "no hardware is known to have the algorithm ", lhs, " x ", rhs, " in ", sums, " of ", products,
            " products, ", lhs_parts, " and ", rhs_parts, " components", imprecise ? ", imprecise" : "");
  const Attribute* precision = c.find("precision_config");
  if (!precision) return;
  for (const Attribute& item : c.list(*precision, "precision_config"))
    c.require(item.text == "DEFAULT", item, "precision_config must be DEFAULT beside an algorithm, got ",
              c.shown(item));
}

// ---------------------------------------------------------------------------------------------------------------------
// Functions of one number

void result_accuracy(const Checker& c, const Attribute& attribute) {
  constexpr std::string_view what = "result_accuracy";
  bool all_zero = true;
  const auto tolerance = [&](std::string_view name, Attribute::Kind kind) {
    const Attribute& value = c.field(attribute, what, name, kind);
    const std::string text = c.shown(value);
    c.require(!text.starts_with('-'), value, name, " of result_accuracy must not be negative, got ", text);
    double number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    all_zero = all_zero && number == 0;
  };
  tolerance("atol", Attribute::Kind::real);
  tolerance("rtol", Attribute::Kind::real);
  tolerance("ulps", Attribute::Kind::integer);
  const Attribute& mode = c.field(attribute, what, "mode", Attribute::Kind::word);
  const bool is_tolerance = mode.text == "TOLERANCE";
  c.require(is_tolerance || mode.text == "DEFAULT" || mode.text == "HIGHEST", mode,
            "mode of result_accuracy must be DEFAULT, HIGHEST or TOLERANCE, got ", c.shown(mode));
  c.require(is_tolerance || all_zero, attribute, "result_accuracy of mode ", mode.text,
            " must have tolerances of 0: atol, rtol and ulps");
}

// ---------------------------------------------------------------------------------------------------------------------
// Calls

// Checks the layouts, which give the order of a tensor's dimensions in memory. The layout of a token is empty, because it has no
// dimensions.
void layouts(const Checker& c, const Attribute& attribute, std::string_view what, std::string_view other,
             std::span<const WrittenType> types) {
  const std::vector<Attribute> items = c.list(attribute, what);
  c.require(c.find(other) != nullptr, attribute, what, " needs ", other, " beside it");
  c.require(items.size() == types.size(), attribute, what, " has ", items.size(), " entries for ", types.size(),
            " values");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Type layout = items[i].type.part;
    const int rank = types[i].part.rank();
    c.require(items[i].kind == Attribute::Kind::dense && layout.rank() == 1, items[i], what,
              " must be of dense<...> of rank 1, got ", c.shown(items[i]));
    Arena arena;
    std::vector<std::int64_t> order;
    if (layout.size(0) == rank) {
      const Literal literal = read_literal(c.source, items[i], layout, arena);
      for (std::int64_t d = 0; d < rank; ++d) order.push_back(literal.at<std::int64_t>(d));
    }
    std::ranges::sort(order);
    bool is_permutation = layout.size(0) == rank;
    for (std::size_t d = 0; d < order.size(); ++d)
      is_permutation = is_permutation && order[d] == static_cast<std::int64_t>(d);
    c.require(is_permutation, items[i], what, " must order the dimensions of ", types[i], ", got ", c.shown(items[i]));
  }
}

void operand_layouts(const Checker& c, const Attribute& attribute) {
  layouts(c, attribute, "operand_layouts", "result_layouts", c.op.operand_types);
}

void result_layouts(const Checker& c, const Attribute& attribute) {
  layouts(c, attribute, "result_layouts", "operand_layouts", c.op.result_types);
}

constexpr std::int64_t typed_ffi = 4;  // the api_version whose backend_config is a dictionary

void api_version(const Checker& c, const Attribute& attribute) {
  c.require(attribute.kind == Attribute::Kind::integer && attribute.integer >= 0 && attribute.integer <= typed_ffi,
            attribute, "api_version must be a number from 0 to ", typed_ffi, ", got ", c.shown(attribute));
}

void backend_config(const Checker& c, const Attribute& attribute) {
  const Attribute* version = c.find("api_version");
  const bool is_typed = version && version->integer == typed_ffi;
  c.require(attribute.kind == (is_typed ? Attribute::Kind::dictionary : Attribute::Kind::string), attribute,
            "backend_config must be a ", is_typed ? "dictionary" : "string", " where api_version is ",
            version ? version->integer : 1, ", got ", c.shown(attribute));
}

void called_computations(const Checker& c, const Attribute& attribute) {
  for (const Attribute& item : c.list(attribute, "called_computations"))
    c.require(item.kind == Attribute::Kind::symbol, item, "called_computations must name functions, got ",
              c.shown(item));
}

void output_operand_aliases(const Checker& c, const Attribute& attribute) {
  for (const Attribute& alias : c.list(attribute, "output_operand_aliases")) {
    constexpr std::string_view what = "output_operand_aliases";
    const auto indices = [&](std::string_view name) {
      const Attribute* found = alias.kind == Attribute::Kind::dictionary ? text::find(alias.fields, name) : nullptr;
      return found ? c.integers(resolve(c.source, c.module, *found), name) : std::vector<std::int64_t>();
    };
    const std::int64_t operand = c.field(alias, what, "operand_index", Attribute::Kind::integer).integer;
    const auto operands = std::ssize(c.op.operand_types), results = std::ssize(c.op.result_types);
    c.require(operand >= 0 && operand < operands, alias, "operand_index ", operand,
              " of output_operand_aliases is not one of ", operands, " operands");
    c.require(indices("operand_tuple_indices").empty(), alias,
              "operand_tuple_indices needs an operand that is a tuple");
    const std::vector<std::int64_t> output = indices("output_tuple_indices");
    c.require(results > 0 && output.size() == (results > 1 ? 1u : 0u) &&
                  (output.empty() || (output[0] >= 0 && output[0] < results)),
              alias, "output_tuple_indices of output_operand_aliases must name one of ", results, " results");
    const WrittenType from = c.op.operand_types[operand], to = c.op.result_types[output.empty() ? 0 : output[0]];
    c.require(from == to, alias, "output_operand_aliases cannot pair an operand ", from, " with a result ", to);
  }
}

void version(const Checker& c, const Attribute& attribute) {
  c.require(attribute.kind == Attribute::Kind::integer, attribute, "version must be an integer, got ",
            c.shown(attribute));
}

void composite_attributes(const Checker& c, const Attribute& attribute) {
  c.require(attribute.kind == Attribute::Kind::dictionary, attribute, "composite_attributes must be a dictionary, got ",
            c.shown(attribute));
}

// ---------------------------------------------------------------------------------------------------------------------
// Others

// Checks that there is a list of integers for each result except the token.
void infeed_layout(const Checker& c, const Attribute& attribute) {
  const std::vector<Attribute> items = c.list(attribute, "layout");
  c.require(items.size() + 1 == c.op.result_types.size(), attribute, "layout has ", items.size(), " entries for ",
            c.op.result_types.size(), " results, the last of which is the token");
  for (const Attribute& item : items) c.integers(item, "layout");
}

void use_global_device_ids(const Checker& c, const Attribute& attribute) {
  const Attribute* channel = c.find("channel_handle");
  const std::int64_t handle =
      channel ? c.field(*channel, "channel_handle", "handle", Attribute::Kind::integer).integer : 0;
  c.require(handle > 0, attribute, "use_global_device_ids needs a channel_handle with a positive handle, got ", handle);
}

void map_dimensions(const Checker& c, const Attribute& attribute) {
  const std::vector<std::int64_t> dimensions = c.integers("dimensions");
  const std::size_t rank = c.op.operand_types.empty() ? 0 : c.op.operand_types[0].part.dims().size();
  bool all_in_order = dimensions.size() == rank;
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    all_in_order = all_in_order && dimensions[d] == static_cast<std::int64_t>(d);
  c.require(all_in_order, attribute, "dimensions must be all ", rank, " of the operands, in order, got ",
            c.shown(attribute));
}

// dynamic_broadcast_in_dim may say which dimensions of its operand are known to expand, and which are known not to.
void known_dimensions(const Checker& c, const Attribute& attribute) {
  const auto rank = c.op.operand_types.empty() ? 0 : c.op.operand_types[0].part.rank();
  std::vector<std::int64_t> all;
  for (const std::string_view name : {"known_expanding_dimensions", "known_nonexpanding_dimensions"})
    if (c.find(name))
      for (const std::int64_t d : c.integers(name)) all.push_back(d);
  for (const std::int64_t d : all)
    c.require(d >= 0 && d < rank && std::ranges::count(all, d) == 1, attribute, "dimension ", d,
              " of known_expanding_dimensions and known_nonexpanding_dimensions must be one of ", rank,
              " and named once");
}

void scan_dim_size(const Checker& c, const Attribute& attribute) {
  const Attribute* dimension = c.find("dimension");
  if (!dimension || c.op.operand_types.empty()) return;
  const Type scanned = c.op.operand_types[0].part;
  const bool is_one = dimension->integer >= 0 && dimension->integer < scanned.rank();
  c.require(
      attribute.kind == Attribute::Kind::integer && is_one && scanned.dim(dimension->integer) == Dim(attribute.integer),
      attribute, "scan_dim_size must be the size of dimension ", dimension->integer, " of ", scanned, ", got ",
      c.shown(attribute));
}

// ---------------------------------------------------------------------------------------------------------------------

using Check = void (*)(const Checker& c, const Attribute& attribute);
struct Entry {
  std::string_view attribute;
  std::span<const std::string_view> operations;
  Check check;
  bool is_required = false;
};

constexpr std::string_view on_products[] = {"stablehlo.convolution", "stablehlo.dot", "stablehlo.dot_general",
                                            "stablehlo.dynamic_conv", "stablehlo.einsum"};
constexpr std::string_view on_dot_general[] = {"stablehlo.dot_general"};
constexpr std::string_view on_functions[] = {
    "stablehlo.cbrt", "stablehlo.cosine",       "stablehlo.exponential", "stablehlo.exponential_minus_one",
    "stablehlo.log",  "stablehlo.log_plus_one", "stablehlo.logistic",    "stablehlo.rsqrt",
    "stablehlo.sine", "stablehlo.sqrt",         "stablehlo.tan",         "stablehlo.tanh",
};
constexpr std::string_view on_custom_call[] = {"stablehlo.custom_call"};
constexpr std::string_view on_collective_reduce[] = {"stablehlo.collective_reduce"};
constexpr std::string_view on_composite[] = {"stablehlo.composite"};
constexpr std::string_view on_infeed[] = {"stablehlo.infeed"};
constexpr std::string_view on_map[] = {"stablehlo.map"};
constexpr std::string_view on_scan[] = {"chlo.scan"};
constexpr std::string_view on_dynamic_broadcast[] = {"stablehlo.dynamic_broadcast_in_dim"};

constexpr Entry entries[] = {
    {"algorithm", on_dot_general, algorithm},
    {"api_version", on_custom_call, api_version},
    {"backend_config", on_custom_call, backend_config},
    {"called_computations", on_custom_call, called_computations},
    {"composite_attributes", on_composite, composite_attributes},
    {"dimensions", on_map, map_dimensions, true},
    {"known_expanding_dimensions", on_dynamic_broadcast, known_dimensions},
    {"known_nonexpanding_dimensions", on_dynamic_broadcast, known_dimensions},
    {"layout", on_infeed, infeed_layout},
    {"operand_layouts", on_custom_call, operand_layouts},
    {"output_operand_aliases", on_custom_call, output_operand_aliases},
    {"precision_config", on_products, precision_config},
    {"result_accuracy", on_functions, result_accuracy},
    {"result_layouts", on_custom_call, result_layouts},
    {"scan_dim_size", on_scan, scan_dim_size},
    {"use_global_device_ids", on_collective_reduce, use_global_device_ids},
    {"version", on_composite, version},
};

static_assert(std::size(entries) <= std::numeric_limits<DroppedAttributes>::digits);

}  // namespace

DroppedAttributes dropped_attributes_of(std::string_view operation) {
  DroppedAttributes set = 0;
  for (std::size_t i = 0; i < std::size(entries); ++i)
    if (std::ranges::find(entries[i].operations, operation) != entries[i].operations.end())
      set |= DroppedAttributes{1} << i;
  return set;
}

void check_dropped_attributes(DroppedAttributes checked, const Source& source, const SyntaxModule& module,
                              const Operation& operation) {
  for (; checked != 0; checked &= checked - 1) {
    const Entry& entry = entries[std::countr_zero(checked)];
    const Attribute* attribute = find(operation.attributes, entry.attribute);
    if (attribute)
      entry.check({source, module, operation}, resolve(source, module, *attribute));
    else if (entry.is_required)
      source.fail(operation.at, concat(operation.name, ": expected the attribute ", entry.attribute));
  }
}

}  // namespace weft::ir::text
