#include <weft/ir/interpreter/fold.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include <weft/base/convert.h>
#include <weft/ir/builder.h>
#include <weft/ir/ops.h>

namespace weft::ir::interpreter {

namespace {

const Op* op_of_sums(const Graph& body, std::span<const Array> initial) {
  const Op* op = initial.size() == 1 && is_float(initial[0].dtype()) ? reduction_op(body) : nullptr;
  return op == &ops::add || op == &ops::multiply ? op : nullptr;
}

// Splits the pairs into rounds that contain each accumulator at most once: the n-th pair of an accumulator is in round n.
std::vector<std::vector<Pair>> rounds_of(std::span<const Pair> pairs, std::int64_t accumulators) {
  std::vector<std::size_t> next(accumulators, 0);
  std::vector<std::vector<Pair>> rounds;
  for (const Pair p : pairs) {
    const std::size_t round = next[p.into]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(p);
  }
  return rounds;
}

// Copy elements between an array and a column.
template <class Position>
void gather(const Array& from, std::span<const Pair> pairs, Position position, std::vector<std::byte>& column) {
  const auto width = byte_size(from.dtype());
  column.resize(pairs.size() * width);
  std::byte* to = column.data();
  for (const Pair& p : pairs) {
    std::memcpy(to, from.bytes().data() + p.*position * width, width);
    to += width;
  }
}

void scatter(const std::vector<std::byte>& column, std::span<const Pair> pairs, Array& to) {
  const auto width = byte_size(to.dtype());
  const std::byte* from = column.data();
  for (const Pair& p : pairs) {
    std::memcpy(to.bytes().data() + p.into * width, from, width);
    from += width;
  }
}

}  // namespace

Fold::Fold(const Graph& body, std::vector<Array> initial, const Context& context)
    : of_sums_(op_of_sums(body, initial)),
      rounds_(context.options.accumulation == Accumulation::element),
      body_(body, context),
      accumulators_(std::move(initial)) {
  if (!of_sums_) return;
  visit_any(accumulators_[0].dtype(), [&]<class T>(T) {
    const auto from = std::as_const(accumulators_[0]).data<T>();
    sums_.assign(from.begin(), from.end());
  });
}

void Fold::add(std::span<const Array* const> values, std::span<const Pair> pairs) {
  if (of_sums_) return add_sums(*values[0], pairs);
  for (const auto& round : rounds_of(pairs, accumulators_[0].size())) add_round(values, round);
}

// In double, a sum or product of two elements is so exact that rounding it gives the result of the dtype's own operation.
void Fold::add_sums(const Array& values, std::span<const Pair> pairs) {
  visit_any(values.dtype(), [&]<class T>(T) {
    const T* from = values.data<T>().data();
    const auto fold = [&](auto step) {
      for (const Pair p : pairs) {
        double& sum = sums_[p.into];
        sum = step(sum, static_cast<double>(from[p.from]));
        if (rounds_) sum = convert_element<T>(sum);
      }
    };
    of_sums_ == &ops::add ? fold(std::plus<double>()) : fold(std::multiplies<double>());
  });
}

void Fold::add_round(std::span<const Array* const> values, std::span<const Pair> pairs) {
  const std::size_t n = accumulators_.size();
  std::vector<std::vector<std::byte>> inputs(2 * n), outputs(n);
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;
  for (std::size_t i = 0; i < n; ++i) {
    gather(accumulators_[i], pairs, &Pair::into, inputs[i]);
    gather(*values[i], pairs, &Pair::from, inputs[n + i]);
    outputs[i].resize(inputs[i].size());
  }
  for (const auto& column : inputs) in.push_back(column.data());
  for (auto& column : outputs) out.push_back(column.data());
  body_.apply(std::ssize(pairs), in, out);
  for (std::size_t i = 0; i < n; ++i) scatter(outputs[i], pairs, accumulators_[i]);
}

std::vector<Array> Fold::finish() {
  if (of_sums_)
    visit_any(accumulators_[0].dtype(), [&]<class T>(T) {
      std::ranges::transform(sums_, accumulators_[0].data<T>().begin(), &convert_element<T, double>);
    });
  return std::move(accumulators_);
}

}  // namespace weft::ir::interpreter
