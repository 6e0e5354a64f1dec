#include <weft/tensor/control.h>

#include <memory>

#include <weft/ir/builder.h>
#include <weft/tensor/body.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/manipulation.h>
#include <weft/tensor/reduction.h>

namespace weft {

using detail::append_captures;
using detail::append_values;
using detail::Body;
using detail::Frame;
using detail::wrap_all;
using ir::Value;

namespace {

// The first `counters` values are added by for_loop or scan; messages do not count them.
std::vector<Tensor> loop(Frame& frame, std::span<const Tensor> initial, std::size_t counters,
                         const std::function<Tensor(const std::vector<Tensor>&)>& condition,
                         const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body) {
  std::vector<Value> carried;
  append_values(frame, initial, carried);
  const std::size_t count = carried.size();

  Body step(frame.recording());
  const std::vector<Tensor> step_inputs = step.add_inputs(carried);
  step.record(frame.function(), [&] { return body(step_inputs); });
  frame.require(step.outputs().size() == count, "the body returns ", step.outputs().size() - counters, " values for ",
                count - counters);
  for (std::size_t i = 0; i < count; ++i) {
    frame.require(step.outputs()[i].type() == carried[i].type(), "value ", i - counters, " begins as ",
                  carried[i].type(), " and the body makes it ", step.outputs()[i].type());
  }

  Body test(frame.recording());
  const std::vector<Tensor> test_inputs = test.add_inputs(carried);
  test.capture_like(step);
  test.record(frame.function(), [&] { return std::vector{condition(test_inputs)}; });
  frame.require(test.outputs()[0].type() == Type(DType::boolean, {}), "the condition must be one boolean, got ",
                test.outputs()[0].type());

  step.capture_like(test);
  step.return_captures();
  append_captures(frame, step, carried);
  std::vector<Value> results = ir::while_(carried, test.finish(), step.finish());
  results.resize(count);
  return wrap_all(frame, results);
}

}  // namespace

std::vector<Tensor> detail::tensors_of(std::initializer_list<Operand> operands) {
  std::vector<Tensor> tensors;
  for (const Operand& operand : operands) {
    if (operand.is_number()) {
      tensors.push_back(constant(operand.number(), operand.number().default_dtype()));
    } else {
      tensors.push_back(operand.tensor());
    }
  }
  return tensors;
}

std::vector<Tensor> while_loop(std::span<const Tensor> initial,
                               const std::function<Tensor(const std::vector<Tensor>&)>& condition,
                               const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                               std::source_location where) {
  Frame frame("while_loop", where);
  return loop(frame, initial, 0, condition, body);
}

namespace {

using CountedBody = std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)>;

std::vector<Tensor> counted_loop(Frame& frame, std::int64_t count, std::span<const Tensor> initial,
                                 const CountedBody& body) {
  std::vector<Tensor> values{zeros({}, DType::i32)};
  values.insert(values.end(), initial.begin(), initial.end());
  const auto condition = [&](const std::vector<Tensor>& at) { return at[0] < constant(count, DType::i32); };
  const auto step = [&](const std::vector<Tensor>& at) {
    std::vector<Tensor> next = body(at[0], {at.begin() + 1, at.end()});
    next.insert(next.begin(), at[0] + constant(1, DType::i32));
    return next;
  };
  std::vector<Tensor> results = loop(frame, values, 1, condition, step);
  results.erase(results.begin());
  return results;
}

}  // namespace

std::vector<Tensor> for_loop(std::int64_t count, std::span<const Tensor> initial,
                             const std::function<std::vector<Tensor>(const Tensor&, const std::vector<Tensor>&)>& body,
                             std::source_location where) {
  Frame frame("for_loop", where);
  return counted_loop(frame, count, initial, body);
}

namespace {

// Returns row i of each array, without the first axis.
std::vector<Tensor> rows_at(std::span<const Tensor> arrays, const Tensor& i) {
  std::vector<Tensor> rows;
  for (const Tensor& array : arrays) {
    std::vector<Tensor> starts{i};
    std::vector<std::int64_t> sizes{1}, shape;
    for (int d = 1; d < array.rank(); ++d) {
      starts.push_back(constant(0, DType::i32));
      sizes.push_back(array.size(d));
      shape.push_back(array.size(d));
    }
    if (array.size(0) == 0) {  // recorded only for the type and the dependences, never run
      rows.push_back(is_float(array.dtype()) ? sum(array, 0) : zeros(Shape(shape), array.dtype()));
      continue;
    }
    rows.push_back(reshape(dynamic_slice(array, starts, Shape(sizes)), Shape(shape)));
  }
  return rows;
}

Tensor with_row(const Tensor& array, const Tensor& row, const Tensor& i) {
  std::vector<Tensor> starts{i};
  std::vector<std::int64_t> shape{1};
  for (int d = 0; d < row.rank(); ++d) {
    starts.push_back(constant(0, DType::i32));
    shape.push_back(row.size(d));
  }
  if (array.size(0) == 0) return is_float(array.dtype()) ? array + reshape(row, Shape(shape)) : array;
  return dynamic_update_slice(array, reshape(row, Shape(shape)), starts);
}

}  // namespace

ScanResult scan(std::span<const Tensor> initial, std::span<const Tensor> xs,
                const std::function<std::pair<std::vector<Tensor>, std::vector<Tensor>>(
                    const std::vector<Tensor>& values, const std::vector<Tensor>& x)>& body,
                std::source_location where) {
  Frame frame("scan", where);
  frame.require(!xs.empty(), "there is nothing to scan: xs is empty; for_loop takes a number of steps");
  for (const Tensor& x : xs) {
    frame.require(x.rank() > 0, "every x must have a first axis to go along, got ", x.type());
    frame.require(x.size(0) == xs[0].size(0), "every x must have the same first size; the first is ", xs[0].type(),
                  ", another ", x.type());
  }
  const std::size_t count = initial.size();
  // The types of `ys` are known only after a step was recorded, so one step is recorded in a loop that is discarded.
  std::vector<Type> given;
  counted_loop(frame, 1, initial, [&](const Tensor& i, const std::vector<Tensor>& values) {
    auto [next, ys] = body(values, rows_at(xs, i));
    for (const Tensor& y : ys) given.push_back(y.type());
    return next;
  });
  std::vector<Tensor> all(initial.begin(), initial.end());
  for (const Type& type : given) {
    std::vector<std::int64_t> shape{xs[0].size(0)};
    for (int d = 0; d < type.rank(); ++d) shape.push_back(type.size(d));
    all.push_back(zeros(Shape(shape), type.dtype()));
  }
  std::vector<Tensor> results =
      counted_loop(frame, xs[0].size(0), all, [&](const Tensor& i, const std::vector<Tensor>& at) {
        auto [next, ys] = body({at.begin(), at.begin() + count}, rows_at(xs, i));
        for (std::size_t k = 0; k < ys.size(); ++k) next.push_back(with_row(at[count + k], ys[k], i));
        return next;
      });
  ScanResult result;
  result.stacked.assign(results.begin() + count, results.end());
  results.resize(count);
  result.values = std::move(results);
  return result;
}

std::vector<Tensor> cond(const Operand& predicate, const std::function<std::vector<Tensor>()>& on_true,
                         const std::function<std::vector<Tensor>()>& on_false) {
  Frame frame("cond", predicate);
  const Value chosen = frame.value(predicate);
  frame.require(chosen.type() == Type(DType::boolean, {}), "the predicate must be one boolean, got ", chosen.type());
  Body yes(frame.recording());
  yes.record(frame.function(), on_true);
  Body no(frame.recording());
  no.capture_like(yes);
  no.record(frame.function(), on_false);
  yes.capture_like(no);
  frame.require(yes.outputs().size() == no.outputs().size(), "the branches return ", yes.outputs().size(), " and ",
                no.outputs().size(), " values");
  for (std::size_t i = 0; i < yes.outputs().size(); ++i) {
    frame.require(yes.outputs()[i].type() == no.outputs()[i].type(), "value ", i, " is ", yes.outputs()[i].type(),
                  " in one branch and ", no.outputs()[i].type(), " in the other");
  }
  std::vector<Value> captures;
  append_captures(frame, yes, captures);
  return wrap_all(frame, ir::if_(chosen, captures, yes.finish(), no.finish()));
}

}  // namespace weft
