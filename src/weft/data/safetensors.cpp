#include <weft/data/safetensors.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

#include <weft/base/error.h>
#include <weft/base/json.h>
#include <weft/data/safetensors_header.h>

namespace weft::data {

static_assert(std::endian::native == std::endian::little, "safetensors holds little-endian numbers");

namespace {

constexpr std::uint64_t length_bytes = 8;

// In the order of DType.
constexpr std::array<std::string_view, dtype_count> dtype_names = {"BOOL", "I8",  "I16", "I32",  "I64", "U8", "U16",
                                                                   "U32",  "U64", "F16", "BF16", "F32", "F64"};

std::vector<char> read_header(const File& file) {
  const std::string path = file.path().string();
  require(file.size() >= length_bytes, path, ": not a safetensors file: it has ", file.size(),
          " bytes, a header needs 8");
  std::uint64_t length = 0;
  file.read(0, std::as_writable_bytes(std::span(&length, 1)));
  require(length <= max_header_bytes, path, ": not a safetensors file: a header of ", length, " bytes, at most ",
          max_header_bytes, " are allowed");
  require(length <= file.size() - length_bytes, path, ": truncated: a header of ", length, " bytes in a file of ",
          file.size());
  std::vector<char> text(length);
  file.read(length_bytes, std::as_writable_bytes(std::span(text)));
  return text;
}

Type type_of(const HeaderEntry& entry) {
  const auto found = std::ranges::find(dtype_names, entry.dtype);
  require(found != dtype_names.end(), "dtype ", shown(entry.dtype), " is not supported");
  const auto dtype = static_cast<DType>(found - dtype_names.begin());
  std::vector<Dim> dims;
  for (const std::uint64_t size : entry.shape) {
    require(size <= std::numeric_limits<std::int64_t>::max(), "a dimension of ", size, " is too large");
    dims.emplace_back(static_cast<std::int64_t>(size));
  }
  return Type(dtype, dims);  // throws Error if the rank or the number of elements is too large
}

}  // namespace

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : file_(path) {
  const std::vector<char> text = read_header(file_);
  const std::uint64_t start = length_bytes + text.size(), data_bytes = file_.size() - start;
  std::string place;  // for messages
  try {
    Header header = parse_header(text);
    metadata_ = std::move(header.metadata);
    std::ranges::sort(header.entries, {}, [](const HeaderEntry& e) { return std::pair(e.begin, e.end); });
    std::uint64_t end = 0;  // end of the previous tensor
    for (HeaderEntry& entry : header.entries) {
      place = "tensor " + shown(entry.name) + ": ";
      const Type type = type_of(entry);
      require(entry.begin <= entry.end && entry.end <= data_bytes, "data_offsets [", entry.begin, ", ", entry.end,
              "] lie outside of the ", data_bytes, " bytes of data");
      require(entry.end - entry.begin == static_cast<std::uint64_t>(type.bytes()), type, " has ", type.bytes(),
              " bytes, data_offsets span ", entry.end - entry.begin);
      require(entry.begin >= end, "data_offsets [", entry.begin, ", ", entry.end, "] overlap another tensor's");
      require(entry.begin == end, entry.begin - end, " bytes before its data belong to no tensor");
      end = entry.end;
      entries_.push_back({std::move(entry.name), type, start + entry.begin});
    }
    place.clear();
    require(end == data_bytes, data_bytes - end, " bytes at the end belong to no tensor");
  } catch (const Error& error) {
    fail(file_.path().string(), ": not a safetensors file: ", place, error.what());
  }
  std::ranges::sort(entries_, {}, &Entry::name);
}

const SafetensorsFile::Entry* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(entries_, name, {}, &Entry::name);
  return found != entries_.end() && found->name == name ? &*found : nullptr;
}

void SafetensorsFile::read(const Entry& entry, std::span<std::byte> to) const {
  require(std::ssize(to) == entry.type.bytes(), "SafetensorsFile::read: ", entry.name, " has ", entry.type.bytes(),
          " bytes, the destination ", to.size());
  file_.read(entry.offset, to);
}

namespace {

// The caller chooses the names; the format requires UTF-8.
std::string print_header(const nlohmann::ordered_json& header) {
  std::string text = print_json(header);
  require(nlohmann::ordered_json::parse(text) == header, "write_safetensors: names and metadata must be UTF-8");
  return text;
}

}  // namespace

void write_safetensors(AtomicFile& file, std::span<const TensorBytes> tensors, const Metadata& metadata) {
  // Writes tensors with the widest elements first, so that every tensor is aligned for its type.
  std::vector<const TensorBytes*> order;
  for (const TensorBytes& tensor : tensors) order.push_back(&tensor);
  std::ranges::stable_sort(order, std::greater(), [](const TensorBytes* t) { return byte_size(t->type.dtype()); });

  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::set<std::string_view> names = {"__metadata__"};
  std::uint64_t end = 0;
  for (const TensorBytes* tensor : order) {
    const auto& [name, type, bytes] = *tensor;
    require(names.insert(name).second, "write_safetensors: the name ", name, " is taken");
    require(std::ssize(bytes) == type.bytes(), "write_safetensors: ", name, " of type ", type, " has ", type.bytes(),
            " bytes, got ", bytes.size());
    std::vector<std::int64_t> shape;
    for (int i = 0; i < type.rank(); ++i) shape.push_back(type.size(i));
    const std::uint64_t begin = end;
    end += bytes.size();
    header.push_back({name,
                      {{"dtype", dtype_names[static_cast<std::size_t>(type.dtype())]},
                       {"shape", shape},
                       {"data_offsets", {begin, end}}}});
  }
  std::string text = print_header(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  require(text.size() <= max_header_bytes, "write_safetensors: the names and shapes take ", text.size(),
          " bytes, at most ", max_header_bytes, " are allowed");
  const std::uint64_t length = text.size();
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const TensorBytes* tensor : order) file.write(tensor->bytes);
}

void write_safetensors(const std::filesystem::path& path, std::span<const TensorBytes> tensors,
                       const Metadata& metadata) {
  const std::filesystem::path target = file_to_replace(path);
  AtomicFile file(target.parent_path());
  write_safetensors(file, tensors, metadata);
  file.commit(target.filename().string());
}

}  // namespace weft::data
