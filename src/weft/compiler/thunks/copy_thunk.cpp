#include <weft/compiler/thunks/copy_thunk.h>

#include <cstring>

namespace weft::compiler {

namespace {

class CopyThunk final : public runtime::Thunk {
 public:
  CopyThunk(const runtime::Slice& from, const runtime::Slice& to) : from_(from), to_(to) {}
  void run(const runtime::Launch& launch) const override {
    if (from_.bytes) std::memcpy(launch.at(to_), launch.at(from_), from_.bytes);
  }

 private:
  runtime::Slice from_, to_;
};

}  // namespace

Unit copy_unit(ir::Value value) {
  Unit unit;
  unit.reads = unit.writes = {value};
  unit.order = value.node->id;
  unit.info.name = concat("copy.", value.node->id);
  unit.info.category = "copy";
  unit.thunk().make = [](std::span<const runtime::Slice> reads, std::span<const runtime::Slice> writes,
                         const runtime::Slice&) { return std::make_unique<CopyThunk>(reads[0], writes[0]); };
  return unit;
}

}  // namespace weft::compiler
