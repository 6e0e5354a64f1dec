// Samples of elementwise ops: one shape for each dtype of the domain and more shapes for a few dtypes. Ops with attributes or
// with operands of several types have functions of their own.
#include <tests/ir/op_samples.h>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

// Returns the types of one operand, over dtypes and shapes.
std::vector<Type> types_of(const Op& op) {
  std::vector<Type> types;
  for (const DType dtype : members(op.domain)) {
    types.push_back(Type(dtype, {2, 3}));
    if (dtype != DType::f32 && dtype != DType::i32) continue;
    types.insert(types.end(), {Type(dtype, {}), Type(dtype, {1}), Type(dtype, {0, 3}), Type(dtype, {3, 41}),
                               Type(dtype, {2, 1, 5})});
  }
  return types;
}

void plain_samples(SampleList& list) {
  for (const Type type : types_of(list.op())) list.add(std::vector(list.op().arity, type));
}

// Returns a plain shape and, with `all`, shapes of rank 0 and size 0.
std::vector<Type> few_shapes(DType dtype, bool all) {
  std::vector<Type> types{Type(dtype, {3, 5})};
  if (all) types.insert(types.end(), {Type(dtype, {}), Type(dtype, {2, 0})});
  return types;
}

void convert_samples(SampleList& list) {
  for (const DType from : members(all_dtypes)) {
    for (const DType to : members(all_dtypes)) {
      if (from == to) continue;
      for (const Type type : few_shapes(from, from == DType::f32)) {
        auto& sample =
            list.add({type}, [to](Graph&, std::span<const Value> x) { return std::vector{convert(x[0], to)}; });
        sample.name += " to " + concat(to);
        if (is_unsigned_integer(to)) sample.inputs[0] = {.low = 0, .high = 40, .edges = true};
        // The loss is quadratic in numbers that are rounded to f32: a wide step keeps the differences exact.
        if (to == DType::f32)
          sample.step = 0.25;
        else
          sample.wrt.clear();
      }
    }
  }
}

void bitcast_convert_samples(SampleList& list) {
  for (const DType from : members(list.op().domain))
    for (const DType to : members(list.op().domain))
      if (from != to && byte_size(from) == byte_size(to))
        for (const Type type : few_shapes(from, from == DType::f32))
          list.add({type},
                   [to](Graph&, std::span<const Value> x) {
                     return std::vector{bitcast_convert(x[0], x[0].type().with(to))};
                   })
              .name += " to " + concat(to);
}

void compare_samples(SampleList& list) {
  const auto add = [&](Type type, Direction direction, Comparison how) {
    auto& sample = list.add({type, type}, [=](Graph&, std::span<const Value> x) {
      return std::vector{compare(x[0], x[1], direction, how)};
    });
    sample.name += concat(" ", EnumNames<Direction>::names[static_cast<std::size_t>(direction)], " ",
                          EnumNames<Comparison>::names[static_cast<std::size_t>(how)]);
    if (!is_float(type.dtype()) && type.dtype() != DType::boolean) {
      const InputRange few{.low = 0, .high = 3, .edges = true};
      sample.inputs = {few, few};
    }
  };
  for (const auto direction :
       {Direction::EQ, Direction::NE, Direction::LT, Direction::LE, Direction::GT, Direction::GE}) {
    for (const DType dtype : members(all_dtypes)) {
      add(Type(dtype, {4, 9}), direction, Comparison::NOTYPE);
      if (is_float(dtype)) add(Type(dtype, {4, 9}), direction, Comparison::TOTALORDER);
    }
    add(Type(DType::i32, {}), direction, Comparison::SIGNED);
    add(Type(DType::u8, {0}), direction, Comparison::UNSIGNED);
    add(Type(DType::f32, {1}), direction, Comparison::FLOAT);
  }
}

void reduce_precision_samples(SampleList& list) {
  for (const DType dtype : members(floats))
    for (const auto& [exponent, mantissa] :
         std::initializer_list<std::pair<int, int>>{{5, 10}, {8, 7}, {4, 3}, {5, 2}, {8, 23}, {11, 52}, {3, 0}})
      for (const Type type : few_shapes(dtype, dtype == DType::f32)) {
        auto& sample = list.add({type}, [=](Graph&, std::span<const Value> x) {
          return std::vector{reduce_precision(x[0], exponent, mantissa)};
        });
        sample.name += concat(" to ", exponent, " + ", mantissa, " bits");
        if (mantissa < 23) sample.wrt.clear();
        sample.step = 0.25;
      }
}

void placement_samples(SampleList& list) {
  const Op& op = list.op();
  for (const Type type : types_of(op))
    list.add({type}, [&op](Graph& graph, std::span<const Value> x) {
      const ShardingAttributes sharding{R"(#sdy.sharding<@mesh, [{"x"}, {?}]>)"};
      const PlacementAttributes placement{.backend_config = "unspecified_dims=[1]"};
      const void* attributes = op.call_target.empty() ? static_cast<const void*>(&sharding) : &placement;
      return std::vector{graph.append(op, x, attributes).result()};
    });
}

void select_samples(SampleList& list) {
  for (const Type type : types_of(list.op()))
    for (const Type predicate : {type.with(DType::boolean), Type(DType::boolean, {})})
      list.add({predicate, type, type});
}

void clamp_samples(SampleList& list) {
  for (const Type type : types_of(list.op()))
    for (const Type bound : {type, Type(type.dtype(), {})}) {
      auto& sample = list.add({bound, type, bound});
      if (type.dtype() == DType::boolean) continue;
      sample.inputs[0].high = (sample.inputs[0].low + sample.inputs[0].high) / 2;
      sample.inputs[2].low = sample.inputs[0].high;
    }
}

void power_samples(SampleList& list) {
  for (const Type type : types_of(list.op())) {
    auto& sample = list.add({type, type});
    const auto range = [](double low, double high) { return InputRange{.low = low, .high = high, .edges = true}; };
    if (is_float(type.dtype())) sample.inputs[1] = range(-3, 3);
    if (is_signed_integer(type.dtype())) sample.inputs = {range(-5, 5), range(-3, 12)};
    if (is_unsigned_integer(type.dtype())) sample.inputs = {range(0, 5), range(0, 12)};
  }
}

void shift_samples(SampleList& list) {
  for (const Type type : types_of(list.op())) list.add({type, type}).inputs[1].high = 8.0 * byte_size(type.dtype()) + 2;
}

// Ops with a pole where their second operand is 0; differences must keep a distance from it.
void quotient_samples(SampleList& list) {
  plain_samples(list);
  list.add({Type(DType::f64, {5}), Type(DType::f64, {5})}).inputs[1] = {0.75, 3};
  for (OpSample& sample : list.all())
    if (&sample != &list.all().back()) sample.wrt.clear();
}

}  // namespace

void elementwise_samples(SampleList& list) {
  const Op* op = &list.op();
  if (op == &ops::convert) return convert_samples(list);
  if (op == &ops::bitcast_convert) return bitcast_convert_samples(list);
  if (op == &ops::compare) return compare_samples(list);
  if (op == &ops::reduce_precision) return reduce_precision_samples(list);
  if (op->attributes == schema<ShardingAttributes> || op->attributes == schema<PlacementAttributes>)
    return placement_samples(list);
  if (op == &ops::select) return select_samples(list);
  if (op == &ops::clamp) return clamp_samples(list);
  if (op == &ops::power) return power_samples(list);
  if (op == &ops::shift_left || op == &ops::shift_right_arithmetic || op == &ops::shift_right_logical)
    return shift_samples(list);
  if (op == &ops::divide || op == &ops::remainder || op == &ops::atan2) return quotient_samples(list);
  plain_samples(list);
}

}  // namespace weft::ir
