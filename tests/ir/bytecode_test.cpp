// Checks that bytecode is read as the text of the same program, and that any other bytes end in an Error.
#include <weft/ir/bytecode/bytecode.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/ir/verify.h>

namespace weft::ir {
namespace {

using std::filesystem::path;
using testing::HasSubstr;
using testing::MatchesRegex;

const path bytecode_inputs = "tests/ir/bytecode/inputs";

std::string contents(const path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns the bytecode files; tools/make-bytecode makes them from the texts beside them.
std::vector<path> files() {
  std::vector<path> found;
  for (const auto& entry : std::filesystem::directory_iterator(bytecode_inputs))
    if (entry.path().extension() == ".bc") found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

path text_of(const path& bytecode) {
  const std::string name = bytecode.filename().string();
  return bytecode_inputs / (name.substr(0, name.find('.')) + ".mlir");
}

std::string wrong_with(std::string_view bytes) {
  return error_of([&] { read_bytecode(bytes); });
}

TEST(Bytecode, IsReadAsTheText) {
  EXPECT_GE(files().size(), 30u);
  for (const path& file : files()) {
    SCOPED_TRACE(file);
    const Module read = read_bytecode(contents(file)), written = parse_module(contents(text_of(file)));
    EXPECT_EQ(print(read, {.locations = true}), print(written, {.locations = true}));
    ASSERT_EQ(read.functions.size(), written.functions.size());
    for (std::size_t i = 0; i < read.functions.size(); ++i) {
      EXPECT_TRUE(structurally_equal(*read.functions[i], *written.functions[i]));
      verify(*read.functions[i]);
    }
  }
}

TEST(Bytecode, IsKnownByItsFirstBytes) {
  const std::string bytes = contents(bytecode_inputs / "regions.1.0.0.mlir.bc"),
                    text = contents(bytecode_inputs / "regions.mlir");
  EXPECT_TRUE(is_bytecode(bytes));
  EXPECT_FALSE(is_bytecode(text));
  EXPECT_EQ(print(read_program(bytes)), print(read_program(text)));
  EXPECT_THAT(wrong_with(text), HasSubstr("byte 0: expected MLIR bytecode"));
  EXPECT_THAT(wrong_with("ML\xEFR"), HasSubstr("byte 4: the bytecode ends in the middle of something"));
}

// tests/ir/bytecode/inputs/sine.exported is jax.export.export(jax.jit(lambda x: jnp.sin(x) + 1))(np.ones(3, np.float32)).serialize().
TEST(Bytecode, IsFoundInExportedPrograms) {
  const std::string bytes = contents(bytecode_inputs / "sine.exported");
  const Module module = read_program(bytes);
  EXPECT_THAT(print(module), HasSubstr("stablehlo.sine"));
  EXPECT_EQ(module.main()->inputs()[0].type(), Type(DType::f32, {3}));
  // Whatever else the bytes are, they end in a module or an Error.
  EXPECT_THROW(read_program(std::string_view(bytes).substr(0, bytes.size() / 2)), Error);
  std::string changed = bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    error_of([&] { read_program(std::string_view(bytes).substr(0, i)); });
    changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
    error_of([&] { read_program(changed); });
    changed[i] = bytes[i];
  }
}

// Returns the bytes with another name of their producer, of the same length.
std::string produced_by(std::string_view producer) {
  std::string bytes = contents(bytecode_inputs / "regions.1.0.0.mlir.bc");
  constexpr std::string_view before = "StableHLO_v1.0.0";
  EXPECT_EQ(producer.size(), before.size());
  return bytes.replace(bytes.find(before), before.size(), producer);
}

TEST(Bytecode, OfOtherProducersIsRefused) {
  EXPECT_THAT(wrong_with(produced_by("StableHLO_v2.0.0")),
              HasSubstr("the program is of StableHLO 2.0; weft reads up to 1.20"));
  EXPECT_THAT(wrong_with(produced_by("StableHLO_vX.0.0")), HasSubstr("expected a version such as StableHLO_v1.0.0"));
  EXPECT_THAT(wrong_with(produced_by("MLIR20.0.0git   ")),
              HasSubstr("was not written as a StableHLO portable artifact, but by MLIR20.0.0git"));
  EXPECT_THROW(read_bytecode(produced_by("StableHLO_v2.0.0")), UnsupportedError);
  EXPECT_EQ(wrong_with(produced_by("StableHLO_v1.9.9")), "");
  EXPECT_THAT(wrong_with(produced_by("StableHLO_v1.0.a")), HasSubstr("expected a version such as StableHLO_v1.0.0"));
  std::string newer = contents(bytecode_inputs / "regions.1.0.0.mlir.bc");
  newer[4] = '\x0f';
  EXPECT_THAT(wrong_with(newer), HasSubstr("the bytecode is of version 7; weft reads up to 6"));
}

// What weft cannot represent is named with the operation and its place in the user's program.
TEST(Bytecode, ErrorsNameThePlaceInTheProgram) {
  std::string bytes = contents(bytecode_inputs / "jax_sort.1.0.0.mlir.bc");
  const std::string_view known = "compare_v1", unknown = "compaxe_v1";
  ASSERT_NE(bytes.find(known), bytes.npos);
  bytes.replace(bytes.find(known), known.size(), unknown);
  EXPECT_THAT(wrong_with(bytes),
              MatchesRegex("byte [0-9]+( \\(.+:[0-9]+\\))?: 'stablehlo.compaxe': unsupported operation"));
  std::vector<std::string> refused;
  EXPECT_TRUE(read_bytecode(bytes, {}, &refused).functions.empty());
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_THAT(refused[0], MatchesRegex("@main: byte .*unsupported operation"));
}

// The names of the module's attributes have different lengths, so one is made to mean the other where it is referred to.
TEST(Bytecode, NamesEachAttributeOnce) {
  const std::string bytes = contents(bytecode_inputs / "constants.1.17.0.mlir.bc");
  std::vector<std::string> twice;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    for (const int step : {-2, 2}) {
      changed[i] = static_cast<char>(bytes[i] + step);
      const std::string wrong = wrong_with(changed);
      if (wrong.find("builtin.module: the attribute") != wrong.npos) twice.push_back(wrong);
    }
  }
  EXPECT_THAT(twice, testing::Contains(MatchesRegex("byte [0-9]+.*: builtin.module: the attribute .* is given twice")));
}

// tests/ir/bytecode/mesh_axes.mlir.bc reduces along "x" of the module's mesh "x"=2, "y"=3, and along "y" and "x" of a mesh "x"=2, "y"=2 that is
// written with them, with the devices 3, 2, 1, 0. It is of StableHLO 1.20, by jaxlib 0.12.
TEST(Bytecode, GroupsAlongAxesOfAMeshAreListsOfDevices) {
  const std::string bytes = contents("tests/ir/bytecode/mesh_axes.mlir.bc"), text = print(read_bytecode(bytes));
  EXPECT_THAT(text, HasSubstr("replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>"));
  EXPECT_THAT(text, HasSubstr("replica_groups = dense<[[3, 1, 2, 0]]> : tensor<1x4xi64>"));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_THROW(read_bytecode(std::string_view(bytes).substr(0, i)), Error);
    for (const int bit : {0, 3, 6}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      const std::string wrong = wrong_with(changed);
      EXPECT_TRUE(wrong.empty() || wrong.starts_with("byte ")) << wrong;
    }
  }
}

// An input that the fuzzer has found.
TEST(Bytecode, ATokenHasNoElements) {
  EXPECT_THAT(wrong_with(contents("tests/ir/bytecode/refused/token_constant.mlir.bc")),
              HasSubstr("a token has no elements"));
}

TEST(Bytecode, IsLimited) {
  const std::string bytes = contents(bytecode_inputs / "regions.1.0.0.mlir.bc");
  const auto wrong = [&](const ParseLimits& limits) { return error_of([&] { read_bytecode(bytes, limits); }); };
  EXPECT_THAT(wrong({.bytes = 100}), HasSubstr("at most 100 are read"));
  EXPECT_THAT(wrong({.depth = 2}), HasSubstr("more than 2 deep"));
  EXPECT_THAT(wrong({.operations = 5}), HasSubstr("more than 5 operations"));
  EXPECT_THAT(wrong({.rank = 0}), HasSubstr("a tensor has at most 0 dimensions"));
  EXPECT_THAT(wrong({.elements = 3}), HasSubstr("a tensor has at most 3 elements"));
}

// Reads damaged bytes: they must be those of a valid program, or end in one line of explanation.
void survive_bytes(const std::string& bytes) {
  try {
    const Module module = read_bytecode(bytes);
    for (const auto& function : module.functions) verify(*function);
    print(module, {.locations = true});
  } catch (const Error& wrong) {
    EXPECT_THAT(wrong.what(), MatchesRegex("(byte|read_bytecode)[^\n]+"));
  }
}

TEST(Bytecode, CutAtEveryByte) {
  for (const path& file : files()) {
    SCOPED_TRACE(file);
    const std::string bytes = contents(file);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      SCOPED_TRACE(size);
      EXPECT_THROW(read_bytecode(std::string_view(bytes).substr(0, size)), Error);
    }
  }
}

TEST(Bytecode, EveryByteChanged) {
  std::mt19937 random(1);
  for (const path& file : files()) {
    std::string bytes = contents(file);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      SCOPED_TRACE(testing::Message() << file << ": byte " << i);
      const char original = bytes[i];
      bytes[i] = static_cast<char>(random() % 2 ? original ^ (1 << (i % 8)) : random());
      survive_bytes(bytes);
      bytes[i] = original;
    }
  }
}

}  // namespace
}  // namespace weft::ir
