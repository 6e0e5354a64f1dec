// Gradients of collectives. What each device holds is a variable of its own, so the cotangent of what a device gave to others is the sum
// of the cotangents of all that they made of it.
#include <algorithm>
#include <utility>
#include <vector>

#include <weft/ir/builder.h>
#include <weft/ir/ops.h>
#include <weft/ir/ops/region_gradient.h>

namespace weft::ir {

namespace {

void require_sum(const Node& node) {
  require(reduction_op(*node.regions[0]) == &ops::add, "grad: only the ", node.op->name,
          " that sums has a gradient; apply stop_gradient to its operands if none is wanted");
}

// Returns the cotangent of a result, or zeros.
Value cotangent_of(const GradientCall& c, int result) {
  return c.dy(result) ? c.dy(result) : constant_like(c.y(result), 0);
}

// Appends another collective among the same processes, which takes the cotangent to the operand's type.
template <class To, class From>
Value transposed(
    const GradientCall& c, int operand, const Op& op, std::shared_ptr<const Graph> body,
    void (*change)(To&) = [](To&) {}) {
  To attributes;
  static_cast<CollectiveAttributes&>(attributes) = c.node.attributes<From>();
  change(attributes);
  const std::array operands{cotangent_of(c, operand)};
  const std::array types{c.x(operand).type()};
  const std::array bodies{std::move(body)};
  return c.node.graph->append(op, operands, &attributes, types, std::span(bodies).first(bodies.front() ? 1 : 0))
      .result();
}

std::shared_ptr<const Graph> sum_of(Value x) { return reduction_body(ops::add, x.dtype()); }

void for_each_needed(const GradientCall& c, auto&& cotangent) {
  for (int i = 0; i < std::ssize(c.node.operands); ++i)
    if (c.needs(i)) c.add(i, cotangent(i));
}

}  // namespace

void all_reduce_gradient(const GradientCall& c) {
  require_sum(c.node);
  for_each_needed(c, [&](int i) {
    return transposed<AllReduceAttributes, AllReduceAttributes>(c, i, ops::all_reduce, sum_of(c.x(i)));
  });
}

void all_gather_gradient(const GradientCall& c) {
  for_each_needed(c, [&](int i) {
    return transposed<ReduceScatterAttributes, AllGatherAttributes>(c, i, ops::reduce_scatter, sum_of(c.x(i)));
  });
}

void reduce_scatter_gradient(const GradientCall& c) {
  require_sum(c.node);
  for_each_needed(c, [&](int i) {
    return transposed<AllGatherAttributes, ReduceScatterAttributes>(c, i, ops::all_gather, nullptr);
  });
}

void all_to_all_gradient(const GradientCall& c) {
  for_each_needed(c, [&](int i) {
    return transposed<AllToAllAttributes, AllToAllAttributes>(
        c, i, ops::all_to_all, nullptr, [](AllToAllAttributes& a) { std::swap(a.dimension, a.concat_dimension); });
  });
}

void collective_permute_gradient(const GradientCall& c) {
  const IntMatrix& pairs = c.node.attributes<CollectivePermuteAttributes>().groups;
  std::vector<std::int64_t> reversed(pairs.values.begin(), pairs.values.end());
  for (std::size_t i = 0; i + 1 < reversed.size(); i += 2) std::swap(reversed[i], reversed[i + 1]);
  CollectivePermuteAttributes attributes = c.node.attributes<CollectivePermuteAttributes>();
  attributes.groups = {2, c.node.graph->arena().copy(Ints(reversed))};
  const std::array operands{c.dy()};
  c.add(0, c.node.graph->append(ops::collective_permute, operands, &attributes).result());
}

namespace {

// Reads the axes in quotes, such as "x" and "y" in [{"x"}, {"y"}].
std::vector<std::string_view> quoted(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = text.find('"'); at != text.npos; at = text.find('"', at)) {
    const std::size_t end = text.find('"', at + 1);
    names.push_back(text.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return names;
}

// Splits #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>, <@mesh, []>]> into <@mesh, [{"x"}, {}], unreduced={"y"}> and
// <@mesh, []>.
std::vector<std::string_view> per_value(std::string_view text) {
  std::vector<std::string_view> shardings;
  text.remove_prefix(text.find('[') + 1);
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<')) {
    text.remove_prefix(at);
    const std::size_t end = text.find('>') + 1;
    shardings.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return shardings;
}

// Returns the sharding of a value's cotangent: where all devices hold the value, the cotangent is the sum of what they hold, and where
// they hold summands, all of them hold the cotangent.
std::string of_cotangent(std::string_view sharding, const std::vector<std::string_view>& manual) {
  const std::size_t unreduced = std::min(sharding.find("unreduced"), sharding.size());
  std::size_t dims_end = sharding.find(']', sharding.find('[')) + 1;
  std::vector<std::string_view> known = quoted(sharding.substr(0, dims_end));
  for (const std::string_view axis : quoted(sharding.substr(unreduced))) known.push_back(axis);
  std::string summed;
  for (const std::string_view axis : manual)
    if (std::ranges::find(known, axis) == known.end()) summed += concat(summed.empty() ? "" : ", ", '"', axis, '"');
  return concat(sharding.substr(0, dims_end), summed.empty() ? "" : concat(", unreduced={", summed, '}'), '>');
}

std::string joined(const std::vector<std::string>& shardings) {
  std::string text = "#sdy.sharding_per_value<[";
  for (std::size_t i = 0; i < shardings.size(); ++i) text += concat(i == 0 ? "" : ", ", shardings[i]);
  return text + "]>";
}

}  // namespace

// The gradient is a manual computation, too, which computes the region again.
void manual_computation_gradient(const GradientCall& c) {
  std::vector<int> wanted;
  for (int i = 0; i < std::ssize(c.node.operands); ++i)
    if (c.needs(i)) wanted.push_back(i);
  const std::vector<int> given = given_cotangents(c);
  const auto& a = c.node.attributes<ManualComputationAttributes>();
  const std::vector<std::string_view> manual = quoted(a.manual_axes), in = per_value(a.in_shardings),
                                      out = per_value(a.out_shardings);
  std::vector<Value> operands(c.node.operands.begin(), c.node.operands.end());
  std::vector<std::string> in_shardings(in.begin(), in.end()), out_shardings;
  for (const int i : given) {
    operands.push_back(c.dy(i));
    in_shardings.push_back(of_cotangent(out[i], manual));
  }
  std::vector<Type> types;
  for (const int i : wanted) {
    types.push_back(c.x(i).type());
    out_shardings.push_back(of_cotangent(in[i], manual));
  }
  const std::string in_text = joined(in_shardings), out_text = joined(out_shardings);
  const ManualComputationAttributes attributes{in_text, out_text, a.manual_axes};
  const std::array regions{region_gradient(*c.node.regions[0], given, wanted).graph};
  Node& node = c.node.graph->append(ops::manual_computation, operands, &attributes, types, regions);
  for (std::size_t i = 0; i < wanted.size(); ++i) c.add(wanted[i], node.result(i));
}

}  // namespace weft::ir
