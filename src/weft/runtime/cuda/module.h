// Code on a GPU: functions made from PTX or from machine code. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include <weft/runtime/cuda/driver.h>

namespace weft::runtime::cuda {

class Module {
 public:
  // Loads the code, the text of a PTX program or the bytes of a cubin, on a GPU. Throws Error with what the driver says about the code.
  Module(int ordinal, std::string_view image);
  // The caller must have waited for all launches of its functions.
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  int ordinal() const { return ordinal_; }
  // Returns a function, which is valid as long as the module. Throws Error if the module has none of this name.
  CUfunction function(const std::string& name) const;

 private:
  int ordinal_;
  CUmodule module_ = nullptr;
};

}  // namespace weft::runtime::cuda
