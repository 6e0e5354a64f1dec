// A kernel on its way from the graph to the loop form, passed from one phase of lowering to the next. lower.cpp makes the expressions,
// axes.cpp orders the axes, records.cpp unrolls short ones, stages.cpp decides in which pass over the lanes an expression is computed, and
// finalize.cpp turns numbers into parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weft/base/status.h>
#include <weft/compiler/loop/access.h>
#include <weft/compiler/loop/lower.h>

namespace weft::compiler {

// The role of an axis, in the order in which axes are walked.
enum class Role : std::uint8_t { row, serial, lane };

struct DraftGathered {
  ExprId index = 0;
  Size limit, stride;
};

// An expression whose positions are still affine functions of Sizes.
struct Draft {
  Expr expr;
  ir::Value source;  // for a load: the value that is loaded
  Affine position;
  std::vector<Bound> bounds;
  std::vector<DraftGathered> gathered;
};

struct DraftStore {
  ExprId value = 0;
  std::size_t output = 0;
  Affine position;
  std::vector<DraftGathered> gathered;
  Record record = {};
};

struct DraftLoop {
  std::vector<Size> axes;  // the number of iterations of each axis
  std::vector<Role> roles;
  bool reduces = false;  // has reductions
  bool columns = false;  // they run over the serial axes, not over the lanes
  bool records = false;  // Walk::records
  int points = 1;        // Walk::records: see Loop::points
  int stages = 1;
  std::vector<Draft> exprs;
  std::vector<DraftStore> stores;
  std::vector<ir::Value> inputs;

  bool is_reduced(Role r) const { return r == (columns ? Role::serial : Role::lane); }

  // Returns the position in the row-major order of the axes for which `wanted` holds.
  template <class Wanted>
  Affine linear(Wanted&& wanted) const {
    Affine position;
    Size stride = 1;
    for (std::size_t a = axes.size(); a-- > 0;) {
      if (!wanted(roles[a])) continue;
      position.add(axis_index(a), stride);
      stride *= axes[a];
    }
    return position;
  }

  // Returns the product of the sizes of the axes for which `wanted` holds.
  template <class Wanted>
  Size count(Wanted&& wanted) const {
    Size n = 1;
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (wanted(roles[a])) n *= axes[a];
    return n;
  }

  const Expr& expr(ExprId id) const { return exprs[id].expr; }

  // Adds an expression.
  ExprId push(Draft draft) {
    exprs.push_back(std::move(draft));
    return std::ssize(exprs) - 1;
  }
  // Adds a load of `value`, which becomes an input.
  ExprId load(ir::Value value, Affine position, std::vector<Bound> bounds, std::vector<DraftGathered> gathered);
};

// Drops axes of one iteration, merges axes that can be walked as one, orders them (rows, serial, lanes), and keeps only the innermost lane
// axis where more lane axes do not help. `contract`: see KernelRequest.
void arrange_axes(DraftLoop& loop, bool contract);

// Assigns a stage to each expression. Fails if there is no valid order of stages.
Status assign_stages(DraftLoop& loop);

// Makes the loop.
Lowered finalize(DraftLoop loop, const KernelRequest& request);

}  // namespace weft::compiler
