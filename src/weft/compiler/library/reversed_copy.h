// Copies a dense tensor with some of its dimensions reversed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::compiler {

class ReversedCopy {
 public:
  // Strides count elements of `width` bytes; the copy has the same strides.
  ReversedCopy(std::span<const std::int64_t> sizes, std::span<const std::int64_t> strides,
               const std::vector<bool>& reversed, std::int64_t width);

  void run(const std::byte* from, std::byte* to) const;

 private:
  struct Dim {
    std::int64_t size, step;  // both in bytes
    bool reversed;
  };
  void copy(std::size_t d, const std::byte* from, std::byte* to) const;

  std::vector<Dim> dims_;   // outermost first
  std::int64_t run_bytes_;  // the number of bytes that stay together
};

}  // namespace weft::compiler
