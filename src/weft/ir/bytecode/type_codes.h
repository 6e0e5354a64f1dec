// The codes with which the encodings of types begin: VHLO's, as StableHLO's file VhloBytecode.cpp lists them, StableHLO's own, and those of
// MLIR's builtin dialect. They never change.
#pragma once

#include <cstdint>
#include <string_view>

#include <weft/ir/bytecode/stablehlo_version.h>

namespace weft::ir::bytecode {

// Types with parameters, and types that hold no numbers.
enum VhloType : std::uint64_t {
  vhlo_complex = 1,
  vhlo_function = 8,
  vhlo_ranked_tensor = 20,
  vhlo_bounded_tensor = 21,
  vhlo_token = 22,
  vhlo_unranked_tensor = 25,
  vhlo_none = 33,
  vhlo_future = 42,
};
enum StablehloType : std::uint64_t { stablehlo_token = 0, stablehlo_future = 1 };  // beside casts to types of VHLO
enum BuiltinType : std::uint64_t { builtin_integer = 0, builtin_complex = 9, builtin_ranked_tensor = 13 };

// A type of numbers by its name in MLIR's text.
struct NumberType {
  std::uint64_t code;
  std::string_view name;
  int bits;
  StablehloVersion since = oldest_stablehlo;
};
inline constexpr NumberType vhlo_numbers[] = {
    {0, "i1", 1},
    {2, "bf16", 16},
    {3, "f16", 16},
    {4, "f32", 32},
    {5, "f64", 64},
    {6, "f8E4M3FN", 8},
    {7, "f8E5M2", 8},
    {9, "index", 64},
    {10, "i4", 4},
    {11, "i8", 8},
    {12, "i16", 16},
    {13, "i32", 32},
    {14, "i64", 64},
    {15, "ui4", 4},
    {16, "ui8", 8},
    {17, "ui16", 16},
    {18, "ui32", 32},
    {19, "ui64", 64},
    {27, "f8E4M3FNUZ", 8, {0, 10}},
    {28, "f8E5M2FNUZ", 8, {0, 10}},
    {29, "f8E4M3B11FNUZ", 8, {0, 11}},
    {31, "i2", 2, {1, 2}},
    {32, "ui2", 2, {1, 2}},
    {34, "tf32", 19, {1, 6}},
    {35, "f8E4M3", 8, {1, 7}},
    {36, "f8E3M4", 8, {1, 7}},
    {37, "f4E2M1FN", 4, {1, 8}},
    {38, "f6E2M3FN", 6, {1, 8}},
    {39, "f6E3M2FN", 6, {1, 8}},
    {40, "f8E8M0FNU", 8, {1, 8}},
};
inline constexpr NumberType builtin_numbers[] = {
    {1, "index", 64},      {3, "bf16", 16},          {4, "f16", 16},    {5, "f32", 32},      {6, "f64", 64},
    {21, "tf32", 19},      {22, "f8E5M2", 8},        {23, "f8E4M3", 8}, {24, "f8E4M3FN", 8}, {25, "f8E5M2FNUZ", 8},
    {26, "f8E4M3FNUZ", 8}, {27, "f8E4M3B11FNUZ", 8}, {28, "f8E3M4", 8}, {29, "f4E2M1FN", 4}, {30, "f6E2M3FN", 6},
    {31, "f6E3M2FN", 6},   {32, "f8E8M0FNU", 8},
};

// Integers of the builtin dialect share one code. A number follows it: the width, times four, plus one for si and two for ui.
struct BuiltinInteger {
  std::string_view name;
  std::uint64_t width, signedness;
};
inline constexpr BuiltinInteger builtin_integers[] = {
    {"i1", 1, 0},  {"i2", 2, 0},  {"i4", 4, 0},  {"i8", 8, 0},  {"i16", 16, 0},  {"i32", 32, 0},  {"i64", 64, 0},
    {"si1", 1, 1}, {"si2", 2, 1}, {"si4", 4, 1}, {"si8", 8, 1}, {"si16", 16, 1}, {"si32", 32, 1}, {"si64", 64, 1},
    {"ui1", 1, 2}, {"ui2", 2, 2}, {"ui4", 4, 2}, {"ui8", 8, 2}, {"ui16", 16, 2}, {"ui32", 32, 2}, {"ui64", 64, 2},
};

}  // namespace weft::ir::bytecode
