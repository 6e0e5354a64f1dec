// Fused nodes to the loop form.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <weft/compiler/loop/loop.h>
#include <weft/compiler/options/target.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// What one kernel computes: `outputs` are stored; `computes` says of a node whether its value is computed in the kernel (if not,
// its value is read from memory). A node that is computed but not `free` may be computed at one index only.
struct KernelRequest {
  std::vector<ir::Value> outputs;
  std::function<bool(const ir::Node&)> computes;
  std::function<bool(const ir::Node&)> free;  // cheap enough to compute again wherever it is needed
  const ir::Node* reduction = nullptr;        // one of the kernel's reductions, which sets the domain; none: pointwise
  bool contract = true;
  const Target* target = &Target::host();
};

struct Lowered {
  Loop loop;
  std::vector<ir::Value> inputs;  // read, in the order of the loop's buffers; outputs follow
};

// The reason why the request is no kernel, or the kernel.
struct LoweringResult {
  std::optional<Lowered> kernel;
  std::string refusal;
  // The shape op through which positions are not affine, or in strict mode sums have another order: its operand must be in memory.
  const ir::Node* blocker = nullptr;
};
LoweringResult lower(const KernelRequest& request);

// Whether a node alone can be a kernel or part of one.
bool can_lower(const ir::Node& node);

// The element that all elements of a constant have, as bytes of its dtype.
std::uint64_t splat_bits(const ir::Literal& splat);

// The identity of an op, as bytes of the dtype; empty if the op has none.
std::optional<std::uint64_t> identity_of(const ir::Op& op, DType dtype);

// What a reduction of this dtype is kept in until its end: f32 for 16-bit floats.
DType accumulator_type(DType dtype);

}  // namespace weft::compiler
