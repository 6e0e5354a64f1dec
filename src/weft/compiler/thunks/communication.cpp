#include <weft/compiler/thunks/communication.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <weft/compiler/spmd/collectives.h>
#include <weft/compiler/thunks/native_context.h>
#include <weft/ir/op.h>

namespace weft::compiler {

namespace {

// A collective that lasts at least a certain time, in which it leaves the CPUs to others.
class ThrottledThunk final : public runtime::Thunk {
 public:
  ThrottledThunk(std::unique_ptr<Thunk> of, std::chrono::duration<double> at_least)
      : of_(std::move(of)), at_least_(at_least) {
    meets = of_->meets;
  }
  void run(const runtime::Launch& launch) const override { run_together({&launch, 1}); }
  void run_together(std::span<const runtime::Launch> launches) const override {
    const auto start = std::chrono::steady_clock::now();
    of_->run_together(launches);
    std::this_thread::sleep_until(start + at_least_);
  }

 private:
  std::unique_ptr<Thunk> of_;
  std::chrono::duration<double> at_least_;
};

}  // namespace

void set_communication(Unit& unit, const ir::Node& collective, const Options& options) {
  const double bytes = sent_bytes(collective, options.devices);
  if (bytes == 0) return;
  // Every element is read by all devices before it is written.
  if (collective.op->collective == ir::Collective::all_reduce) share_operands(unit);
  unit.link_seconds = options.link.seconds(bytes);
  if (options.overlaps()) unit.stream = runtime::StreamKind::communication;
  if (!options.link.is_throttled) return;
  unit.thunk().make = [make = std::move(unit.thunk().make), seconds = unit.link_seconds,
                       name = std::string(collective.op->name)](std::span<const runtime::Slice> reads,
                                                                std::span<const runtime::Slice> writes,
                                                                const runtime::Slice& scratch) {
    auto thunk = make(reads, writes, scratch);
    thunk->info.name = name;  // for messages
    return std::make_unique<ThrottledThunk>(std::move(thunk), std::chrono::duration<double>(seconds));
  };
}

}  // namespace weft::compiler
