#include <weft/compiler/thunks/onednn.h>

namespace weft::compiler::onednn {

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::stream& stream() {
  thread_local dnnl::stream s(engine());
  return s;
}

std::optional<dnnl::memory::data_type> data_type(DType t) {
  if (t == DType::f32) return dnnl::memory::data_type::f32;
  if (t == DType::bf16 && __builtin_cpu_supports("avx512bf16")) return dnnl::memory::data_type::bf16;
  return std::nullopt;
}

}  // namespace weft::compiler::onednn
