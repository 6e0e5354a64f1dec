// The kernels of attention for a GPU, run by the host, against the decomposition in f64.
#include <algorithm>
#include <cmath>
#include <functional>
#include <tests/tensor/check.h>

#include <gtest/gtest.h>

#include <weft/compiler/codegen/twin/twin.h>
#include <weft/compiler/compiler.h>
#include <weft/compiler/plan/sized_program.h>
#include <weft/ir/general.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/weft.h>

namespace weft {
namespace {

using Function = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

struct AttentionCase {
  std::int64_t queries, keys, width;
  bool is_causal;
  DType dtype = DType::bf16;
};

std::shared_ptr<const ir::Graph> recorded(const Function& function, const std::vector<Shape>& shapes, DType dtype) {
  std::vector<Tensor> arguments;
  for (const Shape& shape : shapes) arguments.push_back(zeros(shape, dtype));
  return ir::parse(export_stablehlo(function, arguments));
}

std::vector<ir::Array> run_on_twin(const std::shared_ptr<const runtime::Executable>& executable,
                                   const std::vector<ir::Array>& inputs) {
  std::vector<runtime::BufferPtr> buffers;
  for (const ir::Array& input : inputs) buffers.push_back(runtime::cpu().upload(input.type(), input.bytes()));
  std::vector<ir::Array> outputs;
  for (const auto& buffer : runtime::cpu().launch(executable, buffers))
    outputs.emplace_back(buffer->type(), buffer->bytes());
  return outputs;
}

std::ptrdiff_t attention_thunks(const runtime::Executable& executable) {
  return std::ranges::count_if(executable.thunks,
                               [](const auto& thunk) { return thunk->info.category == "attention"; });
}

// Compares with the same function in f64. Weights, their gradients and the results are rounded to 8 bits (f16: 11), and of terms that cancel
// remains the rounding of f32.
void compare(const std::shared_ptr<const runtime::Executable>& executable, const ir::Graph& in_f64,
             const std::vector<Shape>& shapes, DType dtype) {
  std::vector<ir::Array> inputs, wide;
  for (const Shape& shape : shapes) {
    const Tensor x = (test::arbitrary(shape, static_cast<std::int64_t>(inputs.size())) * 1.5).to(dtype);
    const Tensor same = x.to(DType::f64);
    inputs.emplace_back(x.type(), x.bytes());
    wide.emplace_back(same.type(), same.bytes());
  }
  const auto expected = ir::interpret(in_f64, wide);
  const double bound = dtype == DType::bf16 ? 0.016 : 0.002;
  std::vector<ir::Array> first;
  for (const std::uint64_t seed : {1, 2}) {
    compiler::twin::set_seed(seed);
    const auto found = run_on_twin(executable, inputs);
    for (std::size_t i = 0; i < found.size(); ++i) {
      double largest = 0;
      for (std::int64_t e = 0; e < found[i].size(); ++e) largest = std::max(largest, std::abs(expected[i].element(e)));
      for (std::int64_t e = 0; e < found[i].size(); ++e)
        ASSERT_NEAR(found[i].element(e), expected[i].element(e), bound * largest + 1e-5)
            << "result " << i << " at " << e;
      if (!first.empty()) {
        EXPECT_TRUE(std::ranges::equal(found[i].bytes(), first[i].bytes())) << "other bits in another order";
      }
    }
    first = found;
  }
}

// Both kinds of kernels: those whose warps multiply on their own, and those of warpgroups.
constexpr const char* twins[] = {"twin", "twin_90a"};

void check(const Function& function, const std::vector<Shape>& shapes, DType dtype, std::ptrdiff_t kernels) {
  for (const char* const twin : twins) {
    SCOPED_TRACE(twin);
    compiler::Options options;
    options.target = &compiler::Target::named(twin);
    const auto executable = compiler::compile(*recorded(function, shapes, dtype), options);
    EXPECT_EQ(attention_thunks(*executable), kernels);
    compare(executable, *recorded(function, shapes, DType::f64), shapes, dtype);
  }
}

// The result, and the gradients of all inputs for a cotangent, which is the last of them.
Function with_gradients(const std::function<Tensor(const std::vector<Tensor>&)>& function) {
  return [function](const std::vector<Tensor>& x) {
    const std::vector<Tensor> inputs(x.begin(), x.end() - 1);
    const Tensor y = function(inputs);
    std::vector<Tensor> all = grad(sum(y * x.back()), inputs);
    all.push_back(y);
    return all;
  };
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
