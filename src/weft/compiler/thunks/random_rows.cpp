#include <weft/compiler/thunks/random_rows.h>

#include <weft/base/random.h>
#include <weft/compiler/thunks/rng_thunk.h>

namespace weft::compiler {

RandomRows::RandomRows(const NativeContext& context) : lanes_(context.options.target->of_thunks().lanes) {
  const std::shared_ptr<Routine> code = random_routine(false);
  context.routines.push_back(code);
  code_ = code;
}

void RandomRows::draw(std::uint64_t key, std::uint64_t counter, std::int64_t width, std::span<std::uint32_t> to) const {
  static_assert(words_per_block == random::Philox::words_per_block);
  const std::uint64_t first[] = {key, counter};
  const auto state = random::Philox(first, width, sizeof(std::uint32_t)).state();
  reinterpret_cast<RandomFunction>(code_->address)(state.data(), 0, blocks(width), to.data());
}

}  // namespace weft::compiler
