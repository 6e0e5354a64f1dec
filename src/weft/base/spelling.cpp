#include <weft/base/spelling.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft {

std::size_t letters_between(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);  // distances from the part of `from` read so far to each prefix of `to`
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t same = diagonal + (from[i] != to[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({same, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace weft
