#include <weft/compiler/thunks/body.h>

#include <cstring>

#include <weft/compiler/passes.h>

namespace weft::compiler {

Body::Body(const ir::Graph& graph, const NativeContext& context) : inputs_(graph.inputs().size()) {
  Report report;
  const auto optimised = run_pipeline(graph, context.options, report);
  if (is_scalar_body(*optimised))
    code_ = compile_body(*optimised);
  else
    region_ = std::make_unique<Region>(graph, context, false);
  for (const ir::Value v : graph.outputs()) output_widths_.push_back(static_cast<std::size_t>(byte_size(v.dtype())));
}

// Results go through places of their own, for they may lie where inputs do.
void Body::apply_region(std::int64_t count, std::byte* const* buffers, const std::int64_t* strides) const {
  std::vector<std::uint64_t> memory(region_->temporary_bytes() / sizeof(std::uint64_t) + 1);
  std::vector<std::uint64_t> results(output_widths_.size());
  std::vector<std::byte*> in(inputs_), out;
  for (std::uint64_t& result : results) out.push_back(reinterpret_cast<std::byte*>(&result));
  for (std::int64_t row = 0; row < count; ++row) {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = buffers[i] + row * strides[i];
    region_->run(0, in, out, reinterpret_cast<std::byte*>(memory.data()));
    for (std::size_t i = 0; i < out.size(); ++i)
      std::memcpy(buffers[inputs_ + i] + row * strides[inputs_ + i], out[i], output_widths_[i]);
  }
}

}  // namespace weft::compiler
