#include <weft/profile/program_order.h>

#include <algorithm>

#include <weft/runtime/dependencies.h>

namespace weft::profile {

ProgramOrder order_of(const runtime::Executable& executable) {
  ProgramOrder order;
  order.after = runtime::dependencies(executable);
  const runtime::Flow flow = runtime::flow_of(executable);
  // Without other knowledge: what takes over the memory of an input is the next value of that input.
  std::vector<runtime::Carried> carried = executable.carried;
  for (std::size_t i = 0; executable.carried.empty() && i < executable.outputs.size(); ++i)
    if (const std::int32_t input = executable.outputs[i].donated_input; input >= 0)
      carried.push_back({i, static_cast<std::size_t>(input)});
  std::vector<const runtime::Flow::Sources*> made_by(executable.inputs.size());
  for (const runtime::Carried& value : carried) made_by[value.input] = &flow.outputs[value.output];
  for (std::size_t t = 0; t < executable.thunks.size(); ++t) {
    const runtime::Flow::Sources& sources = flow.thunks[t];
    std::vector<std::uint32_t>& after_last = order.after_last.emplace_back();
    for (const std::uint32_t input : sources.inputs)
      if (made_by[input])
        after_last.insert(after_last.end(), made_by[input]->thunks.begin(), made_by[input]->thunks.end());
    std::ranges::sort(after_last);
    after_last.erase(std::ranges::unique(after_last).begin(), after_last.end());
    order.is_ahead.push_back(
        std::ranges::any_of(sources.inputs, [&](std::uint32_t input) { return input >= executable.first_of_next; }) ||
        std::ranges::any_of(sources.thunks, [&](std::uint32_t thunk) { return order.is_ahead[thunk]; }));
  }
  return order;
}

}  // namespace weft::profile
