// Models that bench/peers/stablehlo/export.py exported (--size tiny) with JAX's results: `weft run` gives the same
// results, compiled and interpreted, within the exported tolerances.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/data/npy.h>

namespace weft::cli {
namespace {

const std::filesystem::path models = "tests/cli/jax/inputs";

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(models)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

void expect_close(const ir::Array& ours, const ir::Array& jax, double absolute, double relative) {
  ASSERT_EQ(ours.type(), jax.type());
  for (std::int64_t i = 0; i < jax.size(); ++i) {
    const double a = ours.element(i), b = jax.element(i);
    if (std::isnan(a) && std::isnan(b)) continue;
    ASSERT_LE(std::abs(a - b), absolute + relative * std::abs(b)) << a << " for " << b << " at " << i;
  }
}

class JaxModel : public testing::TestWithParam<std::string> {
 protected:
  void run(std::vector<std::string> flags) {
    const TemporaryFolder out;
    const std::filesystem::path folder = models / GetParam();
    std::vector<std::string> arguments = {
        "run", folder / "program.mlir", "--input", folder / "inputs.npz", "--output", out.path()};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = weft(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::vector<data::NpyArray> expected = data::read_npz(folder / "results.npz");
    const auto tolerances = nlohmann::json::parse(std::ifstream(folder / "tolerances.json"));
    ASSERT_EQ(tolerances.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE(concat("result ", i));
      const data::NpyArray ours = data::read_npy_parts(out.path() / concat("result", i, ".npy"));
      ASSERT_EQ(ours.imaginary.has_value(), expected[i].imaginary.has_value());
      expect_close(ours.array, expected[i].array, tolerances[i][0], tolerances[i][1]);
      if (ours.imaginary) expect_close(*ours.imaginary, *expected[i].imaginary, tolerances[i][0], tolerances[i][1]);
    }
  }
};

TEST_P(JaxModel, Compiled) { run({}); }
TEST_P(JaxModel, Interpreted) { run({"--interpret"}); }

INSTANTIATE_TEST_SUITE_P(Exported, JaxModel, testing::ValuesIn(model_names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace weft::cli
