#include <weft/compiler/thunks/communication.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <weft/compiler/spmd/collectives.h>
#include <weft/compiler/thunks/native_context.h>
#include <weft/ir/op.h>
#include <weft/runtime/exact_sleep.h>

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
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(at_least_);
    of_->run_together(launches);
    runtime::sleep_exactly(end);
  }

 private:
  std::unique_ptr<Thunk> of_;
  std::chrono::duration<double> at_least_;
};

// Stands for a collective where one device runs alone: repeats what the device holds, as if the others held the same.
class StandInThunk final : public runtime::Thunk {
 public:
  StandInThunk(std::span<const runtime::Slice> from, std::span<const runtime::Slice> to)
      : from_(from.begin(), from.end()), to_(to.begin(), to.end()) {}
  void run(const runtime::Launch& launch) const override {
    for (std::size_t i = 0; i < to_.size(); ++i) {
      const std::byte* const given = launch.at(from_[i]);
      std::byte* const result = launch.at(to_[i]);
      if (given == result || from_[i].bytes == 0) continue;
      for (std::uint64_t done = 0; done < to_[i].bytes; done += from_[i].bytes)
        std::memcpy(result + done, given, std::min(from_[i].bytes, to_[i].bytes - done));
    }
  }

 private:
  std::vector<runtime::Slice> from_, to_;
};

}  // namespace

void set_communication(Unit& unit, const ir::Node& collective, const Options& options) {
  const double bytes = sent_bytes(collective, options.devices);
  if (bytes == 0) return;
  // Every element is read by all devices before it is written.
  if (collective.op->collective == ir::Collective::all_reduce) share_operands(unit);
  unit.link_seconds = options.link.seconds(bytes);
  if (options.overlaps()) unit.stream = runtime::StreamKind::communication;
  if (options.stands_for != 0)
    unit.thunk().make = [](std::span<const runtime::Slice> reads, std::span<const runtime::Slice> writes,
                           const runtime::Slice&) { return std::make_unique<StandInThunk>(reads, writes); };
  if (!options.link.is_throttled || options.stands_for != 0) return;
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
