#include <cstring>

#include <weft/compiler/fusion/while_kernel.h>
#include <weft/compiler/thunks/control_thunk.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

class WhileKernelThunk final : public runtime::Thunk {
 public:
  WhileKernelThunk(std::shared_ptr<const Routine> code, std::span<const Slice> from, std::span<const Slice> to)
      : code_(std::move(code)), initial_(from.begin(), from.end()), result_(to.begin(), to.end()) {}

  void run(const runtime::Launch& launch) const override {
    std::vector<std::byte*> carried;
    for (std::size_t i = 0; i < result_.size(); ++i) {
      const std::byte* const from = launch.at(initial_[i]);
      std::byte* const to = launch.at(result_[i]);
      if (from != to && result_[i].bytes) std::memcpy(to, from, result_[i].bytes);
      carried.push_back(to);
    }
    reinterpret_cast<WhileFunction>(code_->address)(carried.data());
  }

 private:
  std::shared_ptr<const Routine> code_;
  std::vector<Slice> initial_, result_;
};

}  // namespace

std::optional<Unit> while_kernel_unit(const ir::Node& node, const NativeContext& context) {
  if (!context.options.fuse) return std::nullopt;
  auto found = while_kernel(*node.regions[0], *node.regions[1], context.options);
  if (!found) return std::nullopt;
  const auto kernel = std::make_shared<const WhileKernel>(std::move(*found));
  const auto code = std::make_shared<Routine>(Routine{kernel.get(), kernel->key(), kernel});
  context.routines.push_back(code);
  Unit unit = unit_of(node);
  share_operands(unit);
  unit.info.category = "while fusion";
  unit.make = [code](std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<WhileKernelThunk>(code, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
