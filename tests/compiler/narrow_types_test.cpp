// Programs with narrow types (base/narrow.h) are compiled to programs without them; the interpreter computes with them directly.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <tests/compiler/run.h>
#include <tests/compiler/twin_check.h>
#include <vector>

#include <gtest/gtest.h>

#include <weft/compiler/passes/widen_narrow_types.h>
#include <weft/ir/builder.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>

namespace weft::compiler {
namespace {

using ir::Array;
using ir::Value;

std::vector<DType> narrow_types(bool floats) {
  std::vector<DType> all;
  for (int t = 0; t < static_cast<int>(DType::token); ++t)
    if (const auto dtype = static_cast<DType>(t); is_narrow(dtype) && is_float(dtype) == floats) all.push_back(dtype);
  return all;
}

// Returns all values of a narrow type, in the order of their bits.
Array all_values(DType dtype) {
  const int bits = dtype == DType::f4E2M1FN                               ? 4
                   : dtype == DType::f6E2M3FN || dtype == DType::f6E3M2FN ? 6
                                                                          : bit_width(dtype);
  std::vector<std::byte> bytes;
  for (int code = 0; code < 1 << bits; ++code) {
    const int extended = is_signed_integer(dtype) && (code >> (bits - 1)) != 0 ? code - (1 << bits) : code;
    bytes.push_back(static_cast<std::byte>(extended));
  }
  return {Type(dtype, {Dim(std::int64_t{1} << bits)}), bytes};
}

// Compiles what `body` makes of the arrays, and compares with the interpreter, bit by bit except for NaN, whose bits mean nothing.
void check(std::span<const Array> inputs, const std::function<std::vector<Value>(std::span<const Value>)>& body) {
  ir::Graph graph;
  std::vector<Value> values;
  for (const Array& input : inputs) values.push_back(graph.add_input(input.type()));
  graph.set_outputs(body(values));
  const auto expected = ir::interpret(graph, inputs), computed = test::run_compiled(graph, inputs);
  ASSERT_EQ(computed.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(computed[i].type(), expected[i].type());
    for (std::int64_t j = 0; j < expected[i].size(); ++j) {
      const double got = computed[i].element(j), wanted = expected[i].element(j);
      const auto at = static_cast<std::size_t>(j) * static_cast<std::size_t>(byte_size(expected[i].dtype()));
      const bool is_same = std::memcmp(computed[i].bytes().data() + at, expected[i].bytes().data() + at,
                                       static_cast<std::size_t>(byte_size(expected[i].dtype()))) == 0;
      ASSERT_TRUE(is_same || (std::isnan(got) && std::isnan(wanted)))
          << "output " << i << " of " << expected[i].type() << " at " << j << ": " << got << ", not " << wanted;
    }
  }
}

constexpr DType wider[] = {DType::boolean, DType::i8,  DType::i16, DType::i32,  DType::i64, DType::u8, DType::u16,
                           DType::u32,     DType::u64, DType::f16, DType::bf16, DType::f32, DType::f64};

TEST(NarrowTypes, BecomeAllOtherTypes) {
  for (const bool floats : {false, true})
    for (const DType from : narrow_types(floats)) {
      SCOPED_TRACE(name(from));
      check(std::array{all_values(from)}, [](std::span<const Value> x) {
        std::vector<Value> all;
        for (const DType to : wider) all.push_back(ir::convert(x[0], to));
        for (const bool to_floats : {false, true})
          for (const DType to : narrow_types(to_floats)) all.push_back(ir::convert(x[0], to));
        return all;
      });
    }
}

// The values of a narrow floating-point type, those halfway between two of them, and the next ones to each side.
template <class T>
Array values_around(DType narrow) {
  std::vector<T> numbers = {0,
                            -T(0),
                            std::numeric_limits<T>::infinity(),
                            -std::numeric_limits<T>::infinity(),
                            std::numeric_limits<T>::quiet_NaN(),
                            -std::numeric_limits<T>::quiet_NaN(),
                            std::numeric_limits<T>::max(),
                            std::numeric_limits<T>::denorm_min(),
                            std::numeric_limits<T>::min()};
  const Array values = all_values(narrow);
  std::vector<double> sorted = {0};
  for (std::int64_t i = 0; i < values.size(); ++i)
    if (const double value = values.element(i); std::isfinite(value) && value > 0) sorted.push_back(value);
  std::ranges::sort(sorted);
  sorted.push_back(2 * sorted.back());
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i)
    for (const double at : {sorted[i], (sorted[i] + sorted[i + 1]) / 2, sorted[i] + (sorted[i + 1] - sorted[i]) * 0.7})
      for (const T near : {static_cast<T>(at), std::nextafter(static_cast<T>(at), T(0)),
                           std::nextafter(static_cast<T>(at), std::numeric_limits<T>::infinity())})
        for (const T sign : {T(1), T(-1)}) numbers.push_back(sign * near);
  return {Type(dtype_of<T>, {Dim(std::ssize(numbers))}), std::as_bytes(std::span(numbers))};
}

TEST(NarrowTypes, AreRoundedToTheNearest) {
  for (const DType to : narrow_types(true)) {
    SCOPED_TRACE(name(to));
    check(std::array{values_around<float>(to), values_around<double>(to)}, [&](std::span<const Value> x) {
      return std::vector{ir::convert(x[0], to), ir::convert(x[1], to), ir::convert(ir::convert(x[0], DType::bf16), to)};
    });
  }
}

TEST(NarrowTypes, AreMadeOfIntegers) {
  std::vector<std::int64_t> numbers = {std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max(), 1 << 30};
  for (std::int64_t i = -700; i < 700; ++i) numbers.push_back(i);
  for (std::int64_t i = 1; i < std::int64_t{1} << 40; i += i / 3 + 1) numbers.push_back(i);
  const Array wide(Type(DType::i64, {Dim(std::ssize(numbers))}), std::as_bytes(std::span(numbers)));
  for (const bool floats : {false, true})
    for (const DType to : narrow_types(floats)) {
      SCOPED_TRACE(name(to));
      check(std::array{wide}, [&](std::span<const Value> x) {
        std::vector<Value> all;
        for (const DType from : wider) all.push_back(ir::convert(ir::convert(x[0], from), to));
        return all;
      });
    }
}

// Returns the elements of a, and of b, for each pair of them.
std::vector<Value> pairs(Value a, Value b) {
  const std::array both{a.type().dim(0), b.type().dim(0)};
  return {ir::broadcast_in_dim(a, Type(a.dtype(), both), std::array<std::int64_t, 1>{0}),
          ir::broadcast_in_dim(b, Type(b.dtype(), both), std::array<std::int64_t, 1>{1})};
}

TEST(NarrowTypes, ComputeWithIntegers) {
  for (const DType dtype : narrow_types(false)) {
    SCOPED_TRACE(name(dtype));
    check(std::array{all_values(dtype)}, [&](std::span<const Value> x) {
      std::vector<Value> all;
      const auto ab = pairs(x[0], x[0]);
      for (Value (*op)(Value, Value) :
           {ir::add, ir::and_, ir::divide, ir::maximum, ir::minimum, ir::multiply, ir::or_, ir::remainder,
            ir::shift_left, ir::shift_right_arithmetic, ir::shift_right_logical, ir::subtract, ir::xor_})
        all.push_back(op(ab[0], ab[1]));
      for (Value (*op)(Value) : {ir::count_leading_zeros, ir::negate, ir::not_, ir::popcnt}) all.push_back(op(x[0]));
      if (is_signed_integer(dtype))
        for (Value (*op)(Value) : {ir::abs, ir::sign}) all.push_back(op(x[0]));
      all.push_back(ir::compare(ab[0], ab[1], ir::Direction::LT));
      all.push_back(ir::iota(*x[0].node->graph, Type(dtype, {40}), 0));
      return all;
    });
  }
}

TEST(NarrowTypes, ComputeWithFloats) {
  for (const DType dtype : narrow_types(true)) {
    SCOPED_TRACE(name(dtype));
    check(std::array{all_values(dtype)}, [&](std::span<const Value> x) {
      std::vector<Value> all;
      const auto ab = pairs(x[0], x[0]);
      for (Value (*op)(Value, Value) : {ir::add, ir::divide, ir::maximum, ir::minimum, ir::multiply, ir::subtract})
        all.push_back(op(ab[0], ab[1]));
      for (Value (*op)(Value) : {ir::abs, ir::ceil, ir::negate, ir::round_nearest_even, ir::sqrt})
        all.push_back(op(x[0]));
      all.push_back(ir::is_finite(x[0]));
      for (const ir::Direction direction : {ir::Direction::LT, ir::Direction::EQ, ir::Direction::NE})
        all.push_back(ir::compare(ab[0], ab[1], direction));
      all.push_back(ir::select(ir::compare(ab[0], ab[1], ir::Direction::LT), ab[0], ab[1]));
      return all;
    });
  }
}

TEST(NarrowTypes, KeepTheirBits) {
  for (const auto& [from, to] : std::initializer_list<std::pair<DType, DType>>{{DType::f8E4M3FN, DType::u8},
                                                                               {DType::u8, DType::f8E5M2},
                                                                               {DType::f8E5M2, DType::f8E4M3FNUZ},
                                                                               {DType::f4E2M1FN, DType::u4}}) {
    SCOPED_TRACE(name(from));
    std::vector<std::byte> bytes(256);
    for (int i = 0; i < 256; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
    const Array x = is_narrow(from) ? all_values(from) : Array(Type(from, {256}), bytes);
    check(std::array{x},
          [to = to](std::span<const Value> v) { return std::vector{ir::bitcast_convert(v[0], v[0].type().with(to))}; });
  }
}

// A program of all kinds of ops.
constexpr const char* program = R"(
func.func @main(%a: tensor<4x6xT>, %b: tensor<6x5xT>, %n: tensor<i32>)
    -> (tensor<4x5xT>, tensor<4x6xT>, tensor<4xT>, tensor<4x6xT>, tensor<8x6xT>, tensor<4x6xT>, tensor<2x6xT>, tensor<4x6xT>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %t0 = stablehlo.constant dense<ZERO> : tensor<T>
  %t1 = stablehlo.constant dense<ONE> : tensor<T>
  %dot = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x6xT>, tensor<6x5xT>) -> tensor<4x5xT>
  %sorted = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<T>, %y: tensor<T>):
    %0 = stablehlo.compare LT, %x, %y : (tensor<T>, tensor<T>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }) : (tensor<4x6xT>) -> tensor<4x6xT>
  %largest = stablehlo.reduce(%a init: %t0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xT>, tensor<T>) -> tensor<4xT>
  %loop:3 = stablehlo.while(%i = %zero, %x = %a, %m = %n) : tensor<i32>, tensor<4x6xT>, tensor<i32>
  cond {
    %0 = stablehlo.compare LT, %i, %m : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  } do {
    %0 = stablehlo.add %i, %one : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %t1, dims = [] : (tensor<T>) -> tensor<4x6xT>
    %2 = stablehlo.add %x, %1 : tensor<4x6xT>
    stablehlo.return %0, %2, %m : tensor<i32>, tensor<4x6xT>, tensor<i32>
  }
  %both = stablehlo.concatenate %a, %sorted, dim = 0 : (tensor<4x6xT>, tensor<4x6xT>) -> tensor<8x6xT>
  %index = stablehlo.constant dense<[[3], [0]]> : tensor<2x1xi32>
  %rows = "stablehlo.gather"(%a, %index) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xT>, tensor<2x1xi32>) -> tensor<2x6xT>
  %put = "stablehlo.scatter"(%a, %index, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
    inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<T>, %y: tensor<T>):
    stablehlo.return %y : tensor<T>
  }) : (tensor<4x6xT>, tensor<2x1xi32>, tensor<2x6xT>) -> tensor<4x6xT>
  %is_odd = stablehlo.compare EQ, %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %chosen = "stablehlo.if"(%is_odd) ({
    stablehlo.return %a : tensor<4x6xT>
  }, {
    %0 = stablehlo.multiply %a, %a : tensor<4x6xT>
    stablehlo.return %0 : tensor<4x6xT>
  }) : (tensor<i1>) -> tensor<4x6xT>
  return %dot, %sorted, %largest, %loop#1, %both, %put, %rows, %chosen
    : tensor<4x5xT>, tensor<4x6xT>, tensor<4xT>, tensor<4x6xT>, tensor<8x6xT>, tensor<4x6xT>, tensor<2x6xT>, tensor<4x6xT>
})";

TEST(NarrowTypes, PassThroughEveryKindOfOp) {
  for (const bool floats : {false, true})
    for (const DType dtype : narrow_types(floats)) {
      SCOPED_TRACE(name(dtype));
      std::string text = program;
      const auto replace = [&](std::string_view what, std::string_view by) {
        for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
          text.replace(at, what.size(), by);
      };
      replace("xT>", concat('x', name(dtype), '>'));
      replace("<T>", concat('<', name(dtype), '>'));
      replace("ZERO", floats ? "0.0" : "0");
      replace("ONE", floats ? "1.0" : "1");
      const auto graph = ir::parse_module(text).main();
      ASSERT_TRUE(can_compile_types(*graph));
      std::vector<Array> inputs;
      for (const Value v : graph->inputs()) {
        Array& input = inputs.emplace_back(v.type());
        if (v.rank() == 0) {
          input.data<std::int32_t>()[0] = 2;
          continue;
        }
        for (std::size_t i = 0; i < input.bytes().size(); ++i) {
          const Array number = Array::splat(Type(dtype, {}), static_cast<double>(i * 5 % 7) / (floats ? 2 : 4));
          input.bytes()[i] = number.bytes()[0];
        }
      }
      const auto expected = ir::interpret(*graph, inputs), computed = test::run_compiled(*graph, inputs);
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(computed[i], expected[i]) << "output " << i;
    }
}

TEST(NarrowTypes, AreCompiledForGpus) {
  for (const DType dtype : {DType::f8E4M3FN, DType::f8E5M2, DType::i4}) {
    SCOPED_TRACE(name(dtype));
    const auto graph =
        ir::make_graph(std::vector{Type(DType::f32, {8, 16}), Type(DType::f32, {8, 16})}, [&](ir::Graph&, auto x) {
          const Value a = ir::convert(x[0], dtype), b = ir::convert(x[1], dtype);
          const Value sums = ir::reduce_sum(ir::convert(ir::add(a, b), DType::f32), std::array<std::int64_t, 1>{1});
          return std::vector{sums, ir::transpose(a, std::array<std::int64_t, 2>{1, 0})};
        });
    test::check_on_twin(*graph, test::normal_inputs(*graph));
  }
}

TEST(NarrowTypes, AreRefusedWhereTheyAreGivenToTheHost) {
  const auto graph = ir::parse_module(R"(func.func @main(%a: tensor<4xi4>) -> tensor<4xi4> {
    %0 = stablehlo.custom_call @unknown(%a) : (tensor<4xi4>) -> tensor<4xi4>
    return %0 : tensor<4xi4>
  })")
                         .main();
  EXPECT_FALSE(can_compile_types(*graph));
  EXPECT_EQ(widen_narrow_types(*graph), nullptr);
  EXPECT_THROW(compile(*graph), UnsupportedError);
}

}  // namespace
}  // namespace weft::compiler
