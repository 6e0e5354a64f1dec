#include <weft/pjrt/ffi_config.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <deque>
#include <map>
#include <string>

#include <weft/base/arena.h>
#include <weft/base/convert.h>
#include <weft/base/error.h>
#include <weft/ir/text/literal.h>
#include <weft/ir/text/parser.h>
#include <weft/pjrt/ffi_types.h>

namespace weft::pjrt::ffi {

using ir::text::Attribute;
using ir::text::find;
using ir::text::NamedAttribute;

// Keeps everything that the attributes of a call point to.
class CallConfig::Storage {
 public:
  explicit Storage(std::string_view text) : text_(text), source_{text_} {
    ir::text::Parser parser(source_, limits_);
    parser.dictionary(fields);
    if (const Attribute* found = find(fields, "attributes")) attributes = dictionary(found->fields);
  }

  std::vector<NamedAttribute> fields;
  Attributes attributes{.head = {sizeof(Attributes)}, .size = 0, .types = {}, .names = {}, .values = {}};

 private:
  struct Lists {
    std::vector<AttributeType> types;
    std::vector<const ByteSpan*> names;
    std::vector<const void*> values;
  };

  Attributes dictionary(const std::vector<NamedAttribute>& entries) {
    std::map<std::string, const Attribute*> sorted;
    for (const NamedAttribute& entry : entries) sorted.emplace(ir::text::unescape(entry.name), &entry.value);
    Lists& lists = lists_.emplace_back();
    for (const auto& [name, value] : sorted) {
      lists.names.push_back(&spans_.emplace_back(span(name)));
      add(lists, name, *value);
    }
    return {.head = {sizeof(Attributes)},
            .size = static_cast<std::int64_t>(lists.types.size()),
            .types = lists.types.data(),
            .names = lists.names.data(),
            .values = lists.values.data()};
  }

  void add(Lists& to, const std::string& name, const Attribute& value) {
    const auto put = [&](AttributeType type, const void* stored) {
      to.types.push_back(type);
      to.values.push_back(stored);
    };
    switch (value.kind) {
      case Attribute::Kind::boolean: return put(AttributeType::scalar, scalar(DType::boolean, {&value, 1}));
      case Attribute::Kind::integer:
        return put(AttributeType::scalar, scalar(dtype_of_number(value, DType::i64), {&value, 1}));
      case Attribute::Kind::real:
        return put(AttributeType::scalar, scalar(dtype_of_number(value, DType::f64), {&value, 1}));
      case Attribute::Kind::string:
        return put(AttributeType::string, &spans_.emplace_back(span(ir::text::unescape(value.text))));
      case Attribute::Kind::dictionary:
        return put(AttributeType::dictionary, &dictionaries_.emplace_back(dictionary(value.fields)));
      case Attribute::Kind::dense: return put(AttributeType::array, &arrays_.emplace_back(dense(value)));
      case Attribute::Kind::integers: return put(AttributeType::array, &arrays_.emplace_back(integers(value)));
      default:
        throw UnsupportedError(concat("the attribute ", name, " = ", value.written, " of a call is not supported"),
                               "attributes of typed calls");
    }
  }

  static DType dtype_of_number(const Attribute& number, DType otherwise) {
    return number.type ? number.type.part.dtype() : otherwise;
  }

  ByteSpan span(std::string text) {
    const std::string& kept = texts_.emplace_back(std::move(text));
    return {kept.data(), kept.size()};
  }

  const Scalar* scalar(DType dtype, std::span<const Attribute> value) {
    return &scalars_.emplace_back(Scalar{data_type(dtype), numbers(dtype, value)});
  }

  // Stores numbers as elements of the type. An integer of a floating-point type is its bits.
  const void* numbers(DType dtype, std::span<const Attribute> values) {
    const auto width = static_cast<std::size_t>(byte_size(dtype));
    std::string& bytes = texts_.emplace_back(width * values.size(), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Attribute& value = values[i];
      std::uint64_t bits = static_cast<std::uint64_t>(value.integer);
      if (value.kind == Attribute::Kind::real) {
        double number = 0;
        std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
        if (value.written.starts_with('-')) number = -number;
        visit_any(dtype, [&](auto tag) {
          if constexpr (requires { static_cast<decltype(tag)>(number); }) {
            const auto element = static_cast<decltype(tag)>(number);
            std::memcpy(&bits, &element, sizeof(element));
          }
        });
      }
      std::memcpy(bytes.data() + i * width, &bits, width);  // little endian
    }
    return bytes.data();
  }

  Array integers(const Attribute& list) {
    std::vector<Attribute> values;
    for (const std::int64_t value : list.integers) {
      values.emplace_back().kind = Attribute::Kind::integer;
      values.back().integer = value;
    }
    return {data_type(DType::i64), values.size(), numbers(DType::i64, values)};
  }

  Array dense(const Attribute& value) {
    const Type type = value.type.part;
    const ir::Literal literal = ir::text::read_literal(source_, value, type, arena_);
    const auto count = static_cast<std::size_t>(type.elements());
    if (!literal.is_splat()) return {data_type(type.dtype()), count, literal.bytes.data()};
    std::string& all = texts_.emplace_back();
    for (std::size_t i = 0; i < count; ++i)
      all.append(reinterpret_cast<const char*>(literal.bytes.data()), literal.bytes.size());
    return {data_type(type.dtype()), count, all.data()};
  }

  std::string text_;
  ir::text::Source source_;
  ir::ParseLimits limits_;
  Arena arena_;
  std::deque<std::string> texts_;
  std::deque<ByteSpan> spans_;
  std::deque<Scalar> scalars_;
  std::deque<Array> arrays_;
  std::deque<Attributes> dictionaries_;
  std::deque<Lists> lists_;
};

CallConfig::CallConfig(std::string_view text) : storage_(std::make_unique<Storage>(text.empty() ? "{}" : text)) {
  const auto list = [&](std::string_view name) {
    const Attribute* found = find(storage_->fields, name);
    return found ? found->items : std::vector<Attribute>();
  };
  for (const Attribute& layout : list("operand_layouts")) operand_layouts.push_back(layout.integers);
  for (const Attribute& layout : list("result_layouts")) result_layouts.push_back(layout.integers);
  const auto positions = [&](std::string_view name) {
    const Attribute* found = find(storage_->fields, name);
    return found ? found->integers : std::vector<std::int64_t>();
  };
  complex_operands = positions("complex_operands");
  complex_results = positions("complex_results");
  for (const Attribute& alias : list("output_operand_aliases")) {
    const Attribute *operand = find(alias.fields, "operand_index"),
                    *indices = find(alias.fields, "output_tuple_indices");
    std::int64_t result = 0;
    if (indices && !indices->integers.empty()) result = indices->integers[0];
    if (indices && !indices->items.empty()) result = indices->items[0].integer;
    aliases.push_back({static_cast<std::size_t>(operand->integer), static_cast<std::size_t>(result)});
  }
}

CallConfig::~CallConfig() = default;

const Attributes& CallConfig::attributes() const { return storage_->attributes; }

}  // namespace weft::pjrt::ffi
