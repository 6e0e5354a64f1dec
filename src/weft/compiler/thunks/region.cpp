#include <weft/compiler/thunks/region.h>

#include <array>

namespace weft::compiler {

using runtime::Allocation;

Region::Region(const ir::Graph& graph, const NativeContext& context, std::vector<bool> may_overwrite) {
  Options options = context.options;
  options.donatable = std::move(may_overwrite);
  Report report;
  executable_ = compile(graph, options, &report);
  context.fallbacks.insert(context.fallbacks.end(), report.fallbacks.begin(), report.fallbacks.end());
}

void Region::run(std::uint64_t step, std::span<std::byte* const> inputs, std::span<std::byte* const> outputs,
                 std::byte* temporaries) const {
  const auto& allocations = executable_->allocations;
  // Small programs run often: their addresses need no heap.
  std::array<std::byte*, 64> few;
  std::vector<std::byte*> many(allocations.size() > few.size() ? allocations.size() : 0);
  const std::span<std::byte*> bases = many.empty() ? std::span(few).first(allocations.size()) : std::span(many);
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const Allocation& a = allocations[i];
    switch (a.kind) {
      case Allocation::Kind::input: bases[i] = inputs[a.index]; break;
      case Allocation::Kind::output: {
        const int from = donor(a.index);
        bases[i] = from < 0 ? outputs[a.index] : inputs[static_cast<std::size_t>(from)];
        break;
      }
      case Allocation::Kind::constant: bases[i] = const_cast<std::byte*>(a.constant.get()); break;
      case Allocation::Kind::temporary: bases[i] = temporaries + a.offset; break;
    }
  }
  const runtime::Launch launch{.bases = bases, .step = step};
  for (const auto& thunk : executable_->thunks) thunk->run(launch);
}

}  // namespace weft::compiler
