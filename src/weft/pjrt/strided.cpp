#include <weft/pjrt/strided.h>

#include <cstring>

namespace weft::pjrt {

std::vector<std::int64_t> row_major(std::span<const std::int64_t> dims, std::size_t element_bytes) {
  std::vector<std::int64_t> strides(dims.size());
  auto stride = static_cast<std::int64_t>(element_bytes);
  for (std::size_t d = dims.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= dims[d];
  }
  return strides;
}

void gather(const std::byte* from, std::span<const std::int64_t> dims, std::span<const std::int64_t> strides,
            std::size_t bytes, std::byte* to, std::size_t to_step) {
  std::vector<std::int64_t> index(dims.size(), 0);
  for (const std::int64_t size : dims)
    if (size == 0) return;
  for (;;) {
    std::memcpy(to, from, bytes);
    to += to_step;
    std::size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1]) {
      --d;
      from -= strides[d] * (dims[d] - 1);
      index[d] = 0;
    }
    if (d == 0) return;
    from += strides[d - 1];
  }
}

}  // namespace weft::pjrt
