// For which program a thunk ran, and to which launch of which device it belonged.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/temporary_folder.h>
#include <weft/profile/analysis.h>
#include <weft/profile/recording.h>
#include <weft/profile/scope.h>
#include <weft/runtime/cpu/cpu_device.h>
#include <weft/weft.h>

namespace weft::profile {
namespace {

TEST(Recording, AThunkIsOfTheProgramThatRanHoweverLongItsLaunchTakes) {
  static const CustomOp slow =
      custom_op("profile_test.slow", {.compute = [](const HostCall& call) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(250));
                  std::ranges::copy(call.inputs[0].data<float>(), call.outputs[0].data<float>().begin());
                }});
  clear_graph_cache();
  // The first operations do not depend on the size, so both programs share them.
  const Tensor w = full({64}, 0.01), four = ones({4}), five = ones({5});
  synchronize();
  const auto f = compile([&](const Tensor& x) { return slow(x, tanh(w)); }, {.dynamic = Dynamic::on, .name = "f"});
  const TemporaryFolder folder;
  {
    const Scope scope(folder.path());
    for (const Tensor& x : {four, five, four}) f(x);
    synchronize();
  }
  const Recording recording = read_recording(folder.path());
  std::map<std::uint64_t, std::int32_t> launched;
  for (const Span& span : recording.spans)
    if (recording.category(span) == "device") launched[span.number] = span.program;
  EXPECT_THAT(launched, testing::SizeIs(3));
  int thunks = 0;
  for (const Span& span : recording.spans) {
    if (span.op < 0) continue;
    ++thunks;
    EXPECT_EQ(span.program, launched.at(span.number));
  }
  EXPECT_EQ(thunks, 6);
}

TEST(Recording, LaunchesOfSeveralDevicesAreToldApart) {
  clear_graph_cache();
  const TemporaryFolder folder;
  {
    const Scope scope(folder.path());
    runtime::Device& here = device();
    for (const char* name : {"first", "second"}) {
      runtime::CpuDevice other;
      set_device(other);
      const auto f = compile([&](const Tensor& x) { return name[0] == 'f' ? tanh(x) : exp(x); }, {.name = name});
      const Tensor x = ones({8});
      sync();
      f(x);
      synchronize();
      set_device(here);
    }
  }
  const Recording recording = read_recording(folder.path());
  std::set<std::uint64_t> launches;
  std::map<std::string, std::uint64_t> total;
  for (const Span& span : recording.spans) {
    if (recording.category(span) != "device") continue;
    EXPECT_TRUE(launches.insert(span.number).second) << span.number;
  }
  for (const OpStats& op : analyse(recording).ops)
    if (op.op >= 0) total[op.program_name] += op.occurrences;
  EXPECT_EQ(total["first"], 1u);
  EXPECT_EQ(total["second"], 1u);
}

}  // namespace
}  // namespace weft::profile
