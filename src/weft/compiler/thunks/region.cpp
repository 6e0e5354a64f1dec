#include <weft/compiler/thunks/region.h>

#include <algorithm>
#include <array>

#include <weft/ir/op.h>

namespace weft::compiler {

using runtime::Allocation;

namespace {

void add_sizes(const ir::Graph& graph, std::vector<Size>& all) {
  for (const ir::Node* node : graph.nodes()) {
    for (const Type type : node->types)
      for (const Dim dim : type.dims())
        if (!dim.is_constant()) all.emplace_back(dim);
    if (node->op->has_sizes())
      for (const std::int64_t number : node->op->attributes->sizes(node->attribute_data))
        if (!Size(number).is_constant()) all.emplace_back(number);
    for (const ir::Graph* region : node->regions) add_sizes(*region, all);
  }
}

}  // namespace

bool Region::is_on_device() const {
  return std::ranges::all_of(executable_->thunks, [](const auto& thunk) { return thunk->on_device; }) &&
         std::ranges::none_of(executable_->allocations,
                              [](const Allocation& a) { return a.kind == Allocation::Kind::constant; });
}

void Region::bind(const Addresses& addresses, std::span<std::byte*> bases) const {
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const Allocation& a = executable_->allocations[i];
    switch (a.kind) {
      case Allocation::Kind::input: bases[i] = addresses.inputs[a.index]; break;
      case Allocation::Kind::output: {
        const int from = donor(a.index);
        bases[i] = from < 0 ? addresses.outputs[a.index] : addresses.inputs[from];
        break;
      }
      case Allocation::Kind::constant: bases[i] = const_cast<std::byte*>(a.constant.get()); break;
      case Allocation::Kind::temporary: bases[i] = addresses.temporaries + a.offset; break;
    }
  }
}

void Region::run(const runtime::Launch& launch, const Addresses& addresses) const {
  const std::size_t allocations = executable_->allocations.size();
  // Small programs run often, so their addresses are not allocated on the heap.
  std::array<std::byte*, 64> few;
  std::vector<std::byte*> many(allocations > few.size() ? allocations : 0);
  const std::span<std::byte*> bases = many.empty() ? std::span(few).first(allocations) : std::span(many);
  bind(addresses, bases);
  const runtime::Launch inner{
      .bases = bases, .step = launch.step, .device = launch.device, .context = launch.context, .queue = launch.queue};
  for (const auto& thunk : executable_->thunks) thunk->run(inner);
}

void Region::run_together(std::span<const runtime::Launch> launches, std::span<const Addresses> addresses) const {
  const std::size_t allocations = executable_->allocations.size();
  std::vector<std::byte*> all(launches.size() * allocations);
  std::vector<runtime::Launch> inner;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto bases = std::span(all).subspan(i * allocations, allocations);
    bind(addresses[i], bases);
    inner.push_back(
        {.bases = bases, .step = launches[i].step, .device = launches[i].device, .context = launches[i].context});
  }
  runtime::run_together(executable_->thunks, inner);
}

RegionProgram::RegionProgram(std::shared_ptr<const ir::Graph> graph, const NativeContext& context,
                             std::vector<bool> may_overwrite, const Target* target)
    : graph_(std::move(graph)), target_(target ? target : &context.options.target->of_thunks()) {
  Options options = context.options;
  options.overlap = false;  // its thunks run in turn
  options.target = target_;
  options.donatable = std::move(may_overwrite);
  Report report;
  if (sizes().empty()) {
    executable_ = context.nested.compile(*graph_, options, report);
  } else if (!target_->is_gpu) {
    program_ = context.nested.compile_for_sizes(*graph_, options, report);
  }
  if (is_complete())
    context.fallbacks.insert(context.fallbacks.end(), report.fallbacks.begin(), report.fallbacks.end());
}

bool RegionProgram::is_complete() const {
  if (!target_->is_gpu) return true;
  return executable_ && (target_->is_twin || Region(executable_).is_on_device());
}

std::optional<Region> RegionProgram::at(const SizeValues& sizes) const {
  if (executable_) return Region(executable_);
  auto executable = program_->at({sizes.symbols().begin(), sizes.symbols().end()}, {});
  return executable ? std::optional<Region>(*std::move(executable)) : std::nullopt;
}

std::vector<Size> RegionProgram::sizes() const {
  std::vector<Size> all;
  add_sizes(*graph_, all);
  return all;
}

}  // namespace weft::compiler
