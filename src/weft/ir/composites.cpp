#include <weft/ir/composites.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <numbers>
#include <unordered_map>

#include <weft/ir/autodiff.h>
#include <weft/ir/complex_gradients.h>
#include <weft/ir/matrix_exp.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/region_gradient.h>

namespace weft::ir {

namespace {

// ---- along the last dimension

std::vector<std::int64_t> leading(Value x) {
  std::vector<std::int64_t> dims;
  for (int d = 0; d + 1 < x.rank(); ++d) dims.push_back(d);
  return dims;
}
Value along(Value rows, Value like) { return broadcast_in_dim(rows, like.type(), leading(like)); }  // [..] to [.., n]
Value along_rows(Value columns, Value like) {                                                       // [n] to [.., n]
  const std::int64_t last[] = {like.rank() - 1};
  return broadcast_in_dim(columns, like.type(), last);
}
Value sum(Value x) {
  const std::int64_t last[] = {x.rank() - 1};
  return reduce_sum(x, last);
}
Value max(Value x) {
  const std::int64_t last[] = {x.rank() - 1};
  return reduce_max(x, last);
}
Value mean(Value x) { return sum(x) * (1.0 / (std::max<std::int64_t>(1, x.size(x.rank() - 1)))); }
Value sum_of_rows(Value x) { return x.rank() == 1 ? x : reduce_sum(x, leading(x)); }

// ---- decompositions

using Values = std::vector<Value>;

Values softmax_of(std::span<const Value> x) {
  const Value e = exponential(x[0] - along(max(x[0]), x[0]));
  return {e / along(sum(e), x[0])};
}

// A row that has a finite maximum has a sum of at least exp(0), so the maximum with 1 changes only the sum of a row of -inf.
Values safe_softmax_of(std::span<const Value> x) {
  const Value top = max(x[0]);
  const Value hidden = constant_like(top, -std::numeric_limits<double>::infinity());
  const Value offset = select(compare(top, hidden, Direction::EQ), constant_like(top, 0), top);
  const Value e = exponential(x[0] - along(offset, x[0]));
  return {e / along(maximum(sum(e), constant_like(top, 1)), x[0])};
}

Values log_softmax_of(std::span<const Value> x) {
  const Value shifted = x[0] - along(max(x[0]), x[0]);
  return {shifted - along(log(sum(exponential(shifted))), x[0])};
}

constexpr double gelu_cubic = 0.044715;
constexpr double gelu_scale = 0.79788456080286535588;  // sqrt(2 / pi)

Value normal_cdf(Value x) { return (erf(x * (1 / std::numbers::sqrt2)) + 1) * 0.5; }

Values gelu_of(std::span<const Value> x) { return {x[0] * normal_cdf(x[0])}; }

Value gelu_tanh_inner(Value x) { return tanh((x + x * x * x * gelu_cubic) * gelu_scale); }

Values gelu_tanh_of(std::span<const Value> x) { return {x[0] * 0.5 * (gelu_tanh_inner(x[0]) + 1)}; }

Values silu_of(std::span<const Value> x) { return {x[0] * logistic(x[0])}; }

Values layer_norm_of(std::span<const Value> x, double epsilon) {
  const Value average = mean(x[0]);
  const Value centered = x[0] - along(average, x[0]);
  const Value scale = rsqrt(mean(centered * centered) + epsilon);
  return {centered * along(scale, x[0]) * along_rows(x[1], x[0]) + along_rows(x[2], x[0]), average, scale};
}

Values rms_norm_of(std::span<const Value> x, double epsilon) {
  const Value scale = rsqrt(mean(x[0] * x[0]) + epsilon);
  return {x[0] * along(scale, x[0]) * along_rows(x[1], x[0]), scale};
}

// ---- gradients

void softmax_gradient(const GradientCall& c) { c.add(0, (c.dy() - along(sum(c.dy() * c.y()), c.y())) * c.y()); }

void log_softmax_gradient(const GradientCall& c) { c.add(0, c.dy() - exponential(c.y()) * along(sum(c.dy()), c.y())); }

void gelu_gradient(const GradientCall& c) {
  const Value x = c.x();
  const Value density = exponential(x * x * -0.5) * (1 / std::sqrt(2 * std::numbers::pi));
  c.add(0, c.dy() * (normal_cdf(x) + x * density));
}

void gelu_tanh_gradient(const GradientCall& c) {
  const Value x = c.x();
  const Value t = gelu_tanh_inner(x);
  const Value inner = (x * x * (3 * gelu_cubic) + 1) * gelu_scale;
  c.add(0, c.dy() * ((t + 1) * 0.5 + x * 0.5 * (-(t * t) + 1) * inner));
}

void silu_gradient(const GradientCall& c) {
  const Value s = logistic(c.x());
  c.add(0, c.dy() * s * (c.x() * (-s + 1) + 1));
}

// Nobody provides cotangents for the statistics that a normalisation returns besides its result: only its own gradient reads them.
void layer_norm_gradient(const GradientCall& c) {
  const Value scale = along(c.y(2), c.x());
  const Value normal = (c.x() - along(c.y(1), c.x())) * scale;
  if (c.needs(0)) {
    const Value d = c.dy() * along_rows(c.x(1), c.x());
    c.add(0, (d - along(mean(d), c.x()) - normal * along(mean(d * normal), c.x())) * scale);
  }
  if (c.needs(1)) c.add(1, sum_of_rows(c.dy() * normal));
  if (c.needs(2)) c.add(2, sum_of_rows(c.dy()));
}

void rms_norm_gradient(const GradientCall& c) {
  const Value scale = along(c.y(1), c.x());
  const Value normal = c.x() * scale;
  if (c.needs(0)) {
    const Value d = c.dy() * along_rows(c.x(1), c.x());
    c.add(0, (d - normal * along(mean(d * normal), c.x())) * scale);
  }
  if (c.needs(1)) c.add(1, sum_of_rows(c.dy() * normal));
}

void gradient_of_attention(const GradientCall& c);

constexpr Composite composite_table[] = {
    {attention, gradient_of_attention, true},
    {attention_gradient, gradient_of_decomposition, true},
    {causal_attention, gradient_of_attention, true},
    {causal_attention_gradient, gradient_of_decomposition, true},
    {"weft.complex_abs", complex_abs_gradient, true},
    {"weft.complex_divide", complex_divide_gradient, true, true},
    {"weft.complex_exponential", complex_exponential_gradient, true, true},
    {"weft.complex_log", complex_log_gradient, true, true},
    {"weft.complex_sqrt", complex_sqrt_gradient, true, true},
    {fourier, fourier_gradient, true, true},
    {inverse_fourier, fourier_gradient, true, true},
    {column_fourier, fourier_gradient, true, true},
    {inverse_column_fourier, fourier_gradient, true, true},
    {real_fourier, gradient_of_decomposition, true, true},
    {inverse_real_fourier, gradient_of_decomposition, true, true},
    {"weft.gelu", gelu_gradient},
    {"weft.gelu_tanh", gelu_tanh_gradient},
    {"weft.layer_norm", layer_norm_gradient},
    {"weft.log_softmax", log_softmax_gradient},
    {matrix_exp_name, matrix_exp_gradient, true},
    {"weft.rms_norm", rms_norm_gradient},
    {"weft.safe_softmax", softmax_gradient},
    {"weft.silu", silu_gradient},
    {"weft.softmax", softmax_gradient},
};

// ---- calls

// A decomposition depends only on the name, the operand types and the number, so each is built once.
class Decompositions {
 public:
  std::shared_ptr<const Graph> find(std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    return found == known_.end() ? nullptr : found->second;
  }
  void add(std::uint64_t key, std::shared_ptr<const Graph> graph) {
    const std::lock_guard lock(mutex_);
    known_.insert_or_assign(key, std::move(graph));
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const Graph>> known_;
};

template <class Decomposition>
Values call(std::string_view name, std::span<const Value> operands, double number, Decomposition&& decomposition) {
  std::uint64_t key = mix(hash_bytes(name), std::bit_cast<std::uint64_t>(number));
  std::vector<Type> types;
  for (const Value v : operands) {
    types.push_back(v.type());
    key = mix(key, v.type().hash());
  }
  static auto* const known = new Decompositions;  // never destroyed: threads may record while the process ends
  std::shared_ptr<const Graph> graph = known->find(key);
  const auto matches = [&] { return std::ranges::equal(graph->inputs(), types, {}, [](Value v) { return v.type(); }); };
  if (!graph || graph->name != name || !matches()) {
    graph = make_graph(types, [&](Graph& g, std::span<const Value> x) {
      g.name = name;
      return decomposition(x);
    });
    known->add(key, graph);
  }
  return composite(name, operands, graph);
}

Value call(std::string_view name, Value x, Values (*decomposition)(std::span<const Value>)) {
  return call(name, std::span(&x, 1), 0, decomposition)[0];
}

// The gradient's decomposition computes the scores again, as a kernel does; where it is inlined, they are merged with those of the forward
// pass, as equal nodes are.
void gradient_of_attention(const GradientCall& c) {
  constexpr int mask = 3;
  if (std::ssize(c.node.operands) > mask && c.needs(mask)) return gradient_of_decomposition(c);
  const Graph& region = *c.node.regions[0];
  const bool is_causal = c.node.attributes<CompositeAttributes>().name == causal_attention;
  const std::size_t count = c.node.operands.size();
  Values operands(c.node.operands.begin(), c.node.operands.end());
  operands.insert(operands.end(), {c.y(0), c.y(1), c.dy()});
  const auto number = std::bit_cast<double>(region.fingerprint().low);
  const Values cotangents =
      call(is_causal ? causal_attention_gradient : attention_gradient, operands, number, [&](std::span<const Value> x) {
        Graph& graph = x[0].graph();
        const Values y = compute_again(graph, region, x.first(count));
        return gradient(graph, std::span(y).first(1), x.last(1), x.first(mask));
      });
  for (int i = 0; i < mask; ++i)
    if (c.needs(i)) c.add(i, cotangents[i]);
}

}  // namespace

std::vector<Value> call_composite(std::string_view name, std::span<const Value> operands,
                                  const std::function<std::vector<Value>(std::span<const Value>)>& build) {
  return call(name, operands, 0, build);
}

Value softmax(Value x) { return call("weft.softmax", x, softmax_of); }
Value safe_softmax(Value x) { return call("weft.safe_softmax", x, safe_softmax_of); }
Value log_softmax(Value x) { return call("weft.log_softmax", x, log_softmax_of); }
Value gelu(Value x) { return call("weft.gelu", x, gelu_of); }
Value gelu_tanh(Value x) { return call("weft.gelu_tanh", x, gelu_tanh_of); }
Value silu(Value x) { return call("weft.silu", x, silu_of); }

std::array<Value, 3> layer_norm(Value x, Value weight, Value bias, double epsilon) {
  const Value operands[] = {x, weight, bias};
  const Values y =
      call("weft.layer_norm", operands, epsilon, [&](std::span<const Value> v) { return layer_norm_of(v, epsilon); });
  return {y[0], y[1], y[2]};
}

std::array<Value, 2> rms_norm(Value x, Value weight, double epsilon) {
  const Value operands[] = {x, weight};
  const Values y =
      call("weft.rms_norm", operands, epsilon, [&](std::span<const Value> v) { return rms_norm_of(v, epsilon); });
  return {y[0], y[1]};
}

const Composite* find_composite(std::string_view name) {
  const auto* found = std::ranges::find(composite_table, name, &Composite::name);
  return found == std::end(composite_table) ? nullptr : found;
}

}  // namespace weft::ir
