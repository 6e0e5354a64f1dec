#include <weft/compiler/thunks/body.h>

#include <algorithm>
#include <cstring>

#include <weft/compiler/passes/pipeline.h>
#include <weft/ir/text/text.h>

namespace weft::compiler {

Body::Body(const ir::Graph& graph, const NativeContext& context) : inputs_(graph.inputs().size()) {
  Report report;
  const auto optimised = run_pipeline(graph, context.options, report);
  if (is_scalar_body(*optimised)) {
    const auto routine =
        std::make_shared<Routine>(Routine{optimised.get(), concat("body ", ir::print(*optimised)), optimised});
    context.routines.push_back(routine);
    routine_ = routine;
  } else {
    region_ = std::make_unique<Region>(*RegionProgram({std::shared_ptr<const ir::Graph>(), &graph}, context).at({}));
  }
  for (const auto values : {graph.inputs(), graph.outputs()})
    for (const ir::Value v : values) widths_.push_back(byte_size(v.dtype()));
  no_strides_.resize(widths_.size());
}

// Results are written to separate memory first, since they may overlap the inputs.
void Body::apply_region(std::int64_t outer, std::int64_t inner, std::byte* const* buffers,
                        const std::int64_t* outer_strides, const std::int64_t* inner_strides) const {
  std::vector<std::uint64_t> memory(region_->temporary_bytes() / sizeof(std::uint64_t) + 1);
  std::vector<std::uint64_t> results(widths_.size() - inputs_);
  std::vector<std::byte*> in(inputs_), out;
  for (std::uint64_t& result : results) out.push_back(reinterpret_cast<std::byte*>(&result));
  for (std::int64_t row = 0; row < outer * inner; ++row) {
    const auto at = [&](std::size_t i) {
      return buffers[i] + row / inner * outer_strides[i] + row % inner * inner_strides[i];
    };
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = at(i);
    region_->run({}, {in, out, reinterpret_cast<std::byte*>(memory.data())});
    for (std::size_t i = 0; i < out.size(); ++i) std::memcpy(at(inputs_ + i), out[i], widths_[inputs_ + i]);
  }
}

void fill_elements(std::byte* to, const std::byte* value, std::int64_t width, std::int64_t count) {
  const auto fill = [&]<class Bits>(Bits bits) {
    std::memcpy(&bits, value, sizeof(bits));
    std::fill_n(reinterpret_cast<Bits*>(to), count, bits);
  };
  switch (width) {
    case 1: return fill(std::uint8_t{});
    case 2: return fill(std::uint16_t{});
    case 4: return fill(std::uint32_t{});
    default: return fill(std::uint64_t{});
  }
}

}  // namespace weft::compiler
