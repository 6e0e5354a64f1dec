// The kernels of attention for a GPU, run by the host, against the decomposition in f64.
#include <tests/tensor/attention_check.h>

#include <weft/compiler/codegen/twin/twin.h>
#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/general.h>

namespace weft {
namespace {

using test::attention_thunks;
using test::recorded;
using test::with_gradients;

struct AttentionCase {
  std::int64_t queries, keys, width;
  bool is_causal;
  DType dtype = DType::bf16;
};

// Runs the kernels with the threads of blocks in two orders.
void compare(const std::shared_ptr<const runtime::Executable>& executable, const ir::Graph& in_f64,
             const std::vector<Shape>& shapes, DType dtype) {
  const test::AttentionData data(shapes, dtype);
  compiler::twin::set_seed(1);
  const auto found = test::run_on_host(executable, data.inputs);
  test::expect_near(found, ir::interpret(in_f64, data.in_f64), dtype);
  compiler::twin::set_seed(2);
  test::expect_same_bits(test::run_on_host(executable, data.inputs), found);
}

// Both kinds of kernels: those whose warps multiply on their own, and those of warpgroups.
constexpr const char* twins[] = {"twin", "twin_90a"};

void check(const test::AttentionFunction& function, const std::vector<Shape>& shapes, DType dtype,
           std::ptrdiff_t kernels) {
  for (const char* const twin : twins) {
    SCOPED_TRACE(twin);
    compiler::Options options;
    options.target = &compiler::Target::named(twin);
    const auto executable = compiler::compile(*recorded(function, shapes, dtype), options);
    EXPECT_EQ(attention_thunks(*executable), kernels);
    compare(executable, *recorded(function, shapes, DType::f64), shapes, dtype);
  }
}

TEST(AttentionKernels, OfOneProductOfQueriesKeysAndValues) {
  for (const AttentionCase& c :
       {AttentionCase{70, 70, 64, true}, {65, 65, 16, true}, {33, 33, 128, false}, {70, 70, 32, true, DType::f16}}) {
    SCOPED_TRACE(concat(c.queries, ' ', c.width));
    const std::int64_t batch = 2, heads = 2;
    const auto attend = [&](const std::vector<Tensor>& x) {
      const Tensor parts = transpose(x[0], 1, 3);  // [batch, heads, 3, time, width]
      const auto part = [&](std::int64_t i) {
        return reshape(slice(parts, 2, i, i + 1), {batch, heads, c.queries, c.width});
      };
      return transpose(scaled_dot_product_attention(part(0), part(1), part(2), {.causal = c.is_causal}), 1, 2);
    };
    check(with_gradients(attend), {{batch, c.queries, 3, heads, c.width}, {batch, c.queries, heads, c.width}}, c.dtype,
          2);
  }
}

TEST(AttentionKernels, OfQueriesAndKeysOfOtherLengths) {
  for (const AttentionCase& c : {AttentionCase{37, 70, 48, true},
                                 {70, 37, 64, true},
                                 {5, 130, 80, false},
                                 {130, 5, 96, false},
                                 {1, 1, 112, true}}) {
    SCOPED_TRACE(concat(c.queries, ' ', c.keys, ' ', c.width));
    const auto attend = [&](const std::vector<Tensor>& x) {
      return scaled_dot_product_attention(x[0], x[1], x[2], {.causal = c.is_causal});
    };
    const Shape q{1, 2, c.queries, c.width}, k{1, 2, c.keys, c.width};
    check(with_gradients(attend), {q, k, k, q}, c.dtype, 2);
  }
}

TEST(AttentionKernels, OfAnyLeadingDimensions) {
  const auto attend = [](const std::vector<Tensor>& x) { return scaled_dot_product_attention(x[0], x[1], x[2]); };
  for (const Shape& shape : {Shape{3, 20, 32}, Shape{2, 1, 2, 20, 32}})
    check(with_gradients(attend), {shape, shape, shape, shape}, DType::bf16, 2);
  check(with_gradients(attend), {{20, 32}, {20, 32}, {20, 32}, {20, 32}}, DType::bf16, 0);
}

TEST(AttentionKernels, OfLengthsThatAreKnownLater) {
  const auto attend =
      with_gradients([](const std::vector<Tensor>& x) { return scaled_dot_product_attention(x[0], x[1], x[2]); });
  const auto of_keys = [&](std::int64_t keys, DType dtype) {
    const Shape q{1, 2, 20, 32}, k{1, 2, keys, 32};
    return std::pair(recorded(attend, {q, k, k, q}, dtype), std::vector{q, k, k, q});
  };
  const std::vector samples{of_keys(9, DType::bf16).first, of_keys(13, DType::bf16).first};
  const ir::General general = ir::generalise(samples);
  compiler::Options options{.sizes = SizeValues({13})};
  options.target = &compiler::Target::named("twin");
  const auto program = compiler::compile_for_sizes(*general.graph, options);
  for (const std::int64_t keys : {9, 70, 1}) {
    const auto executable = program->at({keys}, {});
    ASSERT_TRUE(executable) << executable.reason();
    EXPECT_EQ(attention_thunks(**executable), 2);
    compare(*executable, *of_keys(keys, DType::f64).first, of_keys(keys, DType::bf16).second, DType::bf16);
  }
}

// They take their operands as they lie, or copies of them.
TEST(AttentionKernels, OfOperandsThatLieInAnyWay) {
  const auto attend = [](const std::vector<Tensor>& x) {
    const Tensor cut = slice(x[1], 3, 1, 33);  // rows begin at no multiple of 16 bytes
    return scaled_dot_product_attention(x[0], transpose(transpose(cut, 2, 3), 2, 3) * 2.0,
                                        broadcast_to(x[2], {2, 3, 20, 32}));
  };
  check(with_gradients(attend), {{2, 3, 20, 32}, {2, 3, 20, 40}, {2, 1, 20, 32}, {2, 3, 20, 32}}, DType::bf16, 2);
}

}  // namespace
}  // namespace weft
