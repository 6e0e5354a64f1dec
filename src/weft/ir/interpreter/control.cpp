#include <algorithm>

#include <weft/ir/interpreter/rules.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

std::vector<Array> while_loop(const NodeCall& call) {
  const Graph &condition = *call.node.regions[0], &body = *call.node.regions[1];
  std::vector<Array> values;
  for (const Array* initial : call.operands) values.push_back(*initial);
  while (run(condition, pointers(values), call.context)[0].data<bool>()[0])
    values = run(body, pointers(values), call.context);
  return values;
}

std::vector<Array> if_else(const NodeCall& call) {
  const bool predicate = call[0].data<bool>()[0];
  return run(*call.node.regions[predicate ? 0 : 1], call.operands.subspan(1), call.context);
}

std::vector<Array> case_of(const NodeCall& call) {
  const std::int32_t index = call[0].data<std::int32_t>()[0];
  const std::size_t last = call.node.regions.size() - 1;
  const std::size_t branch = index < 0 ? last : std::min(static_cast<std::size_t>(index), last);
  return run(*call.node.regions[branch], call.operands.subspan(1), call.context);
}

std::vector<Array> composite(const NodeCall& call) { return run(*call.node.regions[0], call.operands, call.context); }

}  // namespace weft::ir::interpreter
