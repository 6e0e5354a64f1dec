// The machine that a program is compiled for: a value, asked by whatever depends on the machine, and part of what the code of kernels
// is known by. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include <weft/base/dtype.h>

namespace weft::compiler {

struct Target {
  std::string name;                   // native, x86-64-v3, armv8-a
  std::string triple, cpu, features;  // as LLVM names them
  int lanes = 4;                      // f32 elements of a vector register
  int registers = 16;                 // vector registers
  // Whether it finds the greater of 16 pairs of f32, +0 above -0, in one instruction.
  bool has_vector_range = false;
  bool has_vector_scale = false;  // whether it multiplies 16 f32 by powers of two in one instruction
  // The letter of its vectors in the names of the C library's vector functions: _ZGVbN4v_expf.
  char vector_letter = 'b';
  bool multiplies_bf16 = false;  // whether its library multiplies matrices of bf16

  // Code for the target is known by this: all of the above that code depends on, and the version of LLVM.
  std::string key = {};
  // Whether this process can run code for it.
  bool runs_here = true;

  // Whether the library for products multiplies these element types.
  bool multiplies(DType lhs, DType rhs, DType result) const;

  // This machine. Lives until the process ends, as do all that named() gives.
  static const Target& host();
  // By name: native, a level of x86-64 (x86-64-v2: 4 lanes, x86-64-v3: 8, x86-64-v4: 16), or armv8-a (4 lanes), as far as this LLVM
  // makes code for them. Throws Error for others, naming these.
  static const Target& named(std::string_view name);
};

}  // namespace weft::compiler
