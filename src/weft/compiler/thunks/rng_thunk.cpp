#include <weft/compiler/thunks/rng_thunk.h>

#include <algorithm>

#include <weft/base/convert.h>
#include <weft/base/random.h>
#include <weft/compiler/thunks/native.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using runtime::Slice;

namespace {

constexpr std::int64_t blocks_per_task = 4096;

class RngThunk final : public runtime::Thunk {
 public:
  RngThunk(Type state, Type bits, bool threefry, const Slice& from, const Slice& next, const Slice& to)
      : words_(static_cast<std::size_t>(state.elements())),
        count_(bits.elements()),
        dtype_(bits.dtype()),
        threefry_(threefry),
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
      generate(launch, random::Philox(state, static_cast<std::uint64_t>(count_), width));
    }
  }

 private:
  template <class Generator>
  void generate(const runtime::Launch& launch, const Generator& generator) const {
    visit(dtype_, [&]<class T>(T) {
      T* const to = launch.at<T>(bits_);
      runtime::parallel_for(
          static_cast<std::int64_t>(generator.blocks()), blocks_per_task, [&](std::int64_t begin, std::int64_t end) {
            const auto put = [to](std::uint64_t i, std::uint64_t bits) { to[i] = convert_element<T>(bits); };
            generator.each(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end), put);
          });
    });
    // Last: the new state may lie in the bytes of the old one.
    const auto next = generator.next_state();
    std::copy_n(next.begin(), words_, launch.at<std::uint64_t>(next_));
  }

  std::size_t words_;
  std::vector<std::int64_t> sizes_;
  std::int64_t count_;
  DType dtype_;
  bool threefry_;
  Slice from_, next_, bits_;
};

}  // namespace

Unit rng_unit(const ir::Node& node) {
  const bool threefry = node.attributes<ir::RngAttributes>().algorithm == ir::RngAlgorithm::THREE_FRY;
  Unit unit = unit_of(node);
  unit.info.category = "rng";
  unit.in_place = {{0, 0}};
  unit.make = [state = node.type(0), bits = node.type(1), threefry](std::span<const Slice> reads,
                                                                    std::span<const Slice> writes, const Slice&) {
    return std::make_unique<RngThunk>(state, bits, threefry, reads[0], writes[0], writes[1]);
  };
  return unit;
}

}  // namespace weft::compiler
