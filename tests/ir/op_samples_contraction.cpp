// Samples of dot_general and convolution.
#include <tests/ir/op_samples.h>

#include <weft/ir/ops.h>

namespace weft::ir {

namespace {

using Dims = std::vector<std::int64_t>;

Type type_of(DType dtype, const Dims& sizes) {
  const std::vector<Dim> dims(sizes.begin(), sizes.end());
  return Type(dtype, dims);
}

void dot_general_samples(SampleList& list) {
  struct Case {
    Dims lhs, rhs, lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
  };
  const Case cases[] = {
      {{2, 3}, {3, 4}, {}, {}, {1}, {0}},                      // matrix product
      {{3, 2}, {3, 4}, {}, {}, {0}, {0}},                      // transposed left
      {{2, 3}, {4, 3}, {}, {}, {1}, {1}},                      // transposed right
      {{3, 2}, {4, 3}, {}, {}, {0}, {1}},                      // both
      {{3}, {3}, {}, {}, {0}, {0}},                            // dot product
      {{2}, {3}, {}, {}, {}, {}},                              // outer product
      {{}, {}, {}, {}, {}, {}},                                // product of scalars
      {{2, 3, 4}, {4, 5}, {}, {}, {2}, {0}},                   // a layer over a batch of sequences
      {{2, 3, 4, 5}, {2, 3, 6, 5}, {0, 1}, {0, 1}, {3}, {3}},  // attention scores
      {{2, 3, 4, 6}, {2, 3, 6, 5}, {0, 1}, {0, 1}, {3}, {2}},  // attention output
      {{2, 4, 3, 5}, {6, 2, 5, 3}, {0, 2}, {1, 3}, {3}, {2}},  // batching dimensions out of order
      {{2, 3, 4}, {4, 5, 3}, {}, {}, {1, 2}, {2, 0}},          // two contracting dimensions
      {{4, 2}, {2, 4, 3}, {1, 0}, {0, 1}, {}, {}},             // batching only
      {{2, 0}, {0, 3}, {}, {}, {1}, {0}},                      // a sum of no terms
      {{0, 2}, {2, 3}, {}, {}, {1}, {0}},
      {{1, 1}, {1, 1}, {}, {}, {1}, {0}},
  };
  const auto add = [&](DType dtype, DType result, const Case& c) {
    list.add({type_of(dtype, c.lhs), type_of(dtype, c.rhs)},
             [&](Graph&, std::span<const Value> x) {
               return std::vector{dot_general(
                   x[0], x[1], {c.lhs_batching, c.rhs_batching, c.lhs_contracting, c.rhs_contracting}, result)};
             })
        .name += concat(" to ", result);
  };
  for (const Case& c : cases)
    for (const DType dtype : {DType::f32, DType::f64}) add(dtype, dtype, c);
  for (const DType dtype : members(list.op().domain)) add(dtype, dtype, cases[0]);
  for (const Case& c : {cases[0], cases[2], cases[8]}) add(DType::bf16, DType::f32, c);
  add(DType::f16, DType::f32, cases[0]);
  add(DType::i8, DType::i32, cases[0]);
  add(DType::f32, DType::f32, {{37, 65}, {65, 33}, {}, {}, {1}, {0}});
}

struct Convolution {
  Dims x, kernel;
  Dims strides = {}, padding = {}, lhs_dilation = {}, rhs_dilation = {}, reversal = {};
  std::int64_t feature_groups = 1, batch_groups = 1;
  bool channels_last = false;
};

OpSample& add(SampleList& list, DType dtype, const Convolution& c) {
  return list.add({type_of(dtype, c.x), type_of(dtype, c.kernel)}, [&](Graph&, std::span<const Value> v) {
    const auto spatial = std::ssize(c.x) - 2;
    Dims from_zero, from_one, from_two;
    for (std::int64_t i = 0; i < spatial; ++i) {
      from_zero.push_back(i);
      from_one.push_back(i + 1);
      from_two.push_back(i + 2);
    }
    ConvolutionAttributes a;
    a.input_spatial = a.kernel_spatial = a.output_spatial = from_two;
    if (c.channels_last) {  // input and output b01f, kernel 01io
      a.input_spatial = a.output_spatial = from_one;
      a.input_feature = a.output_feature = spatial + 1;
      a.kernel_spatial = from_zero;
      a.kernel_input_feature = spatial;
      a.kernel_output_feature = spatial + 1;
    }
    a.strides = c.strides;
    a.padding = c.padding;
    a.lhs_dilation = c.lhs_dilation;
    a.rhs_dilation = c.rhs_dilation;
    a.reversal = c.reversal;
    a.feature_groups = c.feature_groups;
    a.batch_groups = c.batch_groups;
    return std::vector{convolution(v[0], v[1], a)};
  });
}

void convolution_samples(SampleList& list) {
  const Convolution cases[] = {
      {.x = {2, 3, 5, 4}, .kernel = {4, 3, 3, 2}},
      {.x = {1, 2, 6}, .kernel = {3, 2, 3}, .strides = {2}, .padding = {1, 1}},
      {.x = {1, 2, 7, 6}, .kernel = {2, 2, 2, 3}, .strides = {2, 3}, .padding = {1, 0, 0, 2}},
      {.x = {1, 2, 6}, .kernel = {2, 2, 3}, .rhs_dilation = {2}},
      {.x = {1, 2, 4}, .kernel = {2, 2, 3}, .padding = {1, 2}, .lhs_dilation = {2}},
      {.x = {1, 1, 5}, .kernel = {1, 1, 3}, .padding = {-1, 0}, .reversal = {1}},
      {.x = {1, 2, 6, 5},
       .kernel = {2, 2, 2, 2},
       .strides = {1, 2},
       .padding = {0, 1, 2, 0},
       .lhs_dilation = {2, 1},
       .rhs_dilation = {1, 2},
       .reversal = {1, 0}},
      {.x = {2, 4, 5}, .kernel = {6, 2, 3}, .padding = {1, 1}, .feature_groups = 2},
      {.x = {1, 3, 5}, .kernel = {6, 1, 2}, .feature_groups = 3},  // depthwise
      {.x = {4, 2, 5}, .kernel = {6, 2, 3}, .strides = {2}, .batch_groups = 2},
      {.x = {2, 5, 4, 3}, .kernel = {3, 2, 3, 2}, .padding = {1, 1, 0, 1}, .channels_last = true},
      {.x = {2, 4, 3, 4},
       .kernel = {6, 2, 3, 2},
       .padding = {1, 2, 0, 1},
       .lhs_dilation = {2, 3},
       .rhs_dilation = {2, 1},
       .reversal = {1, 1},
       .feature_groups = 2},            // transposed, in groups
      {.x = {2, 3}, .kernel = {4, 3}},  // no spatial dimensions
      {.x = {0, 2, 5}, .kernel = {3, 2, 3}},
      {.x = {1, 2, 2}, .kernel = {3, 2, 3}},  // no position for the window
      {.x = {1, 1, 1, 1}, .kernel = {1, 1, 1, 1}},
  };
  const auto add_sample = [&](DType dtype, const Convolution& c) {
    auto& sample = add(list, dtype, c);
    // Groups, and pairs of 16-bit channels, may be computed as one product with zeros between or after them; zero times an
    // infinity or NaN is NaN.
    if (c.feature_groups * c.batch_groups > 1 || byte_size(dtype) == 2)
      sample.inputs[0].edges = sample.inputs[1].edges = false;
  };
  for (const Convolution& c : cases)
    for (const DType dtype : {DType::f32, DType::f64}) add_sample(dtype, c);
  for (const DType dtype : members(list.op().domain)) add_sample(dtype, cases[0]);
}

constexpr SampleEntry contraction_table[] = {
    {&ops::dot_general, dot_general_samples},
    {&ops::convolution, convolution_samples, needs_a_dimension},
};

}  // namespace

constinit const std::span<const SampleEntry> contraction_samples = contraction_table;

}  // namespace weft::ir
