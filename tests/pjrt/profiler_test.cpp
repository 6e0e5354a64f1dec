// What the plugin records for JAX's profiler, and what it tells of programs that waste time.
#include <cstdint>
#include <string>
#include <tests/pjrt/plugin_client.h>
#include <vector>

#include <gmock/gmock.h>

#include <weft/base/diagnostics.h>

namespace weft::test {

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The layout is part of the interface (XLA's profiler_c_api.h).
struct ErrorMessage {
  std::size_t struct_size;
  void* priv;
  void* error;
  const char* message;
  std::size_t message_size;
};
struct OfProfiler {
  std::size_t struct_size;
  void* profiler;
  std::uint8_t* buffer;
  std::size_t buffer_size;
};
struct CreateProfiler {
  std::size_t struct_size;
  const char* options;
  std::size_t options_size;
  void* profiler;
};
struct ProfilerFunctions {
  std::size_t struct_size;
  void* priv;
  void (*error_destroy)(ErrorMessage*);
  void (*error_message)(ErrorMessage*);
  void* (*error_get_code)(ErrorMessage*);
  void* (*create)(CreateProfiler*);
  void* (*destroy)(OfProfiler*), *(*start)(OfProfiler*), *(*stop)(OfProfiler*), *(*collect_data)(OfProfiler*);
};
struct ProfilerExtension {
  PJRT_Extension_Base base;
  ProfilerFunctions* functions;
};

const ProfilerFunctions& profiler_functions() {
  const PJRT_Extension_Base* at = api().extension_start;
  while (at && at->type != PJRT_Extension_Type_Profiler) at = at->next;
  if (!at) throw std::runtime_error("there is no profiler extension");
  return *reinterpret_cast<const ProfilerExtension*>(at)->functions;
}

std::string message_of(void* error) {
  if (!error) return {};
  ErrorMessage args{sizeof args, nullptr, error, nullptr, 0};
  profiler_functions().error_message(&args);
  std::string text(args.message, args.message_size);
  profiler_functions().error_destroy(&args);
  return text;
}

// A program with this name, and perhaps a third argument.
std::string module_named(const std::string& name, const std::string& third = "") {
  return "module @" + name + R"( { func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x256xf32>)" + third +
         R"() -> tensor<256x256xf32> {
  %0 = stablehlo.add %x, %y : tensor<256x256xf32> loc("train.py":7:0)
  return %0 : tensor<256x256xf32>
} })";
}

PJRT_Buffer* square(const std::vector<float>& numbers) {
  return array_of(std::span(numbers), PJRT_Buffer_Type_F32, {256, 256});
}

TEST(Profiler, CollectsWhatRan) {
  const ProfilerFunctions& functions = profiler_functions();
  CreateProfiler create{sizeof create, nullptr, 0, nullptr};
  ASSERT_EQ(functions.create(&create), nullptr);
  OfProfiler args{sizeof args, create.profiler, nullptr, 0};
  EXPECT_THAT(message_of(functions.collect_data(&args)), HasSubstr("no profile has been started"));
  EXPECT_EQ(message_of(functions.start(&args)), "");
  EXPECT_THAT(message_of(functions.collect_data(&args)), HasSubstr("the profile has not been stopped"));
  PJRT_LoadedExecutable* program = compile(module_named("jit_profiled"));
  const std::vector<float> ones(256 * 256, 1);
  PJRT_Buffer* x = square(ones);
  PJRT_Buffer* y = execute(program, {x, x});
  numbers<float>(y);
  EXPECT_EQ(message_of(functions.stop(&args)), "");
  ASSERT_EQ(message_of(functions.collect_data(&args)), "");
  const std::string space(reinterpret_cast<const char*>(args.buffer), args.buffer_size);
  EXPECT_THAT(space, HasSubstr("/device:TPU:0"));
  EXPECT_THAT(space, HasSubstr("train.py"));
  std::vector<std::uint8_t> copy(space.size());
  args.buffer = copy.data();
  ASSERT_EQ(message_of(functions.collect_data(&args)), "");
  EXPECT_EQ(std::string(copy.begin(), copy.end()), space);
  EXPECT_EQ(functions.destroy(&args), nullptr);
  for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
  destroy(program);
}

TEST(Advice, NamesRecompilesMissedDonationsAndRepeatedCopies) {
  std::vector<std::string> told;
  const diagnostics::Sink sink([&](const diagnostics::Event& event) {
    told.push_back(
        concat(diagnostics::name(event.kind), " of ", event.subject, " at ", event.place, ": ", event.reason));
  });
  PJRT_LoadedExecutable* program = compile(module_named("jit_larger"));
  const std::vector<float> ones(256 * 256, 1);
  PJRT_Buffer* x = square(ones);
  for (int call = 0; call < 8; ++call) {
    PJRT_Buffer* const y = square(ones);
    PJRT_Buffer* const next = execute(program, {x, y});
    for (PJRT_Buffer* buffer : {x, y}) destroy(buffer);
    x = next;
  }
  destroy(x);
  destroy(program);
  destroy(compile(module_named("jit_larger", ", %z: tensor<f32>")));
  EXPECT_THAT(told,
              testing::IsSupersetOf({
                  "missed_donation of jit_larger at train.py:7: argument 0 (tensor<256x256xf32>) is result 0 of the "
                  "call before, and is not donated, so both are in memory",
                  "repeated_upload of jit_larger at train.py:7: argument 1 (tensor<256x256xf32>) is the same array of "
                  "the host in every call",
              }));
  EXPECT_THAT(told.back(),
              testing::MatchesRegex("recompile of jit_larger at train.py:7: compiled for the [0-9]+.. time: with "
                                    "3 arguments, before with 2"));
  EXPECT_EQ(told.size(), 3U);
}

}  // namespace
}  // namespace weft::test
