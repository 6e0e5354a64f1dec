#include <weft/compiler/thunks/gpu_rng_thunk.h>

#include <vector>

#include <weft/base/random.h>
#include <weft/compiler/loop/random_fill.h>
#include <weft/compiler/thunks/gpu_launch.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

// The numbers that the kernel needs; it reads the state itself.
struct FillNumbers {
  std::int64_t blocks = 0, elements = 0, inner = 1, size = 1;
};

FillNumbers numbers_of(const RandomFill& fill, Type bits) {
  FillNumbers numbers{.elements = bits.elements()};
  constexpr std::uint64_t any_state[] = {0, 0, 0};
  const auto state = std::span(any_state).first(fill.state_words);
  if (fill.threefry) {
    std::vector<std::int64_t> sizes;
    for (int d = 0; d < bits.rank(); ++d) sizes.push_back(bits.size(d));
    const random::Threefry generator(state, sizes, fill.bytes);
    numbers.blocks = static_cast<std::int64_t>(generator.blocks());
    numbers.inner = static_cast<std::int64_t>(generator.inner_size());
    numbers.size = static_cast<std::int64_t>(generator.halved_size());
  } else {
    numbers.blocks = static_cast<std::int64_t>(random::Philox(state, numbers.elements, fill.bytes).blocks());
  }
  return numbers;
}

class GpuRngThunk final : public runtime::Thunk {
 public:
  GpuRngThunk(std::shared_ptr<const Routine> routine, const FillNumbers& numbers, const Slice& state, const Slice& next,
              const Slice& bits, bool is_nvidia)
      : routine_(std::move(routine)), numbers_(numbers), state_(state), next_(next), bits_(bits) {
    on_device = is_nvidia;
  }
  void run(const runtime::Launch& launch) const override {
    launch_on_gpu(*routine_, random_fill_grid(numbers_.blocks), launch, launch.at(state_), launch.at(bits_),
                  launch.at(next_), numbers_.blocks, numbers_.elements, numbers_.inner, numbers_.size);
  }

 private:
  std::shared_ptr<const Routine> routine_;
  FillNumbers numbers_;
  Slice state_, next_, bits_;
};

}  // namespace

bool has_gpu_fill(DType dtype) { return !is_float(dtype) && !is_narrow(dtype) && dtype != DType::boolean; }

Unit gpu_rng_unit(const ir::Node& node, const NativeContext& context) {
  const Type state = node.type(0), bits = node.type(1);
  const auto fill = std::make_shared<const RandomFill>(
      RandomFill{.threefry = node.attributes<ir::RngAttributes>().algorithm == ir::RngAlgorithm::THREE_FRY,
                 .bytes = byte_size(bits.dtype()),
                 .state_words = static_cast<int>(state.elements())});
  const auto routine = std::make_shared<Routine>(Routine{
      fill.get(), concat("random fill ", fill->threefry ? "threefry " : "philox ", fill->bytes, ' ', fill->state_words),
      fill});
  routine->on_gpu = true;
  context.routines.push_back(routine);
  Unit unit = unit_of(node);
  unit.info.category = "rng";
  unit.thunk().make = [routine, numbers = numbers_of(*fill, bits), is_nvidia = context.options.target->is_nvidia()](
                          std::span<const Slice> reads, std::span<const Slice> writes, const Slice&) {
    return std::make_unique<GpuRngThunk>(routine, numbers, reads[0], writes[0], writes[1], is_nvidia);
  };
  return unit;
}

}  // namespace weft::compiler
