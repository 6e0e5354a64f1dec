#include <weft/runtime/cuda/nvtx.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <dlfcn.h>

namespace weft::runtime::cuda {

namespace {

// The interface between programs and tools, as version 3 of NVTX defines it (nvtxTypes.h).
using Slot = void (*)();
constexpr std::size_t modules = 7, slots = 16;  // no module has more functions
constexpr int core_module = 1, range_push = 9, range_pop = 11;
constexpr std::uint32_t callbacks_table = 1, version_table = 3;

struct CallbacksTable {
  std::size_t bytes;
  int (*find_module)(int module, Slot*** table, unsigned* size);
};
struct VersionTable {
  std::size_t bytes;
  std::uint32_t version, reserved;
  void (*set_tool_version)(std::uint32_t version);
};

// A tool fills the slots of the functions that it implements.
struct Module {
  std::array<Slot, slots> functions{};
  std::array<Slot*, slots + 1> table{};  // the last one stays null

  Module() {
    for (std::size_t i = 0; i < slots; ++i) table[i] = &functions[i];
  }
};
std::array<Module, modules>& all_modules() {
  static std::array<Module, modules> made;
  return made;
}

int find_module(int module, Slot*** table, unsigned* size) {
  if (module < 1 || static_cast<std::size_t>(module) >= modules) return 0;
  *table = all_modules()[module].table.data();
  if (size) *size = slots;
  return 1;
}

const void* find_table(std::uint32_t id) {
  static constexpr CallbacksTable callbacks{sizeof(CallbacksTable), find_module};
  static constexpr VersionTable version{sizeof(VersionTable), 3, 0, [](std::uint32_t) {}};
  return id == callbacks_table ? static_cast<const void*>(&callbacks) : id == version_table ? &version : nullptr;
}

}  // namespace

NvtxTool load_nvtx_tool(const char* library) {
  if (!library) return {};
  void* const loaded = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (!loaded) return {};
  using Initialize = int (*)(const void* (*find_table)(std::uint32_t id));
  const auto initialize = reinterpret_cast<Initialize>(::dlsym(loaded, "InitializeInjectionNvtx2"));
  if (!initialize || initialize(find_table) == 0) return {};
  const auto& functions = all_modules()[core_module].functions;
  return {.push = reinterpret_cast<int (*)(const char*)>(functions[range_push]),
          .pop = reinterpret_cast<int (*)()>(functions[range_pop])};
}

const NvtxTool& nvtx_tool() {
  static const NvtxTool tool = load_nvtx_tool(std::getenv("NVTX_INJECTION64_PATH"));
  return tool;
}

}  // namespace weft::runtime::cuda
