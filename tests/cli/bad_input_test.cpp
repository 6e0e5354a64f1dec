// Files and options that weft cannot use: exit code 1 for problems outside the command line, 2 for wrong usage, and one
// line on the error stream that names the culprit.
#include <filesystem>
#include <fstream>
#include <random>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <weft/base/error.h>

namespace weft::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void expect_refused(const Outcome& outcome, int exit_code, const testing::Matcher<const std::string&>& message,
                    const std::string& of) {
  EXPECT_EQ(outcome.exit_code, exit_code) << of << outcome.err;
  EXPECT_EQ(outcome.out, "") << of;
  EXPECT_THAT(outcome.err, testing::MatchesRegex("error: [^\n]+\n")) << of;
  EXPECT_THAT(outcome.err, message) << of;
  EXPECT_LT(outcome.err.size(), 500u) << of;
}

TEST(BadInput, FilesThatAreNoText) {
  const TemporaryFolder folder;
  const auto check = [&](const std::filesystem::path& file, const char* reason) {
    expect_refused(weft(train_tiny(file)), 1, AllOf(HasSubstr(file.string()), HasSubstr(reason)), file);
  };
  std::ofstream(folder / "empty").close();
  write_text(folder / "short", 169);
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0666), 0);
  check(folder / "missing", "No such file");
  check(folder / "empty", "it is empty");
  check(folder / "short", "169 bytes, a context of 16 needs at least 170");
  check(folder / "fifo", "not a regular file");
  check(folder.path(), "is a folder");
  check("/dev/zero", "not a regular file");
}

TEST(BadInput, MeshesThatDoNotFit) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  const auto check = [&](std::vector<std::string> flags, int exit_code, const char* message) {
    expect_refused(weft(train_tiny(text, flags)), exit_code, HasSubstr(message), testing::PrintToString(flags));
  };
  check({"--mesh", "data"}, 2, "--mesh: 'data' is not an axis");
  check({"--mesh", "data=0"}, 2, "--mesh: 'data=0' is not an axis");
  check({"--mesh", "rows=2"}, 2, "--mesh: the axes are data and model, not rows");
  check({"--mesh", "data=2,data=2"}, 2, "two axes are named 'data'");
  check({"--batch", "8", "--mesh", "data=3"}, 2,
        "8 rows do not divide among the 3 devices of the axis data; 6 and 9 rows do");
  check({"--zero", "1"}, 2, "name a mesh with it, such as data=4");
  check({"--mesh", "model=2", "--zero", "1"}, 2,
        "--zero 1 divides the training state along the axis data, which the mesh lacks");
  check({"--mesh", "model=3"}, 1, "the nearest sizes that do are 15 and 18");
}

TEST(BadInput, FileWithoutPermissions) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  std::filesystem::permissions(text, std::filesystem::perms(0));
  expect_refused(weft(train_tiny(text), bound_by_permissions), 1,
                 AllOf(HasSubstr(text.string()), HasSubstr("Permission denied")), text);
}

TEST(BadInput, BytesOfAnyKindAreAText) {
  const TemporaryFolder folder;
  std::ofstream file(folder / "binary", std::ios::binary);
  std::mt19937 random(1);
  for (int i = 0; i < 10'000; ++i) file.put(static_cast<char>(random()));
  file.close();
  const Outcome outcome = weft(train_tiny(folder / "binary", {"--steps", "2", "--sample", "4"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("trained to step 2"));
  const Outcome shortest = weft(train_tiny(write_text(folder / "short", 170), {"--steps", "1"}));
  EXPECT_EQ(shortest.exit_code, 0) << shortest.err;
}

// Each error has file, line and column; no program needs more memory than its text justifies.
TEST(BadInput, Programs) {
  const std::string head = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n",
                    end = "  return %a : tensor<4xf32>\n}\n";
  const auto repeated = [](std::string_view piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
  };
  const auto calling = [](std::string_view name, std::string_view callee) {
    return concat("func.func @", name, "(%a: tensor<f32>) -> tensor<f32> {\n  %0 = func.call @", callee,
                  "(%a) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>\n}\n");
  };
  std::string twofold;  // 2^40 additions if all calls were inlined
  for (int i = 0; i < 40; ++i)
    twofold += concat("func.func private @f", i, "(%a: tensor<f32>) -> tensor<f32> {\n  %0 = func.call @f", i + 1,
                      "(%a) : (tensor<f32>) -> tensor<f32>\n  %1 = func.call @f", i + 1,
                      "(%0) : (tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}\n");
  twofold +=
      "func.func private @f40(%a: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.add %a, %a : tensor<f32>\n"
      "  return %0 : tensor<f32>\n}\n" +
      calling("main", "f0");
  const std::pair<std::string, const char*> programs[] = {
      {head + "  %0 = stablehlo.add %a, ", ":2:26: stablehlo.add: expected"},
      {head + "  %0 = stablehlo.add\xff %a, %a : tensor<4xf32>\n" + end, ":2:21: unexpected character"},
      {head + "  return %b : tensor<4xf32>\n}\n", ":2:10: func.func @main: %b is not defined"},
      {head + "  return %a : tensor<5xf32>\n}\n", ":2:10: func.return: %a is tensor<4xf32>, not tensor<5xf32>"},
      {"func.func @f() { return }\nfunc.func @f() { return }\n", ":2:1: func.func @f: defined twice"},
      {calling("main", "main"), ":1:1: func.func @main: calls itself"},
      {calling("main", "g") + calling("g", "main"), ":1:1: func.func @main: calls itself"},
      {calling("main", "g"), ":2:8: func.call: there is no function @g"},
      {head + "  %0 = stablehlo.popcnt %a : tensor<4xf32>\n" + end, ":2:8: stablehlo.popcnt: is not defined for f32"},
      {head + "  %0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<5xf32>\n" + end,
       ":2:8: stablehlo.reshape: cannot produce"},
      {head + "  %0 = stablehlo.constant dense<1.0> : tensor<1152921504606846976xf32>\n" + end,
       ":2:47: stablehlo.constant: a dimension has at most"},
      {head + "  %0 = stablehlo.constant dense<[" + repeated("1.0,", 300'000) + "1.0]> : tensor<4xf32>\n" + end, ":2:"},
      {head + "  %0 = stablehlo.constant dense<\"0x" + repeated("00", 1'000'000) + "\"> : tensor<4xf32>\n" + end,
       ":2:33: expected 16 bytes for tensor<4xf32>, got 1000000"},
      {head + "  %p = stablehlo.constant dense<true> : tensor<i1>\n" + repeated("\"stablehlo.if\"(%p) ({ ", 10'000),
       "stablehlo.if: nested more than 256 deep"},
      {twofold, "func.call: more than 1000000 operations, calls included"},
  };
  const TemporaryFolder folder;
  const auto file = folder / "program.mlir";
  for (const auto& [text, message] : programs) {
    std::ofstream(file, std::ios::binary) << text;
    expect_refused(weft({"run", file.string(), "--random", "1"}), 1,
                   AllOf(HasSubstr(file.string()), HasSubstr(message)), text.substr(0, 200));
  }
}

TEST(BadInput, WrongUse) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  const auto check = [&](std::vector<std::string> arguments, const char* message) {
    expect_refused(weft(arguments), 2, HasSubstr(message), testing::PrintToString(arguments));
  };
  check({}, "weft needs a command; `weft --help`");
  check({"frob"}, "unknown command frob; `weft --help`");
  check({"train"}, "weft train needs a command");
  check({"train", "vision"}, "unknown command vision");
  check({"--frob"}, "unknown option --frob");
  check({"train", "text"}, "--file is required");
  check(train_tiny(text, {"--frob", "3"}), "unknown option --frob; `weft train text --help`");
  check(train_tiny(text, {"more"}), "unexpected argument more");
  check(train_tiny(text, {"--steps"}), "--steps");
  check({"train", "text", "--file", text, "--config", "huge"}, "--config: huge not in {default,tiny,small,gpt2}");
  check(train_tiny(text, {"--dtype", "f16"}), "--dtype must be f32, f64 or bf16, got f16");
  check(train_tiny(text, {"--width", "10", "--heads", "3"}), "--heads must divide the width, got 3 heads and width 10");
  check(train_tiny(text, {"--job", "x"}), "--job does not go together with --file");
  check(train_tiny(text, {"--write-job", "x", "--save", "y"}), "--write-job does not go together with --save");
}

TEST(BadInput, NumbersThatAreNone) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  const auto check = [&](const std::string& flag, std::initializer_list<const char*> values) {
    for (const char* value : values)
      expect_refused(weft(train_tiny(text, {flag, value})), 2, HasSubstr("error: " + flag + " must "),
                     flag + " " + value);
  };
  for (const char* flag : {"--layers", "--width", "--heads", "--context", "--batch", "--decay-steps", "--steps",
                           "--threads", "--save-every", "--val-every", "--log-every"})
    check(flag, {"", "0", "-1", "abc", "1.5", "2x", "1e30", "9223372036854775808"});
  for (const char* flag : {"--layers", "--width", "--heads", "--context", "--batch"}) check(flag, {"16777217"});
  for (const char* flag : {"--warmup", "--seed", "--sample", "--top-k"})
    check(flag, {"", "-1", "abc", "0.5", "18446744073709551616"});
  for (const char* flag : {"--lr", "--eps", "--minutes"}) check(flag, {"", "0", "-1", "abc", "nan", "inf", "1e999"});
  for (const char* flag : {"--dropout", "--beta1", "--beta2"}) check(flag, {"", "-0.1", "1", "abc", "nan", "inf"});
  for (const char* flag : {"--weight-decay", "--clip", "--temperature"}) check(flag, {"", "-1", "abc", "nan", "inf"});
  for (const char* flag : {"--save", "--resume", "--dtype"}) check(flag, {""});
}

TEST(BadInput, MemoryThatCannotSuffice) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text", 200'000);
  const auto with = [](const char* bytes) { return [bytes] { ::setenv("WEFT_MEMORY_BYTES", bytes, 1); }; };
  const auto message =
      AllOf(HasSubstr("not enough memory"), HasSubstr("; lower --batch, --context, --width or --layers"));
  // The first two are detected without planning, the others from the plan of the step.
  expect_refused(weft(train_tiny(text, {"--width", "16777216"})), 1, message, "weights");
  expect_refused(weft(train_tiny(text, {"--batch", "16777216", "--layers", "16777216", "--width", "4096"})), 1, message,
                 "more than an integer holds");
  expect_refused(weft(train_tiny(text, {"--batch", "64"}), with("2M")), 1,
                 AllOf(message, HasSubstr("a training step needs")), "activations");
}

TEST(BadInput, ASystemThatStartsNoThreads) {
  const TemporaryFolder folder;
  const auto no_threads = [] {  // the stack of each would exceed the address space
    const rlimit stack{.rlim_cur = rlim_t{1} << 50, .rlim_max = RLIM_INFINITY};
    ::setrlimit(RLIMIT_STACK, &stack);
  };
  expect_refused(weft(train_tiny(write_text(folder / "text")), no_threads), 1,
                 HasSubstr("the system starts no more threads"), "a new thread");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which reserve far more addresses
TEST(BadInput, AddressesThatDoNotSufficeAreAnErrorAndNoCrash) {
  const TemporaryFolder folder;
  const auto text = write_text(folder / "text");
  for (const rlim_t mebibytes : {300, 350, 400, 450, 500, 600}) {
    const auto few_addresses = [mebibytes] {
      const rlimit addresses{.rlim_cur = mebibytes << 20, .rlim_max = RLIM_INFINITY};
      ::setrlimit(RLIMIT_AS, &addresses);
      ::setenv("WEFT_CACHE", "0", 1);
    };
    const Outcome outcome = weft(train_tiny(text), few_addresses);
    if (outcome.exit_code == 0) continue;
    EXPECT_EQ(outcome.exit_code, 1) << mebibytes << " MiB: " << outcome.err;
    EXPECT_THAT(outcome.last_line(), AllOf(HasSubstr("not enough memory"), HasSubstr("ulimit -v"))) << mebibytes;
  }
}
#endif

}  // namespace
}  // namespace weft::cli
