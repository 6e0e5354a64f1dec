#include <cstring>
#include <utility>

#include <weft/compiler/plan/while_kernel.h>
#include <weft/compiler/thunks/control_thunk.h>
#include <weft/ir/op.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

class WhileKernelThunk final : public runtime::Thunk {
 public:
  WhileKernelThunk(std::shared_ptr<const Routine> code, std::vector<std::size_t> changing, std::span<const Slice> from,
                   std::span<const Slice> to)
      : code_(std::move(code)),
        changing_(std::move(changing)),
        initial_(from.begin(), from.end()),
        result_(to.begin(), to.end()) {}

  void run(const runtime::Launch& launch) const override {
    std::vector<std::byte*> carried;
    for (const Slice& slice : initial_) carried.push_back(launch.at(slice));
    for (std::size_t k = 0; k < changing_.size(); ++k) {
      std::byte* const to = launch.at(result_[k]);
      std::byte* const from = std::exchange(carried[changing_[k]], to);
      if (from != to && result_[k].bytes) std::memcpy(to, from, result_[k].bytes);
    }
    reinterpret_cast<WhileFunction>(code_->address)(carried.data());
  }

 private:
  std::shared_ptr<const Routine> code_;
  std::vector<std::size_t> changing_;
  std::vector<Slice> initial_, result_;
};

}  // namespace

std::optional<Unit> while_kernel_unit(const ir::Node& node, const NativeContext& context) {
  if (!context.options.fuse || ir::has_side_effect(node))
    return std::nullopt;  // a kernel computes what is carried, and nothing else
  auto found = while_kernel(*node.regions[0], *node.regions[1], context.options);
  if (!found) return std::nullopt;
  const auto kernel = std::make_shared<const WhileKernel>(std::move(*found));
  const auto code = std::make_shared<Routine>(Routine{kernel.get(), kernel->key(), kernel});
  context.routines.push_back(code);
  auto [unit, changing] = loop_unit(node);
  unit.info.category = "while fusion";
  unit.thunk().make = [code, changing](std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<WhileKernelThunk>(code, changing, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
