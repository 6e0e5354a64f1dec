#include <fstream>
#include <sstream>
#include <tests/error_of.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/temporary_folder.h>
#include <weft/data/npy.h>
#include <weft/weft.h>

namespace weft::data {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(NumpyFiles, KeepNamesTypesAndValues) {
  const TemporaryFolder folder;
  const std::string path = folder / "arrays.npz";
  const std::map<std::string, Tensor> tensors = {{"layer/weight", tensor({{1.5f, -2.f}, {3.f, 4.f}})},
                                                 {"ids", tensor({7, -8}, DType::i64)},
                                                 {"half", tensor({0.5f, 3.f}, DType::bf16)},
                                                 {"flag", tensor(true)},
                                                 {"nothing", zeros({0, 3})}};
  save_npz(tensors, path);
  const auto read = load_npz(path);
  ASSERT_EQ(read.size(), tensors.size());
  for (const auto& [name, given] : tensors) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(read.contains(name));
    EXPECT_EQ(read.at(name).type(), given.type());
    EXPECT_EQ(read.at(name).to_vector<double>(), given.to_vector<double>());
  }
  const std::string first = content(path);
  save_npz(tensors, path);
  EXPECT_EQ(content(path), first);

  save_npy(tensors.at("ids") * 2, folder / "ids.npy");
  EXPECT_EQ(load_npy(folder / "ids.npy").to_vector<std::int64_t>(), (std::vector<std::int64_t>{14, -16}));
}

TEST(NumpyFiles, WhatCannotBeReadOrWritten) {
  const TemporaryFolder folder;
  const std::string complex = folder / "complex.npy", nowhere = folder / "none" / "a.npz";
  const ir::Array part(Type(DType::f32, {Dim(2)}));
  write_npy(complex, part, part);
  EXPECT_EQ(error_of([&] { load_npy(complex); }), complex + ": holds complex numbers");
  EXPECT_THAT(error_of([&] { save_npz({{"a", ones({2})}}, nowhere); }),
              testing::StartsWith(nowhere + ": cannot be written: "));
  EXPECT_NE(error_of([&] { load_npz(folder / "missing.npz"); }), "");
}

}  // namespace
}  // namespace weft::data
