#include <weft/compiler/library/product_unit.h>

#include <algorithm>
#include <string>
#include <utility>

#include <weft/base/error.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>

namespace weft::compiler {

using ir::Value;

namespace {

const char* name_of(const EpilogueStep& step) {
  switch (step.kind) {
    case EpilogueStep::Kind::bias: return "+bias";
    case EpilogueStep::Kind::residual: return "+residual";
    case EpilogueStep::Kind::activation: return "+activation";
  }
  return "";
}

std::string name_of(const Matmul& matmul) {
  std::string name(matmul.dot->op->name);
  for (const EpilogueStep& step : matmul.epilogue.steps) name += name_of(step);
  return concat(name, ".", matmul.epilogue.result.node->id);
}

void for_each_read(const Matmul& matmul, auto&& visit) {
  visit(matmul.lhs);
  visit(matmul.rhs);
  for (const EpilogueStep& step : matmul.epilogue.steps)
    if (step.operand.base) visit(step.operand);
}

bool is_empty(Value v, const SizeValues& values) {
  return std::ranges::any_of(v.type().dims(), [&](Dim dim) { return values(dim) == 0; });
}

}  // namespace

std::optional<MatmulShape> shape_at(const Matmul& matmul, const SizeValues& values) {
  const ir::Node& dot = *matmul.dot;
  const auto at = [&](Strided operand) {
    for (auto* sizes : {&operand.sizes, &operand.strides})
      for (Size& size : *sizes) size = values(size);
    return operand;
  };
  return matmul_shape(dot.attributes<ir::DotAttributes>(), at(strided(dot, 0, matmul.lhs)),
                      at(strided(dot, 1, matmul.rhs)));
}

bool is_static(const Matmul& matmul) {
  bool known = ir::is_static(*matmul.dot);
  for_each_read(matmul, [&](const View& view) {
    known = known && view.offset.is_constant() && std::ranges::all_of(view.strides, &Size::is_constant);
  });
  return known;
}

bool has_empty_operand(const Matmul& matmul, const SizeValues& values) {
  return std::ranges::any_of(matmul.dot->operands, [&](Value v) { return is_empty(v, values); });
}

bool is_zero(const Matmul& matmul, const SizeValues& values) {
  return is_empty(matmul.epilogue.result, values) ||
         (matmul.epilogue.steps.empty() && has_empty_operand(matmul, values));
}

std::vector<std::size_t> offsets_of(const Matmul& matmul, const SizeValues& values) {
  std::vector<std::size_t> offsets;
  for_each_read(matmul,
                [&](const View& view) { offsets.push_back(values(view.offset) * byte_size(view.base.dtype())); });
  return offsets;
}

std::vector<ProductOperand> operands_of(std::span<const runtime::Slice> reads, std::span<const runtime::Slice> writes,
                                        const std::vector<std::size_t>& offsets) {
  std::vector<ProductOperand> operands;
  for (std::size_t i = 0; i < reads.size(); ++i) operands.push_back({reads[i], offsets[i]});
  operands.push_back({writes[0], 0});
  return operands;
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

Unit product_unit(const Matmul& matmul, const SizeValues& values) {
  const auto shape = shape_at(matmul, values);
  require(shape.has_value(), "compile: a product of ", values(matmul.dot->operand(0).type()), " and ",
          values(matmul.dot->operand(1).type()), " cannot be compiled for unknown sizes");
  Unit unit;
  unit.info.category = "dot";
  unit.info.name = name_of(matmul);
  add_work(matmul, *shape, values, unit);
  unit.order = matmul.epilogue.result.node->id;
  unit.writes = {matmul.epilogue.result};
  for_each_read(matmul, [&](const View& view) { unit.reads.push_back(storage_of(view.base)); });
  return unit;
}

SizedLater sized_later(const Matmul& matmul, std::function<std::optional<Unit>(const SizeValues& sizes)> at) {
  std::vector<Size> sizes;
  for (const Value operand : matmul.dot->operands)
    for (const Dim dim : operand.type().dims()) sizes.emplace_back(dim);
  for_each_read(matmul, [&](const View& view) {
    sizes.push_back(view.offset);
    sizes.insert(sizes.end(), view.strides.begin(), view.strides.end());
  });
  return {std::move(at), std::move(sizes)};
}

}  // namespace weft::compiler
