// Copies a value's bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weft/compiler/plan/unit.h>

namespace weft::compiler {

// Copies bytes in the host's memory, with all threads if they are many; does nothing if both places are the same.
void copy_bytes(const runtime::Launch& launch, const runtime::Slice& from, const runtime::Slice& to);
// Copies bytes in the memory of a GPU, in the order of the launch's queue, or at once in the host's memory.
void copy_on_gpu(const runtime::Launch& launch, const runtime::Slice& from, const runtime::Slice& to, bool is_nvidia);

void copy_on_gpu(const runtime::Launch& launch, const std::byte* from, std::byte* to, std::uint64_t bytes,
                 bool is_nvidia);

// Waits for what was passed to the launch's queue before, and returns a value in the memory of a GPU, or of the host.
template <class T>
T read_from_gpu(const runtime::Launch& launch, const T* from, bool is_nvidia);

// Returns a unit that copies `value` in the memory of the target.
Unit copy_unit(ir::Value value, const Target& target);

void read_bytes_from_gpu(const runtime::Launch& launch, const void* from, void* to, std::size_t bytes, bool is_nvidia);

template <class T>
T read_from_gpu(const runtime::Launch& launch, const T* from, bool is_nvidia) {
  T value{};
  read_bytes_from_gpu(launch, from, &value, sizeof value, is_nvidia);
  return value;
}

}  // namespace weft::compiler
