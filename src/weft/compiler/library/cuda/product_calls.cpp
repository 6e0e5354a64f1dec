#include <weft/compiler/library/cuda/product_calls.h>

#include <algorithm>
#include <limits>
#include <utility>

#include <weft/base/error.h>

namespace weft::compiler {

namespace {

// cuBLASLt does not always support larger batches.
constexpr std::int64_t most_in_batch = 65535;

bool fits_an_int(std::int64_t size) { return size <= std::numeric_limits<std::int32_t>::max(); }

// Returns a matrix of these sizes and strides as the library would read it: by columns, or transposed; nullopt if neither is possible.
std::optional<GpuMatrix> matrix(std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                                std::int64_t column_stride) {
  if (!fits_an_int(rows) || !fits_an_int(columns)) return std::nullopt;
  // A dimension of one element may have any stride.
  const GpuMatrix by_columns{false, rows, columns, columns == 1 ? rows : column_stride};
  const GpuMatrix by_rows{true, columns, rows, rows == 1 ? columns : row_stride};
  const bool has_columns = (rows == 1 || row_stride == 1) && by_columns.leading >= by_columns.rows;
  const bool has_rows = (columns == 1 || column_stride == 1) && by_rows.leading >= by_rows.rows;
  if (has_columns && has_rows) return rows >= columns ? by_columns : by_rows;  // a vector: one long column
  if (has_columns) return by_columns;
  if (has_rows) return by_rows;
  return std::nullopt;
}

// Returns false unless the steps are sums, at most one of each kind, and then an activation. The library adds them in f32 (or f64), and
// rounds once.
bool take_steps(const Epilogue& epilogue, GpuProduct& product) {
  const DType result = epilogue.result.dtype();
  for (const EpilogueStep& step : epilogue.steps) {
    if (product.applies_gelu) return false;
    switch (step.kind) {
      case EpilogueStep::Kind::bias:
        if (product.adds_bias || step.operand.base.dtype() != result || result == DType::f64) return false;
        product.adds_bias = true;
        break;
      case EpilogueStep::Kind::residual:
        if (product.adds_residual || step.operand.base.dtype() != result) return false;
        product.adds_residual = true;
        break;
      case EpilogueStep::Kind::activation:
        // The library's tanh has about 11 bits, which is enough for bf16 only.
        if (step.activation != Activation::gelu_tanh || result != DType::bf16) return false;
        product.applies_gelu = true;
        break;
    }
  }
  return true;
}

std::int64_t largest_part(std::int64_t count) {
  if (count <= most_in_batch) return std::max<std::int64_t>(count, 1);
  for (std::int64_t part = most_in_batch; part > 1; --part)
    if (count % part == 0) return part;
  return 1;
}

}  // namespace

bool gpu_multiplies(DType lhs, DType rhs, DType result) {
  if (lhs != rhs) return false;
  if (lhs == DType::bf16 || lhs == DType::f16) return result == lhs || result == DType::f32;
  return (lhs == DType::f32 || lhs == DType::f64) && result == lhs;
}

std::optional<GpuCalls> gpu_calls(const Matmul& matmul, const MatmulShape& shape, bool strict, bool measured) {
  GpuCalls calls;
  GpuProduct& product = calls.product;
  product.operands = matmul.dot->operand(0).dtype();
  product.result = matmul.epilogue.result.dtype();
  product.in_one_part = strict;
  product.measured = measured;
  if (!gpu_multiplies(product.operands, matmul.dot->operand(1).dtype(), product.result)) return std::nullopt;
  if (!take_steps(matmul.epilogue, product)) return std::nullopt;

  const std::int64_t m = shape.m.value(), n = shape.n.value(), k = shape.k.value();
  const std::size_t rank = shape.batch.size();
  const auto a = matrix(n, k, shape.rhs[rank + 1].value(), shape.rhs[rank].value());
  const auto b = matrix(k, m, shape.lhs[rank + 1].value(), shape.lhs[rank].value());
  if (!a || !b) return std::nullopt;
  product.a = *a;
  product.b = *b;
  product.d = {false, n, m, n};

  // The longest dimension of the batch is walked by the library, the others by repeated calls.
  struct BatchDim {
    std::int64_t count, a, b, d;  // distances are in elements
  };
  std::vector<BatchDim> batch;
  std::int64_t stride = m * n;
  for (std::size_t i = rank; i-- > 0; stride *= shape.batch[i].value())
    batch.push_back({shape.batch[i].value(), shape.rhs[i].value(), shape.lhs[i].value(), stride});
  const auto longest = std::ranges::max_element(batch, {}, &BatchDim::count);
  const auto repeat = [&](const BatchDim& dim, std::int64_t count, std::int64_t step) {
    if (count == 1) return;
    const std::int64_t read = byte_size(product.operands) * step, written = byte_size(product.result) * step;
    calls.repeats.push_back({count, dim.a * read, dim.b * read, dim.d * written});
  };
  for (auto dim = batch.begin(); dim != batch.end(); ++dim) {
    if (dim != longest) {
      repeat(*dim, dim->count, 1);
      continue;
    }
    product.batch = largest_part(dim->count);
    product.a.batch_stride = dim->a;
    product.b.batch_stride = dim->b;
    product.d.batch_stride = dim->d;
    repeat(*dim, dim->count / product.batch, product.batch);
  }
  return calls;
}

std::string text_of(const GpuProduct& product) {
  const auto columns = product.b.transposed ? product.b.rows : product.b.columns;
  const auto terms = product.b.transposed ? product.b.columns : product.b.rows;
  std::string text =
      concat(product.operands, " [", columns, ", ", terms, ", ", product.d.rows, "] with a result of ", product.result);
  if (product.batch != 1) text += concat(", ", product.batch, " in a batch");
  if (product.adds_residual) text += ", residual";
  if (product.adds_bias) text += ", bias";
  if (product.applies_gelu) text += ", GELU";
  return text;
}

std::string key_of(const GpuProduct& product) {
  const auto& [a, b, d, batch, operands, result, adds_residual, adds_bias, applies_gelu, in_one_part, measured] =
      product;
  std::string key;
  for (const GpuMatrix* matrix : {&a, &b, &d}) {
    const auto& [transposed, rows, columns, leading, batch_stride] = *matrix;
    key += concat(transposed, ' ', rows, ' ', columns, ' ', leading, ' ', batch_stride, '\n');
  }
  return key + concat(batch, ' ', operands, ' ', result, ' ', adds_residual, adds_bias, applies_gelu, in_one_part,
                      measured, '\n');
}

}  // namespace weft::compiler
