// A kernel of a GPU that the host runs.
#pragma once

#include <array>
#include <string>
#include <utility>

#include <weft/compiler/codegen/cuda/gpu_kernel.h>
#include <weft/compiler/codegen/twin/twin.h>

namespace weft::compiler {

class TwinKernel final : public GpuKernel {
 public:
  // `functions` are those of the forms; the owner of the code keeps it mapped.
  TwinKernel(std::string name, const std::array<twin::Function, gpu_form_count>& functions)
      : name_(std::move(name)), functions_(functions) {}
  void launch(const GpuGrid& grid, void** arguments, const runtime::Launch&) const override {
    twin::run(gpu_function(name_, grid.form), functions_[static_cast<std::size_t>(grid.form)], grid, arguments);
  }

 private:
  std::string name_;
  std::array<twin::Function, gpu_form_count> functions_;
};

}  // namespace weft::compiler
