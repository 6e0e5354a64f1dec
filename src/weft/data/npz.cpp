// Reads and writes .npz, a ZIP archive of .npy files, with libzip: reads stored or deflated entries, with every way to encode sizes.
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>
#include <zip.h>

#include <weft/base/error.h>
#include <weft/data/npy.h>
#include <weft/data/npy_header.h>
#include <weft/data/safetensors.h>
#include <weft/data/safetensors_header.h>

namespace weft::data {

namespace {

constexpr std::string_view suffix = ".npy";
constexpr std::uint64_t end_bytes = 22;  // size of the end-of-archive record

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using OpenEntry = std::unique_ptr<zip_file_t, Discard>;

struct Entry {
  zip_uint64_t index = 0;
  std::string name = {};  // for messages
  zip_stat_t stat = {};
};

std::string explain(int code) {
  switch (code) {
    case ZIP_ER_NOZIP: return "no .npz file: it has no directory at its end";
    case ZIP_ER_EXISTS: return "two entries have one name";
    case ZIP_ER_INCONS: return "damaged: its directory and its entries do not agree";
    case ZIP_ER_CRC: return "damaged: its bytes do not match the CRC-32 in the archive";
    case ZIP_ER_ZLIB:
    case ZIP_ER_COMPRESSED_DATA: return "damaged: its compressed data cannot be unpacked";
    case ZIP_ER_EOF: return "damaged: it ends early";
    case ZIP_ER_MEMORY: throw std::bad_alloc();
    default: return concat("it cannot be read as a ZIP archive (libzip's error ", code, ')');
  }
}

std::string reason(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

zip_buffer_fragment_t part(std::span<const std::byte> bytes) {
  // libzip's type is not const, but libzip only reads.
  return {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(bytes.data())), bytes.size()};
}

Archive open(const std::filesystem::path& path) {
  int code = 0;
  Archive archive(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  require(archive != nullptr, explain(code));
  return archive;
}

std::vector<Entry> directory_of(zip_t* archive) {
  std::vector<Entry> entries;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    Entry& entry = entries.emplace_back(Entry{.index = static_cast<zip_uint64_t>(i)});
    constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD |
                                    ZIP_STAT_CRC | ZIP_STAT_ENCRYPTION_METHOD;
    const bool is_known =
        zip_stat_index(archive, entry.index, ZIP_FL_ENC_RAW, &entry.stat) == 0 && (entry.stat.valid & needed) == needed;
    require(is_known, "damaged: its directory does not say what entry ", i, " is");
    entry.name = shown(entry.stat.name);
    require(entry.stat.encryption_method == ZIP_EM_NONE, entry.name, ": it is encrypted");
    require(entry.stat.comp_method == ZIP_CM_STORE || entry.stat.comp_method == ZIP_CM_DEFLATE, entry.name,
            ": it is compressed by method ", entry.stat.comp_method,
            ", which is not read; numpy.savez and numpy.savez_compressed write what is");
  }
  return entries;
}

// Rejects entries that share bytes or that unpack to far more than is stored, because they would take memory out of all
// proportion to the file. Each entry needs separate space for its two headers, its name and its bytes.
void check_sizes(const std::vector<Entry>& entries, std::uint64_t file_bytes) {
  constexpr std::uint64_t header_bytes = 30 + 46;
  constexpr std::uint64_t always_read = std::uint64_t{256} << 20, most_ratio = 100;
  std::uint64_t left = file_bytes - end_bytes, unpacked = 0;
  for (const Entry& entry : entries) {
    const std::uint64_t around = header_bytes + 2 * std::strlen(entry.stat.name);
    require(around <= left && entry.stat.comp_size <= left - around, entry.name,
            ": the entries take more bytes than the file has, so that some share them");
    left -= around + entry.stat.comp_size;
    const std::uint64_t most = always_read + most_ratio * file_bytes;
    require(entry.stat.size <= most - unpacked, entry.name, ": with it the entries unpack to more than ", most,
            " bytes, the most that a file of ", file_bytes,
            " bytes may hold; numpy.savez writes arrays without compression");
    unpacked += entry.stat.size;
  }
}

NpyArray read_entry(zip_t* archive, const Entry& entry, const std::string& place) {
  const OpenEntry file(zip_fopen_index(archive, entry.index, 0));
  require(file != nullptr, place, ": ", explain(zip_error_code_zip(zip_get_error(archive))));
  const auto problem = [&] { return explain(zip_error_code_zip(zip_file_get_error(file.get()))); };
  const auto next = [&](std::span<std::byte> to) {
    while (!to.empty()) {
      const zip_int64_t count = zip_fread(file.get(), to.data(), to.size());
      require(count >= 0, problem());
      require(count > 0, explain(ZIP_ER_EOF));
      to = to.subspan(count);
    }
  };
  NpyArray array = read_npy(next, entry.stat.size, place);
  std::byte more{};
  const zip_int64_t behind = zip_fread(file.get(), &more, 1);  // at the end of the entry, libzip verifies the CRC-32
  require(behind >= 0, place, ": ", problem());
  require(behind == 0, place, ": damaged: it is longer than the archive states");
  return array;
}

}  // namespace

std::vector<NpyArray> read_npz(const std::filesystem::path& path) {
  const File file(path);
  try {
    require(file.size() >= end_bytes, "no .npz file: it has ", file.size(), " bytes");
    const Archive archive = open(path);
    const std::vector<Entry> entries = directory_of(archive.get());
    check_sizes(entries, file.size());
    std::vector<NpyArray> arrays;
    for (const Entry& entry : entries) {
      NpyArray& array = arrays.emplace_back(read_entry(archive.get(), entry, concat(path.string(), ": ", entry.name)));
      array.name = entry.stat.name;
      if (array.name.ends_with(suffix)) array.name.resize(array.name.size() - suffix.size());
    }
    return arrays;
  } catch (const Error& wrong) {
    const std::string message = wrong.what();
    if (message.starts_with(path.string())) throw;
    fail(path.string(), ": ", message);
  }
}

void write_npz(const std::filesystem::path& path, std::span<const TensorBytes> arrays) {
  const std::filesystem::path target = file_to_replace(path);
  int code = 0;
  Archive archive(zip_open(target.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  require(archive != nullptr, path.string(), ": cannot be written: ", reason(code));
  const auto check = [&](bool holds) {
    require(holds, path.string(), ": cannot be written: ", zip_error_strerror(zip_get_error(archive.get())));
  };
  std::vector<std::string> preambles;
  preambles.reserve(arrays.size());  // libzip reads them when the archive is closed
  for (const TensorBytes& array : arrays) {
    const std::string& preamble = preambles.emplace_back(npy_preamble(array.type));
    const std::array<zip_buffer_fragment_t, 2> parts{{part(std::as_bytes(std::span(preamble))), part(array.bytes)}};
    zip_source_t* source = zip_source_buffer_fragment(archive.get(), parts.data(), array.bytes.empty() ? 1 : 2, 0);
    check(source != nullptr);
    const zip_int64_t entry =
        zip_file_add(archive.get(), (array.name + std::string(suffix)).c_str(), source, ZIP_FL_ENC_UTF_8);
    if (entry < 0) zip_source_free(source);
    check(entry >= 0);
    constexpr zip_uint16_t midnight = 0, first_of_1980 = 0x21;  // as numpy.savez, so that equal arrays make equal files
    check(zip_set_file_compression(archive.get(), entry, ZIP_CM_STORE, 0) == 0 &&
          zip_file_set_dostime(archive.get(), entry, midnight, first_of_1980, 0) == 0);
  }
  check(zip_close(archive.get()) == 0);
  static_cast<void>(archive.release());  // zip_close has freed it
}

}  // namespace weft::data
