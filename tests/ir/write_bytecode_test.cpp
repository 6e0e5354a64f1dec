// Checks that bytecode that is written reads back as the same program, for every version of StableHLO.
#include <weft/ir/bytecode/write_bytecode.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <regex>
#include <tests/error_of.h>
#include <tests/ir/op_samples.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/file.h>
#include <weft/ir/bytecode/bytecode.h>
#include <weft/ir/bytecode/portable.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/ops.h>
#include <weft/ir/verify.h>

namespace weft::ir {
namespace {

using testing::HasSubstr;

// Versions between which the container or an operation changes.
constexpr StablehloVersion versions[] = {{0, 9},  {0, 10}, {0, 12}, {0, 14}, {0, 15}, {0, 19},
                                         {1, 0},  {1, 1},  {1, 4},  {1, 5},  {1, 6},  {1, 9},
                                         {1, 10}, {1, 12}, {1, 14}, {1, 18}, {1, 19}, {1, 20}};

// Bytecode has no other form for attributes that are given although they have their default, nor for an element that stands for no others.
Module in_normal_form(const Module& module) {
  std::string text = print(module, {.locations = true});
  const auto replace = [&](const char* pattern, const char* by) {
    text = std::regex_replace(text, std::regex(pattern), by);
  };
  replace("(window_strides|lhs_dilation|rhs_dilation|base_dilations|window_dilations) = array<i64(: 1(, 1)*)?>(, )?",
          "");
  replace("window_reversal = array<i1: false(, false)*>(, )?", "");
  replace(R"( padding = dense<\[\[0, 0\](, \[0, 0\])*\]> : tensor<\d+x2xi64>(, )?)", " ");
  replace(R"((select_and_scatter"\([^)]*\) <\{)window_dimensions = array<i64>(, )?)", "$1");
  replace(R"(,? +\}>)", "}>");
  replace(R"( <\{\}>)", "");
  replace(R"(dense<[^>]*> : (tensor<(\d+x)*0x))", "dense<> : $1");
  return parse_module(text);
}

// Returns the program with a call of its decomposition in place of each composite, as versions of StableHLO without composites have it.
Module with_calls(const Module& module) {
  Module portable;
  for (const auto& function : module.functions) {
    const auto changed = bytecode::with_erf_as_composite(*function);
    portable.functions.push_back(changed ? changed : function);
  }
  const std::regex composite(R"("stablehlo.composite"(\([^)]*\)) <\{[^}]*decomposition = (@[^,}]*)[^}]*\}>)");
  return parse_module(
      std::regex_replace(print(portable, {.locations = true}), composite, R"("func.call"$1 <{callee = $2}>)"));
}

// Writes and reads a program as bytecode of all versions; a version may refuse a program only by naming a newer one.
void expect_same(const Module& given) {
  const Module whole = in_normal_form(given), called = in_normal_form(with_calls(given));
  for (const StablehloVersion version : versions) {
    SCOPED_TRACE(version);
    const Module& module = version < StablehloVersion{0, 19} ? called : whole;
    const std::string text = print(module, {.locations = true});
    std::string bytes;
    const BytecodeOptions options{.target = version, .print = {.locations = true}};
    const std::string wrong = error_of([&] { bytes = write_bytecode(given, options); });
    if (!wrong.empty()) {
      EXPECT_THAT(wrong, HasSubstr("only since StableHLO "));
      EXPECT_NE(version, newest_stablehlo) << wrong;
      continue;
    }
    Module read = read_bytecode(bytes);
    if (print(read, {.locations = true}) != text) read = in_normal_form(read);
    ASSERT_EQ(print(read, {.locations = true}), text);
    ASSERT_EQ(read.functions.size(), module.functions.size());
    for (std::size_t i = 0; i < read.functions.size(); ++i) {
      EXPECT_TRUE(structurally_equal(*read.functions[i], *module.functions[i]));
      verify(*read.functions[i]);
    }
  }
}

// Returns whether the program has an operation that no version of StableHLO has.
bool is_of_weft(const Module& module) {
  return std::regex_search(print(module), std::regex(R"("(weft|interpreter|check)\.\w+"\()"));
}

void expect_written(const Module& module) {
  if (is_of_weft(module))
    EXPECT_THAT(error_of([&] { write_bytecode(module); }), HasSubstr("StableHLO has no such operation"));
  else
    expect_same(module);
}

class WrittenSamples : public ::testing::TestWithParam<const Op*> {};

TEST_P(WrittenSamples, ReadBack) {
  for (const OpSample& sample : samples(*GetParam())) {
    SCOPED_TRACE(sample.name);
    expect_written({{parse(print(*sample.graph))}});
  }
}

INSTANTIATE_TEST_SUITE_P(Table, WrittenSamples, ::testing::ValuesIn(ops::table),
                         [](const auto& instance) { return std::string(instance.param->name); });

TEST(WrittenBytecode, ProgramsOfTheTests) {
  int programs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests")) {
    if (entry.path().extension() != ".mlir") continue;
    const std::string contents = read_file(entry.path());
    for (const Section& section : split_sections(contents)) {
      SCOPED_TRACE(testing::Message() << entry.path() << ':' << section.first_line);
      Module module;
      if (!error_of([&] { module = parse_module(section.text); }).empty()) continue;  // a test of an error
      ++programs;
      expect_written(module);
    }
  }
  EXPECT_GT(programs, 70);
}

std::string refusal(const char* body, StablehloVersion target) {
  const Module module = parse_module(concat("func.func @main", body));
  return error_of([&] { write_bytecode(module, {.target = target}); });
}

TEST(WrittenBytecode, TellsTheFirstVersionThatHasWhatIsMissing) {
  constexpr const char* tangent = R"((%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.tan %x : tensor<2xf32> loc("tangent"("model.py":12:0))
    return %0 : tensor<2xf32>
  })";
  EXPECT_EQ(refusal(tangent, {1, 3}),
            "stablehlo.tan at model.py:12: exists only since StableHLO 1.4; the target is 1.3");
  EXPECT_EQ(refusal(tangent, {1, 4}), "");
  constexpr const char* gathers = R"((%x: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0:2 = "stablehlo.all_gather"(%x, %x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
      : (tensor<2xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
  })";
  EXPECT_EQ(refusal(gathers, {1, 4}),
            "stablehlo.all_gather: takes several operands only since StableHLO 1.5; the target is 1.4");
  EXPECT_EQ(refusal(gathers, {1, 5}), "");
  constexpr const char* eighths = R"((%x: tensor<2xf8E4M3>) -> tensor<2xf8E4M3> { return %x : tensor<2xf8E4M3> })";
  EXPECT_EQ(refusal(eighths, {1, 6}),
            "func.func @main: the type f8E4M3 exists only since StableHLO 1.7; the target is 1.6");
  EXPECT_EQ(refusal(eighths, {1, 7}), "");
  constexpr const char* sums = R"((%x: tensor<2xf32>, %init: tensor<f64>) -> tensor<f64> {
    %0 = stablehlo.reduce(%x init: %init) across dimensions = [0] : (tensor<2xf32>, tensor<f64>) -> tensor<f64>
      reducer(%a: tensor<f64>, %b: tensor<f64>) { %1 = stablehlo.add %a, %b : tensor<f64> stablehlo.return %1 : tensor<f64> }
    return %0 : tensor<f64>
  })";
  EXPECT_THAT(refusal(sums, {1, 0}), "");
  constexpr const char* empty = "() { return }";
  EXPECT_EQ(refusal(empty, {0, 9}), "");
  EXPECT_THAT(refusal(empty, {0, 8}), HasSubstr("choose a version from 0.9 to 1.20"));
  EXPECT_THAT(refusal(empty, {1, 21}), HasSubstr("choose a version from 0.9 to 1.20"));
}

// Other readers compute the decomposition of the composite that stands for erf.
TEST(WrittenBytecode, ErfHasADecomposition) {
  const auto erf = parse(R"(func.func @main(%x: tensor<7xf64>) -> tensor<7xf64> {
    %0 = chlo.erf %x : tensor<7xf64>
    return %0 : tensor<7xf64>
  })");
  EXPECT_EQ(print(read_bytecode(write_bytecode(*erf))), print(*erf));
  EXPECT_EQ(bytecode::with_erf_as_composite(*parse("func.func @main() { return }")), nullptr);
  const auto portable = bytecode::with_erf_as_composite(*erf);
  const std::string text = print(*portable);
  EXPECT_THAT(text, HasSubstr("chlo.erf.impl"));
  EXPECT_THAT(text, testing::Not(HasSubstr("chlo.erf\"(")));
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> at = {-infinity, -2.5, -0.3, 0, 0.99, 1.01, 7};
  const Array y = interpret(*portable, std::vector{Array(Type(DType::f64, {7}), std::as_bytes(std::span(at)))})[0];
  for (std::size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(y.element(i), std::erf(at[i]), 3e-16) << at[i];
  const std::vector<double> none(7, nan);
  EXPECT_TRUE(std::isnan(
      interpret(*portable, std::vector{Array(Type(DType::f64, {7}), std::as_bytes(std::span(none)))})[0].element(0)));
}

TEST(WrittenBytecode, CompositesBecomeCallsInVersionsWithoutThem) {
  const Module module = parse_module(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.composite "ours.twice" %x {composite_attributes = {a = 1 : i64}, decomposition = @twice, version = 1 : i32}
        : (tensor<2xf32>) -> tensor<2xf32>
      %1 = chlo.erf %0 : tensor<2xf32>
      return %1 : tensor<2xf32>
    }
    func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.add %x, %x : tensor<2xf32>
      return %0 : tensor<2xf32>
    })");
  const Module read = read_bytecode(write_bytecode(module, {.target = {0, 18}}));
  const std::string text = print(read);
  EXPECT_THAT(text, testing::Not(HasSubstr("composite")));
  EXPECT_THAT(text, testing::Not(HasSubstr("erf")));
  const std::vector<float> at = {-0.3f, 0.7f};
  const Array y = interpret(*read.main(), std::vector{Array(Type(DType::f32, {2}), std::as_bytes(std::span(at)))})[0];
  for (std::size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(y.element(i), std::erf(2 * at[i]), 1e-6) << at[i];
  EXPECT_THAT(print(read_bytecode(write_bytecode(module, {.target = {0, 19}}))), HasSubstr("ours.twice"));
}

TEST(WrittenBytecode, NeedsKnownSizes) {
  Graph graph;
  graph.name = "main";
  graph.set_outputs({graph.add_input(Type(DType::f32, {Dim::symbol("rows"), 2}))});
  EXPECT_THAT(error_of([&] { write_bytecode(graph); }), HasSubstr("parameter in @main has the type tensor<?x2xf32>"));
}

TEST(WrittenBytecode, MayLeaveOutLocations) {
  const Module module = parse_module(R"(func.func @main(%x: tensor<2xf32> loc("x")) -> tensor<2xf32> {
    %0 = stablehlo.tan %x : tensor<2xf32> loc("tangent"("model.py":12:0))
    return %0 : tensor<2xf32>
  })");
  const PrintOptions located{.locations = true};
  const auto written = [&](bool locations) {
    return print(read_bytecode(write_bytecode(module, {.print = {.locations = locations}})), located);
  };
  EXPECT_EQ(written(true), print(module, located));
  EXPECT_THAT(written(false), testing::Not(HasSubstr("model.py")));
  EXPECT_THAT(written(false), testing::Not(HasSubstr("loc(\"x\")")));
  EXPECT_EQ(error_of([&] { write_bytecode(module, {.target = {1, 3}, .print = {.locations = false}}); }),
            "stablehlo.tan at model.py:12: exists only since StableHLO 1.4; the target is 1.3");
}

TEST(WrittenBytecode, NamesOfFiles) {
  EXPECT_TRUE(is_bytecode_name("a/step.mlir.bc"));
  EXPECT_TRUE(is_bytecode_name("step.mlirbc"));
  EXPECT_FALSE(is_bytecode_name("step.mlir"));
  EXPECT_EQ(parse_stablehlo_version("1.10"), (StablehloVersion{1, 10}));
  EXPECT_EQ(parse_stablehlo_version("0.9.0"), (StablehloVersion{0, 9}));
  for (const char* wrong : {"", "1", "1.", "1.0.", "a.b", "1.0.0.0", "-1.0", "1.0 "})
    EXPECT_FALSE(parse_stablehlo_version(wrong)) << wrong;
}

}  // namespace
}  // namespace weft::ir
