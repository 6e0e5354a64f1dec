// WEFT_DEBUG_NANS names the operation that produced the first NaN or infinity.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/knobs.h>
#include <weft/record/sync.h>
#include <weft/tensor/activation.h>
#include <weft/tensor/creation.h>
#include <weft/tensor/elementwise.h>
#include <weft/tensor/reduction.h>

namespace weft {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class NanCheck : public testing::Test {
 protected:
  static std::string error_of_sync() {
    try {
      sync();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  static std::string line(int n) { return concat("nan_check_test.cpp:", n); }

  knobs::Override<knobs::Switch> on_{knobs::debug_nans, true};
};

TEST_F(NanCheck, NamesTheOperationInsideAFusedKernel) {
  const Tensor x = tensor({1.f, -1.f, 4.f});
  const int at = __LINE__ + 1;
  const Tensor z = exp(log(x) * 2) + 1;
  EXPECT_THAT(error_of_sync(),
              AllOf(HasSubstr("log at "), HasSubstr(line(at)), HasSubstr("NaN: element 1"), HasSubstr("from -1")));
  EXPECT_EQ(z.to_vector<float>()[0], 2) << "the results are there";
}

TEST_F(NanCheck, NamesTheInfinityThatBecameANan) {
  const Tensor x = tensor({0.f, 1.f});
  const int at = __LINE__ + 1;
  const Tensor y = 1 / x;
  const Tensor z = y - y;
  EXPECT_THAT(error_of_sync(), AllOf(HasSubstr("divide at "), HasSubstr(line(at)), HasSubstr("infinity")));
}

TEST_F(NanCheck, LooksIntoComposites) {
  const Tensor x = full({2, 2}, -std::numeric_limits<float>::infinity());
  sync();
  const int at = __LINE__ + 1;
  const Tensor y = softmax(x, -1);
  EXPECT_THAT(error_of_sync(), AllOf(HasSubstr("subtract at "), HasSubstr(line(at))));
}

TEST_F(NanCheck, NamesAnInputThatBroughtIt) {
  const Tensor x = tensor({1.f, std::numeric_limits<float>::quiet_NaN()});
  const Tensor y = x + 1;
  EXPECT_THAT(error_of_sync(), HasSubstr("came in with an input"));
}

TEST_F(NanCheck, IsSilentAboutWhatIsMeantAndWhatGoesNowhere) {
  const Tensor mask = full({2}, -std::numeric_limits<double>::infinity());
  const Tensor masked = where(tensor({1, 0}) > 0, tensor({1.f, 2.f}), mask);
  const Tensor x = tensor({0.f, 4.f});
  const Tensor guarded = where(x > 0, log(x), 0);
  EXPECT_EQ(error_of_sync(), "");
  EXPECT_EQ(guarded.to_vector<float>()[0], 0);
}

TEST_F(NanCheck, KeepsInputsThatWouldBeDonated) {
  Tensor x = tensor({4.f, 1.f});
  sync();
  x = sqrt(x - 2);
  EXPECT_THAT(error_of_sync(), AllOf(HasSubstr("sqrt at"), HasSubstr("from -1")));
  EXPECT_EQ(last_sync().donatable, 0u);
}

TEST_F(NanCheck, WorksWithoutACompiler) {
  const knobs::Override interpreter(knobs::backend, "interpreter");
  const Tensor y = sqrt(tensor({-4.f}));
  EXPECT_THAT(error_of_sync(), HasSubstr("sqrt at"));
}

TEST(NanCheckOff, SaysNothing) {
  const Tensor y = log(tensor({-1.f}));
  EXPECT_NO_THROW(sync());
}

}  // namespace
}  // namespace weft
