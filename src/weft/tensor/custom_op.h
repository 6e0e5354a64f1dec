// User-defined operations: a host function becomes part of the recorded program, without a graph break. It runs on a
// thread for host functions, concurrently with kernels that do not need its results, and reads and writes the buffers
// without a copy. metrics::report() counts the calls as custom_op::NAME, with time and bytes.
//
//   const CustomOp clip = custom_op("clip", {.compute = [](const HostCall& call) {
//     std::ranges::transform(call.inputs[0].data<float>(), call.outputs[0].data<float>().begin(),
//                            [](float x) { return std::min(x, 1.f); });
//   }});
//   const Tensor y = clip(x);
#pragma once

#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <weft/ir/host_function.h>
#include <weft/tensor/operand.h>

namespace weft {

namespace detail {
class Frame;
}

using ir::HostCall;
using ir::HostCompute;
using ir::HostInput;
using ir::HostOutput;
using ir::HostTypes;

struct CustomOpOptions {
  HostCompute compute;           // see ir/host_function.h for what it may do
  HostTypes types = {};          // the types of the results; default: one result with the type of the first operand
  bool has_side_effect = false;  // every recorded call runs, in recording order, as long as one of its results is held
  // Inputs: the inputs of compute, its outputs and their cotangents. Outputs: the cotangents of the floating-point
  // inputs. Without it, grad throws Error if a gradient flows through the operation.
  HostCompute gradient = {};
  // Inputs: the inputs of compute, its outputs and the tangents of the floating-point inputs. Outputs: the tangents of the floating-point
  // outputs. Without it, jvp follows from the gradient, if that can be differentiated; otherwise it throws Error.
  HostCompute forward = {};
};

class CustomOp {
 public:
  // Applies an operation with one result.
  Tensor operator()(const Operand& a) const;
  Tensor operator()(const Operand& a, const Operand& b) const;
  Tensor operator()(const Operand& a, const Operand& b, const Operand& c) const;
  // Applies an operation with any number of operands and results.
  std::vector<Tensor> apply(std::span<const Tensor> operands,
                            std::source_location where = std::source_location::current()) const;

 private:
  friend CustomOp custom_op(std::string name, CustomOpOptions options);
  CustomOp(const ir::HostFunction& function, bool has_side_effect)
      : function_(&function), has_side_effect_(has_side_effect) {}
  template <class... Operands>
  Tensor call_one(const Operand& a, const Operands&... more) const;
  std::vector<Tensor> call(detail::Frame& frame, std::span<const ir::Value> operands) const;

  const ir::HostFunction* function_;
  bool has_side_effect_;
};

// Registers the operation for the lifetime of the process. Throws Error if the name is taken.
CustomOp custom_op(std::string name, CustomOpOptions options);

}  // namespace weft
