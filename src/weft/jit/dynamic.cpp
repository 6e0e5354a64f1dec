#include <weft/jit/dynamic.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace weft {

namespace jit {

namespace {

// Tensors share their buffer when they are copied, and a mark with it.
struct Marked {
  std::weak_ptr<runtime::Buffer> buffer;
  std::vector<DynamicMark> marks;
};
struct Table {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, Marked> by_buffer;  // by id

  static Table& instance() {
    static Table table;
    return table;
  }
};

constexpr std::size_t sweep_above = 1024;

}  // namespace

std::string DynamicMark::text() const {
  std::string said = range.name.empty() ? "a size" : range.name;
  if (range.min != 0 || range.max != std::numeric_limits<std::int64_t>::max()) {
    said += concat(" in [", range.min, ", ");
    said += range.max == std::numeric_limits<std::int64_t>::max() ? "any]" : concat(range.max, ']');
  }
  if (range.multiple_of != 1) said += concat(", a multiple of ", range.multiple_of);
  return said;
}

std::vector<DynamicMark> marks_of(const Tensor& tensor) {
  Table& table = Table::instance();
  const std::lock_guard lock(table.mutex);
  const auto found = table.by_buffer.find(tensor.buffer()->id());
  return found == table.by_buffer.end() ? std::vector<DynamicMark>() : found->second.marks;
}

}  // namespace jit

void mark_dynamic(const Tensor& tensor, std::int64_t dim, DynamicDim range, std::source_location where) {
  require(tensor.defined(), "mark_dynamic: a default-constructed Tensor has no sizes");
  const auto axis = static_cast<int>(normalize_axis(dim, tensor.rank(), "mark_dynamic"));
  require(range.min >= 0 && range.min <= range.max && range.multiple_of >= 1,
          "mark_dynamic: expected 0 <= min <= max and multiple_of >= 1, got min ", range.min, ", max ", range.max,
          ", multiple_of ", range.multiple_of);
  const std::int64_t size = tensor.type().size(axis);
  jit::DynamicMark mark{axis, std::move(range), concat(where.file_name(), ':', where.line())};
  if (size < mark.range.min || size > mark.range.max || size % mark.range.multiple_of != 0)
    throw ConstraintViolationError(concat("mark_dynamic: dimension ", axis, " of ", tensor.type(), " is not ",
                                          mark.text(), " (", mark.where, ")"));
  const runtime::BufferPtr buffer = tensor.buffer();
  jit::Table& table = jit::Table::instance();
  const std::lock_guard lock(table.mutex);
  if (table.by_buffer.size() > jit::sweep_above)
    std::erase_if(table.by_buffer, [](const auto& entry) { return entry.second.buffer.expired(); });
  jit::Marked& marked = table.by_buffer[buffer->id()];
  marked.buffer = buffer;
  std::erase_if(marked.marks, [&](const jit::DynamicMark& other) { return other.dim == axis; });
  marked.marks.push_back(std::move(mark));
}

}  // namespace weft
