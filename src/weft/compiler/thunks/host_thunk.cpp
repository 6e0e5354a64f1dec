#include <weft/compiler/thunks/host_thunk.h>

#include <map>
#include <mutex>

#include <weft/compiler/thunks/interpret_thunk.h>
#include <weft/ir/host_function.h>

namespace weft::compiler {

namespace {

using runtime::Slice;

// Returns the mutex that is held while a function runs. Programs may call a function on several streams, but it never runs twice at the
// same time.
std::mutex& turn_of(const ir::HostFunction& function) {
  static std::mutex mutex;
  static auto* const turns =
      new std::map<const ir::HostFunction*, std::mutex>;  // never destroyed: a device may still work
  const std::lock_guard lock(mutex);
  return (*turns)[&function];
}

class HostThunk final : public runtime::Thunk {
 public:
  HostThunk(const ir::HostFunction& function, std::string config, std::vector<Type> inputs, std::vector<Type> outputs,
            std::span<const Slice> from, std::span<const Slice> to)
      : function_(function),
        turn_(turn_of(function)),
        config_(std::move(config)),
        input_types_(std::move(inputs)),
        output_types_(std::move(outputs)),
        from_(from.begin(), from.end()),
        to_(to.begin(), to.end()) {}

  void run(const runtime::Launch& launch) const override {
    std::vector<ir::HostInput> inputs;
    for (std::size_t i = 0; i < from_.size(); ++i) inputs.push_back({input_types_[i], launch.at(from_[i])});
    std::vector<ir::HostOutput> outputs;
    for (std::size_t i = 0; i < to_.size(); ++i) outputs.push_back({output_types_[i], launch.at(to_[i])});
    const std::lock_guard lock(turn_);
    function_.run({inputs, outputs, config_, launch.context});
  }

 private:
  const ir::HostFunction& function_;
  std::mutex& turn_;
  std::string config_;
  std::vector<Type> input_types_, output_types_;
  std::vector<Slice> from_, to_;
};

}  // namespace

Unit host_unit(const ir::Node& node, const NativeContext& context) {
  const auto& [target, has_side_effect, config] = node.attributes<ir::CustomCallAttributes>();
  const ir::HostFunction* const function = ir::find_host_function(target);
  if (!function) {
    context.fallbacks.push_back(concat("custom_call @", target, " (", node.location.file, ":", node.location.line,
                                       ") runs in the interpreter"));
    return interpret_unit(node);
  }
  Unit unit = unit_of(node);
  if (!function->is_kernel()) unit.stream = runtime::StreamKind::host;
  unit.info.category = "host";
  unit.info.name = concat("custom_op.", target, '.', node.id);
  std::vector<Type> inputs, outputs(node.types.begin(), node.types.end());
  for (const ir::Value v : node.operands) inputs.push_back(v.type());
  unit.thunk().make = [function, config = std::string(config), inputs, outputs](
                          std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<HostThunk>(*function, config, inputs, outputs, reads, writes);
  };
  return unit;
}

}  // namespace weft::compiler
