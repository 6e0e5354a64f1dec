#include <weft/compiler/thunks/exchange.h>

namespace weft::compiler {

Block::Block(std::span<const std::int64_t> sizes, std::span<const std::int64_t> from,
             std::span<const std::int64_t> to) {
  std::int64_t from_stride = 1, to_stride = 1;
  bool contiguous = true;
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (contiguous) {
      run_ *= sizes[d];
    } else {
      axes_.push_back({sizes[d], from_stride, to_stride});
      rows_ *= sizes[d];
    }
    contiguous &= sizes[d] == from[d] && sizes[d] == to[d];
    from_stride *= from[d];
    to_stride *= to[d];
  }
}

Block::Offsets Block::of_row(std::int64_t row) const {
  Offsets offsets{0, 0};
  for (const Axis& axis : axes_) {
    const std::int64_t i = row % axis.size;
    row /= axis.size;
    offsets.from += i * axis.from_stride;
    offsets.to += i * axis.to_stride;
  }
  return offsets;
}

std::vector<std::uint32_t> Members::processes() const {
  std::vector<std::uint32_t> found;
  for (const std::uint32_t rank : ranks)
    if (std::ranges::find(found, rank) == found.end()) found.push_back(rank);
  return found;
}

}  // namespace weft::compiler
