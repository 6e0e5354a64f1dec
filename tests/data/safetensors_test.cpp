#include <weft/data/safetensors.h>

#include <cstring>
#include <fstream>
#include <string>
#include <tests/support/names_in.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/error.h>
#include <weft/base/temporary_folder.h>

namespace weft::data {
namespace {

using testing::HasSubstr;

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

// Returns a file with this header and number of data bytes.
std::string with_header(const std::string& header, std::size_t data_bytes) {
  const std::uint64_t length = header.size();
  std::string file(8, '\0');
  std::memcpy(file.data(), &length, 8);
  return file + header + std::string(data_bytes, '\1');
}

std::string outcome(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    const SafetensorsFile file(path);
    for (const auto& entry : file.entries()) {
      std::vector<std::byte> to(entry.type.bytes());
      file.read(entry, to);
    }
    return "read";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Safetensors, RoundTrip) {
  const TemporaryFolder folder;
  const std::vector<std::int8_t> narrow = {-1, 2, 3};
  const std::vector<double> wide = {0.5, -1e300};
  const std::vector<float> scalar = {7};
  const TensorBytes tensors[] = {{"narrow", Type(int8, {3}), bytes_of(narrow)},
                                 {"wide \"quoted\"", Type(float64, {2, 1}), bytes_of(wide)},
                                 {"scalar", Type(float32, {}), bytes_of(scalar)},
                                 {"nothing", Type(DType::bf16, {4, 0}), {}}};
  write_safetensors(folder / "a.safetensors", tensors, {{"made by", "a test"}});

  const SafetensorsFile file(folder / "a.safetensors");
  EXPECT_EQ(file.metadata(), (Metadata{{"made by", "a test"}}));
  ASSERT_EQ(file.entries().size(), 4u);
  for (const TensorBytes& tensor : tensors) {
    const auto* entry = file.find(tensor.name);
    ASSERT_TRUE(entry) << tensor.name;
    EXPECT_EQ(entry->type, tensor.type);
    EXPECT_EQ(entry->offset % static_cast<std::uint64_t>(byte_size(tensor.type.dtype())), 0u) << tensor.name;
    std::vector<std::byte> read(tensor.bytes.size());
    file.read(*entry, read);
    EXPECT_TRUE(std::ranges::equal(read, tensor.bytes)) << tensor.name;
  }
  EXPECT_EQ(file.find("narro"), nullptr);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a.safetensors"});
}

TEST(Safetensors, HeaderIsTheFormatsText) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> values = {1, 2};
  const TensorBytes tensors[] = {{"x", Type(int32, {2}), bytes_of(values)}};
  write_safetensors(folder / "a", tensors);
  EXPECT_EQ(read_file(folder / "a").substr(8, 56), R"({"x":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}}  )");
}

TEST(Safetensors, EmptyFilesAndAnyOrderAreFine) {
  const TemporaryFolder folder;
  EXPECT_EQ(outcome(folder / "a", with_header("{}", 0)), "read");
  EXPECT_EQ(outcome(folder / "a", with_header("{\"__metadata__\":{}}  ", 0)), "read");
  EXPECT_EQ(outcome(folder / "a", with_header(R"({"b":{"data_offsets":[4,6],"shape":[2],"dtype":"U8"},)"
                                              R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})",
                                              6)),
            "read");
}

struct Malformed {
  const char* header;
  std::size_t data_bytes;
  const char* message;
};

TEST(Safetensors, MalformedHeadersAreRefused) {
#define X(dtype, shape, offsets) "{\"x\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"
  const Malformed cases[] = {
      {"", 0, "the header does not start with '{'"},
      {" {}", 0, "the header does not start with '{'"},
      {"[]", 0, "the header does not start with '{'"},
      {"{", 0, "not JSON in UTF-8"},
      {"{}}", 0, "not JSON in UTF-8"},
      {"{}\n{}", 0, "not JSON in UTF-8"},
      {"{\"\xff\":{}}", 0, "not JSON in UTF-8"},
      {"{\"x\":1}", 0, "tensor x: a number where none is allowed"},
      {"{\"x\":[[[[[[[[[[[[[[[[[[[[", 0, "tensor x: an array where none is allowed"},
      {"{\"x\":{}}", 0, "tensor x: dtype, shape and data_offsets must be given"},
      {"{\"x\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "must be given"},
      {"{\"x\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 4, "tensor x: dtype is given twice"},
      {"{\"x\":{\"type\":\"U8\"}}", 4, "tensor x: unknown field type"},
      {"{\"__metadata__\":{\"a\":1}}", 0, "__metadata__: a number where none is allowed"},
      {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"1\"}}", 0, "__metadata__: the key a appears twice"},
      {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "the name __metadata__ appears twice"},
      {X("\"F32\"", "[1]", "[0,4]"), 3, "lie outside of the 3 bytes of data"},
      {X("\"F32\"", "[1]", "[0,4]"), 5, "1 bytes at the end belong to no tensor"},
      {X("\"F32\"", "[1]", "[1,5]"), 5, "1 bytes before its data belong to no tensor"},
      {X("\"F32\"", "[2]", "[0,4]"), 4, "tensor<2xf32> has 8 bytes, data_offsets span 4"},
      {X("\"F32\"", "[1]", "[4,0]"), 4, "lie outside"},
      {X("\"F32\"", "[1]", "[0]"), 4, "data_offsets must have 2 numbers"},
      {X("\"F32\"", "[1]", "[0,4,4]"), 4, "data_offsets must have 2 numbers"},
      {X("\"F32\"", "[-1]", "[0,4]"), 4, "a negative number"},
      {X("\"F32\"", "[1.0]", "[0,4]"), 4, "the number 1.0"},
      {X("\"F32\"", "[NaN]", "[0,4]"), 4, "not JSON"},
      {X("\"F32\"", "[null]", "[0,4]"), 4, "null"},
      {X("\"F32\"", "[true]", "[0,4]"), 4, "a boolean"},
      {X("\"F32\"", "[[1]]", "[0,4]"), 4, "an array"},
      {X("\"F32\"", "1", "[0,4]"), 4, "a number where none"},
      {X("\"F8_E4M3\"", "[4]", "[0,4]"), 4, "dtype F8_E4M3 is not supported"},
      {X("\"f32\"", "[1]", "[0,4]"), 4, "dtype f32 is not supported"},
      {X("7", "[1]", "[0,4]"), 4, "a number where none"},
      {X("\"F32\"", "[18446744073709551615]", "[0,4]"), 4, "is too large"},
      {X("\"F32\"", "[99999999999999999999]", "[0,4]"), 4, "the number 99999999999999999999"},
      {X("\"F32\"", "[4294967296,4294967296]", "[0,4]"), 4, "more than 2^56 elements"},
      {X("\"F32\"", "[4294967296,4294967296,4294967296,4294967296]", "[0,0]"), 0, "more than 2^56 elements"},
      {X("\"U8\"", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,1]"), 1,
       "at most 32 dimensions"},
      {R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
       2, "the name x appears twice"},
      {R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
       3, "tensor y: data_offsets [1, 3] overlap another tensor's"},
      {R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"y":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
       3, "tensor y: 1 bytes before its data belong to no tensor"},
  };
#undef X
  const TemporaryFolder folder;
  for (const Malformed& c : cases) {
    const std::string message = outcome(folder / "bad.safetensors", with_header(c.header, c.data_bytes));
    EXPECT_THAT(message, HasSubstr(c.message)) << c.header;
    EXPECT_THAT(message, HasSubstr("/bad.safetensors: not a safetensors file: ")) << c.header;
  }
}

TEST(Safetensors, MessagesAreOneShortLine) {
  const TemporaryFolder folder;
  const std::string name = "\\n" + std::string(1000, 'x');
  const std::string message = outcome(folder / "a", with_header("{\"" + name + "\":7}", 0));
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_LT(message.size(), 400u);
}

TEST(Safetensors, HeaderLengthIsBoundedBeforeItIsBelieved) {
  const TemporaryFolder folder;
  const auto lengths = {std::uint64_t{100'000'001}, ~std::uint64_t{0}, ~std::uint64_t{7}, std::uint64_t{1} << 63};
  for (const std::uint64_t length : lengths) {
    std::string bytes = with_header("{}", 0);
    std::memcpy(bytes.data(), &length, 8);
    EXPECT_THAT(outcome(folder / "a", bytes), HasSubstr("at most 100000000 are allowed"));
  }
  std::string bytes = with_header("{}", 0);
  const std::uint64_t length = 3;
  std::memcpy(bytes.data(), &length, 8);
  EXPECT_THAT(outcome(folder / "a", bytes), HasSubstr("truncated: a header of 3 bytes in a file of 10"));
}

std::string small_file(const TemporaryFolder& folder) {
  const std::vector<float> a = {1, 2, 3, 4};
  const std::vector<std::uint8_t> b = {5, 6, 7};
  const TensorBytes tensors[] = {{"a", Type(float32, {2, 2}), bytes_of(a)}, {"b", Type(uint8, {3}), bytes_of(b)}};
  write_safetensors(folder / "small", tensors, {{"k", "v"}});
  return read_file(folder / "small");
}

TEST(Safetensors, EveryTruncationIsAnError) {
  const TemporaryFolder folder;
  const std::string whole = small_file(folder);
  ASSERT_EQ(outcome(folder / "a", whole), "read");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(outcome(folder / "a", whole.substr(0, size)), "read") << size;
}

TEST(Safetensors, EveryChangedByteIsReadOrAnError) {
  const TemporaryFolder folder;
  const std::string whole = small_file(folder);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit <= 8; ++bit) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ (bit == 8 ? 0xff : 1 << bit));
      outcome(folder / "a", changed);  // any exception other than Error fails the test
    }
  }
}

TEST(Safetensors, WriterRefusesWhatItCouldNotReadBack) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> bytes = {1, 2};
  const TensorBytes twice[] = {{"x", Type(uint8, {2}), bytes_of(bytes)}, {"x", Type(uint8, {2}), bytes_of(bytes)}};
  EXPECT_THROW(write_safetensors(folder / "a", twice), Error);
  const TensorBytes wrong_size[] = {{"x", Type(uint8, {3}), bytes_of(bytes)}};
  EXPECT_THROW(write_safetensors(folder / "a", wrong_size), Error);
  const TensorBytes reserved[] = {{"__metadata__", Type(uint8, {2}), bytes_of(bytes)}};
  EXPECT_THROW(write_safetensors(folder / "a", reserved), Error);
  const TensorBytes no_text[] = {{"\xff", Type(uint8, {2}), bytes_of(bytes)}};
  EXPECT_THAT([&] { write_safetensors(folder / "a", no_text); },
              testing::ThrowsMessage<Error>(HasSubstr("names and metadata must be UTF-8")));
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{});
}

}  // namespace
}  // namespace weft::data
