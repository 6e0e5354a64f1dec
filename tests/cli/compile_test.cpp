// weft compile: each output form of a program, and the errors.
#include <algorithm>
#include <fstream>
#include <tests/cli/command.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/file.h>
#include <weft/ir/interpreter.h>
#include <weft/ir/text/text.h>

namespace weft::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* loop_program = R"(
func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x32xf32>) -> (tensor<64x32xf32>, tensor<i32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
  %1 = stablehlo.tanh %0 : tensor<64x32xf32>
  %2 = stablehlo.custom_call @weft.stop_gradient(%1) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %3 = stablehlo.multiply %2, %1 : tensor<64x32xf32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %4:2 = stablehlo.while(%i = %c, %y = %3) : tensor<i32>, tensor<64x32xf32> cond {
    %5 = stablehlo.compare LT, %i, %c5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  } do {
    %6 = stablehlo.add %i, %c1 : tensor<i32>
    %7 = stablehlo.sine %y : tensor<64x32xf32>
    stablehlo.return %6, %7 : tensor<i32>, tensor<64x32xf32>
  }
  return %4#1, %4#0 : tensor<64x32xf32>, tensor<i32>
}
func.func @other() -> tensor<i32> {
  %c = stablehlo.constant dense<42> : tensor<i32>
  return %c : tensor<i32>
}
)";

class Compile : public testing::Test {
 protected:
  Compile() { std::ofstream(file_) << loop_program; }
  std::string emit(const std::string& form, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {"compile", file_, "--emit", form};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = weft(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_ / "p.mlir";
};

TEST_F(Compile, StablehloIsTheSameProgram) {
  const std::string text = emit("stablehlo");
  EXPECT_THAT(text, Not(HasSubstr("custom_call")));
  ir::Array inputs[] = {ir::Array(Type(DType::f32, {64, 32})), ir::Array(Type(DType::f32, {32, 32}))};
  std::ranges::fill(inputs[0].data<float>(), 0.5f);
  std::ranges::fill(inputs[1].data<float>(), 0.03125f);
  const auto before = ir::interpret(*ir::parse(loop_program), inputs), after = ir::interpret(*ir::parse(text), inputs);
  EXPECT_EQ(before[0].element(5), after[0].element(5));
  EXPECT_EQ(after[1].element(0), 5);
  EXPECT_EQ(emit("stablehlo"), text) << "the same every time";
}

TEST_F(Compile, HloHasComputationsAndFusions) {
  const std::string text = emit("hlo");
  EXPECT_THAT(text,
              AllOf(HasSubstr("HloModule main, entry_computation_layout={(f32[64,32]{1,0}, f32[32,32]{1,0})->"),
                    HasSubstr("ENTRY %main ("), HasSubstr("lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
                    ContainsRegex("while\\(%tuple[^\n]*condition=%region[^\n]*, body=%region"),
                    ContainsRegex("fusion\\([^\n]*kind=k[^\n]*calls=%fused_computation"), HasSubstr("ROOT %tuple")));
}

TEST_F(Compile, CodeAndPlan) {
  EXPECT_THAT(emit("llvm"), AllOf(HasSubstr("define "), HasSubstr("; ")));
  EXPECT_THAT(emit("asm"), AllOf(HasSubstr("# "), HasSubstr("ret")));
  const std::string plan = emit("plan");
  EXPECT_THAT(plan,
              AllOf(HasSubstr("program main: "), HasSubstr(": input 1, 4096 bytes"),
                    HasSubstr("output 0: tensor<64x32xf32> in a"), ContainsRegex("\\(while[a-z ]*\\): reads a[0-9]+")));
  EXPECT_EQ(weft({"compile", file_}).out, plan) << "what is shown without --emit";
}

TEST_F(Compile, EntryAndOutput) {
  const std::string out = folder_ / "out.hlo";
  EXPECT_EQ(emit("hlo", {"--entry", "other", "--output", out}), "");
  EXPECT_THAT(read_file(out), HasSubstr("s32[] constant(42)"));
}

TEST_F(Compile, WhatItRefuses) {
  const Outcome form = weft({"compile", file_, "--emit", "wasm"});
  EXPECT_EQ(form.exit_code, 2);
  EXPECT_THAT(form.err, HasSubstr("--emit must be one of stablehlo, hlo, llvm, asm, plan, got 'wasm'"));
  EXPECT_EQ(weft({"compile", folder_ / "none.mlir"}).exit_code, 1);
  EXPECT_THAT(weft({"compile", file_, "--entry", "third"}).err,
              HasSubstr("no public function @third; there are @main, @other"));
  std::ofstream(file_) << "func.func @main() { return %x : tensor<f32> }";
  EXPECT_THAT(weft({"compile", file_}).err, HasSubstr("p.mlir:1:"));
}

}  // namespace
}  // namespace weft::cli
