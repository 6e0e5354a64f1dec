// .npy: written files are read back, NumPy's other forms are read, and damage is an Error that names the file.
#include <weft/data/npy.h>

#include <fstream>
#include <iterator>
#include <tests/data/little_endian.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/temporary_folder.h>

namespace weft::data {
namespace {

using testing::HasSubstr;

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string npy(const std::string& header, const std::string& elements, int version = 1) {
  return "\x93NUMPY" + little_endian(static_cast<std::uint64_t>(version), 2) +
         little_endian(header.size(), version == 1 ? 2 : 4) + header + elements;
}

std::string described(const std::string& descr, const std::string& shape, const char* fortran_order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape + ", }\n";
}

class Npy : public testing::Test {
 protected:
  ir::Array read(const std::string& bytes) {
    write(path_, bytes);
    return read_npy(path_);
  }
  std::string error(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const Error& wrong) {
      return wrong.what();
    }
    return "none";
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "a.npy";
};

TEST_F(Npy, RoundTripOfEveryType) {
  for (int t = 0; t < dtype_count; ++t)
    for (const Type type : {Type(static_cast<DType>(t), {}), Type(static_cast<DType>(t), {3}),
                            Type(static_cast<DType>(t), {2, 0}), Type(static_cast<DType>(t), {2, 3, 4})}) {
      ir::Array array(type);
      visit(type.dtype(), [&]<class T>(T) {
        int i = 0;
        for (T& element : array.data<T>()) element = static_cast<T>(static_cast<float>(i++ % 2));
      });
      write_npy(path_, array);
      EXPECT_EQ(contents(path_).size() % 64, static_cast<std::size_t>(type.bytes()) % 64) << "aligned for NumPy";
      const ir::Array again = read_npy(path_);
      EXPECT_EQ(again.type(), type);
      EXPECT_TRUE(std::ranges::equal(again.bytes(), array.bytes())) << type;
    }
}

TEST_F(Npy, OtherFormsOfNumPys) {
  EXPECT_THAT(read(npy(described(">i4", "(2,)"), std::string("\0\0\1\2\0\0\0\3", 8))).data<std::int32_t>(),
              testing::ElementsAre(258, 3));
  EXPECT_THAT(read(npy(described("|u1", "(2, 3)", "True"), "\1\2\3\4\5\6")).data<std::uint8_t>(),
              testing::ElementsAre(1, 3, 5, 2, 4, 6));
  for (const int version : {1, 2, 3})
    EXPECT_EQ(read(npy(described("<f4", "()"), std::string(4, 0), version)).size(), 1);
  EXPECT_EQ(read(npy("{\"shape\":(1,2,),\"fortran_order\":False,\"descr\":\"|i1\"}", "ab")).type(),
            Type(DType::i8, {1, 2}));
  EXPECT_THAT(read(npy(described("|b1", "(3,)"), std::string("\0\1\7", 3))).data<bool>(),
              testing::ElementsAre(false, true, true));
}

TEST_F(Npy, ComplexNumbersAreTwoArrays) {
  const ir::Array real = ir::Array::of<double>({2, 3}, {1, 2, 3, 4, 5, 6}),
                  imaginary = ir::Array::of<double>({2, 3}, {-1, 0, 1, 2, 3, 4});
  write_npy(path_, real, imaginary);
  EXPECT_THAT(contents(path_), HasSubstr("'descr': '<c16'"));
  const NpyArray again = read_npy_parts(path_);
  EXPECT_EQ(again.array, real);
  EXPECT_EQ(again.imaginary, imaginary);
  // 1+2i and 3-i, 0 and 5: big-endian, column-major.
  write(path_,
        npy(described(">c8", "(2, 2)", "True"),
            std::string("\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0\xbf\x80\0\0\0\0\0\0\0\0\0\0\x40\xa0\0\0\0\0\0\0", 32)));
  const NpyArray other = read_npy_parts(path_);
  EXPECT_THAT(other.array.data<float>(), testing::ElementsAre(1, 0, 3, 5));
  EXPECT_THAT(other.imaginary->data<float>(), testing::ElementsAre(2, 0, -1, 0));
}

TEST_F(Npy, WhatBreaksARuleIsNamed) {
  const auto check = [&](const std::string& bytes, const char* reason) {
    EXPECT_THAT(error(bytes), testing::AllOf(HasSubstr(path_.string() + ": "), HasSubstr(reason)));
  };
  const std::string good = described("<f4", "(2,)");
  check("", "it has 0 bytes");
  check("NUMPY" + std::string(100, 0), "does not begin with");
  check(npy(good, std::string(8, 0), 4), "format version 4.0 is not known");
  check(npy(good, std::string(7, 0)), "holds 7 bytes of elements, tensor<2xf32> takes 8");
  check(npy(good, std::string(9, 0)), "holds 9 bytes of elements");
  check("\x93NUMPY\2" + std::string(1, 0) + little_endian(0xffffffff, 4),
        "a header of 4294967295 bytes, at most 65536");
  check("\x93NUMPY\1" + std::string(1, 0) + little_endian(100, 2) + "{}", "truncated: a header of 100 bytes in 12");
  check(npy(described("<c8", "(1,)"), std::string(8, 0)), "holds complex numbers");
  check(npy(described("<c8", "(2,)"), std::string(8, 0)), "holds 8 bytes of elements, complex tensor<2xf32> takes 16");
  check(npy(described("<c4", "(1,)"), std::string(8, 0)),
        "header, character 10: expected a boolean or a type of numbers");
  check(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", std::string(4, 0)),
        "records are not read");
  check(npy(described("<f4", "(-1,)"), ""), "expected the size of a dimension");
  check(npy(described("<f4", "(3)"), std::string(12, 0)), "(n,) is the shape of one dimension");
  check(npy(described("<f8", "(4611686018427387904, 4)"), ""), "expected fewer elements");
  check(npy(described("<f8", "(1048576, 1048576)"), ""), "holds 0 bytes of elements");
  check(npy("{'descr': '<f4', 'descr': '<f4'}", ""), "once each");
  check(npy("{'descr': '<f4'}", ""), "expected descr, fortran_order and shape");
  check(npy(described("<f4", "(2,)", "1"), ""), "expected True or False");
  check(npy(good + "x", std::string(8, 0)), "expected nothing more");
}

TEST_F(Npy, DamageEndsInAnArrayOrAnError) {
  const std::string good = npy(described("<f4", "(2, 3)"), std::string(24, 'x'));
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_NE(error(good.substr(0, n)), "none") << n;
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    EXPECT_THAT(error(bad), testing::Not(HasSubstr("\n")));
  }
}

}  // namespace
}  // namespace weft::data
