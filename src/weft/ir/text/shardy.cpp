#include <weft/ir/text/shardy.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include <weft/base/error.h>
#include <weft/ir/annotations.h>
#include <weft/ir/text/lexer.h>

namespace weft::ir {

namespace {

using text::Lexer;
using text::Source;
using text::Token;

class Reader {
 public:
  explicit Reader(std::string_view text) : source_{.text = text}, lexer_(source_) { token_ = lexer_.next(); }

  bool take(std::string_view what) {
    if (token_.text != what) return false;
    token_ = lexer_.next();
    return true;
  }
  void expect(std::string_view what) {
    if (!take(what)) source_.fail(token_.at, concat("expected '", what, "', got ", text::quote(token_)));
  }
  void expect_end() {
    if (token_.kind != Token::Kind::end) source_.fail(token_.at, concat("expected the end, got ", text::quote(token_)));
  }
  bool is(Token::Kind kind) const { return token_.kind == kind; }

  std::string string() {
    if (!is(Token::Kind::string))
      source_.fail(token_.at, concat("expected an axis in quotes, got ", text::quote(token_)));
    const Token token = std::exchange(token_, lexer_.next());
    return text::unescape(token.text.substr(1, token.text.size() - 2));
  }
  std::int64_t integer() {
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), number);
    if (wrong != std::errc() || end != token_.text.data() + token_.text.size())
      source_.fail(token_.at, concat("expected a number, got ", text::quote(token_)));
    token_ = lexer_.next();
    return number;
  }
  Token next() { return std::exchange(token_, lexer_.next()); }
  [[noreturn]] void fail_unsupported(const std::string& message, std::string_view feature) const {
    source_.fail_unsupported(token_.at, message, feature);
  }

 private:
  const Source source_;
  Lexer lexer_;
  Token token_;
};

Mesh mesh(Reader& reader) {
  if (!reader.take("#sdy.mesh")) reader.take("mesh");
  reader.expect("<");
  reader.expect("[");
  std::vector<Mesh::Axis> axes;
  while (!reader.take("]")) {
    if (!axes.empty()) reader.expect(",");
    std::string name = reader.string();
    reader.expect("=");
    axes.push_back({std::move(name), reader.integer()});
  }
  std::vector<std::int64_t> order;
  if (reader.take(",")) {
    reader.expect("device_ids");
    reader.expect("=");
    reader.expect("[");
    while (!reader.take("]")) {
      if (!order.empty()) reader.expect(",");
      order.push_back(reader.integer());
    }
  }
  reader.expect(">");
  return Mesh(std::move(axes), order);
}

// A part of an axis, "x":(2)4: 4 positions, each of which is divided further, within each of 2. Without a part, the whole axis.
struct AxisPart {
  std::string name;
  std::int64_t before = 1, size = 0;  // size 0: the whole axis
};

AxisPart axis_part(Reader& reader) {
  AxisPart part{reader.string()};
  if (!reader.take(":")) return part;
  reader.expect("(");
  part.before = reader.integer();
  reader.expect(")");
  part.size = reader.integer();
  require(part.before > 0 && part.size > 0, "the part \"", part.name, "\":(", part.before, ')', part.size,
          " of an axis has no positions");
  return part;
}

// An axis of which programs use parts becomes several axes of the mesh, from major to minor, with the names of the parts.
std::string name_of_part(const std::string& axis, std::int64_t before, std::int64_t size) {
  return concat(axis, ":(", before, ')', size);
}

// Appends the axes of the mesh that make up a part, or a whole axis.
void add_axes(const AxisPart& part, const Mesh& mesh, Sharding::Axes& axes) {
  const auto named = std::ranges::find(mesh.axes(), part.name, &Mesh::Axis::name);
  if (named != mesh.axes().end() && part.size == 0) {
    axes.push_back(static_cast<int>(named - mesh.axes().begin()));
    return;
  }
  std::int64_t before = 1, found = 1;
  for (int axis = 0; axis < std::ssize(mesh.axes()); ++axis) {
    if (mesh.axes()[axis].name != name_of_part(part.name, before, mesh.size(axis))) continue;
    if (part.size == 0 || (before >= part.before && before < part.before * part.size)) {
      axes.push_back(axis);
      found *= mesh.size(axis);
    }
    before *= mesh.size(axis);
  }
  if (before == 1) mesh.axis(part.name);  // names the axes there are
  require(part.size == 0 || found == part.size, "the mesh (", mesh, ") has no part ",
          name_of_part(part.name, part.before, part.size));
}

struct ReadAxes {
  Sharding::Axes axes;
  bool is_open = false;  // whether further axes may follow
};

// Reads {"x", "y", ?}.
ReadAxes axes(Reader& reader, const Mesh& mesh) {
  ReadAxes result;
  reader.expect("{");
  for (bool first = true; !reader.take("}"); first = false) {
    if (!first) reader.expect(",");
    if (reader.take("?"))
      result.is_open = true;
    else
      add_axes(axis_part(reader), mesh, result.axes);
  }
  return result;
}

const std::string* find(const Annotations& annotations, std::string_view name) {
  const auto at = std::ranges::find(annotations, name, &Annotation::name);
  return at == annotations.end() ? nullptr : &at->value;
}

// Adds the meshes that a text with shardings names: <@mesh, [{"x"}]>.
void add_meshes(std::string_view text, std::set<std::string_view>& names) {
  for (std::size_t at = text.find("<@"); at != text.npos; at = text.find("<@", at + 1))
    names.insert(text.substr(at + 2, text.find_first_of(",>", at) - at - 2));
}

// The positions at which each axis is cut into parts.
using Cuts = std::map<std::string, std::set<std::int64_t>, std::less<>>;

// Adds the cuts that a text with shardings makes: <@mesh, [{"x":(1)2}]>.
void add_cuts(std::string_view text, Cuts& cuts) {
  for (std::size_t at = text.find("\":("); at != text.npos; at = text.find("\":(", at + 1)) {
    Reader reader(text.substr(text.rfind('"', at - 1)));
    const AxisPart part = axis_part(reader);
    cuts[part.name].insert({part.before, part.before * part.size});
  }
}

// Returns the mesh with an axis for each part. Throws Error if an axis has no such parts.
Mesh cut(const Mesh& mesh, const Cuts& cuts) {
  std::vector<Mesh::Axis> axes;
  for (const Mesh::Axis& axis : mesh.axes()) {
    const auto found = cuts.find(axis.name);
    if (found == cuts.end()) {
      axes.push_back(axis);
      continue;
    }
    std::set<std::int64_t> ends = found->second;
    ends.insert(axis.size);
    std::int64_t before = 1;
    for (const std::int64_t end : ends) {
      require(end % before == 0 && axis.size % end == 0, "the axis \"", axis.name, "\" of size ", axis.size,
              " has no part that ends at ", end, " after one that ends at ", before);
      if (end > before) axes.push_back({name_of_part(axis.name, before, end / before), end / before});
      before = end;
    }
  }
  std::vector<std::int64_t> order(mesh.places().size());  // the device of each place
  for (std::size_t device = 0; device < order.size(); ++device)
    order[mesh.places()[device]] = static_cast<std::int64_t>(device);
  return Mesh(std::move(axes), order);
}

Mesh mesh_named(std::string_view name, const Annotations& meshes, const Cuts& cuts) {
  const auto found = std::ranges::find(meshes, name, &Annotation::name);
  require(found != meshes.end(), "there is no sdy.mesh @", name);
  return cut(parse_mesh(found->value), cuts);
}

// JAX gives such a mesh to what is whole on every device of whatever mesh the function uses.
bool has_no_axes(const Annotation& mesh) { return mesh.value.starts_with("<[]>"); }

std::vector<std::optional<Sharding>> declared(const std::vector<Annotations>& ports, std::span<const Value> values,
                                              const Annotations& meshes, const Mesh& of_function, const Cuts& cuts,
                                              const char* what) {
  std::vector<std::optional<Sharding>> shardings(values.size());
  for (std::size_t i = 0; i < std::min(ports.size(), values.size()); ++i) {
    const std::string* text = find(ports[i], "sdy.sharding");
    if (!text) continue;
    try {
      std::set<std::string_view> mesh;
      add_meshes(*text, mesh);
      require(mesh.size() == 1, "expected the name of one mesh in ", *text);
      const auto named = std::ranges::find(meshes, *mesh.begin(), &Annotation::name);
      const bool is_whole = named != meshes.end() && has_no_axes(*named);
      shardings[i] =
          parse_sharding(*text, is_whole ? of_function : mesh_named(*mesh.begin(), meshes, cuts), values[i].rank());
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
  Reader reader(text);
  Mesh result = mesh(reader);
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
Sharding sharding(Reader& reader, const Mesh& mesh, int rank, const Sharding* held = nullptr) {
  reader.expect("<");
  reader.next();  // @mesh; a function uses one
  reader.expect(",");
  reader.expect("[");
  std::vector<Sharding::Axes> dims;
  std::vector<std::size_t> open;
  Sharding::Axes used;
  while (!reader.take("]")) {
    if (!dims.empty()) reader.expect(",");
    ReadAxes read = axes(reader, mesh);
    if (read.is_open) open.push_back(dims.size());
    used.insert(used.end(), read.axes.begin(), read.axes.end());
    dims.push_back(std::move(read.axes));
    if (reader.is(Token::Kind::identifier)) reader.next();  // the priority: p1
  }
  Sharding::Partial partial;
  while (reader.take(",")) {
    const bool is_partial = reader.take("unreduced");
    if (!is_partial) reader.expect("replicated");
    reader.expect("=");
    for (const int axis : axes(reader, mesh).axes) {
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
  Reader reader(text);
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
  Reader reader(text);
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
  Reader reader(sharding);
  reader.take("#sdy.sharding");
  reader.expect("<");
  if (!reader.take("mesh")) return std::nullopt;
  for (const char* token : {"<", "[", "]", ",", "device_ids", "=", "["}) reader.expect(token);
  return reader.integer();
}

ManualShardings manual_shardings(const Node& node, const Mesh& mesh) {
  const auto& a = node.attributes<ManualComputationAttributes>();
  Reader reader(a.manual_axes);
  reader.expect("#sdy");
  reader.expect("<");
  reader.expect("manual_axes");
  const Sharding::Axes manual = axes(reader, mesh).axes;
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

bool is_single_device(const Annotation& mesh) { return mesh.value.starts_with("<[]") && !has_no_axes(mesh); }

// Returns the mesh that the function's shardings name; of several, which may differ in the order of the devices, the first one by name. If
// they name none, the module must have a single one. Meshes without axes do not count; if there is no other, the result has no axes.
Mesh mesh_of(const Graph& function, const Annotations& meshes, const Cuts& cuts) {
  std::set<std::string_view> names;
  for_each_sharding_of(function, [&](std::string_view text) { add_meshes(text, names); });
  for (const Annotation& mesh : meshes)
    if (has_no_axes(mesh)) names.erase(mesh.name);
  if (names.empty())
    for (const Annotation& mesh : meshes)
      if (!is_single_device(mesh) && !has_no_axes(mesh)) names.insert(mesh.name);
  for (const Annotation& mesh : meshes)
    if (is_single_device(mesh) && (names.empty() || names.contains(mesh.name)))
      throw UnsupportedError(
          concat("weft places no arguments and results on single devices, as the mesh ", mesh.name, " asks for"),
          "sdy.mesh");
  if (names.empty()) return {};
  Mesh first = mesh_named(*names.begin(), meshes, cuts);
  for (const std::string_view name : names)
    if (!mesh_named(name, meshes, cuts).has_axes_of(first))
      throw UnsupportedError(concat("the function uses meshes with different axes: ", *names.begin(), " and ", name),
                             "sdy.mesh");
  return first;
}

}  // namespace

std::optional<DeclaredShardings> declared_shardings(const Graph& function) {
  if (!function.annotations || !function.annotations->module) return std::nullopt;
  const Annotations& meshes = function.annotations->module->meshes;
  if (meshes.empty()) return std::nullopt;
  Cuts cuts;
  for_each_sharding_of(function, [&](std::string_view text) { add_cuts(text, cuts); });
  DeclaredShardings result{mesh_of(function, meshes, cuts), {}, {}};
  result.inputs = declared(function.annotations->arguments, function.inputs(), meshes, result.mesh, cuts, "argument");
  result.outputs = declared(function.annotations->results, function.outputs(), meshes, result.mesh, cuts, "result");
  return result;
}

}  // namespace weft::ir
