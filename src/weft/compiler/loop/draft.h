// A kernel on its way from the graph to the loop form: what the phases of lowering hand on to one another. lower.cpp makes the
// expressions, stages.cpp says in which pass over the lanes each is computed, finalize.cpp brings the axes into order and turns
// numbers into parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weft/compiler/loop/access.h>
#include <weft/compiler/loop/lower.h>

namespace weft::compiler {

// What an axis is for, in the order in which axes are walked.
enum class Role : std::uint8_t { row, serial, lane };

// An expression whose positions are still functions with numbers in them.
struct Draft {
  Expr expr;
  ir::Value source;  // load
  Affine position;
  std::vector<Bound> bounds;
  struct Gathered {
    ExprId index;
    Size limit, stride;
  };
  std::vector<Gathered> gathered;
};

struct DraftStore {
  ExprId value = 0;
  std::size_t output = 0;
  Affine position;
};

struct DraftLoop {
  std::vector<Size> axes;  // iterations of each
  std::vector<Role> roles;
  bool columns = false;  // reductions run over the serial axes, not over the lanes
  int stages = 1;
  std::vector<Draft> exprs;
  std::vector<DraftStore> stores;
  std::vector<ir::Value> inputs;

  bool is_reduced(Role r) const { return r == (columns ? Role::serial : Role::lane); }

  // Position in the row-major order of the axes for which `wanted` holds.
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

  // Product of these axes.
  template <class Wanted>
  Size count(Wanted&& wanted) const {
    Size n = 1;
    for (std::size_t a = 0; a < axes.size(); ++a)
      if (wanted(roles[a])) n *= axes[a];
    return n;
  }

  const Expr& expr(ExprId id) const { return exprs[id].expr; }
};

// The reason why there is no order of stages, if there is none.
std::optional<std::string> assign_stages(DraftLoop& loop);

// Drops, merges and orders the axes, and makes the loop.
Lowered finalize(DraftLoop loop, const KernelRequest& request);

}  // namespace weft::compiler
