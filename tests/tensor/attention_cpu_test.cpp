// The kernels of attention for a CPU against the decomposition in f64.
#include <limits>
#include <tests/tensor/attention_check.h>

#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/general.h>
#include <weft/runtime/parallel.h>

namespace weft {
namespace {

using compiler::Target;
using test::attention_thunks;
using test::recorded;
using test::with_gradients;

// Returns this machine as one whose vectors have so many lanes, and how many registers it then has.
Target with_lanes(int lanes) {
  Target target = Target::host();
  target.lanes = lanes;
  target.registers = lanes > 8 ? 32 : 16;
  target.has_vector_range = target.has_vector_scale = false;
  target.key += concat(" lanes ", lanes);
  return target;
}

// Compares on machines with vectors of all lengths, which must have so many kernels of attention.
void check_on_cpu(const test::AttentionFunction& function, const std::vector<Shape>& shapes, DType dtype,
                  std::ptrdiff_t kernels) {
  const test::AttentionData data(shapes, dtype);
  const auto expected = ir::interpret(*recorded(function, shapes, DType::f64), data.in_f64);
  for (const int lanes : {4, 8, 16}) {
    SCOPED_TRACE(concat(lanes, " lanes, ", name(dtype)));
    const Target target = with_lanes(lanes);
    const auto executable = compiler::compile(*recorded(function, shapes, dtype), {.target = &target});
    EXPECT_EQ(attention_thunks(*executable), kernels);
    test::expect_near(test::run_on_host(executable, data.inputs), expected, dtype);
  }
}

test::AttentionFunction attend(bool is_causal) {
  return with_gradients([is_causal](const std::vector<Tensor>& x) {
    return scaled_dot_product_attention(x[0], x[1], x[2], {.causal = is_causal});
  });
}

TEST(CpuAttention, OfAnyNumberOfQueriesAndKeys) {
  for (const auto& [queries, keys] : {std::pair{8, 1}, {15, 33}, {33, 15}, {64, 64}, {150, 161}, {161, 150}}) {
    SCOPED_TRACE(concat(queries, ' ', keys));
    const Shape q{2, queries, 16}, k{2, keys, 16};
    check_on_cpu(attend(true), {q, k, k, q}, DType::f32, 2);
  }
}

TEST(CpuAttention, OfAnyWidthAndType) {
  for (const auto& [dtype, width] : {std::pair{DType::f64, 24},
                                     {DType::f64, 64},
                                     {DType::f32, 8},
                                     {DType::f32, 24},
                                     {DType::f32, 128},
                                     {DType::bf16, 40},
                                     {DType::f16, 64}}) {
    SCOPED_TRACE(width);
    const Shape shape{2, 2, 50, width};
    check_on_cpu(attend(true), {shape, shape, shape, shape}, dtype, 2);
  }
}

TEST(CpuAttention, ThatIsNotCausal) {
  const Shape q{1, 3, 20, 32}, k{1, 3, 90, 32};
  check_on_cpu(attend(false), {q, k, k, q}, DType::f64, 2);
  check_on_cpu(attend(false), {q, k, k, q}, DType::bf16, 2);
}

// Without a kernel, the scores of the forward pass are kept for the gradient.
TEST(CpuAttention, IsDecomposedWhereThatIsFaster) {
  const auto alone = [](bool is_causal) {
    return [is_causal](const std::vector<Tensor>& x) {
      return std::vector{scaled_dot_product_attention(x[0], x[1], x[2], {.causal = is_causal})};
    };
  };
  const Shape few{2, 3, 4, 32}, many{2, 3, 40, 32};
  check_on_cpu(attend(false), {many, many, many, many}, DType::f32, 0);
  check_on_cpu(alone(false), {many, many, many}, DType::f32, 1);
  check_on_cpu(alone(true), {few, few, few}, DType::f32, 0);
}

TEST(CpuAttention, OfAnyLeadingDimensions) {
  for (const Shape& shape : {Shape{20, 32}, Shape{2, 1, 2, 20, 32}})
    check_on_cpu(attend(true), {shape, shape, shape, shape}, DType::f32, 2);
  const Shape none{0, 20, 32}, empty{2, 0, 32};
  check_on_cpu(attend(true), {none, none, none, none}, DType::f32, 2);
  check_on_cpu(attend(true), {empty, empty, empty, empty}, DType::f32, 0);
}

// Training steps have queries, keys and values as parts of one product, and heads that lie beside each other.
TEST(CpuAttention, OfOneProductOfQueriesKeysAndValues) {
  const auto function = with_gradients([](const std::vector<Tensor>& x) {
    const Tensor parts = transpose(x[0], 1, 3);  // [batch, heads, 3, time, width]
    const auto part = [&](std::int64_t i) { return reshape(slice(parts, 2, i, i + 1), {2, 4, 70, 32}); };
    return transpose(scaled_dot_product_attention(part(0), part(1), part(2), {.causal = true}), 1, 2);
  });
  for (const DType dtype : {DType::f32, DType::bf16})
    check_on_cpu(function, {{2, 70, 3, 4, 32}, {2, 70, 4, 32}}, dtype, 2);
}

TEST(CpuAttention, OfOperandsThatLieInAnyWay) {
  const auto function = with_gradients([](const std::vector<Tensor>& x) {
    const Tensor cut = slice(x[1], 3, 1, 33);
    return scaled_dot_product_attention(x[0], transpose(transpose(cut, 2, 3), 2, 3) * 2.0,
                                        broadcast_to(x[2], {2, 3, 20, 32}), {.causal = true});
  });
  check_on_cpu(function, {{2, 3, 20, 32}, {2, 3, 20, 40}, {2, 1, 20, 32}, {2, 3, 20, 32}}, DType::f32, 2);
}

TEST(CpuAttention, OfLengthsThatAreKnownLater) {
  const auto of_length = [&](std::int64_t length, DType dtype) {
    const Shape shape{1, 2, length, 32};
    return std::pair(recorded(attend(true), {shape, shape, shape, shape}, dtype),
                     std::vector{shape, shape, shape, shape});
  };
  const std::vector samples{of_length(9, DType::f32).first, of_length(13, DType::f32).first};
  const ir::General general = ir::generalise(samples);
  const auto program = compiler::compile_for_sizes(*general.graph, {.sizes = SizeValues({13})});
  for (const std::int64_t length : {9, 200, 1}) {
    const auto executable = program->at({length}, {});
    ASSERT_TRUE(executable) << executable.reason();
    EXPECT_EQ(attention_thunks(**executable), 2);
    const test::AttentionData data(of_length(length, DType::f32).second, DType::f32);
    test::expect_near(test::run_on_host(*executable, data.inputs),
                      ir::interpret(*of_length(length, DType::f64).first, data.in_f64), DType::f32);
  }
}

TEST(CpuAttention, HasTheSameBitsForAnyNumberOfThreads) {
  const Shape shape{2, 3, 150, 40};
  const test::AttentionData data({shape, shape, shape, shape}, DType::f32);
  const auto executable = compiler::compile(*recorded(attend(true), {shape, shape, shape, shape}, DType::f32), {});
  const int threads = runtime::thread_count();
  runtime::set_thread_count(1);
  const auto alone = test::run_on_host(executable, data.inputs);
  runtime::set_thread_count(3);
  test::expect_same_bits(test::run_on_host(executable, data.inputs), alone);
  runtime::set_thread_count(threads);
}

TEST(CpuAttention, StrictModeComputesTheDecomposition) {
  const Shape shape{2, 3, 20, 32};
  const auto graph = recorded(attend(true), {shape, shape, shape, shape}, DType::f32);
  EXPECT_EQ(attention_thunks(*compiler::compile(*graph, {.strict = true})), 0);
}

// A score that is infinite or no number reaches the queries that see it, and no others.
TEST(CpuAttention, OfScoresThatAreNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Shape shape{1, 20, 8};
  const Tensor q = ones(shape), v = test::arbitrary(shape, 3).to(DType::f32);
  for (const double score : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    const Tensor first = test::arbitrary({1, 15, 8}, 2).to(DType::f32);
    const Tensor k = concatenate({first, full({1, 5, 8}, score)}, 1);
    const auto attend = compile([](const Tensor& a, const Tensor& b, const Tensor& c) {
      return scaled_dot_product_attention(a, b, c, {.causal = true});
    });
    const auto y = attend(q, k, v).to_vector<float>();
    for (std::int64_t query = 0; query < 20; ++query) {
      const bool is_finite = query < 15 || score == -infinity;
      for (std::int64_t e = 0; e < 8; ++e)
        EXPECT_EQ(std::isfinite(y[static_cast<std::size_t>(query * 8 + e)]), is_finite) << score << " at " << query;
    }
  }
}

// No program of a training step holds the scores, so its memory grows with the length and not with its square.
TEST(CpuAttention, NeedsMemoryLinearInTheLength) {
  const auto bytes = [](std::int64_t length) {
    const Shape shape{1, 2, length, 16};
    return compiler::compile(*recorded(attend(true), {shape, shape, shape, shape}, DType::f32), {})->peak_bytes;
  };
  EXPECT_LE(bytes(4096), 4 * bytes(1024) + 4096);
}

}  // namespace
}  // namespace weft
