#include <weft/compiler/library/matmul_thunk.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include <weft/compiler/library/matmul_primitive.h>
#include <weft/compiler/library/short_product.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>
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

const char* name_of(const EpilogueStep& step) {
  switch (step.kind) {
    case EpilogueStep::Kind::bias: return "+bias";
    case EpilogueStep::Kind::residual: return "+residual";
    case EpilogueStep::Kind::activation: return "+activation";
  }
  return "";
}

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
  const auto at = [&](Strided operand) {
    for (auto* sizes : {&operand.sizes, &operand.strides})
      for (Size& size : *sizes) size = values(size);
    return operand;
  };
  auto shape = matmul_shape(dot.attributes<ir::DotAttributes>(), at(strided(dot, 0, matmul.lhs)),
                            at(strided(dot, 1, matmul.rhs)));
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

std::string name_of(const Matmul& matmul) {
  std::string name(matmul.dot->op->name);
  for (const EpilogueStep& step : matmul.epilogue.steps) name += name_of(step);
  return concat(name, ".", matmul.epilogue.result.node->id);
}

void add_work(const Matmul& matmul, const MatmulShape& shape, const SizeValues& values, Unit& unit) {
  const auto bytes = [&](Value v) { return values(v.type()).bytes(); };
  const std::int64_t elements = values(matmul.epilogue.result.type()).elements();
  const std::int64_t m = shape.m.value(), n = shape.n.value(), k = shape.k.value();
  const std::int64_t batch = elements == 0 ? 0 : elements / (m * n);
  std::int64_t moved =
      bytes(matmul.epilogue.result) +
      batch * k * (m * byte_size(matmul.dot->operand(0).dtype()) + n * byte_size(matmul.dot->operand(1).dtype()));
  for (const EpilogueStep& step : matmul.epilogue.steps)
    if (step.kind != EpilogueStep::Kind::activation) moved += bytes(step.operand.base);
  unit.flops = 2 * elements * k;
  unit.bytes = moved;
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
  if (std::ranges::any_of(matmul.dot->operands, [&](Value v) { return values(v.type()).elements() == 0; }))
    product->shape = filled(std::move(product->shape));
  const auto described = describe(*product);
  return described && !std::string_view(described->primitive.impl_info_str()).starts_with("ref");
}

namespace {

void for_each_read(const Matmul& matmul, auto&& visit) {
  visit(matmul.lhs);
  visit(matmul.rhs);
  for (const EpilogueStep& step : matmul.epilogue.steps)
    if (step.operand.base) visit(step.operand);
}

// Returns whether the product's sizes and the offsets and strides of its operands are known.
bool is_static(const Matmul& matmul) {
  bool known = ir::is_static(*matmul.dot);
  for_each_read(matmul, [&](const View& view) {
    known = known && view.offset.is_constant() && std::ranges::all_of(view.strides, &Size::is_constant);
  });
  return known;
}

// Returns the reads, at the offsets of their views, followed by the result.
std::vector<Operand> operands_of(std::span<const Slice> reads, std::span<const Slice> writes,
                                 const std::vector<std::size_t>& offsets) {
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < reads.size(); ++i) operands.push_back({reads[i], offsets[i]});
  operands.push_back({writes[0], 0});
  return operands;
}

std::vector<std::size_t> offsets_of(const Matmul& matmul, const SizeValues& values) {
  std::vector<std::size_t> offsets;
  for_each_read(matmul,
                [&](const View& view) { offsets.push_back(values(view.offset) * byte_size(view.base.dtype())); });
  return offsets;
}

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
  const auto empty = [&](Value v) {
    return std::ranges::any_of(v.type().dims(), [&](Dim dim) { return values(dim) == 0; });
  };
  Unit unit;
  if (empty(matmul.epilogue.result) ||
      (matmul.epilogue.steps.empty() && std::ranges::any_of(matmul.dot->operands, empty))) {
    unit.bytes = values(matmul.epilogue.result.type()).bytes();
    unit.thunk().make = [](std::span<const Slice>, std::span<const Slice> writes, const Slice&) {
      return std::make_unique<EmptyMatmulThunk>(writes[0]);
    };
    return unit;
  }
  auto product = product_at(matmul, strict, values);
  if (!product || std::ranges::any_of(matmul.dot->operands, empty)) return std::nullopt;
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
  const auto product = product_at(matmul, strict, values);
  require(product.has_value(), "compile: a product of ", values(matmul.dot->operand(0).type()), " and ",
          values(matmul.dot->operand(1).type()), " cannot be compiled for unknown sizes");
  Unit unit;
  unit.info.category = "dot";
  unit.info.name = name_of(matmul);
  add_work(matmul, product->shape, values, unit);
  unit.order = matmul.epilogue.result.node->id;
  unit.writes = {matmul.epilogue.result};
  for_each_read(matmul, [&](const View& view) { unit.reads.push_back(storage_of(view.base)); });
  if (!is_static(matmul)) {
    std::vector<Size> sizes;
    for (const Value operand : matmul.dot->operands)
      for (const Dim dim : operand.type().dims()) sizes.emplace_back(dim);
    for_each_read(matmul, [&](const View& view) {
      sizes.push_back(view.offset);
      sizes.insert(sizes.end(), view.strides.begin(), view.strides.end());
    });
    unit.form = SizedLater{[matmul, strict](const SizeValues& now) { return unit_at(matmul, strict, now); }, sizes};
    return unit;
  }
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
