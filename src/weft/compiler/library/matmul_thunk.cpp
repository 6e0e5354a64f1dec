#include <weft/compiler/library/matmul_thunk.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include <weft/compiler/library/matmul_primitive.h>
#include <weft/compiler/library/product_unit.h>
#include <weft/compiler/library/short_product.h>
#include <weft/ir/ops.h>
#include <weft/runtime/parallel.h>
#include <weft/runtime/thread_scratch.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
using onednn::data_type;
using runtime::Slice;

namespace {

using Operand = ProductOperand;

// Operands are in the order of DescribedProduct, without the scratchpad.
class MatmulThunk final : public runtime::Thunk {
 public:
  MatmulThunk(std::shared_ptr<const ProductPrimitive> primitive, std::vector<Operand> operands, const Slice& scratch,
              bool one_thread)
      : operands_(std::move(operands)), scratch_(scratch), one_thread_(one_thread), primitive_(std::move(primitive)) {}
  // prepare() makes the primitive.
  MatmulThunk(Product product, std::vector<Operand> operands)
      : operands_(std::move(operands)), one_thread_(product.one_thread), product_(std::move(product)) {}

  void prepare() const override {
    if (product_) std::call_once(made_, [&] { primitive_ = primitive_of(*product_); });
  }

  void run(const runtime::Launch& launch) const override {
    prepare();
    std::array<std::byte*, most_operands> addresses{};
    std::size_t count = 0;
    for (const Operand& operand : operands_)
      addresses[count++] = operand.slice.bytes ? launch.at(operand.slice) + operand.offset : nullptr;
    addresses[count++] = product_         ? runtime::scratch_of_this_thread(primitive_->scratch_bytes())
                         : scratch_.bytes ? launch.at(scratch_)
                                          : nullptr;
    const auto one = one_thread_ ? std::make_optional<runtime::SingleThread>() : std::nullopt;
    primitive_->run(std::span(addresses).first(count));
  }

 private:
  std::vector<Operand> operands_;
  Slice scratch_;
  bool one_thread_;
  std::optional<Product> product_;
  mutable std::once_flag made_;
  mutable std::shared_ptr<const ProductPrimitive> primitive_;
};

}  // namespace

namespace {

// The number of multiplications that is worth a second thread (measured on an idle machine: 80 x 80 x 80 takes 5.3 us with one or two).
constexpr double worth_a_thread = 1 << 19;

double multiplications(const MatmulShape& shape) {
  double all = 1;
  for (const Size size : shape.batch) all *= size.value();
  for (const Size size : {shape.m, shape.n, shape.k}) all *= size.value();
  return all;
}

// Returns nullopt if the product has no form for these sizes.
std::optional<Product> product_at(const Matmul& matmul, bool strict, const SizeValues& values) {
  const Node& dot = *matmul.dot;
  auto shape = shape_at(matmul, values);
  if (!shape) return std::nullopt;
  const bool one_thread = strict || multiplications(*shape) < worth_a_thread;
  Product product{std::move(*shape),
                  dot.operand(0).dtype(),
                  dot.operand(1).dtype(),
                  matmul.epilogue.result.dtype(),
                  {},
                  one_thread,
                  strict};
  for (const EpilogueStep& step : matmul.epilogue.steps)
    product.steps.push_back({step.kind, step.activation, step.operand.base ? step.operand.base.dtype() : DType::f32});
  return product;
}

// Replaces sizes of 0 by 1: oneDNN divides by sizes.
MatmulShape filled(MatmulShape shape) {
  const auto fill = [](Size& size) { size = std::max<std::int64_t>(size.value(), 1); };
  for (auto* sizes : {&shape.batch, &shape.lhs, &shape.rhs}) std::ranges::for_each(*sizes, fill);
  for (Size* size : {&shape.m, &shape.n, &shape.k}) fill(*size);
  return shape;
}

}  // namespace

bool matmul_exists(const Matmul& matmul, const SizeValues& values, const Target& target) {
  if (matmul.epilogue.steps.size() > most_steps) return false;
  for (const EpilogueStep& step : matmul.epilogue.steps)
    if (step.operand.base && !data_type(step.operand.base.dtype())) return false;
  if (!target.multiplies(matmul.dot->operand(0).dtype(), matmul.dot->operand(1).dtype(),
                         matmul.epilogue.result.dtype()))
    return false;
  auto product = product_at(matmul, false, values);
  if (!product) return false;
  if (has_empty_operand(matmul, values)) product->shape = filled(std::move(product->shape));
  const auto described = describe(*product);
  return described && !std::string_view(described->primitive.impl_info_str()).starts_with("ref");
}

namespace {

// A product without elements, or whose sums have no terms.
class EmptyMatmulThunk final : public runtime::Thunk {
 public:
  explicit EmptyMatmulThunk(const Slice& result) : result_(result) {}
  void run(const runtime::Launch& launch) const override {
    if (result_.bytes) std::memset(launch.at(result_), 0, result_.bytes);
  }

 private:
  Slice result_;
};

// Returns whether strict mode adds the terms itself. This depends only on their number, whether or not it was known at compile time.
bool in_order(const Product& product) { return product.packed && is_short(product); }

auto short_product(Product product, std::vector<std::size_t> offsets) {
  return [product = std::move(product), offsets = std::move(offsets)](std::span<const Slice> reads,
                                                                      std::span<const Slice> writes, const Slice&) {
    return short_product_thunk(product, operands_of(reads, writes, offsets));
  };
}

// Returns the product's unit for known sizes. The thunk makes oneDNN's primitive before it first runs.
std::optional<Unit> unit_at(const Matmul& matmul, bool strict, const SizeValues& values) {
  Unit unit;
  if (is_zero(matmul, values)) {
    unit.bytes = values(matmul.epilogue.result.type()).bytes();
    unit.thunk().make = [](std::span<const Slice>, std::span<const Slice> writes, const Slice&) {
      return std::make_unique<EmptyMatmulThunk>(writes[0]);
    };
    return unit;
  }
  auto product = product_at(matmul, strict, values);
  if (!product || has_empty_operand(matmul, values)) return std::nullopt;
  add_work(matmul, product->shape, values, unit);
  if (in_order(*product)) {
    unit.thunk().make = short_product(*product, offsets_of(matmul, values));
    return unit;
  }
  unit.thunk().has_to_prepare = true;
  unit.thunk().make = [product = std::move(*product), offsets = offsets_of(matmul, values)](
                          std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<MatmulThunk>(product, operands_of(reads, writes, offsets));
  };
  return unit;
}

}  // namespace

Unit matmul_unit(const Matmul& matmul, bool strict, const SizeValues& values) {
  Unit unit = product_unit(matmul, values);
  if (!is_static(matmul)) {
    unit.form = sized_later(matmul, [matmul, strict](const SizeValues& now) { return unit_at(matmul, strict, now); });
    return unit;
  }
  const auto product = product_at(matmul, strict, values);
  if (in_order(*product)) {
    unit.thunk().make = short_product(*product, offsets_of(matmul, values));
    return unit;
  }
  const auto primitive = primitive_of(*product);
  unit.scratch_bytes = primitive->scratch_bytes();
  unit.thunk().make = [primitive, offsets = offsets_of(matmul, values), one = product->one_thread](
                          std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
    return std::make_unique<MatmulThunk>(primitive, operands_of(reads, writes, offsets), scratch, one);
  };
  return unit;
}

}  // namespace weft::compiler
