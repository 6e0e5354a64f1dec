#include <weft/compiler/loop/fft_kernel.h>

#include <algorithm>

#include <weft/ir/composites.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

bool has_fft_kernel(const ir::Node& node, const Target& target) {
  if (target.is_gpu || node.op != &ir::ops::composite || !ir::is_static(node)) return false;
  const std::string_view name = node.attributes<ir::CompositeAttributes>().name;
  const Type x = node.operand(0).type();
  if (x.dtype() != DType::f32 && x.dtype() != DType::f64) return false;
  const auto equal = [&](Type type) { return type == x; };
  const std::size_t parts = node.operands.size();
  if (!std::ranges::all_of(node.operands, equal, [](ir::Value v) { return v.type(); })) return false;
  const auto has_results = [&](std::size_t count, Type type) {
    return node.types.size() == count && std::ranges::all_of(node.types, [&](Type t) { return t == type; });
  };
  const int rank = x.rank();
  if (rank < 2) return false;
  const auto rows_of = [&](std::int64_t n) {
    std::vector<Dim> dims(x.dims().begin(), x.dims().end());
    dims.back() = n;
    return Type(x.dtype(), dims);
  };
  const std::int64_t n = x.size(rank - 1), length = x.size(rank - 2);
  if (name == ir::fourier || name == ir::inverse_fourier)
    return n >= 2 && (parts == 1 || parts == 2) && has_results(2, x);
  if (name == ir::column_fourier || name == ir::inverse_column_fourier)
    return rank >= 3 && length >= 2 && !fft_radices(length).empty() && n >= target.lanes / 2 && parts == 2 &&
           has_results(2, x);
  if (name == ir::real_fourier) return n >= 4 && n % 2 == 0 && parts == 1 && has_results(2, rows_of(n / 2 + 1));
  return name == ir::inverse_real_fourier && n >= 3 && parts == 2 && has_results(1, rows_of(2 * (n - 1)));
}

std::vector<int> fft_radices(std::int64_t n) {
  std::vector<int> radices;
  while (n > 1) {
    int radix = 0;
    for (const int r : {4, 2, 3, 5, 7, 11, 13})
      if (n % r == 0) {
        radix = r;
        break;
      }
    if (radix == 0) return {};
    radices.push_back(radix);
    n /= radix;
  }
  return radices;
}

std::string FftPass::key() const {
  return concat("fft pass of radix ", radix, ", ", turned, turns_lanes ? " lanes" : " rows", " turned, ", dtype,
                is_mirrored ? ", mirrored" : "", halves ? ", halved" : "", contract ? "" : ", not contracted");
}

}  // namespace weft::compiler
