#include <weft/compiler/library/convolution_onednn.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <weft/compiler/library/convolution_problem.h>
#include <weft/compiler/library/onednn.h>
#include <weft/compiler/library/reversed_copy.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using dnnl::memory;
using onednn::engine;
using runtime::Slice;

namespace {

using Dims = memory::dims;
using Problem = ConvolutionProblem;

// Describes the weights. With several groups, a dimension for the group is put in front. `split` is the dimension that counts the features
// of all groups.
memory::desc weights_desc(const ConvolutionTensor& t, std::int64_t groups, std::size_t split, memory::data_type type) {
  if (groups == 1) return {t.sizes, type, t.strides};
  Dims sizes{groups}, strides{t.sizes[split] / groups * t.strides[split]};
  sizes.insert(sizes.end(), t.sizes.begin(), t.sizes.end());
  strides.insert(strides.end(), t.strides.begin(), t.strides.end());
  sizes[split + 1] /= groups;
  return {sizes, type, strides};
}

// Lets oneDNN choose the memory layout; innermost features stay innermost, so that no reorder is needed.
memory::desc preferred(const memory::desc& given, bool channels_last) {
  return channels_last ? given : memory::desc(given.dims(), given.data_type(), memory::format_tag::any);
}

bool is_channels_last(const ConvolutionTensor& t) { return t.strides[1] == 1 && t.sizes[1] > 1; }

// One of the three tensors of a primitive: the layout in the program and the layout that the primitive wants.
struct Port {
  int argument = 0;
  memory::desc given, wanted;
  std::uint64_t scratch_offset = 0;  // of the reordered copy

  bool reordered() const { return given != wanted; }
};

struct ConvolutionPlan {
  dnnl::primitive primitive;
  std::array<Port, 3> ports;  // lhs, rhs, result
  std::array<dnnl::reorder, 3> reorders;
  std::optional<ReversedCopy> reversed_copy;  // of the weights
  std::size_t reversed_port = 0;
  std::uint64_t reversed_offset = 0;
  memory::desc scratchpad;
  std::uint64_t scratchpad_offset = 0, scratch_bytes = 0;
  bool strict = false;
  bool reference = false;  // oneDNN has only its slow reference implementation
};

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

class ConvolutionPlanner {
 public:
  ConvolutionPlanner(const Problem& p, DType dtype, memory::data_type type, bool keep_channels_last)
      : p_(p), dtype_(dtype) {
    src_ = {p.src.sizes, type, p.src.strides};
    dst_ = {p.dst.sizes, type, p.dst.strides};
    weights_ = weights_desc(p.weights, p.groups, p.split, type);
    any_src_ = preferred(src_, keep_channels_last && is_channels_last(p.src));
    any_dst_ = preferred(dst_, keep_channels_last && is_channels_last(p.dst));
    any_weights_ = preferred(weights_, false);
  }

  // Throws dnnl::error if oneDNN does not support the case.
  ConvolutionPlan plan() const {
    const dnnl::convolution_forward::primitive_desc forward(
        {p_.pass == ConvolutionPass::forward ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training,
         dnnl::algorithm::convolution_direct, any_src_, any_weights_, any_dst_, p_.strides, p_.dilations, p_.low,
         p_.high},
        attributes(), engine());
    switch (p_.pass) {
      case ConvolutionPass::forward:
        return finished(
            dnnl::convolution_forward(forward), forward,
            {Port{DNNL_ARG_SRC, src_, forward.src_desc()}, Port{DNNL_ARG_WEIGHTS, weights_, forward.weights_desc()},
             Port{DNNL_ARG_DST, dst_, forward.dst_desc()}});
      case ConvolutionPass::backward_data: {
        const dnnl::convolution_backward_data::primitive_desc data(
            {dnnl::algorithm::convolution_direct, any_src_, any_weights_, any_dst_, p_.strides, p_.dilations, p_.low,
             p_.high},
            attributes(), engine(), forward);
        return finished(
            dnnl::convolution_backward_data(data), data,
            {Port{DNNL_ARG_DIFF_SRC, src_, data.diff_src_desc()}, Port{DNNL_ARG_WEIGHTS, weights_, data.weights_desc()},
             Port{DNNL_ARG_DIFF_DST, dst_, data.diff_dst_desc()}});
      }
      case ConvolutionPass::backward_weights: {
        const dnnl::convolution_backward_weights::primitive_desc weights(
            {dnnl::algorithm::convolution_direct, any_src_, any_weights_, any_dst_, p_.strides, p_.dilations, p_.low,
             p_.high},
            attributes(), engine(), forward);
        return finished(dnnl::convolution_backward_weights(weights), weights,
                        {Port{DNNL_ARG_SRC, src_, weights.src_desc()},
                         Port{DNNL_ARG_DIFF_WEIGHTS, weights_, weights.diff_weights_desc()},
                         Port{DNNL_ARG_DIFF_DST, dst_, weights.diff_dst_desc()}});
      }
    }
    WEFT_ASSERT(false, "an unknown pass of a convolution");
    __builtin_unreachable();
  }

 private:
  // `roles` lists src, weights, dst.
  ConvolutionPlan finished(dnnl::primitive primitive, const auto& description, const std::array<Port, 3>& roles) const {
    ConvolutionPlan plan;
    plan.primitive = std::move(primitive);
    plan.reference = std::string_view(description.impl_info_str()).starts_with("ref");
    plan.scratchpad = description.scratchpad_desc();
    const auto take = [&](std::uint64_t bytes) {
      const std::uint64_t offset = plan.scratch_bytes;
      plan.scratch_bytes += (bytes + 63) / 64 * 64;
      return offset;
    };
    for (std::size_t i = 0; i < plan.ports.size(); ++i) {
      Port& port = plan.ports[i] = roles[p_.roles[i]];
      if (p_.roles[i] == 1 && !p_.reversed.empty()) {
        plan.reversed_copy.emplace(reversed_copy());
        plan.reversed_port = i;
        plan.reversed_offset = take(port.given.get_size());
      }
      if (!port.reordered()) continue;
      port.scratch_offset = take(port.wanted.get_size());
      const bool result = i == 2;
      plan.reorders[i] = dnnl::reorder(dnnl::reorder::primitive_desc(engine(), result ? port.wanted : port.given,
                                                                     engine(), result ? port.given : port.wanted));
    }
    plan.scratchpad_offset = take(plan.scratchpad.get_size());
    return plan;
  }

  ReversedCopy reversed_copy() const {
    std::vector<bool> reversed{false, false};
    reversed.insert(reversed.end(), p_.reversed.begin(), p_.reversed.end());
    return {p_.weights.sizes, p_.weights.strides, reversed, byte_size(dtype_)};
  }

  const Problem& p_;
  DType dtype_;
  memory::desc src_, weights_, dst_, any_src_, any_weights_, any_dst_;
};

// Returns the fastest plan that oneDNN supports, if any.
std::optional<ConvolutionPlan> find_plan(const std::vector<Problem>& problems, DType dtype, memory::data_type type) {
  std::optional<ConvolutionPlan> found;
  for (const Problem& problem : problems)
    for (const bool keep_channels_last : {true, false}) {
      try {
        ConvolutionPlan plan = ConvolutionPlanner(problem, dtype, type, keep_channels_last).plan();
        if (!plan.reference) return plan;
        if (!found) found = std::move(plan);
      } catch (const dnnl::error&) {
        break;  // for example unusual padding or sizes
      }
    }
  return found;
}

class ConvolutionThunk final : public runtime::Thunk {
 public:
  ConvolutionThunk(const ConvolutionPlan& plan, const Slice& lhs, const Slice& rhs, const Slice& result,
                   const Slice& scratch)
      : slices_{lhs, rhs, result, scratch},
        reversed_copy_(plan.reversed_copy),
        reversed_(plan.reversed_port),
        reversed_place_{scratch_slice, plan.reversed_offset},
        strict_(plan.strict) {
    const auto given = [&](std::size_t i) { return reversed_copy_ && i == reversed_ ? reversed_place_ : Place{i, 0}; };
    const auto wanted = [&](std::size_t i) {
      return plan.ports[i].reordered() ? Place{scratch_slice, plan.ports[i].scratch_offset} : given(i);
    };
    const auto add_reorder = [&](std::size_t i, const memory::desc& from, const memory::desc& to, Place of,
                                 Place into) {
      if (plan.ports[i].reordered())
        steps_.push_back(std::make_unique<Step>(plan.reorders[i], Arguments{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}},
                                                std::vector{of, into}));
    };
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
      add_reorder(i, plan.ports[i].given, plan.ports[i].wanted, given(i), wanted(i));
    Arguments arguments;
    std::vector<Place> places;
    for (std::size_t i = 0; i < plan.ports.size(); ++i) {
      arguments.emplace_back(plan.ports[i].argument, plan.ports[i].wanted);
      places.push_back(wanted(i));
    }
    arguments.emplace_back(DNNL_ARG_SCRATCHPAD, plan.scratchpad);
    places.push_back({scratch_slice, plan.scratchpad_offset});
    steps_.push_back(std::make_unique<Step>(plan.primitive, std::move(arguments), std::move(places)));
    add_reorder(2, plan.ports[2].wanted, plan.ports[2].given, wanted(2), given(2));
  }

  void run(const runtime::Launch& launch) const override {
    // oneDNN splits sums depending on the number of threads.
    std::optional<runtime::SingleThread> single;
    if (strict_) single.emplace();
    const auto address = [&](const Place& place) {
      return slices_[place.slice].bytes ? launch.at(slices_[place.slice]) + place.offset : nullptr;
    };
    if (reversed_copy_ && reversed_ != result_port)
      reversed_copy_->run(launch.at(slices_[reversed_]), address(reversed_place_));
    std::array<std::byte*, 4> addresses{};
    for (const auto& step : steps_) {
      for (std::size_t i = 0; i < step->places.size(); ++i) addresses[i] = address(step->places[i]);
      step->call.run(std::span(addresses).first(step->places.size()));
    }
    if (reversed_copy_ && reversed_ == result_port)
      reversed_copy_->run(address(reversed_place_), launch.at(slices_[result_port]));
  }

 private:
  using Arguments = std::vector<onednn::Call::Argument>;
  static constexpr std::size_t result_port = 2, scratch_slice = 3;

  struct Place {
    std::size_t slice;
    std::uint64_t offset;
  };
  // A reorder or the convolution itself.
  struct Step {
    Step(const dnnl::primitive& primitive, Arguments arguments, std::vector<Place> at)
        : call(primitive, std::move(arguments)), places(std::move(at)) {}
    onednn::Call call;
    std::vector<Place> places;
  };

  std::array<Slice, 4> slices_;  // lhs, rhs, result, scratch
  std::vector<std::unique_ptr<Step>> steps_;
  // Copies the operand or the result with number `reversed_`, from or to reversed_place_.
  std::optional<ReversedCopy> reversed_copy_;
  std::size_t reversed_;
  Place reversed_place_;
  bool strict_;
};

}  // namespace

bool convolve_with_onednn(Unit& unit, const ConvolutionShape& shape, bool strict) {
  const auto type = onednn::data_type(shape.dtype);
  if (!type || shape.result != shape.dtype || shape.window.empty() || shape.window.size() > 3) return false;
  for (const ConvolutionTensor* t : {&shape.x, &shape.kernel, &shape.y})
    if (std::ranges::find(t->sizes, 0) != t->sizes.end()) return false;
  const std::vector<Problem> problems = convolution_problems(shape);
  std::optional<runtime::SingleThread> single;
  if (strict) {
    single.emplace();
  } else {
    runtime::adopt_thread_count();
  }
  std::optional<ConvolutionPlan> plan = find_plan(problems, shape.dtype, *type);
  if (!plan) return false;
  plan->strict = strict;
  unit.scratch_bytes = plan->scratch_bytes;
  unit.thunk().make = [plan = std::move(*plan)](std::span<const Slice> reads, std::span<const Slice> writes,
                                                const Slice& scratch) {
    return std::make_unique<ConvolutionThunk>(plan, reads[0], reads[1], writes[0], scratch);
  };
  return true;
}

}  // namespace weft::compiler
