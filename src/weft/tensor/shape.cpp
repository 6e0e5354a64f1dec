#include <weft/tensor/shape.h>

#include <algorithm>
#include <ostream>

#include <weft/record/call_error.h>

namespace weft {

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (int i = 0; i < shape.rank(); ++i) {
    out << (i ? ", " : "");
    if (shape[i] == Shape::inferred) {
      out << -1;
    } else {
      out << shape[i];
    }
  }
  return out << ']';
}

std::int64_t normalize_axis(std::int64_t axis, int rank, const char* function) {
  record::require_call(axis >= -rank && axis < rank, function, "dimension ", axis, " is out of range for rank ", rank);
  return axis < 0 ? axis + rank : axis;
}

Axes normalize_axes(const Axes& axes, int rank, const char* function) {
  Axes result = axes;
  for (std::int64_t& axis : result) axis = normalize_axis(axis, rank, function);
  std::ranges::sort(result);
  const auto twice = std::ranges::adjacent_find(result);
  record::require_call(twice == result.end(), function, "dimension ", twice == result.end() ? 0 : *twice,
                       " is given twice");
  return result;
}

bool broadcast_shapes(std::span<const Dim> a, std::span<const Dim> b, Shape& result) {
  if (a.size() < b.size()) std::swap(a, b);
  const std::size_t lead = a.size() - b.size();
  result = Shape(a);
  for (std::size_t i = 0; i < b.size(); ++i) {
    Dim& size = result[lead + i];
    if (size == b[i] || b[i] == Dim(1)) continue;
    if (size != Dim(1)) return false;
    size = b[i];
  }
  return true;
}

}  // namespace weft
