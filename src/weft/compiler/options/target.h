// The machine that a program is compiled for. All code that depends on the machine asks this value, and it is part of the keys of compiled
// kernels. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include <weft/base/dtype.h>

namespace weft::compiler {

struct Target {
  std::string name;                   // native, x86-64-v3, armv8-a, sm_90
  std::string triple, cpu, features;  // as LLVM names them
  int lanes = 4;                      // f32 elements of a vector register
  int registers = 16;                 // vector registers
  // Whether one instruction computes the maximum (or minimum) of 16 pairs of f32 with +0 greater than -0.
  bool has_vector_range = false;
  bool has_vector_scale = false;  // whether one instruction multiplies 16 f32 by powers of two
  // The letter that names the target's vectors in the C library's vector functions: _ZGVbN4v_expf.
  char vector_letter = 'b';
  bool multiplies_bf16 = false;  // whether its library multiplies bf16 matrices
  // Whether it is a GPU: generated kernels and matrix products run there, all other thunks on the host.
  bool is_gpu = false;
  // Whether the four warps of a warpgroup multiply matrices together (wgmma), as only GPUs of compute capability 9.0 do.
  bool has_warpgroups = false;
  // Whether it is a GPU whose kernels this process runs on the host, to test them (codegen/twin).
  bool is_twin = false;

  // Identifies code for the target: everything above that code depends on, and the version of LLVM.
  std::string key = {};
  // Whether this process can run code for it.
  bool runs_here = true;

  // Returns whether the matrix product library multiplies these element types.
  bool multiplies(DType lhs, DType rhs, DType result) const;

  // Predicts roughly how long kernels take, for choices that must be the same wherever a program is compiled: two fast cores whose
  // caches hold most of what they read.
  double seconds(double flops, double bytes) const { return flops / (12e9 * lanes) + bytes / 50e9; }

  // Returns whether it is a GPU with memory and instructions of its own.
  bool is_nvidia() const { return is_gpu && !is_twin; }

  // Returns the machine that runs what the target itself does not: the host for a GPU, otherwise the target.
  const Target& of_thunks() const { return is_gpu ? host() : *this; }

  // Returns this machine. The targets that host() and named() return live until the process ends.
  static const Target& host();
  // Returns a target by name: native, a level of x86-64 (x86-64-v2: 4 lanes, x86-64-v3: 8, x86-64-v4: 16), armv8-a (4 lanes), or the compute
  // capability of an NVIDIA GPU (sm_80, sm_90, sm_90a with what only 9.0 has), if this LLVM generates code for it, or twin or twin_90a, on
  // which the host runs kernels of a GPU to test them. Throws Error for other names, listing the known ones.
  static const Target& named(std::string_view name);
};

}  // namespace weft::compiler
