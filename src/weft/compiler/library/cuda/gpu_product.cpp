#include <weft/compiler/library/cuda/gpu_product.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include <weft/base/error.h>
#include <weft/compiler/library/cuda/product_plan.h>
#include <weft/compiler/library/product_unit.h>
#include <weft/runtime/cuda/driver.h>
#include <weft/runtime/cuda/work_queue.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// Returns the greatest power of two, up to 256, that divides an address to which the distances may be added.
std::uint32_t alignment_of(const std::byte* address, std::int64_t distances = 0) {
  const std::uint64_t bits = reinterpret_cast<std::uintptr_t>(address) | static_cast<std::uint64_t>(distances) | 256;
  return static_cast<std::uint32_t>(bits & ~(bits - 1));
}

// The plans that one thunk has used. Finding one takes no lock.
class UsedPlans {
 public:
  UsedPlans() = default;
  ~UsedPlans() {
    for (Entry* entry = first_.load(); entry;) delete std::exchange(entry, entry->next);
  }
  UsedPlans(const UsedPlans&) = delete;
  UsedPlans& operator=(const UsedPlans&) = delete;

  const GpuProductPlan& find(const GpuProduct& product, const GpuAlignments& alignments,
                             const runtime::cuda::WorkQueue& queue, AlgorithmChoices* choices) {
    const auto* known = known_plan(alignments, queue.ordinal);
    if (known) [[likely]]
      return *known;
    auto plan = gpu_plan_of(product, alignments, queue, choices);
    const std::lock_guard lock(mutex_);
    known = known_plan(alignments, queue.ordinal);
    if (known) return *known;
    auto* const entry = new Entry{std::move(plan), first_.load()};
    first_.store(entry, std::memory_order_release);
    return *entry->plan;
  }

 private:
  struct Entry {
    std::shared_ptr<const GpuProductPlan> plan;
    Entry* next;
  };

  const GpuProductPlan* known_plan(const GpuAlignments& alignments, int ordinal) const {
    for (const Entry* entry = first_.load(std::memory_order_acquire); entry; entry = entry->next)
      if (entry->plan->ordinal() == ordinal && entry->plan->alignments() == alignments) return entry->plan.get();
    return nullptr;
  }

  std::atomic<Entry*> first_ = nullptr;
  std::mutex mutex_;  // held by the thread that adds an entry
};

class GpuProductThunk final : public runtime::Thunk {
 public:
  // The operands are in the order of the unit's reads, followed by the result.
  GpuProductThunk(GpuCalls calls, const Epilogue& epilogue, const std::vector<ProductOperand>& operands,
                  const Slice& scratch, AlgorithmChoices* choices)
      : calls_(std::move(calls)),
        lhs_(operands[0]),
        rhs_(operands[1]),
        result_(operands.back()),
        scratch_(scratch),
        choices_(choices) {
    std::size_t next = 2;
    for (const EpilogueStep& step : epilogue.steps) {
      if (step.kind == EpilogueStep::Kind::bias) bias_ = operands[next++];
      if (step.kind == EpilogueStep::Kind::residual) residual_ = operands[next++];
    }
    for (const GpuCalls::Repeat& repeat : calls_.repeats) {
      count_ *= repeat.count;
      distances_.a |= repeat.a;
      distances_.b |= repeat.b;
      distances_.d |= repeat.d;
    }
    on_device = true;
  }

  void run(const runtime::Launch& launch) const override {
    const auto& queue = runtime::cuda::WorkQueue::of(launch);
    const auto at = [&](const ProductOperand& operand) { return launch.at(operand.slice) + operand.offset; };
    const GpuProduct& product = calls_.product;
    GpuAddresses first{.a = at(rhs_), .b = at(lhs_), .result = at(result_)};
    if (product.adds_residual) first.residual = at(residual_);
    if (product.adds_bias) first.bias = at(bias_);
    const GpuProductPlan& plan = plans_.find(product, alignments_of(first), queue, choices_);
    std::byte* const workspace = aligned(launch.at(scratch_));
    for (std::int64_t call = 0; call < count_; ++call) plan.run(at_call(first, call), workspace, queue.stream);
  }

 private:
  static std::byte* aligned(std::byte* address) {
    constexpr std::uintptr_t alignment = GpuProductPlan::workspace_alignment;
    return address + (-reinterpret_cast<std::uintptr_t>(address) & (alignment - 1));
  }

  GpuAlignments alignments_of(const GpuAddresses& first) const {
    GpuAlignments alignments{.a = alignment_of(first.a, distances_.a),
                             .b = alignment_of(first.b, distances_.b),
                             .result = alignment_of(first.result, distances_.d)};
    if (first.residual) alignments.residual = alignment_of(first.residual, distances_.d);
    if (first.bias) alignments.bias = alignment_of(first.bias);
    return alignments;
  }

  // Returns the addresses of a call, counted as the elements of a row-major tensor whose dimensions are the repeats.
  GpuAddresses at_call(GpuAddresses addresses, std::int64_t call) const {
    for (const GpuCalls::Repeat& repeat : calls_.repeats) {
      const std::int64_t position = call % repeat.count;
      call /= repeat.count;
      addresses.a += position * repeat.a;
      addresses.b += position * repeat.b;
      addresses.result += position * repeat.d;
      if (addresses.residual) addresses.residual += position * repeat.d;
    }
    return addresses;
  }

  GpuCalls calls_;
  ProductOperand lhs_, rhs_, bias_, residual_, result_;
  Slice scratch_;
  AlgorithmChoices* choices_;
  std::int64_t count_ = 1;        // of calls
  GpuCalls::Repeat distances_{};  // the bits of all distances of the repeats
  mutable UsedPlans plans_;
};

// Fills the result of a product that has no elements, or whose sums have no terms, with zeros.
class GpuZeroThunk final : public runtime::Thunk {
 public:
  explicit GpuZeroThunk(const Slice& result) : result_(result) { on_device = true; }
  void run(const runtime::Launch& launch) const override {
    if (result_.bytes == 0) return;
    const auto address = reinterpret_cast<std::uintptr_t>(launch.at(result_));
    runtime::cuda::check(
        runtime::cuda::driver().cuMemsetD8Async(address, 0, result_.bytes, runtime::cuda::WorkQueue::of(launch).stream),
        "cuMemsetD8Async");
  }

 private:
  Slice result_;
};

std::optional<Unit> gpu_unit_at(const Matmul& matmul, const GpuProductOptions& options, const SizeValues& values) {
  Unit unit;
  if (is_zero(matmul, values)) {
    unit.bytes = values(matmul.epilogue.result.type()).bytes();
    unit.thunk().make = [](std::span<const Slice>, std::span<const Slice> writes, const Slice&) {
      return std::make_unique<GpuZeroThunk>(writes[0]);
    };
    return unit;
  }
  const auto shape = shape_at(matmul, values);
  if (!shape || has_empty_operand(matmul, values)) return std::nullopt;
  auto calls = gpu_calls(matmul, *shape, options.strict, options.choices != nullptr);
  if (!calls) return std::nullopt;
  add_work(matmul, *shape, values, unit);
  unit.scratch_bytes = GpuProductPlan::workspace_bytes + GpuProductPlan::workspace_alignment;
  unit.thunk().make = [calls = std::move(*calls), epilogue = matmul.epilogue, offsets = offsets_of(matmul, values),
                       choices = options.choices](std::span<const Slice> reads, std::span<const Slice> writes,
                                                  const Slice& scratch) {
    return std::make_unique<GpuProductThunk>(calls, epilogue, operands_of(reads, writes, offsets), scratch, choices);
  };
  return unit;
}

// The library may overwrite the residual, unless the product reads it in another way, too.
void let_overwrite_residual(const Matmul& matmul, Unit& unit) {
  int read = 2;
  for (const EpilogueStep& step : matmul.epilogue.steps) {
    if (!step.operand.base) continue;
    if (step.kind == EpilogueStep::Kind::residual && std::ranges::count(unit.reads, unit.reads[read]) == 1)
      unit.in_place.emplace_back(0, read);
    ++read;
  }
}

}  // namespace

bool gpu_product_exists(const Matmul& matmul, const SizeValues& values) {
  const auto shape = shape_at(matmul, values);
  return shape && gpu_calls(matmul, *shape, false);
}

Unit gpu_product_unit(const Matmul& matmul, const GpuProductOptions& options, const SizeValues& values) {
  Unit unit = product_unit(matmul, values);
  let_overwrite_residual(matmul, unit);
  if (!is_static(matmul)) {
    unit.form =
        sized_later(matmul, [matmul, options](const SizeValues& now) { return gpu_unit_at(matmul, options, now); });
    return unit;
  }
  auto known = gpu_unit_at(matmul, options, values);
  require(known.has_value(), "compile: cuBLASLt cannot multiply ", matmul.dot->operand(0).type(), " and ",
          matmul.dot->operand(1).type(), " with a result of ", matmul.epilogue.result.dtype());
  unit.form = std::move(known->form);
  unit.scratch_bytes = known->scratch_bytes;
  return unit;
}

}  // namespace weft::compiler
