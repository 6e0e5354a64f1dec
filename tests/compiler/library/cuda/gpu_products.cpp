#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <sstream>

#include <weft/compiler/library/cuda/gpu_product.h>
#include <weft/compiler/passes/all.h>
#include <weft/ir/builder.h>
#include <weft/ir/composites.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>

#include "gpu_products.h"

namespace weft::test {

using compiler::Epilogue;
using compiler::Matmul;
using ir::Array;
using ir::Value;

namespace {

std::vector<Dim> viewed_dims(const OperandView& view) {
  std::vector<Dim> dims = view.dims;
  for (std::size_t i = 0; i < view.permutation.size(); ++i) dims[i] = view.dims[view.permutation[i]];
  for (std::size_t i = 0; i < view.limit.size(); ++i) dims[i] = Dim(view.limit[i] - view.start[i]);
  dims.insert(dims.begin(), view.repeats.begin(), view.repeats.end());
  return dims;
}

Value apply(const OperandView& view, Value x) {
  if (!view.permutation.empty()) x = ir::transpose(x, view.permutation);
  if (!view.limit.empty()) {
    const std::vector<std::int64_t> ones(view.limit.size(), 1);
    x = ir::slice(x, view.start, view.limit, ones);
  }
  if (view.repeats.empty()) return x;
  std::vector<std::int64_t> last(x.rank());
  std::iota(last.begin(), last.end(), std::ssize(view.repeats));
  return ir::broadcast_in_dim(x, Type(x.dtype(), viewed_dims(view)), last);
}

std::vector<Dim> free_dims(const OperandView& view, const std::vector<std::int64_t>& batching,
                           const std::vector<std::int64_t>& contracting) {
  std::vector<Dim> dims;
  const auto all = viewed_dims(view);
  for (std::int64_t d = 0; d < std::ssize(all); ++d)
    if (std::ranges::find(batching, d) == batching.end() && std::ranges::find(contracting, d) == contracting.end())
      dims.push_back(all[d]);
  return dims;
}

std::vector<Dim> result_dims(const ProductCase& product) {
  std::vector<Dim> dims;
  for (const std::int64_t d : product.lhs_batching) dims.push_back(viewed_dims(product.lhs)[d]);
  for (const Dim dim : free_dims(product.lhs, product.lhs_batching, product.lhs_contracting)) dims.push_back(dim);
  for (const Dim dim : free_dims(product.rhs, product.rhs_batching, product.rhs_contracting)) dims.push_back(dim);
  return dims;
}

// Returns lhs, rhs and, in order, an operand for each b and r of the steps.
std::vector<Type> input_types(const ProductCase& product, DType operands, DType result) {
  std::vector<Type> types{Type(operands, product.lhs.dims), Type(operands, product.rhs.dims)};
  for (const char step : product.steps) {
    if (step == 'c' && result != DType::f64) result = DType::bf16;
    if (step == 'b') types.emplace_back(result, free_dims(product.rhs, product.rhs_batching, product.rhs_contracting));
    if (step == 'r') types.emplace_back(result, result_dims(product));
  }
  return types;
}

std::shared_ptr<const ir::Graph> graph_of(const ProductCase& product, DType operands, DType result, bool activates) {
  return ir::make_graph(input_types(product, operands, result), [&](ir::Graph&, std::span<const Value> in) {
    const ir::DotAttributes dimensions{product.lhs_batching, product.rhs_batching, product.lhs_contracting,
                                       product.rhs_contracting};
    Value x = ir::dot_general(apply(product.lhs, in[0]), apply(product.rhs, in[1]), dimensions, result);
    std::size_t next = 2;
    for (const char step : product.steps) {
      if (step == 'c' && result != DType::f64) x = ir::convert(x, DType::bf16);
      if (step == 'g' && activates) x = ir::gelu_tanh(x);
      if (step == 'e' && activates) x = ir::gelu(x);
      if (step == 'r') x = x + in[next++];
      if (step == 'b') {
        const Value bias = in[next++];
        std::vector<std::int64_t> last(bias.rank());
        std::iota(last.begin(), last.end(), x.rank() - bias.rank());
        x = x + ir::broadcast_in_dim(bias, x.type(), last);
      }
    }
    return std::vector{x};
  });
}

Array in_f64(const Array& array, const std::function<double(double)>& change) {
  Array result(array.type().with(DType::f64));
  for (std::int64_t i = 0; i < array.size(); ++i) result.data<double>()[i] = change(array.element(i));
  return result;
}

Array exact(const ProductCase& product, std::span<const Array> inputs, bool magnitudes) {
  std::vector<Array> wide;
  for (const Array& input : inputs)
    wide.push_back(in_f64(input, [&](double x) { return magnitudes ? std::abs(x) : x; }));
  return ir::interpret(*graph_of(product, DType::f64, DType::f64, !magnitudes), wide)[0];
}

// Returns the exact results to which something is added later: the product, and its sum with the residual, which comes before the bias.
std::vector<Array> intermediates_of(const ProductCase& product, std::span<const Array> inputs) {
  std::vector<Array> result;
  std::string added;
  for (const char step : product.steps)
    if (step == 'b' || step == 'r') added += step;
  ProductCase part = product;
  const auto add = [&](const char* steps, const std::vector<Array>& of) {
    part.steps = steps;
    result.push_back(exact(part, of, false));
  };
  if (!added.empty()) add("", {inputs[0], inputs[1]});
  if (added.size() > 1 && added.find('r') != std::string::npos)
    add("r", {inputs[0], inputs[1], inputs[2 + added.find('r')]});
  return result;
}

double epsilon(DType dtype) {  // half a unit in the last place of 1
  switch (dtype) {
    case DType::bf16: return 0x1p-8;
    case DType::f16: return 0x1p-11;
    case DType::f64: return 0x1p-53;
    default: return 0x1p-24;
  }
}

}  // namespace

std::string ProductCase::text() const {
  std::ostringstream out;
  const auto print = [&](const OperandView& view) {
    out << Type(operands, view.dims);
    const auto list = [&](const char* name, const std::vector<std::int64_t>& numbers) {
      if (numbers.empty()) return;
      out << ' ' << name;
      for (const std::int64_t number : numbers) out << ' ' << number;
    };
    list("transposed", view.permutation);
    list("from", view.start);
    list("to", view.limit);
    for (const Dim dim : view.repeats) out << " repeated " << dim;
  };
  print(lhs);
  out << " x ";
  print(rhs);
  out << " -> " << Type(result, result_dims(*this)) << (steps.empty() ? "" : " steps ") << steps;
  if (misaligned) out << " at element " << misaligned;
  return out.str();
}

PlannedProduct planned(const ProductCase& product, const SizeValues& sizes) {
  PlannedProduct result{graph_of(product, product.operands, product.result, true), {}};
  if (auto changed = compiler::inline_composites(*result.graph)) result.graph = std::move(changed);
  for (const auto pass : {compiler::simplify, compiler::fold_constants, compiler::eliminate_common_subexpressions})
    if (auto changed = pass(*result.graph)) result.graph = std::move(changed);
  std::vector<std::vector<ir::Node*>> users(result.graph->nodes().size());
  ir::Node* dot = nullptr;
  for (ir::Node* node : result.graph->nodes()) {
    if (node->op == &ir::ops::dot_general) dot = node;
    for (const Value v : node->operands)
      if (users[v.node->id].empty() || users[v.node->id].back() != node) users[v.node->id].push_back(node);
  }
  const auto as_is = [](Value v) { return !compiler::moves_elements(*v.node); };
  Matmul& matmul = result.matmul;
  matmul = {dot, compiler::view_of(dot->operand(0), as_is), compiler::view_of(dot->operand(1), as_is), {}, {}};
  const auto shape = compiler::matmul_shape(*dot, matmul.lhs, matmul.rhs);
  require(shape.has_value(), "no library multiplies ", product.text(), " in place");
  matmul.shape = *shape;
  compiler::Surroundings around;
  around.users = [&](const ir::Node& n) -> const std::vector<ir::Node*>& { return users[n.id]; };
  around.is_output = [&](Value v) { return std::ranges::count(result.graph->outputs(), v) > 0; };
  around.is_stored = [](const ir::Node&) { return true; };
  around.from_nothing = [](const ir::Node& n) {
    return n.op->kind == ir::Kind::source && n.operands.empty() && n.attributes_if<ir::ConstantAttributes>();
  };
  around.can_be_computed = [&](const Epilogue& epilogue) {
    Matmul with = matmul;
    with.epilogue = epilogue;
    return compiler::gpu_product_exists(with, sizes);
  };
  matmul.epilogue = compiler::find_epilogue(*dot, shape->n, around);
  return result;
}

bool is_whole(const PlannedProduct& product) { return product.matmul.epilogue.result == product.graph->outputs()[0]; }

std::vector<Array> random_inputs(const ProductCase& product, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Array> inputs;
  for (const Type type : input_types(product, product.operands, product.result)) {
    Array& input = inputs.emplace_back(type);
    visit(type.dtype(), [&]<class T>(T) {
      if constexpr (is_float_type<T>)
        for (T& element : input.data<T>()) element = static_cast<T>(uniform(generator));
    });
  }
  return inputs;
}

ProductRun::ProductRun(const PlannedProduct& product, std::span<const Array> inputs, std::size_t misaligned,
                       ProductMemory& memory, const compiler::GpuProductOptions& options, const SizeValues& sizes,
                       bool in_place)
    : memory_(memory), queue_(memory.queue()), type_(sizes(product.matmul.epilogue.result.type())) {
  compiler::Unit unit = compiler::gpu_product_unit(product.matmul, options, sizes);
  const std::vector<Value> values = unit.reads;
  const auto overwritten = unit.in_place;
  if (const auto* later = unit.sized_later()) {
    auto now = later->at(sizes);
    require(now.has_value(), "the product has no form for these sizes");
    unit = std::move(*now);
  }
  const auto slice = [&](std::size_t offset, std::size_t bytes) {
    bases_.push_back(bytes ? memory.allocate(offset + bytes) : nullptr);
    return runtime::Slice{static_cast<std::uint32_t>(bases_.size() - 1), offset, bytes};
  };
  std::vector<runtime::Slice> reads;
  for (const Value v : values) {
    const auto given = std::ranges::find(product.graph->inputs(), v);
    require(given != product.graph->inputs().end(), "a product reads what is no input");
    const Array& input = inputs[given - product.graph->inputs().begin()];
    reads.push_back(slice(misaligned * byte_size(input.dtype()), input.bytes().size()));
    if (!input.bytes().empty()) memory.write(bases_.back() + reads.back().offset, input.bytes());
  }
  const auto scratch = slice(64, unit.scratch_bytes);
  if (in_place) {
    require(!overwritten.empty(), "the product overwrites nothing that it reads");
    result_ = reads[overwritten[0].second];
  } else {
    result_ = slice(misaligned * byte_size(type_.dtype()), type_.bytes());
    if (result_.bytes) memory.fill(bases_.back() + result_.offset, 0xff, result_.bytes);
  }
  flops_ = unit.flops.value();
  thunk_ = unit.thunk().make(reads, std::span(&result_, 1), scratch);
}

void ProductRun::run() const {
  runtime::Launch launch;
  launch.bases = bases_;
  launch.queue = &queue_;
  thunk_->run(launch);
}

Array ProductRun::result() const {
  Array result(type_);
  if (result_.bytes) memory_.read(result.bytes(), bases_[result_.allocation] + result_.offset);
  return result;
}

double worst_difference(const ProductCase& product, std::span<const Array> inputs, const Array& result,
                        Rounding rounding) {
  const Array want = exact(product, inputs, false), magnitude = exact(product, inputs, true);
  std::int64_t terms = 1;
  for (const std::int64_t d : product.lhs_contracting) terms *= viewed_dims(product.lhs)[d].value();
  const bool activates = product.steps.find('g') != std::string::npos;
  const auto intermediates = rounding == Rounding::each_step ? intermediates_of(product, inputs) : std::vector<Array>();
  const double sums =
      (static_cast<double>(terms) + 4) * epsilon(product.operands == DType::f64 ? DType::f64 : DType::f32);
  double worst = 0;
  for (std::int64_t i = 0; i < want.size(); ++i) {
    const double value = want.element(i), got = result.element(i);
    double bound = epsilon(result.dtype()) * std::abs(value) + 1.2 * sums * magnitude.element(i) + 1e-30;
    // GELU increases a difference by up to 13 %.
    for (const Array& intermediate : intermediates)
      bound += (activates ? 1.13 : 1) * epsilon(result.dtype()) * std::abs(intermediate.element(i));
    if (activates) bound += 0x1p-9 * std::abs(value) + 0x1p-12;  // the library's tanh
    const double difference = std::abs(value - got) / bound;
    worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
  }
  return worst;
}

std::vector<ProductCase> product_cases() {
  std::vector<ProductCase> cases;
  const auto plain = [](std::int64_t m, std::int64_t k, std::int64_t n, DType operands, DType result) {
    return ProductCase{{{m, k}}, {{k, n}}, {}, {}, {1}, {0}, operands, result};
  };
  const auto turned = [](OperandView view) {
    std::swap(view.dims[0], view.dims[1]);
    view.permutation = {1, 0};
    return view;
  };
  const std::pair<DType, DType> types[] = {{DType::f32, DType::f32},  {DType::bf16, DType::bf16},
                                           {DType::bf16, DType::f32}, {DType::f16, DType::f16},
                                           {DType::f16, DType::f32},  {DType::f64, DType::f64}};
  // Every type, each operand by rows and by columns.
  for (const auto& [operands, result] : types) {
    for (const auto& [m, k, n] : {std::array{24, 40, 56}, std::array{17, 33, 29}, std::array{64, 128, 32}}) {
      for (int turn = 0; turn < 4; ++turn) {
        ProductCase product = plain(m, k, n, operands, result);
        if (turn & 1) product.lhs = turned(product.lhs);
        if (turn & 2) product.rhs = turned(product.rhs);
        cases.push_back(product);
      }
    }
  }
  // Sizes of 1.
  for (const DType dtype : {DType::f32, DType::bf16})
    for (int ones = 0; ones < 8; ++ones)
      for (const bool turn : {false, true}) {
        ProductCase product = plain(ones & 1 ? 1 : 24, ones & 2 ? 1 : 40, ones & 4 ? 1 : 56, dtype, dtype);
        if (turn) product.lhs = turned(product.lhs);
        if (turn) product.rhs = turned(product.rhs);
        cases.push_back(product);
      }
  // Epilogues that the library computes, and the parts of others.
  for (const auto& [operands, result] : types)
    for (const char* steps :
         {"b", "r", "br", "rb", "g", "bg", "rg", "rbg", "gb", "bgr", "be", "bb", "rr", "cb", "bc"}) {
      ProductCase product = plain(24, 40, 56, operands, result);
      product.steps = steps;
      if (result == DType::f16 && product.steps.find_first_of("gec") != std::string::npos) continue;
      if (result == DType::f64 && product.steps.find('c') != std::string::npos) continue;
      cases.push_back(product);
    }
  // Parts of matrices, and addresses that are aligned to elements only.
  for (const DType dtype : {DType::f32, DType::bf16}) {
    ProductCase product = plain(24, 40, 56, dtype, dtype);
    product.lhs = {{30, 64}, {}, {3, 8}, {27, 48}};
    product.rhs = {{48, 61}, {}, {1, 5}, {41, 61}};
    cases.push_back(product);
    product.steps = "b";
    cases.push_back(product);
    for (const std::size_t misaligned : {1, 3, 4, 8}) {
      ProductCase moved = plain(24, 40, 56, dtype, dtype);
      moved.misaligned = misaligned;
      cases.push_back(moved);
      moved.steps = "r";
      cases.push_back(moved);
    }
  }
  // Batches: one dimension, two that are one, heads inside of rows, operands that repeat.
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const ProductCase one{{{5, 24, 40}}, {{5, 40, 56}}, {0}, {0}, {2}, {1}, dtype, dtype};
    const ProductCase two{{{3, 4, 24, 40}}, {{3, 4, 40, 56}}, {0, 1}, {0, 1}, {3}, {2}, dtype, dtype};
    // q and k [batch, row, head, width]: scores [batch, head, row, row].
    const ProductCase scores{{{3, 16, 4, 8}}, {{3, 20, 4, 8}}, {0, 2}, {0, 2}, {3}, {3}, dtype, dtype};
    // scores and v [batch, row, head, width]: [batch, head, row, width].
    const ProductCase values{{{3, 4, 16, 20}}, {{3, 20, 4, 8}}, {0, 1}, {0, 2}, {3}, {1}, dtype, dtype};
    const ProductCase repeated{{{24, 40}, {}, {}, {}, {Dim(5)}}, {{5, 40, 56}}, {0}, {0}, {2}, {1}, dtype, dtype};
    const ProductCase apart{{{2, 3, 24, 40}, {1, 0, 2, 3}}, {{3, 2, 40, 56}}, {0, 1}, {0, 1}, {3}, {2}, dtype, dtype};
    // The gradient of a weight: rows of several dimensions are summed.
    const ProductCase gradient{{{6, 24, 40}}, {{6, 24, 56}}, {}, {}, {0, 1}, {0, 1}, dtype, dtype};
    for (const ProductCase& product : {one, two, scores, values, repeated, apart, gradient})
      for (const char* steps : {"", "b", "r", "rbg"}) {
        cases.push_back(product);
        cases.back().steps = steps;
      }
  }
  return cases;
}

ProductCase random_product(std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(generator() % end); };
  const auto size = [&](std::int64_t most) { return below(4) == 0 ? std::int64_t{1} : 1 + below(most); };
  ProductCase product;
  const std::pair<DType, DType> types[] = {
      {DType::f32, DType::f32}, {DType::bf16, DType::bf16}, {DType::bf16, DType::f32}};
  std::tie(product.operands, product.result) = types[below(3)];
  const std::int64_t batch = below(3), m = size(40), k = size(40), n = size(40);
  std::vector<std::int64_t> sizes;
  for (std::int64_t i = 0; i < batch; ++i) sizes.push_back(size(5));
  const auto operand = [&](std::int64_t rows, std::int64_t columns) {
    std::vector<std::int64_t> wanted = sizes;
    wanted.insert(wanted.end(), {rows, columns});
    // The dimensions lie in a random order in the input; parts of them may be taken.
    std::vector<std::int64_t> order(wanted.size());
    std::iota(order.begin(), order.end(), 0);
    if (below(2)) std::ranges::shuffle(order, generator);
    OperandView view;
    view.permutation = order;
    const bool cuts = below(2);
    view.dims.resize(wanted.size(), Dim(1));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const std::int64_t before = cuts ? below(3) : 0, after = cuts ? below(3) : 0;
      view.dims[order[i]] = Dim(before + wanted[i] + after);
      view.start.push_back(before);
      view.limit.push_back(before + wanted[i]);
    }
    return view;
  };
  product.lhs = operand(m, k);
  product.rhs = operand(k, n);
  for (std::int64_t i = 0; i < batch; ++i) {
    product.lhs_batching.push_back(i);
    product.rhs_batching.push_back(i);
  }
  product.lhs_contracting = {batch + 1};
  product.rhs_contracting = {batch};
  const char* steps[] = {"", "", "b", "r", "br", "rb", "bg", "rbg", "g"};
  product.steps = steps[below(std::size(steps))];
  product.misaligned = below(3) == 0 ? below(9) : 0;
  return product;
}

}  // namespace weft::test
