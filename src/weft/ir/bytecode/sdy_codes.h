// The codes with which the encodings of Shardy's attributes begin, which are the positions in its file bytecode.td, and how its text names
// the attributes that operations have.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft::ir::bytecode {

enum SdyAttribute : std::uint64_t {
  sdy_manual_axes = 0,
  sdy_mesh_axis = 1,
  sdy_mesh = 2,
  sdy_sub_axis = 3,
  sdy_axis = 4,
  sdy_dimension = 5,
  sdy_sharding = 6,
  sdy_per_value = 7,
  sdy_partial_sharding = 15,  // with unreduced axes, which add up
  sdy_partial_per_value = 16,
  sdy_reduced_sharding = 17,  // with unreduced axes and one of sdy_reductions
};

inline constexpr std::string_view sdy_reductions[] = {"", "max", "min"};

inline constexpr std::string_view sdy_mesh_name = "#sdy.mesh", sdy_sharding_name = "#sdy.sharding",
                                  sdy_per_value_name = "#sdy.sharding_per_value",
                                  sdy_manual_axes_name = "#sdy<manual_axes";

}  // namespace weft::ir::bytecode
