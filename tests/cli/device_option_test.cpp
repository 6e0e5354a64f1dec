// --device of the commands that run programs: names that are no device, and a GPU that is not there.
#include <cstdlib>
#include <fstream>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::cli {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

void without_driver() { ::setenv("WEFT_CUDA_DRIVER", "", 1); }

class DeviceOption : public testing::Test {
 protected:
  DeviceOption() {
    std::ofstream(folder_ / "p.mlir") << "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                                         "  return %x : tensor<4xf32>\n}\n";
  }

  std::vector<std::string> run(std::vector<std::string> options) const {
    std::vector<std::string> arguments = {"run", (folder_ / "p.mlir").string(), "--random", "1"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return arguments;
  }
  static void expect_error(const std::vector<std::string>& arguments, int exit_code, const std::string& message) {
    const Outcome outcome = weft(arguments, without_driver);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, MatchesRegex("error: [^\n]+\n"));
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }

  TemporaryFolder folder_;
};

constexpr const char* no_gpu =
    "a GPU cannot be used: WEFT_CUDA_DRIVER is empty, so that GPUs are not used; to run on the CPU, use --device cpu, "
    "or WEFT_DEVICE=cpu";

TEST_F(DeviceOption, NamesADevice) {
  expect_error(run({"--device", "gpu"}), 2,
               "--device: 'gpu' is not a device: use cpu, cuda, or cuda:N for GPU number N");
  EXPECT_EQ(weft(run({"--device", "cpu"}), without_driver).exit_code, 0);
}

TEST_F(DeviceOption, AMissingGpuIsToldBeforeAnythingRuns) {
  expect_error(run({"--device", "cuda"}), 1, no_gpu);
  expect_error({"train", "text", "--file", "/nowhere", "--device", "cuda:1"}, 1, no_gpu);
  expect_error({"lab", "recompile", "--device", "cuda"}, 1, no_gpu);
  std::vector<std::string> profiled = {"profile", "--output", (folder_ / "profile").string(), "--device", "cuda", "--"};
  for (const std::string& word : run({})) profiled.push_back(word);
  expect_error(profiled, 1, no_gpu);
}

TEST_F(DeviceOption, TheCommandUnderAProfileMayChooseToo) {
  std::vector<std::string> profiled = {"profile", "--output", (folder_ / "profile").string(), "--device", "cpu", "--"};
  for (const std::string& word : run({"--device", "cuda"})) profiled.push_back(word);
  EXPECT_THAT(weft(profiled, without_driver).err, HasSubstr(no_gpu));
}

TEST_F(DeviceOption, AMeshOfDevicesIsOfCpus) {
  const Outcome outcome = weft(run({"--devices", "2"}), [] { ::setenv("WEFT_DEVICE", "cuda", 1); });
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--devices divides a program among the CPUs: use it with --device cpu"));
}

TEST_F(DeviceOption, RandomGraphsWithoutTheirGpuAreOneError) {
  expect_error({"fuzz", "--graphs", "300", "--device", "cuda"}, 1, no_gpu);
}

}  // namespace
}  // namespace weft::cli
