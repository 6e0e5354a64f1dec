// Lowers fused nodes to the loop form.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <weft/base/status.h>
#include <weft/compiler/loop/loop.h>
#include <weft/compiler/options/target.h>
#include <weft/ir/graph.h>

namespace weft::compiler {

// What one kernel computes. `outputs` are stored. `computes` says whether the kernel computes a node's value; otherwise it reads the value
// from memory. A node that is computed but not `free` may be computed at one index only.
struct KernelRequest {
  std::vector<ir::Value> outputs;
  std::function<bool(const ir::Node&)> computes;
  std::function<bool(const ir::Node&)> free;  // whether a node is cheap enough to compute again wherever it is needed
  // one of the kernel's reductions, which sets the domain; null if pointwise
  const ir::Node* reduction = nullptr;
  // A pointwise kernel may compute only the part that comes from one operand of a concatenation. All outputs must have the shape of the
  // concatenation. null: it computes the whole.
  struct Part {
    const ir::Node* concatenation = nullptr;
    int operand = 0;
  };
  Part part = {};
  bool contract = true;
  const Target* target = &Target::host();
};

struct Lowered {
  Loop loop;
  std::vector<ir::Value> inputs;  // the values read, in the order of the loop's buffers; outputs follow
};

// The kernel, or the reason why the request cannot be a kernel.
struct LoweringResult {
  Result<Lowered> kernel;
  // A shape op whose operand must be stored: positions through it are not affine, or in strict mode it would change the order of sums.
  const ir::Node* blocker = nullptr;
};
LoweringResult lower(const KernelRequest& request);

// Returns whether a single node can be a kernel or part of one.
bool can_lower(const ir::Node& node);

// Returns the element that fills a splat constant, as the bytes of its dtype.
std::uint64_t splat_bits(const ir::Literal& splat);

// Returns the identity of an op as bytes of the dtype; nullopt if the op has none.
std::optional<std::uint64_t> identity_of(const ir::Op& op, DType dtype);

// Returns the type in which a reduction of this dtype accumulates: f32 for 16-bit floats.
DType accumulator_type(DType dtype);

}  // namespace weft::compiler
