#include <weft/compiler/loop/fft_kernel.h>

#include <algorithm>

#include <weft/ir/composites.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

bool has_fft_kernel(const ir::Node& node, const Target& target) {
  if (target.is_gpu || node.op != &ir::ops::composite || !ir::is_static(node)) return false;
  const std::string_view name = node.attributes<ir::CompositeAttributes>().name;
  if (name != ir::fourier && name != ir::inverse_fourier) return false;
  const Type x = node.operand(0).type();
  const auto is_part = [&](Type type) { return type == x; };
  return (node.operands.size() == 1 || (node.operands.size() == 2 && node.operand(1).type() == x)) &&
         node.types.size() == 2 && std::ranges::all_of(node.types, is_part) && x.rank() == 2 && x.size(1) >= 2 &&
         (x.dtype() == DType::f32 || x.dtype() == DType::f64);
}

std::string FftPass::key() const {
  return concat("fft pass of radix ", radix, ", ", turned, turns_lanes ? " lanes" : " rows", " turned, ", dtype,
                contract ? "" : ", not contracted");
}

}  // namespace weft::compiler
