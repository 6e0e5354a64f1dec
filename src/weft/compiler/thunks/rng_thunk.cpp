#include <weft/compiler/thunks/rng_thunk.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include <weft/base/convert.h>
#include <weft/base/random.h>
#include <weft/compiler/thunks/gpu_rng_thunk.h>
#include <weft/compiler/thunks/native_context.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

constexpr std::uint64_t blocks_per_task = 4096;
constexpr std::uint64_t blocks_at_once = 256;  // their words fit into the nearest cache; a multiple of the lanes

class RngThunk final : public runtime::Thunk {
 public:
  RngThunk(Type state, Type bits, bool threefry, std::shared_ptr<const Routine> code, int lanes, const Slice& from,
           const Slice& next, const Slice& to)
      : words_(state.elements()),
        count_(bits.elements()),
        dtype_(bits.dtype()),
        threefry_(threefry),
        code_(std::move(code)),
        lanes_(lanes),
        from_(from),
        next_(next),
        bits_(to) {
    for (int d = 0; d < bits.rank(); ++d) sizes_.push_back(bits.size(d));
  }

  void run(const runtime::Launch& launch) const override {
    const std::span<const std::uint64_t> state(launch.at<std::uint64_t>(from_), words_);
    const int width = byte_size(dtype_);
    if (threefry_) {
      generate(launch, random::Threefry(state, sizes_, width));
    } else {
      generate(launch, random::Philox(state, count_, width));
    }
  }

 private:
  template <class Generator>
  void generate(const runtime::Launch& launch, const Generator& generator) const {
    visit(dtype_, [&]<class T>(T) {
      T* const to = launch.at<T>(bits_);
      runtime::parallel_for(generator.blocks(), blocks_per_task,
                            [&](std::int64_t begin, std::int64_t end) { fill(generator, begin, end, to); });
    });
    // Written last: the new state may share memory with the old one.
    const auto next = generator.next_state();
    std::copy_n(next.begin(), words_, launch.at<std::uint64_t>(next_));
  }

  // Writes the elements of blocks [begin, end).
  template <class Generator, class T>
  void fill(const Generator& generator, std::uint64_t begin, std::uint64_t end, T* to) const {
    constexpr std::uint64_t per_block = Generator::words_per_block;
    const auto code = reinterpret_cast<RandomFunction>(code_->address);
    const std::uint64_t lanes = lanes_;
    const auto state = generator.state();
    if (sizeof(T) >= sizeof(std::uint32_t) && generator.words_are_elements()) {
      const std::uint64_t whole = count_ * sizeof(T) / sizeof(std::uint32_t) / per_block;
      const std::uint64_t count = (std::max(std::min(end, whole), begin) - begin) / lanes * lanes;
      code(state.data(), begin, count, reinterpret_cast<std::uint32_t*>(to) + begin * per_block);
      begin += count;
    }
    std::array<std::uint32_t, blocks_at_once * per_block> words;
    while (begin < end) {
      const std::uint64_t count = std::min(blocks_at_once, end - begin);
      code(state.data(), begin, (count + lanes - 1) / lanes * lanes, words.data());
      generator.place(begin, begin + count, words.data(),
                      [to](std::uint64_t i, std::uint64_t bits) { to[i] = convert_element<T>(bits); });
      begin += count;
    }
  }

  std::size_t words_;
  std::vector<std::int64_t> sizes_;
  std::int64_t count_;
  DType dtype_;
  bool threefry_;
  std::shared_ptr<const Routine> code_;
  int lanes_;  // of the target that the code was compiled for
  Slice from_, next_, bits_;
};

}  // namespace

std::shared_ptr<Routine> random_routine(bool threefry) {
  const auto blocks = std::make_shared<const RandomBlocks>(RandomBlocks{threefry});
  return std::make_shared<Routine>(
      Routine{blocks.get(), threefry ? "random blocks threefry" : "random blocks philox", blocks});
}

Unit rng_unit(const ir::Node& node, const NativeContext& context) {
  if (context.options.target->is_gpu && has_gpu_fill(node.type(1).dtype())) return gpu_rng_unit(node, context);
  const bool threefry = node.attributes<ir::RngAttributes>().algorithm == ir::RngAlgorithm::THREE_FRY;
  const std::shared_ptr<Routine> code = random_routine(threefry);
  context.routines.push_back(code);
  Unit unit = unit_of(node);
  unit.info.category = "rng";
  unit.in_place = {{0, 0}};
  unit.thunk().make = [state = node.type(0), bits = node.type(1), threefry, code,
                       lanes = context.options.target->of_thunks().lanes](std::span<const Slice> reads,
                                                                          std::span<const Slice> writes, const Slice&) {
    return std::make_unique<RngThunk>(state, bits, threefry, code, lanes, reads[0], writes[0], writes[1]);
  };
  return unit;
}

}  // namespace weft::compiler
