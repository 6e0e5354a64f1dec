// Convolutions that oneDNN has: the forward pass, and the two that are gradients of one in StableHLO's form. The gradient of the
// input slides the cotangent, dilated by the stride, under the mirrored kernel; that of the kernel slides a kernel as large as
// the cotangent over the input, with batch and features exchanged.
#include <algorithm>
#include <array>

#include <weft/compiler/thunks/convolution_thunk.h>
#include <weft/compiler/thunks/onednn.h>
#include <weft/runtime/parallel.h>

namespace weft::compiler {

using dnnl::memory;
using onednn::engine;
using runtime::Slice;

namespace {

using Dims = memory::dims;

// A convolution in oneDNN's terms: forward, src * weights = dst; of these the pass computes one from the two others.
enum class Pass : std::uint8_t { forward, backward_data, backward_weights };

struct Problem {
  Pass pass = Pass::forward;
  ConvolutionTensor src, weights, dst;  // weights: output feature, input feature of a group, spatial...
  std::int64_t groups = 1;
  Dims strides = {}, dilations = {}, low = {}, high = {};  // dilations as oneDNN counts them: 0 is dense
};

ConvolutionTensor exchanged(ConvolutionTensor t) {
  std::swap(t.sizes[0], t.sizes[1]);
  std::swap(t.strides[0], t.strides[1]);
  return t;
}

Problem forward_problem(const ConvolutionShape& s) {
  Problem p{.pass = Pass::forward, .src = s.x, .weights = s.kernel, .dst = s.y, .groups = s.feature_groups};
  for (const ir::WindowDim& w : s.window) {
    p.strides.push_back(w.stride);
    p.dilations.push_back(w.dilation - 1);
    p.low.push_back(w.low);
    p.high.push_back(w.high);
  }
  return p;
}

// x is the cotangent of the convolution that maps y to x with the kernel unmirrored. Its kernel is [x features, y features of a
// group], ours [y features, x features of a group].
Problem data_problem(const ConvolutionShape& s) {
  Problem p{
      .pass = Pass::backward_data, .src = s.y, .weights = exchanged(s.kernel), .dst = s.x, .groups = s.feature_groups};
  for (const ir::WindowDim& w : s.window) {
    p.strides.push_back(w.base_dilation);
    p.dilations.push_back(w.dilation - 1);
    p.low.push_back(w.dilated_size() - 1 - w.low);
    p.high.push_back(w.dilated_size() - 1 - w.high);
  }
  return p;
}

// The kernel is the cotangent; what slides in steps of the window's dilation is the result.
Problem weights_problem(const ConvolutionShape& s) {
  Problem p{.pass = Pass::backward_weights,
            .src = exchanged(s.x),
            .weights = exchanged(s.y),
            .dst = exchanged(s.kernel),
            .groups = s.batch_groups};
  for (std::size_t d = 0; d < s.window.size(); ++d) {
    const ir::WindowDim& w = s.window[d];
    p.strides.push_back(w.dilation);
    p.dilations.push_back(w.stride - 1);
    p.low.push_back(w.low);
    p.high.push_back(w.dilated_size() + (s.y.sizes[d + 2] - 1) * w.stride - s.x.sizes[d + 2] - w.low);
  }
  return p;
}

std::optional<Problem> problem_of(const ConvolutionShape& s) {
  const auto all = [&](auto&& holds) { return std::ranges::all_of(s.window, holds); };
  const bool mirrored = all([](const ir::WindowDim& w) { return w.reversed || w.size == 1; });
  const bool unmirrored = all([](const ir::WindowDim& w) { return !w.reversed || w.size == 1; });
  const bool dense = all([](const ir::WindowDim& w) { return w.base_dilation == 1; });
  if (unmirrored && dense) {
    if (s.batch_groups > 1 || s.kernel.spatial_elements() > s.y.spatial_elements()) return weights_problem(s);
    return forward_problem(s);
  }
  if (mirrored && s.batch_groups == 1 && all([](const ir::WindowDim& w) { return w.stride == 1; }))
    return data_problem(s);
  return std::nullopt;
}

// Weights of several groups get a dimension for the group in front. `split` is the dimension that counts the features of all
// groups; `weights` gives that of each group's.
memory::desc weights_desc(const ConvolutionTensor& t, std::int64_t groups, std::size_t split, memory::data_type type) {
  if (groups == 1) return {t.sizes, type, t.strides};
  Dims sizes{groups}, strides{t.sizes[split] / groups * t.strides[split]};
  sizes.insert(sizes.end(), t.sizes.begin(), t.sizes.end());
  strides.insert(strides.end(), t.strides.begin(), t.strides.end());
  sizes[split + 1] /= groups;
  return {sizes, type, strides};
}

// The same tensor in whatever order oneDNN likes best, but features that are innermost stay there: no reorder is needed then.
memory::desc preferred(const memory::desc& given, bool channels_last) {
  return channels_last ? given : memory::desc(given.dims(), given.data_type(), memory::format_tag::any);
}

bool is_channels_last(const ConvolutionTensor& t) { return t.strides[1] == 1 && t.sizes[1] > 1; }

// One of the three tensors of a primitive: as the program holds it, and as the primitive wants it.
struct Port {
  int argument = 0;
  memory::desc given, wanted;
  std::uint64_t scratch_offset = 0;  // of the reordered copy

  bool reordered() const { return given != wanted; }
};

struct Plan {
  dnnl::primitive primitive;
  std::array<Port, 3> ports;  // lhs, rhs, result
  std::array<dnnl::reorder, 3> reorders;
  memory::desc scratchpad;
  std::uint64_t scratchpad_offset = 0, scratch_bytes = 0;
  bool strict = false;
};

dnnl::primitive_attr attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

class Planner {
 public:
  Planner(const Problem& p, memory::data_type type) : p_(p) {
    const std::size_t split = p.pass == Pass::backward_data ? 1 : 0;
    src_ = {p.src.sizes, type, p.src.strides};
    dst_ = {p.dst.sizes, type, p.dst.strides};
    weights_ = weights_desc(p.weights, p.groups, split, type);
    any_src_ = preferred(src_, is_channels_last(p.src));
    any_dst_ = preferred(dst_, is_channels_last(p.dst));
    any_weights_ = preferred(weights_, false);
  }

  // Throws dnnl::error for what oneDNN does not have.
  Plan plan() const {
    const dnnl::convolution_forward::primitive_desc forward(
        {p_.pass == Pass::forward ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training,
         dnnl::algorithm::convolution_direct, any_src_, any_weights_, any_dst_, p_.strides, p_.dilations, p_.low,
         p_.high},
        attributes(), engine());
    switch (p_.pass) {
      case Pass::forward:
        return finished(
            dnnl::convolution_forward(forward), forward.scratchpad_desc(),
            {Port{DNNL_ARG_SRC, src_, forward.src_desc()}, Port{DNNL_ARG_WEIGHTS, weights_, forward.weights_desc()},
             Port{DNNL_ARG_DST, dst_, forward.dst_desc()}});
      case Pass::backward_data: {
        const dnnl::convolution_backward_data::primitive_desc data(
            {dnnl::algorithm::convolution_direct, any_src_, any_weights_, any_dst_, p_.strides, p_.dilations, p_.low,
             p_.high},
            attributes(), engine(), forward);
        return finished(
            dnnl::convolution_backward_data(data), data.scratchpad_desc(),
            {Port{DNNL_ARG_DIFF_DST, dst_, data.diff_dst_desc()}, Port{DNNL_ARG_WEIGHTS, weights_, data.weights_desc()},
             Port{DNNL_ARG_DIFF_SRC, src_, data.diff_src_desc()}});
      }
      case Pass::backward_weights: {
        const dnnl::convolution_backward_weights::primitive_desc weights(
            {dnnl::algorithm::convolution_direct, any_src_, any_weights_, any_dst_, p_.strides, p_.dilations, p_.low,
             p_.high},
            attributes(), engine(), forward);
        return finished(
            dnnl::convolution_backward_weights(weights), weights.scratchpad_desc(),
            {Port{DNNL_ARG_SRC, src_, weights.src_desc()}, Port{DNNL_ARG_DIFF_DST, dst_, weights.diff_dst_desc()},
             Port{DNNL_ARG_DIFF_WEIGHTS, weights_, weights.diff_weights_desc()}});
      }
    }
    WEFT_ASSERT(false, "an unknown pass of a convolution");
    __builtin_unreachable();
  }

 private:
  static Plan finished(dnnl::primitive primitive, memory::desc scratchpad, std::array<Port, 3> ports) {
    Plan plan;
    plan.primitive = std::move(primitive);
    plan.scratchpad = std::move(scratchpad);
    const auto take = [&](std::uint64_t bytes) {
      const std::uint64_t offset = plan.scratch_bytes;
      plan.scratch_bytes += (bytes + 63) / 64 * 64;
      return offset;
    };
    for (std::size_t i = 0; i < ports.size(); ++i) {
      Port& port = ports[i];
      if (!port.reordered()) continue;
      port.scratch_offset = take(port.wanted.get_size());
      const bool result = i == 2;
      plan.reorders[i] = dnnl::reorder(dnnl::reorder::primitive_desc(engine(), result ? port.wanted : port.given,
                                                                     engine(), result ? port.given : port.wanted));
    }
    plan.scratchpad_offset = take(plan.scratchpad.get_size());
    plan.ports = std::move(ports);
    return plan;
  }

  const Problem& p_;
  memory::desc src_, weights_, dst_, any_src_, any_weights_, any_dst_;
};

class ConvolutionThunk final : public runtime::Thunk {
 public:
  ConvolutionThunk(const Plan& plan, const Slice& lhs, const Slice& rhs, const Slice& result, const Slice& scratch)
      : slices_{lhs, rhs, result, scratch}, strict_(plan.strict) {
    const auto given = [&](std::size_t i) { return Place{i, 0}; };
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
    // How oneDNN cuts sums depends on its threads.
    std::optional<runtime::SingleThread> single;
    if (strict_) single.emplace();
    std::array<std::byte*, 4> addresses{};
    for (const auto& step : steps_) {
      for (std::size_t i = 0; i < step->places.size(); ++i) {
        const Place& place = step->places[i];
        addresses[i] = slices_[place.slice].bytes ? launch.at(slices_[place.slice]) + place.offset : nullptr;
      }
      step->call.run(std::span(addresses).first(step->places.size()));
    }
  }

 private:
  using Arguments = std::vector<onednn::Call::Argument>;
  static constexpr std::size_t scratch_slice = 3;

  struct Place {
    std::size_t slice;
    std::uint64_t offset;
  };
  // A reorder, or the convolution itself.
  struct Step {
    Step(const dnnl::primitive& primitive, Arguments arguments, std::vector<Place> at)
        : call(primitive, std::move(arguments)), places(std::move(at)) {}
    onednn::Call call;
    std::vector<Place> places;
  };

  std::array<Slice, 4> slices_;  // lhs, rhs, result, scratch
  std::vector<std::unique_ptr<Step>> steps_;
  bool strict_;
};

}  // namespace

bool convolve_with_onednn(Unit& unit, const ConvolutionShape& shape, bool strict) {
  const auto type = onednn::data_type(shape.dtype);
  if (!type || shape.result != shape.dtype || shape.window.empty() || shape.window.size() > 3) return false;
  for (const ConvolutionTensor* t : {&shape.x, &shape.kernel, &shape.y})
    if (std::ranges::find(t->sizes, 0) != t->sizes.end()) return false;
  const auto problem = problem_of(shape);
  if (!problem) return false;
  try {
    std::optional<runtime::SingleThread> single;
    if (strict) {
      single.emplace();
    } else {
      runtime::adopt_thread_count();
    }
    Plan plan = Planner(*problem, *type).plan();
    plan.strict = strict;
    unit.scratch_bytes = plan.scratch_bytes;
    unit.make = [plan](std::span<const Slice> reads, std::span<const Slice> writes, const Slice& scratch) {
      return std::make_unique<ConvolutionThunk>(plan, reads[0], reads[1], writes[0], scratch);
    };
  } catch (const dnnl::error&) {
    return false;  // odd padding or sizes
  }
  return true;
}

}  // namespace weft::compiler
