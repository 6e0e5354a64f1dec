// Shardy's attributes, as the text that Shardy prints.
#include <weft/ir/bytecode/attributes.h>
#include <weft/ir/bytecode/nested.h>
#include <weft/ir/bytecode/sdy_codes.h>
#include <weft/ir/text/print_attribute.h>

namespace weft::ir::bytecode {

namespace {

std::string_view prefix(std::uint64_t code) {
  switch (code) {
    case sdy_mesh: return sdy_mesh_name;
    case sdy_sharding:
    case sdy_partial_sharding:
    case sdy_reduced_sharding: return sdy_sharding_name;
    case sdy_per_value:
    case sdy_partial_per_value: return sdy_per_value_name;
    default: return {};
  }
}

}  // namespace

// Attributes that only tell Shardy's propagation what to do, and axes that follow from the shardings of an operation, are not read.
Attribute AttributeDecoder::sdy(Context& c) {
  Attribute result;
  result.kind = Attribute::Kind::opaque;
  const std::uint64_t code = ByteReader(c.in).number();
  if (code == sdy_manual_axes) {
    result.written = keep(concat(sdy_manual_axes_name, sdy_text(c), '>'));
  } else if (!prefix(code).empty()) {
    result.written = keep(concat(prefix(code), sdy_text(c)));
  }
  return result;
}

std::string AttributeDecoder::sdy_part(std::uint64_t index, const Owner& owner) {
  const Nested nested(*this, owner);
  const ByteReader file(source_, 0, 0);
  const Entry& entry = container_.attributes[file.checked_index(index, container_.attributes.size(), "attribute")];
  Context c{{source_, entry.extent.at, entry.extent.end}, owner};
  if (container_.dialects[entry.dialect] != "sdy") c.in.fail("expected an attribute of Shardy");
  return sdy_text(c);
}

std::string AttributeDecoder::sdy_list(ByteReader& in, const Owner& owner) {
  std::string text;
  const std::size_t count = in.count("attributes");
  for (std::size_t i = 0; i < count; ++i) text += concat(i > 0 ? ", " : "", sdy_part(in.number(), owner));
  return text;
}

// <@mesh, [{"x"}, {?}], replicated={"y"}, unreduced={"z"}>
std::string AttributeDecoder::sdy_sharding_text(Context& c, bool is_partial, bool has_reduction) {
  const Attribute mesh = next(c.in, c.owner);
  std::string text = "<";
  if (mesh.kind == Attribute::Kind::symbol) {
    text::print_attribute(text, mesh);
  } else if (mesh.written.starts_with(prefix(sdy_mesh))) {
    text += concat("mesh", mesh.written.substr(prefix(sdy_mesh).size()));
  } else {
    c.in.fail("expected a mesh or its name");
  }
  text += concat(", [", sdy_list(c.in, c.owner), ']');
  if (const std::string axes = sdy_list(c.in, c.owner); !axes.empty()) text += concat(", replicated={", axes, '}');
  if (is_partial) {
    const std::string axes = sdy_list(c.in, c.owner);
    const std::size_t reduction =
        has_reduction ? c.in.checked_index(c.in.signed_number(), std::size(sdy_reductions), "reduction") : 0;
    if (!axes.empty()) text += concat(", unreduced=", sdy_reductions[reduction], '{', axes, '}');
  }
  return text += '>';
}

std::string AttributeDecoder::sdy_text(Context& c) {
  ByteReader& in = c.in;
  const std::uint64_t code = in.number();
  switch (code) {
    case sdy_manual_axes: {
      std::string text = "{";
      const std::size_t count = in.count("axes");
      for (std::size_t i = 0; i < count; ++i) text += concat(i > 0 ? ", \"" : "\"", next(in, c.owner).text, '"');
      return text += '}';
    }
    case sdy_mesh_axis: {
      const std::string_view name = string(in);
      return concat('"', name, "\"=", in.signed_number());
    }
    case sdy_mesh: {
      std::string text = concat("<[", sdy_list(in, c.owner), ']');
      const std::vector<std::int64_t> devices = numbers(in);
      for (std::size_t i = 0; i < devices.size(); ++i) text += concat(i > 0 ? ", " : ", device_ids=[", devices[i]);
      return text += devices.empty() ? ">" : "]>";
    }
    case sdy_sub_axis: {
      const std::int64_t before = in.signed_number();
      return concat('(', before, ')', in.signed_number());
    }
    case sdy_axis: {
      const std::string_view name = string(in);
      const auto [part, has_part] = in.flagged();
      return has_part ? concat('"', name, "\":", sdy_part(part, c.owner)) : concat('"', name, '"');
    }
    case sdy_dimension: {
      std::string text = concat('{', sdy_list(in, c.owner));
      const bool is_closed = in.byte() != 0;
      if (!is_closed) text += text.size() > 1 ? ", ?" : "?";
      const auto [priority, has_priority] = in.flagged();
      return has_priority ? concat(text, "}p", priority) : text + '}';
    }
    case sdy_sharding: return sdy_sharding_text(c, false, false);
    case sdy_partial_sharding: return sdy_sharding_text(c, true, false);
    case sdy_reduced_sharding: return sdy_sharding_text(c, true, true);
    case sdy_per_value:
    case sdy_partial_per_value: return concat("<[", sdy_list(in, c.owner), "]>");
    default: in.fail(concat("expected a part of a sharding, got Shardy's attribute ", code));
  }
}

}  // namespace weft::ir::bytecode
