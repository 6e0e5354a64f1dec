// Reads .npz, a ZIP archive of .npy files, with libzip: stored or deflated entries, with every way to encode sizes.
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>
#include <zip.h>

#include <weft/base/error.h>
#include <weft/data/npy.h>
#include <weft/data/safetensors_header.h>

namespace weft::data {

namespace {

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
    for (const Entry& entry : entries)
      arrays.push_back(read_entry(archive.get(), entry, concat(path.string(), ": ", entry.name)));
    return arrays;
  } catch (const Error& wrong) {
    const std::string message = wrong.what();
    if (message.starts_with(path.string())) throw;
    fail(path.string(), ": ", message);
  }
}

}  // namespace weft::data
