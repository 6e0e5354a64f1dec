#include <weft/jit/dynamic.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include <weft/jit/function.h>

namespace weft {

namespace jit {

namespace {

// Copies of a tensor share its buffer, and so its marks.
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

bool DynamicMark::allows(std::int64_t size) const {
  if (buckets) return buckets->contains(size);
  return size >= range.min && size <= range.max && size % range.multiple_of == 0;
}

std::string DynamicMark::text() const {
  std::string said = range.name.empty() ? "a size" : range.name;
  if (buckets) return said + " of " + buckets->text();
  if (range.min != 0 || range.max != std::numeric_limits<std::int64_t>::max()) {
    said += concat(" in [", range.min, ", ");
    said += range.max == std::numeric_limits<std::int64_t>::max() ? "any]" : concat(range.max, ']');
  }
  if (range.multiple_of != 1) said += concat(", a multiple of ", range.multiple_of);
  return said;
}

std::string DynamicMark::text_and_place() const { return concat(text(), " (", where, ')'); }

namespace {

constexpr std::int64_t any_size = std::numeric_limits<std::int64_t>::max();

// Returns the least common multiple; any_size stands for all larger numbers.
std::int64_t common_multiple(std::int64_t a, std::int64_t b) {
  const std::int64_t step = a / std::gcd(a, b);
  return step > any_size / b ? any_size : step * b;
}

bool is_possible(const DynamicDim& range) { return range.max / range.multiple_of * range.multiple_of >= range.min; }

}  // namespace

std::optional<DynamicMark> both(const DynamicMark& a, const DynamicMark& b) {
  DynamicMark mark = a;
  if (a.buckets && b.buckets) {
    std::vector<std::int64_t> sizes;
    std::ranges::set_intersection(a.buckets->sizes(), b.buckets->sizes(), std::back_inserter(sizes));
    if (sizes.empty()) return std::nullopt;
    mark.buckets = Bucketing(sizes);
    return mark;
  }
  mark.range.min = std::max(a.range.min, b.range.min);
  mark.range.max = std::min(a.range.max, b.range.max);
  mark.range.multiple_of = common_multiple(a.range.multiple_of, b.range.multiple_of);
  if (mark.range.min > mark.range.max || !is_possible(mark.range)) return std::nullopt;
  return mark;
}

std::vector<DynamicMark> marks_of(const Tensor& tensor) {
  Table& table = Table::instance();
  const std::lock_guard lock(table.mutex);
  const auto found = table.by_buffer.find(tensor.buffer()->id());
  return found == table.by_buffer.end() ? std::vector<DynamicMark>() : found->second.marks;
}

}  // namespace jit

namespace jit {

namespace {

// `function` is the name for messages.
void mark(const char* function, const Tensor& tensor, std::int64_t dim, DynamicMark said) {
  require(!Function::called_inside(), function,
          ": called inside a compiled function, a loop or a branch: mark the arguments before the call");
  require(tensor.defined(), function, ": a default-constructed Tensor has no sizes");
  said.dim = normalize_axis(dim, tensor.rank(), function);
  if (!said.allows(tensor.type().size(said.dim)))
    throw ConstraintViolationError(concat(function, ": dimension ", said.dim, " of ", tensor.type(), " is not ",
                                          said.text(), " (", said.where, ")"));
  const runtime::BufferPtr buffer = tensor.buffer();
  Table& table = Table::instance();
  const std::lock_guard lock(table.mutex);
  if (table.by_buffer.size() > sweep_above)
    std::erase_if(table.by_buffer, [](const auto& entry) { return entry.second.buffer.expired(); });
  Marked& marked = table.by_buffer[buffer->id()];
  marked.buffer = buffer;
  const auto before = std::ranges::find(marked.marks, said.dim, &DynamicMark::dim);
  if (before == marked.marks.end()) {
    marked.marks.push_back(std::move(said));
  } else if (!before->says_as(said)) {
    throw ConstraintViolationError(concat(function, ": dimension ", said.dim, " of ", tensor.type(), " cannot be ",
                                          said.text_and_place(), " and ", before->text_and_place(),
                                          " at the same time: declare only one of them"));
  }
}

std::string text_of(const std::source_location& where) { return concat(where.file_name(), ':', where.line()); }

}  // namespace

}  // namespace jit

void mark_dynamic(const Tensor& tensor, std::int64_t dim, DynamicDim range, std::source_location where) {
  require(range.min >= 0 && range.min <= range.max && range.multiple_of >= 1,
          "mark_dynamic: expected 0 <= min <= max and multiple_of >= 1, got min ", range.min, ", max ", range.max,
          ", multiple_of ", range.multiple_of);
  require(jit::is_possible(range), "mark_dynamic: no size is in [", range.min, ", ", range.max, "] and a multiple of ",
          range.multiple_of);
  jit::mark("mark_dynamic", tensor, dim,
            {.range = std::move(range), .buckets = std::nullopt, .where = jit::text_of(where)});
}

void mark_buckets(const Tensor& tensor, std::int64_t dim, const Bucketing& sizes, std::string name,
                  std::source_location where) {
  jit::mark("mark_buckets", tensor, dim,
            {.range = {.name = std::move(name)}, .buckets = sizes, .where = jit::text_of(where)});
}

}  // namespace weft
