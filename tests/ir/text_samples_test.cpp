// Checks that the samples of every op survive printing and parsing.
#include <tests/ir/op_samples.h>

#include <gtest/gtest.h>

#include <weft/ir/ops.h>
#include <weft/ir/text/text.h>

namespace weft::ir {
namespace {

class TextSamples : public ::testing::TestWithParam<const Op*> {};

TEST_P(TextSamples, RoundTrip) {
  for (const OpSample& sample : samples(*GetParam())) {
    SCOPED_TRACE(sample.name);
    for (const bool locations : {false, true}) {
      const std::string text = print(*sample.graph, {locations});
      EXPECT_TRUE(structurally_equal(*parse(text), *sample.graph)) << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, TextSamples, ::testing::ValuesIn(ops::table),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace weft::ir
