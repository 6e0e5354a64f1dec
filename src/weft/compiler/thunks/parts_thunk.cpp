#include <weft/compiler/thunks/parts_thunk.h>

#include <algorithm>
#include <utility>

#include <weft/compiler/thunks/native_context.h>
#include <weft/ir/op.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// The number of operations that is worth a thread.
constexpr std::int64_t work_per_task = 32768;

class PartsThunk final : public runtime::Thunk {
 public:
  explicit PartsThunk(ir::Parts parts) : parts_(std::move(parts)) {}

  void run(const runtime::Launch& launch) const override {
    std::vector<const std::byte*> operands;
    std::vector<std::byte*> results;
    for (const Slice& slice : reads) operands.push_back(launch.at(slice));
    for (const Slice& slice : writes) results.push_back(launch.at(slice));
    const std::int64_t parts_per_task =
        std::max<std::int64_t>(1, work_per_task / std::max<std::int64_t>(1, parts_.work));
    runtime::parallel_for(parts_.count, parts_per_task,
                          [&](std::int64_t begin, std::int64_t end) { parts_.compute(begin, end, operands, results); });
  }

 private:
  ir::Parts parts_;
};

}  // namespace

Unit parts_unit(const ir::Node& node) {
  Unit unit = unit_of(node);
  unit.info.category = node.op->name;
  const ir::Parts parts = node.op->parts(node);
  if (parts.in_place >= 0 && std::ranges::count(unit.reads, unit.reads[parts.in_place]) == 1)
    unit.in_place = {{0, parts.in_place}};
  unit.thunk().make = [parts](auto&&...) { return std::make_unique<PartsThunk>(parts); };
  return unit;
}

}  // namespace weft::compiler
