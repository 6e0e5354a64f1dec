#include <weft/compiler/cache/origin.h>

#include <cstdint>
#include <elf.h>
#include <link.h>

#include <weft/base/error.h>
#include <weft/base/version.h>
#include <weft/compiler/cache/pieces.h>
#include <weft/compiler/options/target.h>

namespace weft::compiler {

namespace {

// Returns the linker's build id of the binary that contains this function; empty if there is none.
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
  // Never destroyed: entries are still uploaded while the process ends.
  static const std::string* const origin = [] {
    auto* const text = new std::string;
    put_piece(*text, version());
    put_piece(*text, build_id());
    put_piece(*text, Target::host().key);
    return text;
  }();
  return *origin;
}

std::string origin_difference(std::string_view origin) {
  PieceReader reader(origin);
  std::string_view their_version, their_build, their_target;
  if (!reader.piece(their_version) || !reader.piece(their_build) || !reader.piece(their_target))
    return "its origin cannot be read";
  if (their_version != version())
    return concat("it was made by weft ", their_version, ", and this is weft ", version());
  if (their_target != Target::host().key)
    return concat("it is for another processor or made by another LLVM: ",
                  their_target.substr(0, their_target.find(",")));
  return "it was made by another build of weft";
}

}  // namespace weft::compiler
