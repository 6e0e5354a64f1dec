// NumPy's .npy files: one array each. Format versions 1 to 3, both byte orders and both memory orders are read; what is written is
// version 1, little-endian, row-major. Semantics: numpy.lib.format. bf16, which NumPy does not have, is stored as ml_dtypes does:
// as raw elements of two bytes (V2). Complex numbers are two arrays here, as they are two tensors everywhere in weft.
//
// Files are not trusted: the header is bounded (64 KiB), no more memory is taken than the file is long, and what breaks a rule is
// an Error that names the file and the place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
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

// The array in `bytes` bytes, of which each call of `next` fills in those that follow. `name` leads messages.
using ReadNext = std::function<void(std::span<std::byte>)>;
NpyArray read_npy(const ReadNext& next, std::uint64_t bytes, const std::string& name);

// `path` stands for the old file or the new one, whole. Both parts are of one type, f32 or f64.
void write_npy(const std::filesystem::path& path, const ir::Array& array);
void write_npy(const std::filesystem::path& path, const ir::Array& real, const ir::Array& imaginary);

// The arrays of an .npz file (numpy.savez, numpy.savez_compressed) in the order of its directory, each compared with its CRC-32. Throws
// Error with the entry for what is damaged or no array; for entries that share bytes of the file; and for archives that unpack to more
// than 256 MiB and a hundred times the file.
std::vector<NpyArray> read_npz(const std::filesystem::path& path);

}  // namespace weft::data
