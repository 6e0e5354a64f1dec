// What a typed call says besides its target, read from the text that ir/text/lowering_host_call.cpp keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <weft/pjrt/ffi_abi.h>

namespace weft::pjrt::ffi {

class CallConfig {
 public:
  // Throws UnsupportedError for attributes that XLA's interface cannot express.
  explicit CallConfig(std::string_view text);
  ~CallConfig();
  CallConfig(const CallConfig&) = delete;
  CallConfig& operator=(const CallConfig&) = delete;

  const Attributes& attributes() const;

  struct Alias {
    std::size_t operand, result;
  };
  // The order of the dimensions of each operand and result in memory, the densest first; empty: all are row-major.
  std::vector<std::vector<std::int64_t>> operand_layouts, result_layouts;
  std::vector<Alias> aliases;                                   // results in the memory of operands
  std::vector<std::int64_t> complex_operands, complex_results;  // positions, in ascending order

 private:
  class Storage;
  std::unique_ptr<Storage> storage_;
};

}  // namespace weft::pjrt::ffi
