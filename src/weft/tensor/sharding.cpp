#include <weft/tensor/sharding.h>

#include <algorithm>
#include <list>
#include <mutex>

#include <weft/compiler/sharding_layout.h>
#include <weft/ir/builder.h>
#include <weft/record/mesh.h>
#include <weft/record/session.h>
#include <weft/record/sync.h>
#include <weft/runtime/ranks.h>
#include <weft/tensor/frame.h>
#include <weft/tensor/name_patterns.h>

namespace weft {

void set_mesh(const Mesh& mesh) {
  static std::mutex mutex;
  static auto* const chosen = new std::list<Mesh>;  // sessions refer to them; a process chooses few
  const std::lock_guard lock(mutex);
  auto known = std::ranges::find(*chosen, mesh);
  if (known == chosen->end()) known = chosen->insert(known, mesh);
  record::session.mesh = &*known;
}

const Mesh& current_mesh() {
  const Mesh* const mesh = record::mesh();
  require(mesh != nullptr, "there is no mesh: name one, call set_mesh, or use a function that is compiled for a mesh");
  return *mesh;
}

std::uint32_t process_index() { return runtime::ranks().rank; }
std::uint32_t process_count() { return runtime::ranks().count; }

Sharding::Axes axes_named(const Mesh& mesh, std::string_view names) {
  Sharding::Axes axes;
  for (std::string_view rest = names; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    axes.push_back(mesh.axis(name));
  }
  return axes;
}

Sharding PartitionSpec::of_parts(const Mesh& mesh, Type type, const char* function) const {
  require(std::cmp_less_equal(dims_.size(), type.rank()), function, ": ", dims_.size(), " dimensions are given for ",
          type);
  std::vector<Sharding::Axes> axes(type.rank());
  for (std::size_t d = 0; d < dims_.size(); ++d) axes[d] = axes_named(mesh, dims_[d]);
  try {
    return {mesh, std::move(axes)};
  } catch (const Error& wrong) {
    fail(function, ": ", wrong.what());
  }
}

Sharding PartitionSpec::on(const Mesh& mesh, Type type, const char* function) const {
  Sharding sharding = of_parts(mesh, type, function);
  try {
    (void)sharding.local_type(type);
    return sharding;
  } catch (const Error& wrong) {
    fail(function, ": ", wrong.what());
  }
}

Tensor Tensor::sharded(const PartitionSpec& spec, const Mesh& mesh, const Where& where) const {
  detail::Frame frame("sharded", where);
  const Sharding sharding = spec.on(mesh, type(), "sharded");
  if (impl().buffer && !impl().buffer->layout() && !frame.recording().is_body() && !record::session.observer)
    return Tensor(record::moved(impl().buffer, compiler::layout_for(sharding)));
  frame.recording().runs_on(mesh, "sharded");
  return frame.tensor(ir::sharding_constraint(frame.value(*this), concat("#sdy.sharding<@mesh, ", sharding, '>')));
}

Tensor Tensor::sharded(const PartitionSpec& spec, const Where& where) const {
  return sharded(spec, current_mesh(), where);
}

std::optional<Sharding> sharding_of(const Tensor& x) {
  const runtime::LayoutId layout = x.buffer()->layout();
  return layout ? std::optional(compiler::sharding_of(layout)) : std::nullopt;
}

namespace {

struct NewSharding {
  Parameter* parameter;
  Sharding sharding;
};

// Values that are not computed yet are computed as shards, all in one program, so that no device ever holds them whole. The others move.
void set_shardings(std::span<const NewSharding> all) {
  std::vector<NewSharding> moves;
  for (const NewSharding& one : all) {
    require(one.parameter->defined(), "shard: a parameter has no value");
    if (!record::compute_as(one.parameter->tensor().impl(), compiler::layout_for(one.sharding))) moves.push_back(one);
  }
  if (moves.size() < all.size()) weft::sync();
  for (const NewSharding& one : moves) {
    const Tensor& value = one.parameter->tensor();
    one.parameter->reset(Tensor(record::moved(value.buffer(), compiler::layout_for(one.sharding))));
  }
}

// How a parameter is held, or is to be held, by the devices of the mesh.
Sharding current_sharding(const Parameter& parameter, const Mesh& mesh) {
  const runtime::LayoutId layout = parameter.tensor().impl().layout;
  if (!layout || compiler::sharding_of(layout).mesh() != mesh) return Sharding(mesh, parameter.type().rank());
  return compiler::sharding_of(layout);
}

}  // namespace

void shard(Parameter& parameter, const PartitionSpec& spec, const Mesh& mesh) {
  require(parameter.defined(), "shard: a parameter has no value");
  set_shardings({{{&parameter, spec.on(mesh, parameter.type(), "shard")}}});
}

void shard(const std::vector<NamedParameter>& parameters, const std::vector<ShardingPattern>& patterns,
           const Mesh& mesh) {
  std::vector<std::string> names;
  for (const ShardingPattern& pattern : patterns) names.push_back(pattern.names);
  const auto matches = first_matches(parameters, names, "shard");
  std::vector<NewSharding> all;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [name, parameter] = parameters[i];
    require(parameter->defined(), "shard: ", name, " has no value");
    const std::string function = concat("shard: ", name);
    all.push_back({parameter, matches[i] ? patterns[*matches[i]].spec.on(mesh, parameter->type(), function.c_str())
                                         : Sharding(mesh, parameter->type().rank())});
  }
  set_shardings(all);
}

void shard(const std::vector<NamedParameter>& parameters, const zero::Over& over, const Mesh& mesh) {
  const int axis = mesh.axis(over.axis());
  std::vector<NewSharding> all;
  for (const auto& [name, parameter] : parameters) {
    require(parameter->defined(), "shard: ", name, " has no value");
    const Sharding now = current_sharding(*parameter, mesh);
    std::vector<Sharding::Axes> dims = now.dims();
    bool is_split =
        std::ranges::any_of(dims, [&](const Sharding::Axes& axes) { return std::ranges::count(axes, axis) != 0; });
    for (int d = 0; d < now.rank() && !is_split; ++d) {
      if (parameter->type().size(d) % (now.shards(d) * mesh.size(axis)) != 0) continue;
      dims[d].push_back(axis);
      is_split = true;
    }
    all.push_back({parameter, Sharding(mesh, std::move(dims))});
  }
  set_shardings(all);
}

}  // namespace weft
