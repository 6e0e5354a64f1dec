// weft run: programs on arrays from files, and the errors for programs that cannot run.
#include <fstream>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <weft/data/npy.h>

namespace weft::cli {
namespace {

using testing::HasSubstr;

constexpr const char* add_program = R"(
func.func @main(%a: tensor<2x2xf32>, %n: tensor<i32>) -> (tensor<2x2xf32>, tensor<i32>) {
  %0 = stablehlo.add %a, %a : tensor<2x2xf32>
  %1 = stablehlo.negate %n : tensor<i32>
  return %0, %1 : tensor<2x2xf32>, tensor<i32>
}
func.func @other() -> tensor<i32> {
  %c = stablehlo.constant dense<42> : tensor<i32>
  return %c : tensor<i32>
}
)";

class Run : public testing::Test {
 protected:
  Run() {
    write("p.mlir", add_program);
    data::write_npy(folder_ / "a.npy", ir::Array::of<float>({2, 2}, {1, 2, 3, 4}));
    data::write_npy(folder_ / "n.npy", ir::Array::scalar<std::int32_t>(5));
  }

  void write(const std::string& name, std::string_view text) { std::ofstream(folder_ / name) << text; }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    return weft(arguments);
  }
  void expect_error(std::vector<std::string> arguments, int exit_code, const std::string& message) {
    const Outcome outcome = run(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, exit_code) << message;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, testing::MatchesRegex("error: [^\n]+\n"));
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }

  TemporaryFolder folder_;
};

TEST_F(Run, NamesTheFirstOperationThatMadeANaN) {
  write("log.mlir", R"(
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.subtract %a, %a : tensor<2x2xf32>
  %1 = stablehlo.subtract %0, %a : tensor<2x2xf32>
  %2 = stablehlo.log %1 : tensor<2x2xf32>
  %3 = stablehlo.add %2, %a : tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}
)");
  EXPECT_EQ(run({at("log.mlir"), "--input", at("a.npy")}).exit_code, 0);
  for (const char* mode : {"--repeat=1", "--interpret"}) {
    const Outcome outcome =
        weft({"run", at("log.mlir"), "--input", at("a.npy"), mode}, [] { ::setenv("WEFT_DEBUG_NANS", "1", 1); });
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(concat("run: log at ", at("log.mlir"), ":5 made NaN: element ")));
  }
}

TEST_F(Run, ReadsAndWritesArrays) {
  for (const char* mode : {"--repeat=2", "--interpret"}) {
    const Outcome outcome = run({"--input", at("a.npy"), at("p.mlir"), at("n.npy"), "--output", at("out"), mode});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("result 0: tensor<2x2xf32> in " + at("out/result0.npy")));
    EXPECT_THAT(data::read_npy(at("out/result0.npy")).data<float>(), testing::ElementsAre(2, 4, 6, 8));
    EXPECT_EQ(data::read_npy(at("out/result1.npy")).data<std::int32_t>()[0], -5);
    std::filesystem::remove_all(folder_ / "out");
  }
}

TEST_F(Run, ComplexArraysAreOneFileEach) {
  write("c.mlir", R"(
func.func @main(%n: tensor<i32>, %z: tensor<2xcomplex<f32>>) -> (tensor<2xcomplex<f32>>, tensor<2xf32>) {
  %0 = stablehlo.multiply %z, %z : tensor<2xcomplex<f32>>
  %1 = stablehlo.abs %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %0, %1 : tensor<2xcomplex<f32>>, tensor<2xf32>
})");
  data::write_npy(folder_ / "z.npy", ir::Array::of<float>({2}, {3, 0}), ir::Array::of<float>({2}, {4, -2}));
  EXPECT_EQ(run({at("c.mlir"), "--input", at("n.npy"), at("z.npy")}).out,
            "result 0: tensor<2xcomplex<f32>> [(-7, 24), (-4, -0)]\nresult 1: tensor<2xf32> [5, 2]\n");
  const Outcome written = run({at("c.mlir"), "--input", at("n.npy"), at("z.npy"), "--output", at("out"), "--json"});
  EXPECT_EQ(nlohmann::json::parse(written.out)["inputs"], (nlohmann::json{"tensor<i32>", "tensor<2xcomplex<f32>>"}));
  const data::NpyArray square = data::read_npy_parts(at("out/result0.npy"));
  EXPECT_THAT(square.array.data<float>(), testing::ElementsAre(-7, -4));
  EXPECT_THAT(square.imaginary->data<float>(), testing::ElementsAre(24, 0));
  EXPECT_EQ(run({at("c.mlir"), "--random", "1"}).exit_code, 0);
  expect_error({at("c.mlir"), "--input", at("n.npy"), at("a.npy")}, 1,
               "holds tensor<2x2xf32>, input 1 of @main is tensor<2xcomplex<f32>>");
}

TEST_F(Run, PrintsElementsExactly) {
  const auto printed = [&](const std::string& type, const std::string& elements) {
    write("c.mlir", concat("func.func @main() -> ", type, " {\n  %c = stablehlo.constant dense<", elements,
                           "> : ", type, "\n  return %c : ", type, "\n}\n"));
    const std::string out = run({at("c.mlir")}).out;
    return out.substr(out.find('[', out.find(" tensor")));
  };
  EXPECT_EQ(printed("tensor<3xi64>", "[1234567, -9223372036854775808, 9007199254740993]"),
            "[1234567, -9223372036854775808, 9007199254740993]\n");
  EXPECT_EQ(printed("tensor<1xui64>", "18446744073709551615"), "[18446744073709551615]\n");
  EXPECT_EQ(printed("tensor<2xi1>", "[true, false]"), "[true, false]\n");
  EXPECT_EQ(printed("tensor<2xf64>", "[0.1, 1234567.125]"), "[0.1, 1234567.125]\n");
  EXPECT_EQ(printed("tensor<3xf32>", "[0.1, 16777217.0, 1.0e-30]"), "[0.1, 16777216, 1e-30]\n");
  EXPECT_EQ(printed("tensor<2xf16>", "[0.1, 65504.0]"), "[0.1, 65504]\n");
  EXPECT_EQ(printed("tensor<1xcomplex<f64>>", "(1234567.5, -0.1)"), "[(1234567.5, -0.1)]\n");
}

TEST_F(Run, SkipsAByteOrderMark) {
  write("mark.mlir", concat("\xEF\xBB\xBF", add_program));
  const Outcome outcome = run({at("mark.mlir"), "--input", at("a.npy"), at("n.npy")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(Run, EntryAndJson) {
  const Outcome outcome = run({at("p.mlir"), "--entry", "other"});
  EXPECT_EQ(outcome.out, "result 0: tensor<i32> [42]\n");
  const Outcome json = run({at("p.mlir"), "--random", "1", "--json", "--repeat", "3"});
  ASSERT_EQ(json.exit_code, 0) << json.err;
  const auto report = nlohmann::json::parse(json.out);
  EXPECT_EQ(report["function"], "main");
  EXPECT_EQ(report["inputs"], (nlohmann::json{"tensor<2x2xf32>", "tensor<i32>"}));
  EXPECT_EQ(report["outputs"][1]["type"], "tensor<i32>");
  EXPECT_EQ(report["run_ms"].size(), 3u);
}

TEST_F(Run, RandomInputsDependOnTheSeedAlone) {
  const auto drawn = [&](const char* seed) { return run({at("p.mlir"), "--random", seed}).out; };
  EXPECT_EQ(drawn("1"), drawn("1"));
  EXPECT_NE(drawn("1"), drawn("2"));
  const Outcome rest = run({at("p.mlir"), "--input", at("a.npy"), "--random", "1"});
  EXPECT_THAT(rest.out, HasSubstr("result 0: tensor<2x2xf32> [2, 4, 6, 8]"));
}

TEST_F(Run, ChecksOfTheProgramAreMade) {
  write("check.mlir", R"(
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  check.expect_eq_const %a, dense<[[1.0, 2.0], [3.0, 5.0]]> : tensor<2x2xf32>
  return %a : tensor<2x2xf32>
})");
  expect_error({at("check.mlir"), "--input", at("a.npy")}, 1, "element 3 of tensor<2x2xf32> is 4, expected 5");
  expect_error({at("check.mlir"), "--input", at("a.npy"), "--interpret"}, 1, "is 4, expected 5");
}

TEST_F(Run, WhatCannotBeRun) {
  const std::string file = at("p.mlir");
  expect_error({}, 2, "FILE is required");
  expect_error({file, "--repeat", "0", "--random", "1"}, 2, "--repeat must");
  expect_error({file, "--random", "x"}, 2, "--random must");
  expect_error({at("missing.mlir")}, 1, "No such file");
  expect_error({at("a.npy")}, 1, at("a.npy") + ":1:1: unexpected character");
  expect_error({file}, 1, "@main takes 2 inputs, got 0; --random draws what is missing");
  expect_error({file, "--input", at("a.npy"), "--input", at("n.npy"), "--input", at("n.npy")}, 1,
               "takes 2 inputs, got 3");
  expect_error({file, "--input", at("n.npy"), "--random", "1"}, 1,
               at("n.npy") + ": holds tensor<i32>, input 0 of @main is");
  expect_error({file, "--input", file, "--random", "1"}, 1, "no .npy file");
  expect_error({file, "--entry", "third"}, 1, "no public function @third; there are @main, @other");
  expect_error({file, "--random", "1", "--output", file}, 1, "cannot make the folder " + file);
  write("bad.mlir", "func.func @main() {\n  %0 = stablehlo.add %x, %x : tensor<f32>\n  return\n}");
  expect_error({at("bad.mlir")}, 1, at("bad.mlir") + ":2:22: func.func @main: %x is not defined");
  write("call.mlir",
        "func.func @main(%a: tensor<f32>) {\n  stablehlo.custom_call @system(%a) : (tensor<f32>) -> ()\n  return\n}");
  expect_error({at("call.mlir"), "--random", "1"}, 1,
               at("call.mlir") +
                   ":2: custom_call @system: weft has no such function; only a C++ program that registers it with "
                   "weft::custom_op can run it");
}

// The forms that JAX emits for jnp.linalg.eig and jax.scipy.linalg.expm: with complex results, and inside a branch.
TEST_F(Run, FactorisationsOfLapackAreNamedAsSuch) {
  const std::string eig =
      "%0:2 = stablehlo.custom_call @lapack_sgeev_ffi(%a) : (tensor<2x2xf32>) -> (tensor<2xcomplex<f32>>, "
      "tensor<i32>)\n";
  const std::string lu = "%0 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) : (tensor<2x2xf32>) -> tensor<2x2xf32>\n";
  const std::string in_branch = "%1 = \"stablehlo.case\"(%i) ({\n" + lu + "stablehlo.return %0 : tensor<2x2xf32>\n}) " +
                                ": (tensor<i32>) -> tensor<2x2xf32>\n";
  for (const auto& [body, name] : {std::pair{eig, "sgeev"}, {lu, "sgetrf"}, {in_branch, "sgetrf"}}) {
    write("lapack.mlir", "func.func @main(%a: tensor<2x2xf32>, %i: tensor<i32>) {\n" + body + "return\n}");
    expect_error(
        {at("lapack.mlir"), "--random", "1"}, 1,
        std::string("custom_call @lapack_") + name + "_ffi: weft has no such function; it is a LAPACK routine");
  }
}

TEST_F(Run, FactorisationsThatWeftHasAreWrittenForOtherPlatforms) {
  for (const std::string name : {"spotrf", "ztrsm"}) {
    const std::string call =
        "stablehlo.custom_call @lapack_" + name + "_ffi(%a) : (tensor<2x2xf32>) -> tensor<2x2xf32>";
    write("lapack.mlir", "func.func @main(%a: tensor<2x2xf32>) {\n%0 = " + call + "\nreturn\n}");
    expect_error({at("lapack.mlir"), "--random", "1"}, 1, "export for a TPU (platforms=[\"tpu\"])");
  }
  write("lu.mlir",
        "func.func @main(%a: tensor<2x2xf32>) {\n%0 = stablehlo.custom_call @LuDecomposition(%a) : "
        "(tensor<2x2xf32>) -> tensor<2x2xf32>\nreturn\n}");
  expect_error({at("lu.mlir"), "--random", "1"}, 1, "for linear algebra, weft supports only Cholesky factors");
}

}  // namespace
}  // namespace weft::cli
