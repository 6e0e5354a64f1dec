#include <weft/compiler/thunks/native.h>

#include <algorithm>
#include <type_traits>

#include <weft/compiler/loop/fft_kernel.h>
#include <weft/compiler/thunks/collective_thunk.h>
#include <weft/compiler/thunks/communication.h>
#include <weft/compiler/thunks/control_thunk.h>
#include <weft/compiler/thunks/convolution_thunk.h>
#include <weft/compiler/thunks/embedding_thunk.h>
#include <weft/compiler/thunks/fft_thunk.h>
#include <weft/compiler/thunks/host_thunk.h>
#include <weft/compiler/thunks/interpret_thunk.h>
#include <weft/compiler/thunks/pad_thunk.h>
#include <weft/compiler/thunks/parts_thunk.h>
#include <weft/compiler/thunks/reduce_thunk.h>
#include <weft/compiler/thunks/rng_thunk.h>
#include <weft/compiler/thunks/scatter_thunk.h>
#include <weft/compiler/thunks/sort_thunk.h>
#include <weft/compiler/thunks/update_slice_thunk.h>
#include <weft/compiler/thunks/window_thunk.h>
#include <weft/ir/ops.h>

namespace weft::compiler {

namespace ops = ir::ops;

namespace {

using Rule = Unit (*)(const ir::Node& node, const NativeContext& context);

// Makes a rule of a maker of units, which may or may not take the context.
template <auto make>
constexpr Rule rule = [](const ir::Node& node, const NativeContext& context) -> Unit {
  if constexpr (std::is_invocable_v<decltype(make), const ir::Node&, const NativeContext&>)
    return make(node, context);
  else
    return make(node);
};

struct Entry {
  const ir::Op* op;
  Rule make;
};

constexpr Entry native_table[] = {
    {&ops::after_all, rule<token_unit>},
    {&ops::convolution, rule<convolution_unit>},
    {&ops::create_token, rule<token_unit>},
    {&ops::custom_call, rule<host_unit>},
    {&ops::dynamic_update_slice, rule<update_slice_unit>},
    {&ops::embedding_bag, rule<embedding_bag_unit>},
    {&ops::embedding_bag_gradient, rule<embedding_bag_gradient_unit>},
    {&ops::embedding_update, rule<embedding_update_unit>},
    {&ops::embedding_weights_gradient, rule<embedding_weights_gradient_unit>},
    {&ops::pad, rule<pad_unit>},
    {&ops::reduce, rule<reduce_unit>},
    {&ops::reduce_window, rule<reduce_window_unit>},
    {&ops::rng_bit_generator, rule<rng_unit>},
    {&ops::scatter, rule<scatter_unit>},
    {&ops::select_and_scatter, rule<select_and_scatter_unit>},
    {&ops::sort, rule<sort_unit>},
};

}  // namespace

std::optional<Unit> native_unit(const ir::Node& node, const NativeContext& context) {
  if (node.op->parts) return parts_unit(node);
  if (node.op->collective != ir::Collective::none) {
    Unit unit = collective_unit(node, context);
    set_communication(unit, node, context.options);
    return unit;
  }
  switch (node.op->flow) {
    case ir::Flow::barrier: return barrier_unit(node, *context.options.target);
    case ir::Flow::branches: return branch_unit(node, context);
    case ir::Flow::loop: return while_unit(node, context);
    case ir::Flow::call:
      return has_fft_kernel(node, *context.options.target) ? std::optional(fft_unit(node, context)) : std::nullopt;
    case ir::Flow::none: break;
  }
  const auto* entry = std::ranges::find(native_table, node.op, &Entry::op);
  return entry == std::end(native_table) ? std::nullopt : std::optional(entry->make(node, context));
}

Unit native_or_interpreted_unit(const ir::Node& node, const Options& options, std::vector<std::string>& fallbacks,
                                const NestedCompiler& nested) {
  std::vector<std::shared_ptr<Routine>> routines;
  if (auto native = native_unit(node, {options, fallbacks, routines, nested})) {
    if (!routines.empty()) native->thunk().routines = std::move(routines);
    return std::move(*native);
  }
  fallbacks.push_back(
      concat(node.op->name, " (", node.location.file, ":", node.location.line, ") runs in the interpreter"));
  return interpret_unit(node);
}

}  // namespace weft::compiler
