#include <weft/data/npy.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include <weft/base/error.h>
#include <weft/data/npy_header.h>

namespace weft::data {

static_assert(std::endian::native == std::endian::little, "arrays are kept in the order of the machine");

namespace {

constexpr std::uint64_t max_npy_header_bytes = 1 << 16;

void swap_bytes(std::span<std::byte> bytes, std::size_t width) {
  for (std::size_t i = 0; i < bytes.size(); i += width) std::ranges::reverse(bytes.subspan(i, width));
}

// Converts from column-major to row-major order; an element has `width` bytes.
std::vector<std::byte> to_row_major(std::span<const std::byte> elements, Type type, std::size_t width) {
  std::vector<std::byte> result(elements.size());
  std::vector<std::int64_t> position(type.rank(), 0), strides = position;
  std::int64_t stride = 1;
  for (int d = 0; d < type.rank(); ++d) {
    strides[d] = stride;
    stride *= type.size(d);
  }
  std::int64_t from = 0;
  for (std::int64_t to = 0; to < type.elements(); ++to) {
    std::memcpy(result.data() + to * width, elements.data() + from * width, width);
    for (std::size_t d = position.size(); d-- > 0;) {
      from += strides[d];
      if (++position[d] < type.size(d)) break;
      from -= strides[d] * position[d];
      position[d] = 0;
    }
  }
  return result;
}

// Separates interleaved real and imaginary parts into two arrays, or interleaves them.
void separate(std::span<const std::byte> pairs, NpyArray& parts) {
  const std::size_t width = byte_size(parts.array.dtype());
  parts.imaginary.emplace(parts.array.type());
  for (std::size_t i = 0; i < parts.array.bytes().size(); i += width) {
    std::memcpy(parts.array.bytes().data() + i, pairs.data() + 2 * i, width);
    std::memcpy(parts.imaginary->bytes().data() + i, pairs.data() + 2 * i + width, width);
  }
}

std::vector<std::byte> join(const ir::Array& real, const ir::Array& imaginary) {
  const std::size_t width = byte_size(real.dtype());
  std::vector<std::byte> pairs(2 * real.bytes().size());
  for (std::size_t i = 0; i < real.bytes().size(); i += width) {
    std::memcpy(pairs.data() + 2 * i, real.bytes().data() + i, width);
    std::memcpy(pairs.data() + 2 * i + width, imaginary.bytes().data() + i, width);
  }
  return pairs;
}

// The bytes before the elements: version, length and text of the header.
struct Preamble {
  NpyHeader header;
  std::uint64_t bytes;  // total size
};

Preamble read_preamble(const ReadNext& next, std::uint64_t bytes) {
  unsigned char start[12] = {};
  const std::size_t least = npy_magic.size() + 4;
  require(bytes >= least, "no .npy file: it has ", bytes, " bytes, a header needs ", least);
  next(std::as_writable_bytes(std::span(start, least)));
  require(std::memcmp(start, npy_magic.data(), npy_magic.size()) == 0,
          "no .npy file: it does not begin with \\x93NUMPY");
  const int version = start[6];
  require(version >= 1 && version <= 3 && start[7] == 0, "format version ", version, '.', +start[7],
          " is not known, 1.0, 2.0 and 3.0 are");
  const std::uint64_t prefix = version == 1 ? 10 : 12;
  require(bytes >= prefix, "truncated: it ends within the length of its header");
  next(std::as_writable_bytes(std::span(start).subspan(least, prefix - least)));
  std::uint64_t length = start[8] | std::uint64_t{start[9]} << 8;
  if (version > 1) length |= std::uint64_t{start[10]} << 16 | std::uint64_t{start[11]} << 24;
  require(length <= max_npy_header_bytes, "a header of ", length, " bytes, at most ", max_npy_header_bytes,
          " are read");
  require(length <= bytes - prefix, "truncated: a header of ", length, " bytes in ", bytes);
  std::string text(length, '\0');
  next(std::as_writable_bytes(std::span(text)));
  return {parse_npy_header(text), prefix + length};
}

NpyArray read_elements(const ReadNext& next, std::uint64_t bytes) {
  const auto [header, header_bytes] = read_preamble(next, bytes);
  const Type type = header.type;
  const std::uint64_t parts = header.is_complex ? 2 : 1;
  const std::uint64_t stored = bytes - header_bytes, expected = parts * type.bytes();
  require(stored == expected, "holds ", stored, " bytes of elements, ", header.is_complex ? "complex " : "", type,
          " takes ", expected);
  const std::size_t width = byte_size(type.dtype());
  NpyArray result{ir::Array(type)};
  std::vector<std::byte> pairs(header.is_complex ? stored : 0);
  const std::span<std::byte> elements = header.is_complex ? std::span(pairs) : result.array.bytes();
  next(elements);
  if (header.is_big_endian) swap_bytes(elements, width);
  if (type.dtype() == DType::boolean)
    for (std::byte& b : elements) b = std::byte(b != std::byte{0});
  if (header.is_fortran_order) std::ranges::copy(to_row_major(elements, type, parts * width), elements.begin());
  if (header.is_complex) separate(pairs, result);
  return result;
}

void write(const std::filesystem::path& path, const std::string& preamble, std::span<const std::byte> elements) {
  const std::filesystem::path target = file_to_replace(path);
  AtomicFile file(target.parent_path());
  file.write(preamble);
  file.write(elements);
  file.commit(target.filename().string());
}

}  // namespace

NpyArray read_npy(const ReadNext& next, std::uint64_t bytes, const std::string& name) {
  try {
    return read_elements(next, bytes);
  } catch (const Error& wrong) {
    fail(name, ": ", wrong.what());
  }
}

NpyArray read_npy_parts(const std::filesystem::path& path) {
  const File file(path);
  std::uint64_t offset = 0;
  const auto next = [&](std::span<std::byte> to) {
    file.read(offset, to);
    offset += to.size();
  };
  return read_npy(next, file.size(), path.string());
}

ir::Array read_npy(const std::filesystem::path& path) {
  NpyArray read = read_npy_parts(path);
  require(!read.imaginary, path.string(), ": holds complex numbers");
  return std::move(read.array);
}

void write_npy(const std::filesystem::path& path, const ir::Array& array) {
  write(path, npy_preamble(array.type()), array.bytes());
}

void write_npy(const std::filesystem::path& path, Type type, std::span<const std::byte> elements) {
  write(path, npy_preamble(type), elements);
}

void write_npy(const std::filesystem::path& path, const ir::Array& real, const ir::Array& imaginary) {
  require(real.type() == imaginary.type(), "write_npy: parts of ", real.type(), " and ", imaginary.type());
  write(path, npy_preamble(real.type(), true), join(real, imaginary));
}

}  // namespace weft::data
