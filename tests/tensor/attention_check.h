// Shared by the tests of attention's kernels: a function and its gradients, compiled for a target, against the same function in f64.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <tests/tensor/check.h>
#include <vector>

#include <gtest/gtest.h>

#include <weft/compiler/compiler.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/weft.h>

namespace weft::test {

using AttentionFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

inline std::shared_ptr<const ir::Graph> recorded(const AttentionFunction& function, const std::vector<Shape>& shapes,
                                                 DType dtype) {
  std::vector<Tensor> arguments;
  for (const Shape& shape : shapes) arguments.push_back(zeros(shape, dtype));
  return ir::parse(export_stablehlo(function, arguments));
}

inline std::vector<ir::Array> run_on_host(const std::shared_ptr<const runtime::Executable>& executable,
                                          const std::vector<ir::Array>& inputs) {
  std::vector<runtime::BufferPtr> buffers;
  for (const ir::Array& input : inputs) buffers.push_back(runtime::cpu().upload(input.type(), input.bytes()));
  std::vector<ir::Array> outputs;
  for (const auto& buffer : runtime::cpu().launch(executable, buffers))
    outputs.emplace_back(buffer->type(), buffer->bytes());
  return outputs;
}

inline std::ptrdiff_t attention_thunks(const runtime::Executable& executable) {
  return std::ranges::count_if(executable.thunks,
                               [](const auto& thunk) { return thunk->info.category == "attention"; });
}

// Weights, their gradients and the results are rounded to 8 bits (f16: 11). Where terms cancel, the rounding of the computed type remains.
inline double attention_bound(DType dtype) {
  switch (dtype) {
    case DType::bf16: return 0.016;
    case DType::f16: return 0.002;
    case DType::f64: return 1e-14;
    default: return 4e-6;
  }
}

struct AttentionData {
  std::vector<ir::Array> inputs, in_f64;

  AttentionData(const std::vector<Shape>& shapes, DType dtype) {
    for (const Shape& shape : shapes) {
      const Tensor x = (arbitrary(shape, static_cast<std::int64_t>(inputs.size())) * 1.5).to(dtype);
      const Tensor same = x.to(DType::f64);
      inputs.emplace_back(x.type(), x.bytes());
      in_f64.emplace_back(same.type(), same.bytes());
    }
  }
};

inline void expect_near(const std::vector<ir::Array>& found, const std::vector<ir::Array>& expected, DType dtype) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    double largest = 0;
    for (std::int64_t e = 0; e < found[i].size(); ++e) largest = std::max(largest, std::abs(expected[i].element(e)));
    const double bound = attention_bound(dtype) * largest + (dtype == DType::f64 ? 1e-13 : 1e-5);
    for (std::int64_t e = 0; e < found[i].size(); ++e)
      ASSERT_NEAR(found[i].element(e), expected[i].element(e), bound) << "result " << i << " at " << e;
  }
}

inline void expect_same_bits(const std::vector<ir::Array>& found, const std::vector<ir::Array>& other) {
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(found[i].bytes(), other[i].bytes())) << "result " << i;
}

// The result, and the gradients of all inputs for a cotangent, which is the last of them.
inline AttentionFunction with_gradients(const std::function<Tensor(const std::vector<Tensor>&)>& function) {
  return [function](const std::vector<Tensor>& x) {
    const std::vector<Tensor> inputs(x.begin(), x.end() - 1);
    const Tensor y = function(inputs);
    std::vector<Tensor> all = grad(sum(y * x.back()), inputs);
    all.push_back(y);
    return all;
  };
}

}  // namespace weft::test
