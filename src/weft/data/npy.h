// Reads and writes NumPy's .npy files, which hold one array each, and .npz archives of them. numpy.h makes tensors of them. Reads format versions 1 to 3, both byte orders and
// both memory orders; writes version 1, little-endian, row-major. Semantics: numpy.lib.format. NumPy has no bf16; it is
// stored as by ml_dtypes, as raw elements of two bytes (V2). Complex numbers are two arrays, as they are two tensors
// everywhere in weft.
//
// Files are not trusted: the header is limited to 64 KiB, no more memory is allocated than the file is long, and a
// violation of the format throws Error that names the file and the position.
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

struct TensorBytes;

// The content of a file: an array, or the real and the imaginary parts of complex numbers.
struct NpyArray {
  ir::Array array;  // the real parts, if `imaginary` is set
  std::optional<ir::Array> imaginary = {};
  std::string name = {};  // in an archive: the name of its entry, without ".npy"
};

NpyArray read_npy_parts(const std::filesystem::path& path);
ir::Array read_npy(const std::filesystem::path& path);  // throws Error for complex numbers

// Reads an array of `bytes` bytes in total; each call of `next` fills its argument with the bytes that follow. Messages
// start with `name`.
using ReadNext = std::function<void(std::span<std::byte>)>;
NpyArray read_npy(const ReadNext& next, std::uint64_t bytes, const std::string& name);

// Writes atomically: `path` is the old file or the complete new one. Both parts must have the same type, f32 or f64.
void write_npy(const std::filesystem::path& path, const ir::Array& array);
void write_npy(const std::filesystem::path& path, const ir::Array& real, const ir::Array& imaginary);
void write_npy(const std::filesystem::path& path, Type type, std::span<const std::byte> elements);

// Reads the arrays of an .npz file (numpy.savez, numpy.savez_compressed) in the order of its directory and verifies the
// CRC-32 of each. Throws Error, which names the entry, for damage, for entries that are not arrays, for entries that
// share bytes of the file, and for archives that unpack to more than 256 MiB and more than a hundred times the file
// size.
std::vector<NpyArray> read_npz(const std::filesystem::path& path);
// Writes an archive as numpy.savez does, without compression: an entry "NAME.npy" for each array. `path` is the old file or the complete
// new one. Names must differ.
void write_npz(const std::filesystem::path& path, std::span<const TensorBytes> arrays);

}  // namespace weft::data
