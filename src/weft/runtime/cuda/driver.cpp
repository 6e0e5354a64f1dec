#include <weft/runtime/cuda/driver.h>

#include <array>
#include <atomic>
#include <cstdlib>

#include <dlfcn.h>

#include <weft/base/knobs.h>

namespace weft::runtime::cuda {

namespace {

constexpr int oldest_version = 12000;

constinit std::atomic<bool> has_ended = false;

std::string error_text(const Driver& driver, CUresult result) {
  const char *name = nullptr, *text = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &text);
  if (!name) return concat("error ", result);
  return text ? concat(name, ", ", text) : name;
}

// The errors whose remedy the driver's own text does not tell.
struct Remedy {
  CUresult error;
  bool is_fatal;
  const char* text;
};
constexpr const char* after_fatal =
    "; this process cannot use the GPU any more: start it again, with WEFT_SYNCHRONOUS=1 to learn which thunk failed";
constexpr std::array remedies = {
    Remedy{2, false,
           "; nvidia-smi lists the processes that hold memory of the GPU, and WEFT_MEMORY_BYTES bounds weft's share"},
    Remedy{100, false,
           "; nvidia-smi tells whether the driver sees a GPU, CUDA_VISIBLE_DEVICES whether this process may use it"},
    Remedy{214, true, after_fatal},
    Remedy{222, false, "; update the NVIDIA driver, which does not read PTX of this version"},
    Remedy{700, true, after_fatal},
    Remedy{702, true, after_fatal},
    Remedy{714, true, after_fatal},
    Remedy{715, true, after_fatal},
    Remedy{716, true, after_fatal},
    Remedy{717, true, after_fatal},
    Remedy{718, true, after_fatal},
    Remedy{719, true, after_fatal},
    Remedy{802, false, "; the service nvidia-fabricmanager of this machine is not running"},
    Remedy{803, false, "; restart the machine, or reload the kernel module of the driver, which is of another version"},
    Remedy{804, false, "; install a driver that supports this GPU"},
    Remedy{999, false, "; nvidia-smi tells whether the driver works"},
};

const Remedy* remedy_of(CUresult result) {
  for (const Remedy& remedy : remedies)
    if (remedy.error == result) return &remedy;
  return nullptr;
}

Result<const Driver*> failed(const std::string& reason) { return Status::failed(reason); }

}  // namespace

Result<const Driver*> load_driver(const std::string& library) {
  if (library.empty()) return failed("WEFT_CUDA_DRIVER is empty, so that GPUs are not used");
  void* const loaded = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded)
    return failed(concat("the NVIDIA driver is not installed, or not found in this container: ", ::dlerror()));
  auto* const made = new Driver;  // never destroyed: memory of the GPU may outlive everything else
#define WEFT_LOAD_FUNCTION(name, symbol, arguments)                                                         \
  made->name = reinterpret_cast<CUresult(*) arguments>(::dlsym(loaded, #symbol));                           \
  if (!made->name) {                                                                                        \
    delete made;                                                                                            \
    return failed(concat("the NVIDIA driver ", library, " has no function " #symbol ": update it to CUDA ", \
                         version_text(oldest_version), " or newer"));                                       \
  }
  WEFT_CUDA_FUNCTIONS(WEFT_LOAD_FUNCTION)
#undef WEFT_LOAD_FUNCTION
  const Driver& driver = *made;
  const auto refuse = [&](std::string reason) {
    delete made;
    return failed(reason);
  };
  const auto refuse_error = [&](const char* call, CUresult error) {
    const Remedy* const remedy = remedy_of(error);
    return refuse(concat("the NVIDIA driver cannot start: ", call, " returned ", error_text(driver, error),
                         remedy ? remedy->text : ""));
  };
  if (const CUresult error = driver.cuInit(0)) return refuse_error("cuInit", error);
  if (const CUresult error = driver.cuDriverGetVersion(&made->version))
    return refuse_error("cuDriverGetVersion", error);
  if (driver.version < oldest_version)
    return refuse(concat("the NVIDIA driver supports CUDA ", version_text(driver.version), ": update it to CUDA ",
                         version_text(oldest_version), " or newer"));
  // The driver registered what it does at the end when it was loaded, so this comes before it.
  std::atexit([] { has_ended.store(true, std::memory_order_relaxed); });
  return made;
}

const Result<const Driver*>& find_driver() {
  static const auto* const found = new Result<const Driver*>(load_driver(knobs::cuda_driver()));
  return *found;
}

const Driver& driver() {
  const Result<const Driver*>& found = find_driver();
  if (!found) fail("a GPU cannot be used: ", found.reason());
  return **found;
}

void check(CUresult result, std::string_view call) {
  if (result == success) [[likely]]
    return;
  const Remedy* const remedy = remedy_of(result);
  throw DriverError(concat(call, ": ", error_text(driver(), result), remedy ? remedy->text : ""),
                    remedy && remedy->is_fatal);
}

std::string version_text(int version) { return concat(version / 1000, ".", version % 1000 / 10); }

bool process_ends() { return has_ended.load(std::memory_order_relaxed); }

}  // namespace weft::runtime::cuda
