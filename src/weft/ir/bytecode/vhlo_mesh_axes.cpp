// The groups of a collective as axes of a mesh, of the module or one that is written with them: they become lists of devices, which is what
// they mean.
#include <algorithm>
#include <cstring>
#include <utility>

#include <weft/ir/bytecode/attributes.h>
#include <weft/ir/bytecode/vhlo_codes.h>
#include <weft/ir/device_groups.h>
#include <weft/ir/text/shardy.h>

namespace weft::ir::bytecode {

namespace {

Attribute of_fields(std::vector<NamedAttribute> fields) {
  Attribute result;
  result.kind = Attribute::Kind::dictionary;
  result.fields = std::move(fields);
  return result;
}

Attribute number(std::int64_t value) {
  Attribute result;
  result.kind = Attribute::Kind::integer;
  result.integer = value;
  return result;
}

// Returns an empty name if the attribute has none.
std::string name_of(const Attribute& axis) {
  const Attribute* name = text::find(axis.fields, "name");
  return name ? text::unescape(name->text) : std::string();
}

std::vector<std::int64_t> elements(const Attribute& dense) {
  const bool are_known = dense.is_raw && dense.type && !dense.type.is_complex && dense.type.part.dtype() == DType::i64;
  std::vector<std::int64_t> result(are_known ? dense.text.size() / sizeof(std::int64_t) : 0);
  if (!result.empty()) std::memcpy(result.data(), dense.text.data(), result.size() * sizeof(std::int64_t));
  return result;
}

// A few bytes could describe a mesh that takes much memory.
constexpr std::int64_t most_devices = 1 << 12;

Mesh mesh_of(const Attribute& mesh) {
  std::vector<Mesh::Axis> axes;
  const Attribute *list = text::find(mesh.fields, "axes"), *devices = text::find(mesh.fields, "device_ids");
  require(list, "expected a mesh with axes");
  for (const Attribute& axis : list->items) {
    const Attribute* size = text::find(axis.fields, "size");
    axes.push_back({name_of(axis), size ? size->integer : 0});
  }
  return devices ? Mesh(std::move(axes), elements(*devices)) : Mesh(std::move(axes));
}

}  // namespace

Attribute AttributeDecoder::axis(Context& c) {
  Attribute name = next(c.in, c.owner);
  if (c.in.number() != 0)
    fail_unsupported(c, "groups along parts of the axes of a mesh are not supported", "parts of axes");
  return of_fields({{"name", std::move(name)}});
}

Attribute AttributeDecoder::mesh_axis(Context& c) {
  Attribute name = next(c.in, c.owner);
  return of_fields({{"name", std::move(name)}, {"size", number(c.in.signed_number())}});
}

Attribute AttributeDecoder::mesh(Context& c) {
  Attribute result = of_fields({{"axes", next(c.in, c.owner)}});
  if (const auto [index, is_given] = c.in.flagged(); is_given)
    result.fields.push_back({"device_ids", decode(index, c.owner)});
  return result;
}

Attribute AttributeDecoder::mesh_axes(Context& c) {
  const Attribute given = next(c.in, c.owner), axes = next(c.in, c.owner);
  try {
    const bool is_named = given.kind == Attribute::Kind::string;
    const auto named = meshes_.find(given.text);
    require(!is_named || named != meshes_.end(), "there is no sdy.mesh @", given.text, " in front of the function");
    const Mesh mesh = is_named ? parse_mesh(named->second) : mesh_of(given);
    std::vector<int> chosen;
    for (const Attribute& axis : axes.items) {
      chosen.push_back(mesh.axis(name_of(axis)));
      require(std::ranges::count(chosen, chosen.back()) == 1, "the axis ", name_of(axis), " is named twice");
    }
    require(mesh.devices() <= most_devices, "a mesh of ", mesh.devices(), " devices, at most ", most_devices,
            " are read");
    spend(static_cast<std::size_t>(mesh.devices()) * sizeof(std::int64_t));
    std::string bytes;
    const auto groups = device_groups(mesh, chosen);
    for (const auto& group : groups)
      bytes.append(reinterpret_cast<const char*>(group.data()), group.size() * sizeof(std::int64_t));
    const std::int64_t rows = std::ssize(groups);
    Attribute result;
    result.kind = Attribute::Kind::dense;
    result.is_raw = true;
    result.type = Type(DType::i64, {rows, mesh.devices() / rows});
    result.text = keep(std::move(bytes));
    return result;
  } catch (const UnsupportedError&) {
    throw;
  } catch (const Error& wrong) {
    source_.fail(c.owner.at, concat(c.owner.name, ": replica_groups: ", wrong.what()));
  }
}

}  // namespace weft::ir::bytecode
