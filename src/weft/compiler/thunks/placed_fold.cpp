#include <weft/compiler/thunks/placed_fold.h>

#include <type_traits>

#include <weft/compiler/passes/pipeline.h>
#include <weft/ir/text/text.h>

namespace weft::compiler {

PlacedFold::PlacedFold(const ir::Graph& body, DType index, std::int64_t columns, const NativeContext& context)
    : index_(index) {
  const std::size_t count = body.outputs().size();
  for (const ir::Value v : body.inputs().first(count)) accumulator_bytes_.push_back(byte_size(v.dtype()));
  for (const ir::Value v : body.inputs().last(count)) update_bytes_.push_back(byte_size(v.dtype()));
  Report report;
  const auto optimised = run_pipeline(body, context.options, report);
  if (!is_scalar_body(*optimised)) {
    body_ = std::make_unique<const Body>(body, context);
    return;
  }
  const auto routine = std::make_shared<Routine>(
      Routine{PlacedBody{optimised.get(), index, columns},
              concat("fold of ", columns, " columns at ", index, " places ", ir::print(*optimised)), optimised});
  context.routines.push_back(routine);
  routine_ = routine;
}

void PlacedFold::run(const IndexedRows& rows, std::int64_t columns, std::span<std::byte* const> accumulators,
                     std::span<std::byte* const> updates) const {
  if (routine_)
    return reinterpret_cast<PlacedBodyKernel>(routine_->address)(&rows, columns, accumulators.data(), updates.data());
  Fold fold(*body_);
  visit(index_, [&](auto tag) {
    using I = decltype(tag);
    if constexpr (std::is_integral_v<I> && !std::is_same_v<I, bool>)
      for (std::int64_t row = 0; row < rows.count; ++row) {
        const I index = reinterpret_cast<const I*>(rows.indices)[row * rows.index_stride];
        if (static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(rows.limit)) continue;
        const Rows into{static_cast<std::int64_t>(index) * rows.place_stride, 0, 1};
        fold.run(1, columns, accumulators, into, updates, Rows{row * rows.update_stride, 0, 1});
      }
  });
}

}  // namespace weft::compiler
