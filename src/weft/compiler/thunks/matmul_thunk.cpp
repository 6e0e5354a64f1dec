#include <weft/compiler/thunks/matmul_thunk.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <weft/compiler/thunks/onednn.h>
#include <weft/ir/ops.h>
#include <weft/ir/resize.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using ir::Node;
using ir::Value;
using onednn::data_type;
using onednn::engine;
using runtime::Slice;

namespace {

constexpr std::size_t most_steps = 8;

class MatmulThunk final : public runtime::Thunk {
 public:
  struct Operand {
    Slice slice;
    std::size_t offset = 0;  // bytes
  };
  MatmulThunk(const dnnl::matmul& primitive, std::vector<onednn::Call::Argument> arguments,
              std::vector<Operand> operands, bool strict)
      : call_(primitive, std::move(arguments)), operands_(std::move(operands)), strict_(strict) {}

  void run(const runtime::Launch& launch) const override {
    std::array<std::byte*, most_operands> addresses{};
    for (std::size_t i = 0; i < operands_.size(); ++i)
      addresses[i] = operands_[i].slice.bytes ? launch.at(operands_[i].slice) + operands_[i].offset : nullptr;
    const auto one = strict_ ? std::make_optional<runtime::SingleThread>() : std::nullopt;
    call_.run(std::span(addresses).first(operands_.size()));
  }

  static constexpr std::size_t most_operands = 4 + most_steps;

 private:
  onednn::Call call_;
  std::vector<Operand> operands_;
  bool strict_;
};

// The stride of a group of dimensions walked as one, if there is one.
struct Group {
  Size size = 1, stride = 0;
};

std::optional<Group> group(const Type& type, const std::vector<Size>& strides, ir::Ints dims) {
  Group g;
  for (std::size_t i = dims.size(); i-- > 0;) {
    const Size size = type.dim(static_cast<int>(dims[i]));
    const Size stride = strides[static_cast<std::size_t>(dims[i])];
    if (size.is(1)) continue;
    if (!g.size.is(1) && stride != g.stride * g.size) return std::nullopt;
    if (g.size.is(1)) g.stride = stride;
    g.size *= size;
  }
  return g;
}

}  // namespace

bool matmul_supported(DType lhs, DType rhs, DType result) {
  if (lhs == DType::f32) return rhs == DType::f32 && result == DType::f32;
  return lhs == DType::bf16 && rhs == DType::bf16 && (result == DType::bf16 || result == DType::f32) &&
         __builtin_cpu_supports("avx512bf16");
}

std::optional<MatmulShape> matmul_shape(const Node& dot, const View& lhs, const View& rhs) {
  const auto& a = dot.attributes<ir::DotAttributes>();
  const Type lhs_type = dot.operand(0).type(), rhs_type = dot.operand(1).type();
  const auto free = [](const Type& type, ir::Ints batching, ir::Ints contracting) {
    std::vector<std::int64_t> dims;
    for (int d = 0; d < type.rank(); ++d)
      if (std::ranges::find(batching, d) == batching.end() && std::ranges::find(contracting, d) == contracting.end())
        dims.push_back(d);
    return dims;
  };
  const auto lhs_free = free(lhs_type, a.lhs_batching, a.lhs_contracting);
  const auto rhs_free = free(rhs_type, a.rhs_batching, a.rhs_contracting);
  const auto m = group(lhs_type, lhs.strides, lhs_free), n = group(rhs_type, rhs.strides, rhs_free);
  const auto lk = group(lhs_type, lhs.strides, a.lhs_contracting), rk = group(rhs_type, rhs.strides, a.rhs_contracting);
  if (!m || !n || !lk || !rk) return std::nullopt;
  // oneDNN wants one of a matrix's two dimensions to be dense. Nothing is computed of no elements.
  std::vector<Size> positive(lhs_type.dims().begin(), lhs_type.dims().end());
  positive.insert(positive.end(), rhs_type.dims().begin(), rhs_type.dims().end());
  const auto several = [](Size size) { return !size.is_constant() || size.value() > 1; };
  const auto at_least = [&](Size x, Size least) { return never_negative(x - least, positive); };
  const auto dense = [&](const Group& rows, const Group& columns) {
    if (several(rows.size) && several(columns.size))
      return (rows.stride.is(1) && at_least(columns.stride, rows.size)) ||
             (columns.stride.is(1) && at_least(rows.stride, columns.size));
    return rows.size.is(1) ? columns.size.is(1) || columns.stride.is(1) : rows.stride.is(1);
  };
  if (!dense(*m, *lk) || !dense(*rk, *n)) return std::nullopt;
  MatmulShape shape;
  shape.m = m->size;
  shape.n = n->size;
  shape.k = lk->size;
  // Batch dimensions, neighbours merged where both operands allow it.
  std::vector<Size> lhs_strides, rhs_strides;
  for (std::size_t i = 0; i < a.lhs_batching.size(); ++i) {
    const Size size = lhs_type.dim(static_cast<int>(a.lhs_batching[i]));
    const Size ls = lhs.strides[static_cast<std::size_t>(a.lhs_batching[i])],
               rs = rhs.strides[static_cast<std::size_t>(a.rhs_batching[i])];
    if (size.is(1)) continue;
    if (!shape.batch.empty() && lhs_strides.back() == ls * size && rhs_strides.back() == rs * size) {
      shape.batch.back() *= size;
      lhs_strides.back() = ls;
      rhs_strides.back() = rs;
    } else {
      shape.batch.push_back(size);
      lhs_strides.push_back(ls);
      rhs_strides.push_back(rs);
    }
  }
  if (shape.batch.size() > 8) return std::nullopt;
  // A dimension of one element may claim any stride; give it one that keeps the layout plain.
  const auto pair = [&](std::vector<Size> strides, Group rows, Group columns) {
    if (rows.size.is(1)) rows.stride = columns.size.is(1) || columns.stride.is(1) ? columns.size : Size(1);
    if (columns.size.is(1)) columns.stride = rows.stride.is(1) && several(rows.size) ? rows.size : Size(1);
    strides.push_back(rows.stride);
    strides.push_back(columns.stride);
    return strides;
  };
  shape.lhs = pair(std::move(lhs_strides), *m, *lk);
  shape.rhs = pair(std::move(rhs_strides), *rk, *n);
  return shape;
}

namespace {

dnnl::algorithm algorithm_of(Activation activation) {
  switch (activation) {
    case Activation::tanh: return dnnl::algorithm::eltwise_tanh;
    case Activation::logistic: return dnnl::algorithm::eltwise_logistic;
    case Activation::silu: return dnnl::algorithm::eltwise_swish;
    case Activation::gelu: return dnnl::algorithm::eltwise_gelu_erf;
    case Activation::gelu_tanh: return dnnl::algorithm::eltwise_gelu_tanh;
  }
  WEFT_ASSERT(false, "an activation of no algorithm");
}

const char* name_of(const EpilogueStep& step) {
  switch (step.kind) {
    case EpilogueStep::Kind::bias: return "+bias";
    case EpilogueStep::Kind::residual: return "+residual";
    case EpilogueStep::Kind::activation: return "+activation";
  }
  return "";
}

dnnl::memory::dims row_major(const dnnl::memory::dims& dims) {
  dnnl::memory::dims strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i]) strides[i] = stride;
  return strides;
}

// A product in oneDNN's terms. A bias that comes first is an argument of its own; all other steps are post-ops.
struct Described {
  dnnl::matmul::primitive_desc primitive;
  std::vector<onednn::Call::Argument> steps;  // operands of the steps that have one
};

std::optional<Described> describe(const Matmul& matmul) {
  const Node& dot = *matmul.dot;
  const MatmulShape& shape = matmul.shape;
  const auto numbers = [](const std::vector<Size>& sizes, std::initializer_list<Size> more = {}) {
    dnnl::memory::dims dims;
    for (const Size size : sizes) dims.push_back(size.value());
    for (const Size size : more) dims.push_back(size.value());
    return dims;
  };
  const dnnl::memory::dims lhs = numbers(shape.batch, {shape.m, shape.k}),
                           rhs = numbers(shape.batch, {shape.k, shape.n}),
                           result = numbers(shape.batch, {shape.m, shape.n}),
                           row = numbers(std::vector<Size>(shape.batch.size() + 1, 1), {shape.n});
  const auto type_of = [](Value v) { return *data_type(v.dtype()); };
  const dnnl::memory::desc lhs_type(lhs, type_of(dot.operand(0)), numbers(shape.lhs)),
      rhs_type(rhs, type_of(dot.operand(1)), numbers(shape.rhs)),
      result_type(result, type_of(matmul.epilogue.result), row_major(result));

  Described described;
  dnnl::memory::desc bias;
  dnnl::post_ops post_ops;
  for (const EpilogueStep& step : matmul.epilogue.steps) {
    if (step.kind == EpilogueStep::Kind::activation) {
      post_ops.append_eltwise(1, algorithm_of(step.activation), step.activation == Activation::silu ? 1 : 0, 0);
      continue;
    }
    const auto& dims = step.kind == EpilogueStep::Kind::bias ? row : result;
    const dnnl::memory::desc operand(dims, type_of(step.operand.base), row_major(dims));
    if (step.kind == EpilogueStep::Kind::bias && &step == matmul.epilogue.steps.data()) {
      bias = operand;
      described.steps.emplace_back(DNNL_ARG_BIAS, operand);
    } else {
      described.steps.emplace_back(DNNL_ARG_ATTR_MULTIPLE_POST_OP(post_ops.len()) | DNNL_ARG_SRC_1, operand);
      post_ops.append_binary(dnnl::algorithm::binary_add, operand);
    }
  }
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(post_ops);
  described.primitive = dnnl::matmul::primitive_desc(dnnl::matmul::desc(lhs_type, rhs_type, bias, result_type),
                                                     attributes, engine(), true);
  if (!described.primitive) return std::nullopt;
  return described;
}

runtime::ThunkInfo info_of(const Matmul& matmul) {
  const MatmulShape& shape = matmul.shape;
  const Type type = matmul.epilogue.result.type();
  const auto elements = static_cast<double>(type.elements());
  const auto m = static_cast<double>(shape.m.value()), n = static_cast<double>(shape.n.value()),
             k = static_cast<double>(shape.k.value());
  const double batch = elements / (m * n);
  runtime::ThunkInfo info;
  info.category = "dot";
  info.name = matmul.dot->op->name;
  for (const EpilogueStep& step : matmul.epilogue.steps) {
    info.name += name_of(step);
    if (step.kind != EpilogueStep::Kind::activation)
      info.bytes += static_cast<double>(step.operand.base.type().bytes());
  }
  info.name += concat(".", matmul.epilogue.result.node->id);
  info.flops = 2 * elements * k;
  info.bytes +=
      static_cast<double>(type.bytes()) +
      batch * k * (m * byte_size(matmul.dot->operand(0).dtype()) + n * byte_size(matmul.dot->operand(1).dtype()));
  return info;
}

// The product with numbers for its sizes. Its values belong to a graph of their own, which `graph` receives.
std::optional<Matmul> at(const Matmul& matmul, const SizeValues& values, std::shared_ptr<ir::Graph>& graph) {
  graph = std::make_shared<ir::Graph>();
  const auto value = [&](Value v) { return graph->add_input(values(v.type())); };
  const auto view = [&](const View& of) {
    View result{value(of.base), values(of.offset), {}};
    for (const Size stride : of.strides) result.strides.emplace_back(values(stride));
    return result;
  };
  const Value operands[] = {value(matmul.dot->operand(0)), value(matmul.dot->operand(1))};
  const Type type = values(matmul.dot->type());
  Matmul result{&ir::append_resized(*graph, *matmul.dot, operands, std::span(&type, 1)),
                view(matmul.lhs),
                view(matmul.rhs),
                {},
                {{}, value(matmul.epilogue.result)}};
  const auto shape = matmul_shape(*result.dot, result.lhs, result.rhs);
  if (!shape) return std::nullopt;
  result.shape = *shape;
  for (const EpilogueStep& step : matmul.epilogue.steps)
    result.epilogue.steps.push_back({step.kind, step.operand.base ? view(step.operand) : View{}, step.activation});
  return result;
}

bool is_static(const Matmul& matmul) {
  return matmul.dot->type().is_static() &&
         std::ranges::all_of(matmul.dot->operands, [](Value v) { return v.type().is_static(); });
}

bool exists(const Matmul& matmul) {
  const auto described = describe(matmul);
  return described && !std::string_view(described->primitive.impl_info_str()).starts_with("ref");
}

}  // namespace

bool matmul_exists(const Matmul& matmul, const SizeValues& values) {
  if (matmul.epilogue.steps.size() > most_steps) return false;
  for (const EpilogueStep& step : matmul.epilogue.steps)
    if (step.operand.base && !data_type(step.operand.base.dtype())) return false;
  if (!matmul_supported(matmul.dot->operand(0).dtype(), matmul.dot->operand(1).dtype(), matmul.epilogue.result.dtype()))
    return false;
  if (is_static(matmul)) return exists(matmul);
  std::shared_ptr<ir::Graph> graph;
  const auto sized = at(matmul, values, graph);
  return sized && exists(*sized);
}

namespace {

Unit static_unit(const Matmul& matmul, bool strict) {
  // oneDNN divides a product among the threads that it finds when it is described and made.
  runtime::adopt_thread_count();
  const auto one = strict ? std::make_optional<runtime::SingleThread>() : std::nullopt;
  const auto described = describe(matmul);
  WEFT_ASSERT(described, "no product of this kind");
  Unit unit;
  unit.info = info_of(matmul);
  unit.order = matmul.epilogue.result.node->id;
  unit.writes = {matmul.epilogue.result};

  std::vector<onednn::Call::Argument> arguments;
  std::vector<std::size_t> offsets;
  const auto read = [&](int argument, const dnnl::memory::desc& type, const View& view) {
    arguments.emplace_back(argument, type);
    unit.reads.push_back(storage_of(view.base));
    offsets.push_back(static_cast<std::size_t>(view.offset.value() * byte_size(view.base.dtype())));
  };
  read(DNNL_ARG_SRC, described->primitive.src_desc(), matmul.lhs);  // in the order of for_each_read
  read(DNNL_ARG_WEIGHTS, described->primitive.weights_desc(), matmul.rhs);
  auto step_argument = described->steps.begin();
  for (const EpilogueStep& step : matmul.epilogue.steps) {
    if (step.kind == EpilogueStep::Kind::activation) continue;
    read(step_argument->first, step_argument->second, step.operand);
    ++step_argument;
  }
  arguments.emplace_back(DNNL_ARG_DST, described->primitive.dst_desc());
  arguments.emplace_back(DNNL_ARG_SCRATCHPAD, described->primitive.scratchpad_desc());
  unit.scratch_bytes = described->primitive.scratchpad_desc().get_size();
  unit.make = [primitive = dnnl::matmul(described->primitive), arguments, offsets, strict](
                  std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
    std::vector<MatmulThunk::Operand> operands;
    for (std::size_t i = 0; i < reads.size(); ++i) operands.push_back({reads[i], offsets[i]});
    operands.push_back({writes[0], 0});
    operands.push_back({scratch, 0});
    return std::make_unique<MatmulThunk>(primitive, arguments, std::move(operands), strict);
  };
  return unit;
}

// A product that has no elements, or sums of nothing.
class EmptyMatmulThunk final : public runtime::Thunk {
 public:
  explicit EmptyMatmulThunk(const Slice& result) : result_(result) {}
  void run(const runtime::Launch& launch) const override {
    if (result_.bytes) std::memset(launch.at(result_), 0, result_.bytes);
  }

 private:
  Slice result_;
};

void for_each_read(const Matmul& matmul, auto&& visit) {
  visit(matmul.lhs);
  visit(matmul.rhs);
  for (const EpilogueStep& step : matmul.epilogue.steps)
    if (step.operand.base) visit(step.operand);
}

std::optional<Unit> unit_at(const Matmul& matmul, bool strict, const SizeValues& values) {
  const auto empty = [&](Value v) { return values(v.type()).elements() == 0; };
  if (empty(matmul.epilogue.result) ||
      (matmul.epilogue.steps.empty() && std::ranges::any_of(matmul.dot->operands, empty))) {
    Unit unit;
    unit.make = [](std::span<const Slice>, std::span<const Slice> writes, const Slice&) {
      return std::make_unique<EmptyMatmulThunk>(writes[0]);
    };
    return unit;
  }
  std::shared_ptr<ir::Graph> graph;
  const auto sized = at(matmul, values, graph);
  if (!sized || std::ranges::any_of(matmul.dot->operands, empty)) return std::nullopt;
  return static_unit(*sized, strict);
}

}  // namespace

Unit matmul_unit(const Matmul& matmul, bool strict, const SizeValues& values) {
  if (is_static(matmul)) return static_unit(matmul, strict);
  const auto first = unit_at(matmul, strict, values);
  require(first.has_value(), "compile: a product of ", values(matmul.dot->operand(0).type()), " and ",
          values(matmul.dot->operand(1).type()), " has no form for other sizes");
  Unit unit;
  unit.info = first->info;
  unit.info.name = concat(first->info.name.substr(0, first->info.name.rfind('.') + 1), matmul.epilogue.result.node->id);
  unit.order = matmul.epilogue.result.node->id;
  unit.writes = {matmul.epilogue.result};
  for_each_read(matmul, [&](const View& view) { unit.reads.push_back(storage_of(view.base)); });
  unit.at = [matmul, strict](const SizeValues& now) { return unit_at(matmul, strict, now); };
  return unit;
}

}  // namespace weft::compiler
