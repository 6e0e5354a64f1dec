// Which convolutions become which pass of oneDNN's convolution.
#include <weft/compiler/library/convolution_problem.h>

#include <gtest/gtest.h>

#include <weft/compiler/library/reversed_copy.h>
#include <weft/ir/builder.h>
#include <weft/ir/graph.h>

namespace weft::compiler {
namespace {

struct Form {
  std::vector<Dim> x, kernel;
  std::vector<std::int64_t> strides = {}, padding = {}, base_dilation = {}, dilation = {}, reversal = {};
};

std::vector<ConvolutionProblem> problems_of(const Form& form) {
  const auto graph = ir::make_graph(std::vector{Type(DType::f32, form.x), Type(DType::f32, form.kernel)},
                                    [&](ir::Graph&, std::span<const ir::Value> in) {
                                      ir::ConvolutionAttributes a;
                                      const std::vector<std::int64_t> spatial{2, 3};
                                      a.input_spatial = a.kernel_spatial = a.output_spatial = spatial;
                                      a.strides = form.strides;
                                      a.padding = form.padding;
                                      a.lhs_dilation = form.base_dilation;
                                      a.rhs_dilation = form.dilation;
                                      a.reversal = form.reversal;
                                      return std::vector{ir::convolution(in[0], in[1], a)};
                                    });
  return convolution_problems(convolution_shape(*graph->outputs()[0].node));
}

TEST(ConvolutionProblem, OfAKernelAsGivenIsTheForwardPass) {
  const auto problems = problems_of({.x = {2, 4, 9, 9}, .kernel = {6, 4, 3, 3}, .padding = {1, 1, 1, 1}});
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].pass, ConvolutionPass::forward);
  EXPECT_TRUE(problems[0].reversed.empty());
}

// The form in which weft and JAX write the gradient of the input of a convolution with stride 2.
TEST(ConvolutionProblem, OverHolesIsTheGradientOfTheInput) {
  Form form{
      .x = {2, 6, 5, 5}, .kernel = {4, 6, 3, 3}, .padding = {1, 2, 1, 2}, .base_dilation = {2, 2}, .reversal = {1, 1}};
  const auto reversed = problems_of(form);
  ASSERT_FALSE(reversed.empty());
  EXPECT_EQ(reversed[0].pass, ConvolutionPass::backward_data);
  EXPECT_TRUE(reversed[0].reversed.empty());
  EXPECT_EQ(reversed[0].strides, (std::vector<std::int64_t>{2, 2}));
  form.reversal = {};
  const auto as_given = problems_of(form);
  ASSERT_FALSE(as_given.empty());
  EXPECT_EQ(as_given[0].pass, ConvolutionPass::backward_data);
  EXPECT_EQ(as_given[0].reversed, (std::vector{true, true}));
}

TEST(ConvolutionProblem, OfALargeKernelIsTheGradientOfTheKernel) {
  const auto problems = problems_of({.x = {4, 2, 9, 9}, .kernel = {6, 2, 9, 9}, .padding = {1, 1, 1, 1}});
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].pass, ConvolutionPass::backward_weights);
}

// The gradient of a transposed convolution's kernel: input and cotangent change places.
TEST(ConvolutionProblem, OfALargeKernelOverHolesIsOneToo) {
  const auto problems =
      problems_of({.x = {4, 2, 8, 8}, .kernel = {6, 2, 16, 16}, .padding = {1, 2, 1, 2}, .base_dilation = {2, 2}});
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].pass, ConvolutionPass::backward_weights);
  EXPECT_EQ(problems[0].roles, (std::array{2, 0, 1}));
  EXPECT_EQ(problems[0].src.sizes, (std::vector<std::int64_t>{2, 6, 16, 16}));
  EXPECT_EQ(problems[0].reversed, (std::vector{true, true}));
}

TEST(ReversedCopy, ReversesTheDimensionsItIsTold) {
  const std::vector<std::int32_t> x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::vector<std::int32_t> y(x.size());
  // the memory layout is 3 x 2 x 2, with the first dimension innermost
  const std::vector<std::int64_t> sizes{2, 3, 2}, strides{1, 4, 2};
  const auto reversed_copy = [&](const std::vector<bool>& reversed) {
    ReversedCopy(sizes, strides, reversed, 4)
        .run(reinterpret_cast<const std::byte*>(x.data()), reinterpret_cast<std::byte*>(y.data()));
    return y;
  };
  EXPECT_EQ(reversed_copy({false, false, false}), x);
  EXPECT_EQ(reversed_copy({false, true, false}), (std::vector<std::int32_t>{8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3}));
  EXPECT_EQ(reversed_copy({true, false, true}), (std::vector<std::int32_t>{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}));
}

}  // namespace
}  // namespace weft::compiler
