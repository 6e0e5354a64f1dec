// How a scatter addresses its operand, for known sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <weft/ir/graph.h>

namespace weft::compiler {

// A scatter of rows: each window is as many neighbouring elements, of the operand and of the updates, where the windows stand one behind
// the other. A window's place is the position of its first element in the operand.
struct RowScatter {
  // A component of the index vector, which addresses a dimension of the operand.
  struct Component {
    std::int64_t offset = 0;  // in the index vector
    std::int64_t size = 0, stride = 0;
  };
  // A dimension of the windows' order, the outermost first.
  struct Step {
    std::int64_t size = 1;
    std::int64_t index_stride = 0;
    std::int64_t place_stride = 0;  // not 0 if the step itself addresses a dimension of the operand
  };
  std::vector<Component> components;
  std::vector<Step> steps;  // at least one
  std::int64_t windows = 1, width = 1;
  DType index_dtype = DType::i32;
};

struct ScatterPlan {
  // How one dimension of the operand is addressed.
  struct Dimension {
    std::int64_t size = 0, stride = 0;
    std::int64_t window = 1, update_stride = 0;  // the window's extent and its stride in the updates
    int start = -1;                              // component of the index vector; -1: none
    int batch = -1;                              // the step that gives the position itself; -1: none
  };
  // A dimension of the updates that is walked outside of the windows, in the order of the updates: a scatter dimension, or a window
  // dimension that comes before a scatter dimension.
  struct Step {
    std::int64_t size = 0, update_stride = 0, index_stride = 0;
    int window_of = -1;  // the operand's dimension of which it gives one element of the window; -1: none
  };
  std::vector<Dimension> dims;
  std::vector<Step> steps;
  std::int64_t component_stride = 0;
  std::int64_t windows = 1, window_elements = 1;  // windows includes the steps within them
  DType index_dtype = DType::i32;
};

ScatterPlan scatter_plan(const ir::Node& scatter);

// Returns how the scatter is one of rows; nullopt if it is not.
std::optional<RowScatter> row_scatter(const ScatterPlan& plan);

}  // namespace weft::compiler
