// A host function inside a compiled step: operations that do not need its result do not wait for it.
#include <algorithm>
#include <future>
#include <vector>

#include "tests/jit/compile.h"
#include "tests/tensor/check.h"

namespace weft {
namespace {

using test::arbitrary;

TEST(HostOverlap, LaterStepsRunBesideAFunctionOfTheHost) {
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  const CustomOp tell =
      custom_op("host_overlap.tell", {.compute = [gone](const HostCall& call) {
                  gone.wait();  // forever, if the third step waited for the first one's function
                  std::ranges::copy(call.inputs[0].data<double>(), call.outputs[0].data<double>().begin());
                }});
  Tensor state = arbitrary({4, 4});
  const std::vector<double> before = state.to_vector<double>();
  auto step = compile([&](const Tensor& x) {
    const Tensor next = x + 1;
    return std::vector<Tensor>{next, tell(sum(x))};
  });
  std::vector<Tensor> told;
  for (int i = 0; i < 3; ++i) {
    const std::vector<Tensor> results = step(state);
    state = results[0];
    told.push_back(results[1]);
  }
  const std::vector<double> after = state.to_vector<double>();
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i], before[i] + 3);
  go.set_value();
  for (std::size_t i = 1; i < told.size(); ++i) EXPECT_NEAR(told[i].item(), told[i - 1].item() + 16, 1e-9);
}

// Memory that the function reads is not reused by later operations of the step.
TEST(HostOverlap, TheRestOfTheStepRunsBesideAFunctionOfTheHost) {
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  const CustomOp tell =
      custom_op("host_overlap.tell_loss", {.compute = [gone](const HostCall& call) {
                  gone.wait();  // forever, if the gradient waited for it
                  std::ranges::copy(call.inputs[0].data<float>(), call.outputs[0].data<float>().begin());
                }});
  const Tensor weights = arbitrary({96, 96}).to(DType::f32) * 0.01;
  auto step = compile([&](const Tensor& x) {
    const Tensor first = matmul(x, weights), told = tell(first);
    const Tensor second = matmul(first, weights), third = matmul(second, weights);
    return std::vector<Tensor>{matmul(third, weights), told};
  });
  const std::vector<Tensor> results = step(weights);
  const std::vector<float> rest = results[0].to_vector<float>();
  go.set_value();
  EXPECT_EQ(rest.size(), results[1].to_vector<float>().size());
}

}  // namespace
}  // namespace weft
