#include <weft/ir/text/shardy.h>

#include <algorithm>
#include <set>
#include <utility>

#include <weft/base/error.h>
#include <weft/ir/annotations.h>
#include <weft/ir/text/common_mesh.h>
#include <weft/ir/text/shardy_reader.h>

namespace weft::ir {

namespace {

struct ReadAxes {
  Sharding::Axes axes;
  bool is_open = false;  // whether further axes may follow
};

// Reads {"x", "y", ?}, axes of the mesh of this name.
ReadAxes axes(ShardyReader& reader, const Mesh& mesh, std::string_view mesh_name) {
  ReadAxes result;
  reader.expect("{");
  for (bool first = true; !reader.take("}"); first = false) {
    if (!first) reader.expect(",");
    if (reader.take("?")) {
      result.is_open = true;
      continue;
    }
    const Sharding::Axes more = axes_of(axis_part(reader), mesh, mesh_name);
    result.axes.insert(result.axes.end(), more.begin(), more.end());
  }
  return result;
}

const std::string* find(const Annotations& annotations, std::string_view name) {
  const auto at = std::ranges::find(annotations, name, &Annotation::name);
  return at == annotations.end() ? nullptr : &at->value;
}

std::vector<std::optional<Sharding>> declared(const std::vector<Annotations>& ports, std::span<const Value> values,
                                              const CommonMesh& common, const char* what) {
  std::vector<std::optional<Sharding>> shardings(values.size());
  for (std::size_t i = 0; i < std::min(ports.size(), values.size()); ++i) {
    const std::string* text = find(ports[i], "sdy.sharding");
    if (!text) continue;
    try {
      std::set<std::string_view> mesh;
      add_meshes(*text, mesh);
      require(mesh.size() == 1, "expected the name of one mesh in ", *text);
      shardings[i] = parse_sharding(*text, common.in_order_of(*mesh.begin()), values[i].rank());
      shardings[i]->local_type(values[i].type());
    } catch (const UnsupportedError&) {
      throw;
    } catch (const Error& wrong) {
      fail("the sharding of ", what, ' ', i, ": ", wrong.what());
    }
  }
  return shardings;
}

}  // namespace

Mesh parse_mesh(std::string_view text) {
  ShardyReader reader(text);
  Mesh result = read_mesh(reader);
  if (!reader.take("{")) reader.expect_end();  // attributes, of which none changes the mesh, may follow
  return result;
}

namespace {

// Gives an open dimension the axes that `held` has there behind those that are given, up to the first one that is used already.
void extend(Sharding::Axes& given, const Sharding::Axes& held, Sharding::Axes& used) {
  if (held.size() < given.size() || !std::equal(given.begin(), given.end(), held.begin())) return;
  for (std::size_t i = given.size(); i < held.size() && std::ranges::count(used, held[i]) == 0; ++i) {
    given.push_back(held[i]);
    used.push_back(held[i]);
  }
}

// Reads <@mesh, [{"x"}, {?}], replicated={"y"}, unreduced={"z"}>. Extends open dimensions by the axes of `held`, if it is given.
Sharding sharding(ShardyReader& reader, const Mesh& mesh, int rank, const Sharding* held = nullptr) {
  reader.expect("<");
  const std::string_view name = text::symbol_name(reader.next().text);
  reader.expect(",");
  reader.expect("[");
  std::vector<Sharding::Axes> dims;
  std::vector<std::size_t> open;
  Sharding::Axes used;
  while (!reader.take("]")) {
    if (!dims.empty()) reader.expect(",");
    ReadAxes read = axes(reader, mesh, name);
    if (read.is_open) open.push_back(dims.size());
    used.insert(used.end(), read.axes.begin(), read.axes.end());
    dims.push_back(std::move(read.axes));
    if (reader.is(text::Token::Kind::identifier)) reader.next();  // the priority: p1
  }
  Sharding::Partial partial;
  while (reader.take(",")) {
    const bool is_partial = reader.take("unreduced");
    if (!is_partial) reader.expect("replicated");
    reader.expect("=");
    for (const int axis : axes(reader, mesh, name).axes) {
      used.push_back(axis);
      if (is_partial) partial.emplace_back(axis, Reduction::sum);
    }
  }
  reader.expect(">");
  require(std::ssize(dims) == rank, "the sharding has ", dims.size(), " dimensions, the tensor has ", rank);
  if (held)
    for (const std::size_t d : open) extend(dims[d], held->axes(static_cast<int>(d)), used);
  return {mesh, std::move(dims), std::move(partial)};
}

// Reads #sdy.sharding_per_value<[<@mesh, [{"x"}]>, ...]> for these values, and keeps only the axes that are manual.
std::vector<Sharding> shardings(std::string_view text, const Mesh& mesh, std::span<const Type> types,
                                const Sharding::Axes& manual) {
  ShardyReader reader(text);
  reader.expect("#sdy.sharding_per_value");
  reader.expect("<");
  reader.expect("[");
  std::vector<Sharding> all;
  while (!reader.take("]")) {
    if (!all.empty()) reader.expect(",");
    require(all.size() < types.size(), "there are more than ", types.size(), " shardings");
    const Sharding given = sharding(reader, mesh, types[all.size()].rank());
    std::vector<Sharding::Axes> dims(given.rank());
    for (int d = 0; d < given.rank(); ++d)
      for (const int axis : given.axes(d))
        if (std::ranges::count(manual, axis) != 0) dims[d].push_back(axis);
    all.emplace_back(mesh, std::move(dims), given.partial());
  }
  reader.expect(">");
  reader.expect_end();
  require(all.size() == types.size(), "there are ", all.size(), " shardings of ", types.size(), " values");
  return all;
}

Sharding whole_sharding(std::string_view text, const Mesh& mesh, int rank, const Sharding* held) {
  ShardyReader reader(text);
  reader.take("#sdy.sharding");
  Sharding result = sharding(reader, mesh, rank, held);
  reader.expect_end();
  return result;
}

}  // namespace

Sharding parse_sharding(std::string_view text, const Mesh& mesh, int rank) {
  return whole_sharding(text, mesh, rank, nullptr);
}

Sharding constrained(std::string_view constraint, const Sharding& held) {
  return whole_sharding(constraint, held.mesh(), held.rank(), &held);
}

std::optional<std::int64_t> single_device(std::string_view sharding) {
  ShardyReader reader(sharding);
  reader.take("#sdy.sharding");
  reader.expect("<");
  if (!reader.take("mesh")) return std::nullopt;
  for (const char* token : {"<", "[", "]", ",", "device_ids", "=", "["}) reader.expect(token);
  return reader.integer();
}

ManualShardings manual_shardings(const Node& node, const Mesh& mesh) {
  const auto& a = node.attributes<ManualComputationAttributes>();
  ShardyReader reader(a.manual_axes);
  reader.expect("#sdy");
  reader.expect("<");
  reader.expect("manual_axes");
  std::set<std::string_view> names;
  for (const std::string_view text : {a.in_shardings, a.out_shardings}) add_meshes(text, names);
  // Meshes without axes, which may be named beside the one of the manual axes, have no axes of other names.
  const auto named = std::ranges::find_if(names, [&](std::string_view name) { return has_names_of(mesh, name); });
  const Sharding::Axes manual = axes(reader, mesh, named == names.end() ? "" : *named).axes;
  std::vector<Type> types;
  for (const Value v : node.operands) types.push_back(v.type());
  ManualShardings result{shardings(a.in_shardings, mesh, types, manual),
                         shardings(a.out_shardings, mesh, node.types, manual)};
  const Graph& region = *node.regions[0];
  const auto require_types = [&](std::span<const Sharding> all, std::span<const Type> whole,
                                 std::span<const Value> shards, const char* what) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Type local = all[i].local_type(whole[i]);
      require(local == shards[i].type(), "sdy.manual_computation: ", what, ' ', i, " of type ", whole[i],
              " has shards of type ", local, ", in the region it is ", shards[i].type());
    }
  };
  require_types(result.operands, types, region.inputs(), "operand");
  require_types(result.results, node.types, region.outputs(), "result");
  return result;
}

namespace {

// Calls f with each text of the function that has shardings.
template <class F>
void for_each_sharding(const Graph& graph, F&& f) {
  for (const Node* node : graph.nodes()) {
    if (const auto* constraint = node->attributes_if<ShardingAttributes>()) f(constraint->sharding);
    if (const auto* manual = node->attributes_if<ManualComputationAttributes>())
      for (const std::string_view text : {manual->in_shardings, manual->out_shardings, manual->manual_axes}) f(text);
    for (const Graph* region : node->regions) for_each_sharding(*region, f);
  }
}

template <class F>
void for_each_sharding_of(const Graph& function, F&& f) {
  for (const auto* ports : {&function.annotations->arguments, &function.annotations->results})
    for (const Annotations& port : *ports)
      if (const std::string* text = find(port, "sdy.sharding")) f(*text);
  for_each_sharding(function, f);
}

}  // namespace

std::optional<DeclaredShardings> declared_shardings(const Graph& function) {
  if (!function.annotations || !function.annotations->module) return std::nullopt;
  const Annotations& meshes = function.annotations->module->meshes;
  if (meshes.empty()) return std::nullopt;
  std::vector<std::string_view> texts;
  for_each_sharding_of(function, [&](std::string_view text) { texts.push_back(text); });
  const CommonMesh common(meshes, texts);
  return DeclaredShardings{common.mesh(),
                           declared(function.annotations->arguments, function.inputs(), common, "argument"),
                           declared(function.annotations->results, function.outputs(), common, "result")};
}

}  // namespace weft::ir
