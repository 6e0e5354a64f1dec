#include <weft/ir/interpreter/columns.h>

#include <algorithm>
#include <cstring>

#include <weft/base/convert.h>
#include <weft/ir/interpreter/prims.h>

namespace weft::ir::interpreter {

namespace {

template <class T>
bool holds(Direction direction, T a, T b) {
  switch (direction) {
    case Direction::EQ: return a == b;
    case Direction::NE: return a != b;
    case Direction::LT: return a < b;
    case Direction::LE: return a <= b;
    case Direction::GT: return a > b;
    case Direction::GE: return a >= b;
  }
  __builtin_unreachable();
}

}  // namespace

Scalar Columns::add(DType dtype, Column column) {
  columns_.push_back(std::move(column));
  return {columns_.size() - 1, dtype};
}

Scalar Columns::rows(DType dtype, const std::byte* elements) { return add(dtype, {elements, 1, {}}); }
Scalar Columns::same_for_all(DType dtype, const std::byte* element) { return add(dtype, {element, 0, {}}); }

template <class R, class F>
Scalar Columns::fill(std::initializer_list<Scalar> operands, F&& f) {
  const bool varies = std::ranges::any_of(operands, [&](Scalar s) { return columns_[s.id].step != 0; });
  const std::size_t count = varies ? size_ : 1;
  std::vector<std::byte> own(count * sizeof(R));
  R* to = reinterpret_cast<R*>(own.data());
  for (std::size_t i = 0; i < count; ++i) to[i] = f(i);
  const std::byte* elements = own.data();
  return add(dtype_of<R>, {elements, varies ? std::size_t{1} : 0, std::move(own)});
}

Scalar Columns::constant(DType dtype, double value) {
  return visit_any(dtype,
                   [&]<class T>(T) { return fill<T>({}, [&](std::size_t) { return convert_element<T>(value); }); });
}

Scalar Columns::apply(Prim prim, std::initializer_list<Scalar> operands) {
  const Scalar first = *operands.begin(), last = *(operands.end() - 1);
  WEFT_ASSERT(first.dtype == last.dtype, "a scalar operation on ", first.dtype, " and ", last.dtype);
  return visit_any(first.dtype, [&]<class T>(T) {
    return fill<T>(operands, [prim, a = elements<T>(first), b = elements<T>(last)](std::size_t i) {
      return evaluate_as<T>(prim, a[i], b[i]);
    });
  });
}

Scalar Columns::compare(Direction direction, Scalar x, Scalar y) {
  WEFT_ASSERT(x.dtype == y.dtype, "a comparison of ", x.dtype, " and ", y.dtype);
  return visit_any(x.dtype, [&]<class T>(T) {
    return fill<bool>({x, y}, [direction, a = elements<T>(x), b = elements<T>(y)](std::size_t i) {
      return holds<Wide<T>>(direction, a[i], b[i]);
    });
  });
}

Scalar Columns::select(Scalar predicate, Scalar on_true, Scalar on_false) {
  WEFT_ASSERT(on_true.dtype == on_false.dtype, "a select between ", on_true.dtype, " and ", on_false.dtype);
  const auto p = elements<bool>(predicate);
  return visit_any(on_true.dtype, [&]<class T>(T) {
    return fill<T>({predicate, on_true, on_false}, [p, a = elements<T>(on_true), b = elements<T>(on_false)](
                                                       std::size_t i) { return p[i] ? a[i] : b[i]; });
  });
}

Scalar Columns::convert(Scalar value, DType dtype) {
  if (value.dtype == dtype) return value;
  const auto to = [&]<class From>(From, auto&& visited) {
    return visited(dtype, [&]<class To>(To) {
      return fill<To>({value}, [from = elements<From>(value)](std::size_t i) { return convert_element<To>(from[i]); });
    });
  };
  const auto any = [](DType t, auto&& f) { return visit_any(t, f); };
  const auto computed = [](DType t, auto&& f) { return visit(t, f); };
  // Converts narrow types by way of f64 or a byte, which represent all their values, so that not every pair of types needs code.
  const bool exact = is_float(value.dtype) || is_float(dtype);
  if (is_narrow(dtype) && value.dtype != DType::f64 && value.dtype != DType::i8 && value.dtype != DType::u8)
    return convert(convert(value, exact ? DType::f64 : rule_dtype(dtype)), dtype);
  if (is_narrow(dtype)) {
    if (value.dtype == DType::f64) return to(double{}, any);
    return value.dtype == DType::i8 ? to(std::int8_t{}, any) : to(std::uint8_t{}, any);
  }
  if (is_narrow(value.dtype)) {
    const DType by_way_of = exact ? DType::f64 : rule_dtype(value.dtype);
    if (dtype != by_way_of) return convert(convert(value, by_way_of), dtype);
    const auto wide = [&]<class To>(To) {
      return visit_any(value.dtype, [&]<class From>(From) {
        return fill<To>({value},
                        [from = elements<From>(value)](std::size_t i) { return convert_element<To>(from[i]); });
      });
    };
    return exact ? wide(double{}) : dtype == DType::i8 ? wide(std::int8_t{}) : wide(std::uint8_t{});
  }
  return visit(value.dtype, [&]<class From>(From from) { return to(from, computed); });
}

Scalar Columns::bitcast(Scalar value, DType dtype) {
  WEFT_ASSERT(byte_size(value.dtype) == byte_size(dtype), "a bitcast of ", value.dtype, " to ", dtype);
  const Column& from = columns_[value.id];
  return add(dtype, {from.elements, from.step, {}});
}

void Columns::read(Scalar column, std::byte* to) const {
  const Column& from = columns_[column.id];
  const std::size_t width = byte_size(column.dtype);
  if (from.step == 1) {
    std::copy_n(from.elements, size_ * width, to);
  } else {
    for (std::size_t i = 0; i < size_; ++i) std::copy_n(from.elements, width, to + i * width);
  }
}

}  // namespace weft::ir::interpreter
