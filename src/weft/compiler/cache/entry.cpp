#include <weft/compiler/cache/entry.h>

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>

#include <weft/base/digest.h>
#include <weft/base/version.h>
#include <weft/compiler/llvm/jit.h>

namespace weft::compiler {

namespace {

constexpr std::string_view magic = "weft kernels 1\n";
constexpr std::size_t digest_size = 32;

std::string digest_of(std::string_view bytes) {
  Digest digest;
  digest.add(std::as_bytes(std::span(bytes)));
  return digest.hex();
}

void put(std::string& to, std::string_view bytes) {
  const std::uint64_t size = bytes.size();
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
  to += bytes;
}

// Takes pieces off the front of bytes that may be anything.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool number(std::uint64_t& value) {
    if (rest_.size() < sizeof value) return false;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return true;
  }
  bool piece(std::string_view& piece) {
    std::uint64_t size = 0;
    if (!number(size) || size > rest_.size()) return false;
    piece = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return true;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// The build id that the linker gave to the binary which holds this function; empty: none.
std::string build_id() {
  struct Search {
    std::uintptr_t inside;
    std::string found;
  } search{reinterpret_cast<std::uintptr_t>(&build_id), {}};
  const auto look = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    bool holds = false;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
      holds |= segment.p_type == PT_LOAD && wanted.inside >= begin && wanted.inside < begin + segment.p_memsz;
    }
    if (!holds) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_NOTE) continue;
      const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
      const char* const end = at + segment.p_memsz;
      while (at + sizeof(ElfW(Nhdr)) <= end) {
        const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
        const auto padded = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
        const char* const description = at + sizeof *note + padded(note->n_namesz);
        if (note->n_type == NT_GNU_BUILD_ID) wanted.found.assign(description, note->n_descsz);
        at = description + padded(note->n_descsz);
      }
    }
    return 1;
  };
  ::dl_iterate_phdr(look, &search);
  return search.found;
}

}  // namespace

const std::string& code_origin() {
  static const std::string origin = [] {
    std::string text(version());
    put(text, build_id());
    put(text, object_target());
    return text;
  }();
  return origin;
}

std::string write_entry(std::span<const StoredKernel> kernels) {
  std::string bytes(magic);
  put(bytes, code_origin());
  for (const StoredKernel& kernel : kernels) {
    put(bytes, kernel.key);
    put(bytes, kernel.object);
  }
  return bytes + digest_of(bytes);
}

std::optional<std::vector<StoredKernel>> read_entry(std::string_view bytes, std::string& reason) {
  reason = "it is damaged";
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + digest_size) return std::nullopt;
  const std::string_view content = bytes.substr(0, bytes.size() - digest_size);
  if (digest_of(content) != bytes.substr(content.size())) return std::nullopt;
  Reader reader(content.substr(magic.size()));
  std::string_view origin;
  if (!reader.piece(origin)) return std::nullopt;
  if (origin != code_origin()) {
    reason = "another build of weft, LLVM or another processor made it";
    return std::nullopt;
  }
  std::vector<StoredKernel> kernels;
  while (!reader.at_end()) {
    std::string_view key, object;
    if (!reader.piece(key) || !reader.piece(object)) return std::nullopt;
    kernels.push_back({std::string(key), std::string(object)});
  }
  return kernels;
}

std::string entry_name(std::span<const std::string> keys) {
  std::string all = code_origin();
  for (const std::string& key : keys) put(all, key);
  return digest_of(all) + ".kernels";
}

}  // namespace weft::compiler
