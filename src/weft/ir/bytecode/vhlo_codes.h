// The codes with which the encodings of VHLO's attributes begin, as StableHLO's file VhloBytecode.cpp lists them, and the words of its
// enumerations, as VhloEnums.td does. They never change.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace weft::ir::bytecode {

enum VhloAttribute : std::uint64_t {
  vhlo_array = 1,
  vhlo_boolean = 2,
  vhlo_api_version = 5,
  vhlo_dictionary = 6,
  vhlo_float = 8,
  vhlo_integer = 9,
  vhlo_output_alias = 10,
  vhlo_string = 14,
  vhlo_tensor = 15,
  vhlo_type = 17,
  vhlo_accuracy = 20,
  vhlo_part_of_axis = 21,
  vhlo_axis = 22,
  vhlo_mesh_axes = 23,
  vhlo_mesh_axis = 24,
  vhlo_mesh = 25,
};

// How the syntax names VHLO's type none, which stands for an attribute of an operation that is not given.
inline constexpr std::string_view not_given = "none";

// An enumeration: its words in the order of their numbers, of which the first is `first`.
struct Enumeration {
  std::uint64_t code;
  std::string_view name;  // in StableHLO's text: #stablehlo<comparison_direction LT>
  std::span<const std::string_view> words;
  std::uint64_t first = 0;
};
namespace words {
inline constexpr std::string_view directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
inline constexpr std::string_view comparisons[] = {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
inline constexpr std::string_view fft_types[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
inline constexpr std::string_view precisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
inline constexpr std::string_view algorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
inline constexpr std::string_view distributions[] = {"UNIFORM", "NORMAL"};
inline constexpr std::string_view transposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
inline constexpr std::string_view accuracy_modes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};
}  // namespace words
inline constexpr Enumeration enumerations[] = {
    {3, "comparison_direction", words::directions},
    {4, "comparison_type", words::comparisons},
    {7, "fft_type", words::fft_types},
    {11, "precision", words::precisions},
    {12, "rng_algorithm", words::algorithms},
    {13, "rng_distribution", words::distributions, 1},
    {16, "transpose", words::transposes},
    {19, "result_accuracy_mode", words::accuracy_modes},
};

}  // namespace weft::ir::bytecode
