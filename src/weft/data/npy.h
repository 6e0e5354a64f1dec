// NumPy's .npy files: one array each. Format versions 1 to 3, both byte orders and both memory orders are read; what is written is
// version 1, little-endian, row-major. Semantics: numpy.lib.format. bf16, which NumPy does not have, is stored as ml_dtypes does:
// as raw elements of two bytes (V2). Complex numbers are two arrays here, as they are two tensors everywhere in weft.
//
// Files are not trusted: the header is bounded (64 KiB), no more memory is taken than the file is long, and what breaks a rule is
// an Error that names the file and the place.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include <weft/base/file.h>
#include <weft/ir/array.h>

namespace weft::data {

// What a file holds: an array, or the real and the imaginary parts of complex numbers.
struct NpyArray {
  ir::Array array;  // the real parts, if there are imaginary ones
  std::optional<ir::Array> imaginary = {};
};

NpyArray read_npy_parts(const std::filesystem::path& path);
ir::Array read_npy(const std::filesystem::path& path);  // of numbers that are not complex

// The array in the `bytes` bytes of a file from `offset` on; `name` leads messages.
NpyArray read_npy(const File& file, std::uint64_t offset, std::uint64_t bytes, const std::string& name);

// `path` stands for the old file or the new one, whole. Both parts are of one type, f32 or f64.
void write_npy(const std::filesystem::path& path, const ir::Array& array);
void write_npy(const std::filesystem::path& path, const ir::Array& real, const ir::Array& imaginary);

// The arrays of an .npz file (numpy.savez) in the order of its directory. Compressed archives and those beyond 4 GiB are refused.
std::vector<NpyArray> read_npz(const std::filesystem::path& path);

}  // namespace weft::data
